//! `unknown-key`: a key that means nothing where it stands. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F101",
    name: "unknown-key",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a key that the map in which it stands does not have: a misspelt one, one that belongs in another map, a
parameter that a kind does not take, or one that this version of Flyball does not act on yet.

## Why
A key that nobody reads is a rule that nobody enforces. With `paramters` the tool of the example would have no schema,
and every argument that the model makes up would pass.

## Example
```yaml
tools:
  refund:
    effect: external
    paramters: {type: object, properties: {amount: {type: number}}}
```

## Use instead
```yaml
tools:
  refund:
    effect: external
    parameters: {type: object, properties: {amount: {type: number}}}
```
",
    check: Check::Loading,
};
