//! `ambiguous-scalar`: a word that other readers of YAML take for something else. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F043",
    name: "ambiguous-scalar",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds an unquoted text that YAML 1.1 takes for a boolean, a null, a number or a date: `no`, `on`, `y`, `12:30`,
`0123`, `1_000`, `2031-03-04`. Flyball reads YAML 1.2, where each of them is a text.

## Why
The file means one thing here and another in an editor, a template engine or a script that checks it. In a list of
allowed values, `no` for Norway turns into `false` in such a tool, and the rule that it writes back is another one.

## Example
```yaml
- {id: served, tools: [refund], kind: argOneOf, with: {arg: note, values: [se, no, dk]}}
```

## Use instead
```yaml
- {id: served, tools: [refund], kind: argOneOf, with: {arg: note, values: [se, 'no', dk]}}
```
",
    check: Check::Loading,
};
