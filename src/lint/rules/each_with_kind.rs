//! `each-with-kind`: a loop around a kind. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F417",
    name: "each-with-kind",
    severity: Severity::Error,
    docs: r"
## What it does
Finds `forEach` in a guard with a built-in `kind`. Kinds that are about arguments reach every element by a path such
as `lines[].price`.

## Why
A kind judges the call as a whole and does not know the variable of the loop, so it would say the same for every
element. The author would believe that each of them is checked.

## Example
```yaml
guards:
  preTool:
    - {id: cap, forEach: x in args.note, kind: argRange, with: {arg: amount, max: 5}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, when: has(args.note), kind: argRange, with: {arg: amount, max: 5}}
```
",
    check: Check::Loading,
};
