//! `empty-file`: a file in which nothing stands. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F001",
    name: "empty-file",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a file that holds nothing but blanks and comments. A list or a map without entries is another matter: this is
about a file that says nothing at all.

## Why
An empty file has no guards, so an agent that ran on it would be an agent that nothing governs. It comes from a write
that broke off, a wrong path in a script, or a spec that somebody commented out, and none of these should start an
agent.

## Example
```yaml
# agentspec: 1
# id: refunds
```

## Use instead
The first key says what a file is: `agentspec: 1`, `contract: 1`, `pack: 1` or `scenario: 1`.

```yaml
agentspec: 1
id: refunds
```
",
    check: Check::Loading,
};
