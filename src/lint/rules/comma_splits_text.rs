//! `comma-splits-text`: a comma that cuts an unquoted text. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F037",
    name: "comma-splits-text",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an unquoted text inside `{}` that a comma cuts in two, so that the rest becomes a key without a value.

## Why
Inside braces a comma ends a value. Read as it stands, the correction of the example would be `Say no`, and the reason
that the model was to be given would be lost.

## Example
```yaml
- {id: closed, tools: [refund], prose: nothing is paid back now, correction: Say no, and why.}
```

## Use instead
```yaml
- {id: closed, tools: [refund], prose: nothing is paid back now, correction: 'Say no, and why.'}
```
",
    check: Check::Loading,
};
