//! `yaml-directive`: a line that begins with a percent sign. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F019",
    name: "yaml-directive",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a YAML directive: a line such as `%YAML 1.2` or `%TAG …` before the document.

## Why
Directives change how the rest of a file is read, and readers of YAML honour them in different ways. Specs are always
read as YAML 1.2, so a directive could only mislead a reader about the one that is in force.

## Example
```yaml
%YAML 1.2
---
agentspec: 1
```

## Use instead
```yaml
---
agentspec: 1
```
",
    check: Check::Loading,
};
