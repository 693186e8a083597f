//! `type-mismatch`: values of types that do not go together. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F211",
    name: "type-mismatch",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an operator, function or place that is given a value of a type it does not take: a number compared with a text,
a condition that is not true or false, a sum of something that is no list of numbers, members of a value that has
none, a text that shows a list. Types come from the schemas of tools, results and world.

## Why
There are no silent conversions in a rule. `args.amount <= '500'` has no answer at run time, so the guard would fail
on every call, and the author would learn it from a user.

## Example
```yaml
- id: rule-1
  tools: [refund]
  check: args.amount <= '500'
```

## Use instead
```yaml
- id: rule-1
  tools: [refund]
  check: args.amount <= 500
```
",
    check: Check::Loading,
};
