//! `slow-schema`: a schema that every call is checked against twice. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F305",
    name: "slow-schema",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a keyword of JSON Schema that is valid but not compiled, such as `not`, so that a general validator has to check
the arguments once more. The first such keyword of a tool is shown.

## Why
Each call of the tool pays for a second check, which costs more than the first one. And what such a keyword says is
known to that validator only: the types of expressions and the checks of kinds make no use of it.

## Example
```yaml
parameters:
  type: object
  properties: {iban: {type: string}, card: {type: string}}
  not: {required: [iban, card]}
```

## Use instead
```yaml
parameters:
  type: object
  properties: {account: {oneOf: [{type: string, pattern: '^[A-Z]{2}'}, {type: string, pattern: '^[0-9]{16}$'}]}}
```
",
    check: Check::Loading,
};
