//! `one-space-comment`: a comment that cuts an unquoted text. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F039",
    name: "one-space-comment",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a `#` that stands exactly one space behind an unquoted text or expression. To YAML a comment begins there; two
spaces say that a comment is meant.

## Why
In a text such as `See ticket #12` everything from the `#` on would be dropped, and in an expression half of a
condition. Whether the rest was a remark or part of the rule cannot be seen from one space.

## Example
```yaml
correction: The desk is closed. # until May
```

## Use instead
```yaml
correction: The desk is closed.  # until May
```
",
    check: Check::Loading,
};
