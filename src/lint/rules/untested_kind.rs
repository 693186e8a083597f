//! `untested-kind`: a kind of a pack without a case for each verdict. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F427",
    name: "untested-kind",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a kind of a pack whose `cases` do not want both `allow` and `deny` at least once.

## Why
A pack is used by specs whose authors never read its check. A kind that was only ever seen to let things pass may deny
nothing at all, for example because its comparison points the wrong way, and the cases are what shows it.

## Example
```yaml
kinds:
  cap:
    hook: preTool
    params: {amount: {expr: number}, max: {type: number}}
    check: params.amount <= params.max
    prose: at most {params.max}
    correction: At most {params.max}.
    cases:
      - {with: {amount: 1, max: 2}, want: allow}
```

## Use instead
```yaml
kinds:
  cap:
    hook: preTool
    params: {amount: {expr: number}, max: {type: number}}
    check: params.amount <= params.max
    prose: at most {params.max}
    correction: At most {params.max}.
    cases:
      - {with: {amount: 1, max: 2}, want: allow}
      - {with: {amount: 3, max: 2}, want: deny}
```
",
    check: Check::Loading,
};
