//! `duplicate-id`: one id for two rules. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F115",
    name: "duplicate-id",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an id that two rules have. Guards, edges, budgets and directives of a spec and of its contract share one set of
ids.

## Why
A deny names the rule that it comes from by this id, and so do questions and the lines of the ledger. With one id for
two rules nobody can tell from the record which of them stopped a call.

## Example
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 500}}
budgets:
  - {id: cap, count: calls, tools: [refund], max: 3}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 500}}
budgets:
  - {id: three, count: calls, tools: [refund], max: 3}
```
",
    check: Check::Loading,
};
