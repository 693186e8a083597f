//! `yaml-alias`: a YAML alias, or an unquoted star. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F025",
    name: "yaml-alias",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a YAML alias: an unquoted value that begins with `*`. Patterns of tool names such as `*_lead` are the usual
case, and `{*}` where `'*'` is meant.

## Why
To YAML `*_lead` is a reference to an anchor of that name, not a pattern. A guard that was to be about every such tool
would be about whatever the anchor holds, or about nothing.

## Example
```yaml
guards:
  preTool:
    - {id: watched, tools: [*_lead], action: audit}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: watched, tools: ['*/*_lead'], action: audit}
```
",
    check: Check::Loading,
};
