//! `colon-in-text`: a colon and a space in an unquoted text. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F035",
    name: "colon-in-text",
    severity: Severity::Error,
    docs: r"
## What it does
Finds `: ` inside an unquoted text, where YAML expects a key to end. The same happens in an unquoted expression with a
conditional, `a ? b : c`.

## Why
YAML reads what stands before the colon as a key. Where that happens to be allowed, a correction becomes a map, and
the model is told nothing of what it should do instead.

## Example
```yaml
- id: closed
  tools: [refund]
  prose: nothing is paid back now
  correction: Say this: no refunds today.
```

## Use instead
```yaml
- id: closed
  tools: [refund]
  prose: nothing is paid back now
  correction: 'Say this: no refunds today.'
```
",
    check: Check::Loading,
};
