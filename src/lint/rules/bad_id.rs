//! `bad-id`: an id in a form that ids do not have. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F113",
    name: "bad-id",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an id that is not made of 1 to 64 of the characters `a` to `z`, `0` to `9` and `-`. It is about the ids of
files, guards, edges, budgets and directives.

## Why
The id of a rule is its `code` on the wire, in the ledger and in every test that names it. With one form for all of
them nobody has to escape it, and no two differ only in capitals.

## Example
```yaml
guards:
  preTool:
    - {id: Max_Refund, tools: [refund], kind: argRange, with: {arg: amount, max: 500}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: max-refund, tools: [refund], kind: argRange, with: {arg: amount, max: 500}}
```
",
    check: Check::Loading,
};
