//! `yaml-anchor`: a YAML anchor. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F023",
    name: "yaml-anchor",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a YAML anchor: an unquoted value, or what stands before one, that begins with `&`.

## Why
Anchors let one place of a file stand for another, so that a change of the first changes rules that a reviewer does
not look at; nested ones can make a small file enormous. Specs have names for what is shared: `$defs` for schemas,
`params` for constants, `let` for expressions.

## Example
```yaml
$defs:
  id: &id {type: string}
```

## Use instead
```yaml
$defs:
  id: {type: string}
tools:
  lookup: {effect: read, parameters: {type: object, properties: {id: {$ref: '#/$defs/id'}}}}
```
",
    check: Check::Loading,
};
