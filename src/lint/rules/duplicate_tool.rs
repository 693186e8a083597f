//! `duplicate-tool`: one tool that is declared twice. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F301",
    name: "duplicate-tool",
    severity: Severity::Error,
    docs: r"
## What it does
Finds two entries under `tools` that are the same tool in two spellings: `mcp__server__name` is another way to write
`server/name`.

## Why
The two may differ in their effect, schema or label, and one of them would decide how the calls are judged. If that is
the one that says `read`, a tool that writes passes every guard about writing.

## Example
```yaml
tools:
  crm/get_lead: {effect: read}
  mcp__crm__get_lead: {effect: read}
```

## Use instead
```yaml
tools:
  crm/get_lead: {effect: read}
  mcp__crm-eu__get_lead: {effect: read}
```
",
    check: Check::Loading,
};
