//! `unknown-name`: a name that means nothing where it is read. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F203",
    name: "unknown-name",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a name at the beginning of a path that is not known there: a misspelt let, an argument without `args.`, a text
without quotes, a constant that `params` does not have, and a root that exists under other hooks only, such as
`result` before the call ran. A kind of a pack knows nothing but its own parameters, each as `params.NAME`.

## Why
Such a name has no value when the rule is decided, so the guard would fail on every call, and a guard that fails
denies. A let that reads what comes later, or `reply` before there is one, is a rule that stands in the wrong place.

## Example
```yaml
- id: rule-1
  tools: [refund]
  check: amount <= 500
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
