//! `yaml-syntax`: text that YAML cannot read. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F017",
    name: "yaml-syntax",
    severity: Severity::Error,
    docs: r"
## What it does
Finds where the syntax of YAML breaks: a bracket or quote that is never closed, a tab among the spaces of an
indentation, a text that goes on behind its closing quote or bracket, an unknown escape in double quotes, a control
character, or a line that is neither a key nor an item. One such place is reported per file, since nothing behind it
can be trusted.

## Why
From that place on there are two readings of the file, the author's and the machine's. Guards stand in lists, so a
wrong indentation can put a rule under the wrong hook, or make it part of a text.

## Example
```yaml
tools:
  lookup: {effect: read
```

## Use instead
```yaml
tools:
  lookup: {effect: read}
```
",
    check: Check::Loading,
};
