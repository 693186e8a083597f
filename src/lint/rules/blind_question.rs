//! `blind-question`: a question that does not say what it asks about. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F607",
    name: "blind-question",
    severity: Severity::Error,
    docs: r#"
## What it does
Finds a `consentQuestion` of a contract without `{label}`, and the same in the texts that tell a person what became of
a call: `done`, `noEffect`, `failed`, `unknown`, `running`, `waiting`, `owed`.

## Why
A yes counts for the call that the question shows. A user who is asked "Shall we go ahead?" agrees to whatever the
model has in mind, and an outsider's text could have changed that since the user last heard of it.

## Example
```yaml
consentQuestion: 'Shall we go ahead? Answer with {code}.'
```

## Use instead
```yaml
consentQuestion: 'Shall we go ahead with {label}? Answer with {code}.'
```
"#,
    check: Check::Loading,
};
