//! `blank-text`: a text that says nothing. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F601",
    name: "blank-text",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a text of blanks where one is read by somebody: a persona, a prose, a correction, a reason, a word to look for
or to put in its place. A word that answers a question is blank too if only a final `.` or `!` is left of it, since
these are not looked at.

## Why
A model that is given an empty correction is stopped without a reason and tries the same again. And an answer of which
nothing is left would make any empty message a yes.

## Example
```yaml
persona: ''
```

## Use instead
```yaml
persona: You are the desk.
```
",
    check: Check::Loading,
};
