//! `repeated-value`: a value that stands twice in a list. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F111",
    name: "repeated-value",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a value that a list has already, also in another spelling: `1.0` beside `1`, `Yes.` beside `yes`, two tags of
languages that write numbers alike. Two rewrites of one argument count as the same value, and so does a word that
stands in place of itself.

## Why
The second one changes nothing, so it is most likely a slip for another value that is now missing from the list. Of
two rewrites of one argument the order would decide what the tool gets.

## Example
```yaml
rewrite:
  - {arg: note, default: none}
  - {arg: note, normalise: trim}
```

## Use instead
```yaml
rewrite:
  - {arg: note, default: none}
  - {arg: amount, clamp: {max: 500}}
```
",
    check: Check::Loading,
};
