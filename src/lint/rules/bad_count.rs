//! `bad-count`: a count that cannot be one. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F123",
    name: "bad-count",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a count that is negative, a fraction or beyond what can be counted, and one below the least that its key takes:
`max` of a budget, `callsPerStep`, `vetoStreak`, `cost`, the limits of several kinds. A spec with more than 1,024 lets
is found as well.

## Why
A budget of `-1` looks like no limit to some and like no calls to others. Where there is no limit, the key or the
whole budget is left out, and `0` says that nothing is allowed.

## Example
```yaml
budgets:
  - {id: unlimited, count: calls, tools: [refund], max: -1}
```

## Use instead
```yaml
budgets:
  - {id: none, count: calls, tools: [refund], max: 0}
```
",
    check: Check::Loading,
};
