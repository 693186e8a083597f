//! `allow-with-check`: a guard that allows and has a check. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F411",
    name: "allow-with-check",
    severity: Severity::Error,
    docs: r"
## What it does
Finds `action: allow` in a guard with a `kind` or a `check`. Such a guard lifts `default` for the calls it applies to,
and `when` says which these are.

## Why
A guard fires when its check is false. One that allows would thus allow exactly what breaks the rule: in the example
the large amounts, and not the small ones.

## Example
```yaml
default: deny
guards:
  preTool:
    - {id: small-ones, tools: [refund], kind: argRange, with: {arg: amount, max: 100}, action: allow}
```

## Use instead
```yaml
default: deny
guards:
  preTool:
    - {id: refunds, tools: [refund], action: allow}
    - {id: small-ones, tools: [refund], kind: argRange, with: {arg: amount, max: 100}}
```
",
    check: Check::Loading,
};
