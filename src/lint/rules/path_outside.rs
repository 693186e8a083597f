//! `path-outside`: a file outside of the workspace. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F801",
    name: "path-outside",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a path to another file that is absolute, is a URL, has backslashes or leads out of the workspace with `..`. A
path is relative, written with `/`, and stays below the root of the workspace.

## Why
What a spec names becomes part of its rules. A file outside of the workspace is not reviewed with them, differs from
machine to machine, and lets a spec that comes from somewhere else read what it should not.

## Example
```yaml
contract: ../../../shop.yaml
```

## Use instead
```yaml
contract: ../../contracts/airline.yaml
```
",
    check: Check::Loading,
};
