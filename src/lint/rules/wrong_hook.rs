//! `wrong-hook`: a guard under a hook at which it cannot judge. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F403",
    name: "wrong-hook",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a kind under a hook that it is not made for, and `interim` outside of `onReply`. Each kind names the hooks under
which it can stand, and so does each kind of a pack.

## Why
A kind needs what it judges: there is no result before the call ran, and after it ran nothing can be prevented any
more. A guard in the wrong place would never have anything to look at, or look when it is too late.

## Example
```yaml
guards:
  preTool:
    - {id: settled, kind: resultInvariant, with: {check: result.settled}}
  postTool:
    - {id: open, kind: precondition, with: {check: world.open}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: open, kind: precondition, with: {check: world.open}}
  postTool:
    - {id: settled, kind: resultInvariant, with: {check: result.settled}}
```
",
    check: Check::Loading,
};
