//! `unknown-version`: a version of the format that this program does not know. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F011",
    name: "unknown-version",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a first key with another number than 1, the only version of the format of specs, contracts and packs that this
program knows.

## Why
A later version may give a key another meaning, or rely on a rule that this program would not enforce. A spec that is
governed by half of its rules is worse than one that does not start.

## Example
```yaml
agentspec: 2
```

## Use instead
Write version 1, or install a version of Flyball that knows the one that is written.

```yaml
agentspec: 1
```
",
    check: Check::Loading,
};
