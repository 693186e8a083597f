//! `merge-key`: a merge of maps with `<<`. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F027",
    name: "merge-key",
    severity: Severity::Error,
    docs: r"
## What it does
Finds the key `<<`, with which YAML 1.1 merges one map into another.

## Why
YAML 1.2 has no merge keys, and those readers that keep them do not agree on which side wins. In a tool's schema or a
guard that would decide which values the model may send, so the keys must stand where they hold.

## Example
```yaml
$defs:
  search: &search {type: object, properties: {q: {type: string}}}
tools:
  find:
    effect: read
    parameters:
      <<: *search
```

## Use instead
```yaml
$defs:
  search: {type: object, properties: {q: {type: string}}}
tools:
  find:
    effect: read
    parameters: {$ref: '#/$defs/search'}
```
",
    check: Check::Loading,
};
