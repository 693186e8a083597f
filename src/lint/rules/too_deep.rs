//! `too-deep`: lists and maps nested too deeply. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F029",
    name: "too-deep",
    severity: Severity::Error,
    docs: r"
## What it does
Finds more than 32 lists and maps inside each other. The limit is the same for a schema, for the parameters of a kind
and for the file as a whole.

## Why
No rule of an agent needs such depth, and what nobody can read nobody has reviewed. The limit also keeps a file that
an outsider wrote from using up the stack of the program that checks it.

## Example
```yaml
parameters: {type: object, properties: {tree: {enum: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}}}
```

## Use instead
```yaml
parameters: {type: object, properties: {tree: {enum: [[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]}}}
```
",
    check: Check::Loading,
};
