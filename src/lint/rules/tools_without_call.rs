//! `tools-without-call`: a choice of tools where there is no call. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F421",
    name: "tools-without-call",
    severity: Severity::Error,
    docs: r"
## What it does
Finds `tools`, `except` or `effects` in a guard under `onInput` or `onReply`.

## Why
Where a turn begins nobody knows yet which tools will be called, and a reply is about all of them. Such a guard would
hold for every turn, or for none, while it reads as if it were about one tool.

## Example
```yaml
guards:
  onInput:
    - {id: open, tools: [pay], check: world.open, prose: while it is open, correction: We are closed.}
```

## Use instead
```yaml
guards:
  onInput:
    - {id: open, check: world.open, prose: while it is open, correction: We are closed.}
```
",
    check: Check::Loading,
};
