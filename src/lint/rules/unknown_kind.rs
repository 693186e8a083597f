//! `unknown-kind`: a kind of guard that there is none of. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F401",
    name: "unknown-kind",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a `kind` that is not built in, that the pack before the `/` does not have, or whose pack is not named under
`packs`. `flyball guards` lists the kinds that are built in.

## Why
The kind is the whole of what such a guard checks. Skipping a guard whose kind is unknown would leave a spec that
reads as if the rule held, and an agent to which it does not apply.

## Example
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argMax, with: {arg: amount, max: 500}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 500}}
```
",
    check: Check::Loading,
};
