//! `unknown-word`: a word that is none of those a key knows. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F107",
    name: "unknown-word",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a value that is none of the words its key takes: a mode, a scope, an action, a type of a pack's parameter, the
tag of a language, the code of a currency, an outcome that the contract does not have. Words of the format that this
version does not act on yet are found as well.

## Why
A word that is not known has no effect, and the most dangerous effect to lose is one that makes a rule hold. A spec
whose author believes that a budget counts per tree of agents, while it counts per session, lets more through than was
agreed.

## Example
```yaml
mode: observed
```

## Use instead
```yaml
mode: observe
```
",
    check: Check::Loading,
};
