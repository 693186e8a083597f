//! `extends-cycle`: a spec that extends itself. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F015",
    name: "extends-cycle",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an `extends` that leads back to a file that is being extended already: the file itself, or one that extends it
over some steps.

## Why
A spec that extends another takes over its rules and may only make them stricter. Where two files are each other's
base there is no first set of rules to be stricter than, so no reader could say what holds.

## Example
```yaml
id: extends-cycle
extends: extends-cycle.yaml
```

## Use instead
```yaml
id: extends-cycle
extends: ../refunds.yaml
```
",
    check: Check::Loading,
};
