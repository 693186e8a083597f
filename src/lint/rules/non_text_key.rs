//! `non-text-key`: a key that is no text. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F033",
    name: "non-text-key",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a key that is a number, a boolean, a null, a list or a map, and a `:` without a key before it.

## Why
The keys of a spec are names: of tools, arguments, constants. YAML takes `2031` for a number and `no` may become a
boolean elsewhere, so a name written without quotes could reach the model in another spelling than the rules have, and
no call would match them.

## Example
```yaml
parameters: {type: object, properties: {2031: {type: string}}}
```

## Use instead
```yaml
parameters: {type: object, properties: {'2031': {type: string}}}
```
",
    check: Check::Loading,
};
