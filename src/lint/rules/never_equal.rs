//! `never-equal`: a comparison that no value can meet. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F213",
    name: "never-equal",
    severity: Severity::Error,
    docs: r"
## What it does
Finds two values that can never be equal: a word that the `enum` of the other side does not have, or a value of
another type. It looks at `==`, `!=`, `in`, the arguments that `done` and its like ask by, and the values of
`argOneOf`. `!x in list` is found too: the `!` belongs to `x` there, and `!(x in list)` is meant.

## Why
One misspelt word makes a check that always denies, or with `!=` one that never does, and both look right to whoever
reads the spec. Schemas know which values there are, so it can be told before the agent runs.

## Example
```yaml
- id: rule-1
  tools: [refund]
  check: order.status == 'pendng'
```

## Use instead
```yaml
- id: rule-1
  tools: [refund]
  check: order.status == 'pending'
```
",
    check: Check::Loading,
};
