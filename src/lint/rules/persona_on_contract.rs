//! `persona-on-contract`: found when the contract is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F150",
    name: "persona-on-contract",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a `persona` in a contract.

## Why
A contract is shared by agents that are not the same, and a prompt with two personas has none. Who an agent is stands on its
own spec; how all of them speak is the contract's `voice`.

## Example
```yaml
persona: You speak for a web shop.
```

## Use instead
```yaml
voice: You speak for a web shop.
```
",
    check: Check::Loading,
};
