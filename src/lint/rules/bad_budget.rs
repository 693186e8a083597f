//! `bad-budget`: terms of a budget that exclude each other. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F507",
    name: "bad-budget",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a budget with both `count` and `sum`, one that counts attempts and looks at their outcome, and a streak of an
amount. An attempt is counted before anybody knows how it ends, and a streak is a number of calls in a row.

## Why
Two measures have one `max`, and it is not said which of them it bounds. A limit of five refunds and a limit of five
euros are very different rules.

## Example
```yaml
budgets:
  - {id: paid, count: calls, sum: args.amount, tools: [refund], max: 5}
```

## Use instead
```yaml
budgets:
  - {id: paid, count: calls, tools: [refund], max: 5}
```
",
    check: Check::Loading,
};
