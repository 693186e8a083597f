//! `not-utf8`: bytes that are no UTF-8. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F005",
    name: "not-utf8",
    severity: Severity::Error,
    docs: r"
## What it does
Finds the first byte from which on a file is not UTF-8. Most often the file was saved in an encoding of one byte a
letter, such as Latin-1 or Windows-1252, and has an accented letter or a sign of a currency in it.

## Why
The persona and the corrections of a spec are sent to a model, and its words are compared with what users type. A
letter that is read wrongly is shown to people wrongly, and a word that a guard forbids would no longer be found in a
reply.

## Example
```yaml
persona: You are the caf� desk.
```

## Use instead
```yaml
persona: You are the café desk.
```
",
    check: Check::Loading,
};
