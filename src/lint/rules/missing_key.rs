//! `missing-key`: a key that must be there and is not. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F103",
    name: "missing-key",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a map that lacks a key it cannot do without: the `persona` of a spec, a parameter of a kind, the `count` or `sum`
of a budget. A guard without a `kind` also needs its own `prose` and `correction`, unless it only records or lifts a
default; for one that asks or redacts, `prose` is enough.

## Why
What is missing cannot be guessed without guessing what the author wanted to allow. A guard without a correction would
stop the model and not say what to do instead, and models that are not told try again until the turn is over.

## Example
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {max: 500}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 500}}
```
",
    check: Check::Loading,
};
