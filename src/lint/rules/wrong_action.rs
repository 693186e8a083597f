//! `wrong-action`: an action that means nothing under its hook. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F405",
    name: "wrong-action",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an `action` that the hook does not have, an `onFailure` where nobody could be asked or nothing is stopped, and a
`redact` beside an action or outside of `postTool`. Under `onInput` a guard denies or records; under `postTool` it
warns, denies or records; `allow` and `ask` are for calls that did not run yet.

## Why
An author who writes `ask` under `onInput` expects that somebody is asked, and nobody would be. What has no meaning
there must not be taken for the nearest thing that has one, because the two differ in what gets through.

## Example
```yaml
guards:
  preTool:
    - {id: open, kind: precondition, action: warn, with: {check: world.open}}
  postTool:
    - {id: settled, kind: resultInvariant, action: allow, with: {check: result.settled}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: open, kind: precondition, action: audit, with: {check: world.open}}
  postTool:
    - {id: settled, kind: resultInvariant, action: warn, with: {check: result.settled}}
```
",
    check: Check::Loading,
};
