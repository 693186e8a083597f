//! `yaml-tag`: a YAML tag before a value. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F021",
    name: "yaml-tag",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a YAML tag: an unquoted value, or what stands before one, that begins with `!`. An expression that negates
something is the usual case.

## Why
To YAML `check: !world.open` is no condition but an empty value with the tag `!world.open`. A reader that lets tags
pass would load a guard whose check is nothing, and the agent would be free to do what the author forbade.

## Example
```yaml
- {id: open, tools: [refund], kind: precondition, with: {check: !world.open}}
```

## Use instead
```yaml
- {id: open, tools: [refund], kind: precondition, with: {check: '!world.open'}}
```
",
    check: Check::Loading,
};
