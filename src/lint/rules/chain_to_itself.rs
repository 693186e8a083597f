//! `chain-to-itself`: a chain from a tool to itself. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F505",
    name: "chain-to-itself",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an entry of `chains` whose `after` and `call` are the same tool.

## Why
After each success another call of the same tool would be owed before the reply, and after that one the next. The
agent could never finish its turn, and each round would have its effect on the world.

## Example
```yaml
chains: [{after: refund, call: refund}]
```

## Use instead
```yaml
chains: [{after: refund, call: notify}]
```
",
    check: Check::Loading,
};
