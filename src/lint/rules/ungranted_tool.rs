//! `ungranted-tool`: a tool whose every call is denied by the grants. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F311",
    name: "ungranted-tool",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a tool whose effect is not among those that `grants` or the profile permits, or one of whose scopes is not
granted.

## Why
The model sees the tool, calls it, and is denied every time, which costs turns and teaches it nothing. If the grant
was left out on purpose, the tool should not be offered; if not, the agent cannot do its work.

## Example
```yaml
grants: {effects: [read]}
tools:
  refund:
    effect: external
```

## Use instead
```yaml
grants: {effects: [read, external]}
tools:
  refund:
    effect: external
```
",
    check: Check::Loading,
};
