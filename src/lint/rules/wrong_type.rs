//! `wrong-type`: a value of another type than is wanted. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F105",
    name: "wrong-type",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a value that is not what its key takes: a text where a list, a map, a number, or `true` or `false` belongs, a
number where a text belongs, nothing where there must be something, and a pattern where one tool must be named.

## Why
Nothing is converted on the way, because a conversion that is wrong once changes a rule: `no` in the place of a
boolean would be a text that counts as true in many programs, and `'500.00'` would be compared letter by letter.

## Example
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: '500.00'}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 500.00}}
```
",
    check: Check::Loading,
};
