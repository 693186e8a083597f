//! `unknown-tool`: a question about calls of a tool that there is none of. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F207",
    name: "unknown-tool",
    severity: Severity::Error,
    docs: r"
## What it does
Finds the name of a tool in `done`, `first`, `last` or `count` that no tool of the spec has and no family of tools
covers.

## Why
Nothing is ever done by a tool that does not exist. A check that wants such a call to have come before denies for
good, and a `count` of it stays at zero, so a limit on it never holds.

## Example
```yaml
- id: rule-2
  tools: [refund]
  check: count('refnd', {}, 'turn') < 3
```

## Use instead
```yaml
- id: rule-2
  tools: [refund]
  check: count('refund', {}, 'turn') < 3
```
",
    check: Check::Loading,
};
