//! `with-without-kind`: parameters without a kind that takes them. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F409",
    name: "with-without-kind",
    severity: Severity::Error,
    docs: r"
## What it does
Finds `with` in a guard that has no `kind`.

## Why
Without a kind and a check a guard fires whenever it applies. The example reads like a limit of 500, and it would deny
every call of the tool, whatever its amount.

## Example
```yaml
- id: cap
  tools: [refund]
  with: {arg: amount, max: 500}
  prose: refund at most 500
  correction: Refund at most 500.
```

## Use instead
```yaml
- id: cap
  tools: [refund]
  kind: argRange
  with: {arg: amount, max: 500}
  prose: refund at most 500
  correction: Refund at most 500.
```
",
    check: Check::Loading,
};
