//! `empty-list`: a list or map in which nothing stands. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F109",
    name: "empty-list",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an empty list or map in a place where it could be read in two ways: `tools`, `except` and `effects` of a guard,
`from` and `to` of an edge, `values` of a kind, `accept`, `declares`, `redact`, `same`.

## Why
To one reader `tools: []` means no tool and to another every tool. With the first reading a guard protects nothing,
with the second it stops everything, and neither is what most authors meant when they emptied the list.

## Example
```yaml
guards:
  preTool:
    - {id: none, tools: [], kind: forbid}
    - {id: no-effect, effects: [], kind: forbid}
    - {id: no-exception, tools: [refund], except: [], kind: forbid}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: reads, effects: [read], kind: forbid}
    - {id: refunds, tools: [refund], except: [lookup], kind: forbid}
```
",
    check: Check::Loading,
};
