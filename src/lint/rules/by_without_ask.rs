//! `by-without-ask`: somebody to be asked, and no question. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F419",
    name: "by-without-ask",
    severity: Severity::Error,
    docs: r"
## What it does
Finds `by` in a guard that never asks: neither by `action: ask` nor by `onFailure: ask`.

## Why
`by: user` reads as if the user decided, but the action is another one, by default `deny`. Either calls are stopped
that a yes should let through, or the author counts on an approval that nobody is asked for.

## Example
```yaml
guards:
  preTool:
    - {id: cap, by: user, check: args.amount <= 5, prose: at most 5, correction: At most 5.}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, by: user, action: ask, check: args.amount <= 5, prose: at most 5}
```
",
    check: Check::Loading,
};
