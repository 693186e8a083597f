//! `many-documents`: a second document in one file. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F007",
    name: "many-documents",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a second YAML document in a file: what stands behind a `---` line that follows some content. One `---` before
the first key and one `...` behind the last are fine.

## Why
Readers of YAML differ in what they make of several documents: some take the first, some the last, some all. A
reviewer who sees two specs in a file could not know which of them governs the agent, so one file holds one.

## Example
```yaml
tools: {lookup: {effect: read}}
---
agentspec: 1
```

## Use instead
```yaml
---
agentspec: 1
id: many-documents
persona: You are the desk.
tools: {lookup: {effect: read}}
```
",
    check: Check::Loading,
};
