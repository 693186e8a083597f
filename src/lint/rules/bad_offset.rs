//! `bad-offset`: an offset of local times that is none. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F127",
    name: "bad-offset",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a `time.offset` that is not a signed number of hours and minutes such as `'-05:00'`. Names of time zones are
found too.

## Why
The database of time zones changes several times a year and differs from machine to machine, so a rule about opening
hours could decide one way today and another way when the same session is replayed. An offset gives the same answer
every time.

## Example
```yaml
time: {offset: Europe/Rome}
```

## Use instead
```yaml
time: {offset: '+01:00'}
```
",
    check: Check::Loading,
};
