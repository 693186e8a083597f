//! `matches-nothing`: a rule that is about no tool of the spec. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F423",
    name: "matches-nothing",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a name or pattern of a tool that matches none of the spec's tools: in guards, edges, budgets, chains and the
parameters of kinds. It also finds a choice of tools that leaves none, a `require` about effects that no tool has, and
a tool to be taken out of a base that does not have it. A `*` stops at a `/`, so `delete_*` does not match
`crm/delete_lead`. The rules of a contract may match nothing in some of its agents.

## Why
A guard about no tool protects nothing, and it is still counted as one by whoever reviews the spec. This is what
happens when a tool is renamed and its rules are not.

## Example
```yaml
tools: {crm/get_lead: {effect: read}, crm/delete_lead: {effect: write}}
guards:
  preTool:
    - {id: no-deletes, tools: ['delete_*'], kind: forbid}
```

## Use instead
```yaml
tools: {crm/get_lead: {effect: read}, crm/delete_lead: {effect: write}}
guards:
  preTool:
    - {id: no-deletes, tools: ['*/delete_*'], kind: forbid}
```
",
    check: Check::Loading,
};
