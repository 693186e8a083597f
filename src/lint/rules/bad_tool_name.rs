//! `bad-tool-name`: a tool name that cannot be one. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F121",
    name: "bad-tool-name",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a name or pattern of a tool that is empty or has a space in it, and an `mcp__server__tool` that could be cut in
two places because its parts contain `__` themselves.

## Why
Rules find their tools by name. `refund lookup` in a list is one name that no tool has, so the guard would be about
neither of the two, and of `mcp__git_hub__issues__list` nobody could say which server is meant.

## Example
```yaml
guards:
  preTool:
    - {id: never, tools: [refund lookup], kind: forbid}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: never, tools: [refund, lookup], kind: forbid}
```
",
    check: Check::Loading,
};
