//! `endless-streak`: a streak that denies its own reset. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F509",
    name: "endless-streak",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a budget with `streak: true` that denies and that nothing sets back: it has no `resetOn`, no `window`, and does
not count per turn.

## Why
A success sets a streak to zero, but once the streak is used up it denies every call, and so the success that would
end it. A tool that failed three times in the morning would be blocked for the rest of the session.

## Example
```yaml
budgets:
  - {id: fails, count: calls, outcome: failed, streak: true, tools: [refund], max: 3}
```

## Use instead
```yaml
budgets:
  - {id: fails, count: calls, outcome: failed, streak: true, resetOn: [turn], tools: [refund], max: 3}
```
",
    check: Check::Loading,
};
