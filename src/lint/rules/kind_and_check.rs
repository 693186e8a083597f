//! `kind-and-check`: a guard with a kind and a check. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F407",
    name: "kind-and-check",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a guard that has both a `kind` and a `check` of its own. The check of a kind that takes one, such as
`precondition`, stands under `with`.

## Why
It is not said whether both must hold or one is enough, and the two have one id, one correction and one reason. As two
guards each says what it forbids, and the record shows which of them stopped a call.

## Example
```yaml
guards:
  preTool:
    - {id: cap, kind: argRange, with: {arg: amount, max: 5}, check: args.amount < 5, prose: at most 5, correction: At most 5.}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, kind: argRange, with: {arg: amount, max: 5}}
    - {id: low, check: args.amount < 5, prose: at most 5, correction: At most 5.}
```
",
    check: Check::Loading,
};
