//! `bad-schema`: a schema that cannot be compiled. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F303",
    name: "bad-schema",
    severity: Severity::Error,
    docs: r"
## What it does
Finds what is wrong with a JSON Schema of a tool's arguments, result or `declares`, of the world, or of a pack's
parameters: an unknown keyword, type or format, a value of the wrong type behind a keyword, bounds that exclude each
other, a required property that is not among the properties, a `$ref` to nothing, a schema that refers to itself, one
of more than 10,000 parts, and a pattern that cannot be checked in linear time.

## Why
The schema is the first guard of a tool, and the one that the model is shown. Validators that skip what they do not
know would let every value pass where `type: int` was written, and a recursive schema or a pattern with look-ahead
could be made to run for a long time by one prepared argument.

## Example
```yaml
tools:
  lookup:
    effect: read
    parameters: {type: object, properties: {limit: {type: int, minimum: 1}}}
```

## Use instead
```yaml
tools:
  lookup:
    effect: read
    parameters: {type: object, properties: {limit: {type: integer, minimum: 1}}}
```
",
    check: Check::Loading,
};
