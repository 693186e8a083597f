//! `when-is-check`: a condition that is checked only where it holds. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F413",
    name: "when-is-check",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a guard whose `when` and `check` say the same, apart from brackets and blanks.

## Why
`when` is whether the rule applies and `check` is what must then be true. Where they are the same, the check is only
looked at when it holds, so the guard never fires and the limit that it names is none.

## Example
```yaml
guards:
  preTool:
    - {id: cap, when: args.amount <= 5, check: (args.amount <= 5), prose: at most 5, correction: At most 5.}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, when: args.amount > 1, check: (args.amount <= 5), prose: at most 5, correction: At most 5.}
```
",
    check: Check::Loading,
};
