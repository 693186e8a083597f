//! `unquoted-brace`: a text that begins with a brace and has no quotes. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F041",
    name: "unquoted-brace",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an unquoted `{` that begins a map in which a key has no value: a text that begins with a value to be shown, such
as `{args.amount} is too much`.

## Why
YAML reads a map there and not a text, so what was to be said to the model or the user would be missing. In quotes,
`{…}` shows a value and `{{` is a brace.

## Example
```yaml
- id: closed
  tools: [refund]
  prose: nothing is paid back now
  correction: {amount} is too much.
```

## Use instead
```yaml
- id: closed
  tools: [refund]
  prose: nothing is paid back now
  correction: '{{amount} is too much.'
```
",
    check: Check::Loading,
};
