//! `inexact-number`: a number that cannot be kept to its last digit. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F045",
    name: "inexact-number",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a number that is not exact: `.inf`, `.nan`, a number of base 8 or 16 with more than 128 bits, and one with more
digits than can be kept.

## Why
Limits and amounts are compared to the last digit. Nothing is above `.inf` and nothing compares with `.nan`, so a cap
written as one of them would be a cap in name only. A limit that is not meant is left out.

## Example
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: .inf}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 1e6}}
```
",
    check: Check::Loading,
};
