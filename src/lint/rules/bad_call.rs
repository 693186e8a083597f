//! `bad-call`: a function that is called in a way it does not know. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F209",
    name: "bad-call",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a function or macro with too few or too many values, `has` of something that is no field, an optional value
without `orValue` and `orValue` without an optional value, a pattern of `matches` that is not constant or cannot be
read, and calls of `done`, `first`, `last` and `count` whose tool, arguments or scope are not constant names.
`saidByUser` asks about a path under `args` that the model chooses freely: nothing that the spec, a default or a
rewrite writes.

## Why
Functions that ask for earlier calls are answered from indexes that are laid out before the session begins, which is
only possible with constant names. And whether the user typed a value says something about the model's choice only: a
word that the author put there proves nothing about what the user wants.

## Example
```yaml
- id: rule-4
  tools: [refund]
  check: args.order_id.matches(order.status)
```

## Use instead
```yaml
- id: rule-4
  tools: [refund]
  check: args.order_id.matches('^A')
```
",
    check: Check::Loading,
};
