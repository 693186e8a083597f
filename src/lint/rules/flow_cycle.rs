//! `flow-cycle`: tools that wait for each other. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F501",
    name: "flow-cycle",
    severity: Severity::Error,
    docs: r"
## What it does
Finds tools that can never be called because each needs another of them to have succeeded before. Edges of `flow`
count, and so do guards of the kind `requiresBefore` that deny. A tool with another way in is not on such a circle.

## Why
The model is told to call the first one first, and there is none: each correction sends it to the next tool, and that
one is denied as well. The tools might as well not be there, and the turn ends when its budget is used up.

## Example
```yaml
flow:
  - {id: approved, from: approve, to: order}
  - {id: ordered, from: order, to: approve}
```

## Use instead
```yaml
flow:
  - {id: quoted, from: quote, to: approve}
  - {id: approved, from: approve, to: order}
```
",
    check: Check::Loading,
};
