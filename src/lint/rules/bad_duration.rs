//! `bad-duration`: a time span that cannot be read. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F125",
    name: "bad-duration",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a duration that is not a whole number above 0 with one of the units `s`, `m`, `h` and `d`: `15`, `1.5h`, `2w`,
`0s`. It is about `ttl`, `window` and every other span of time.

## Why
A number without a unit is seconds to one author and minutes to another. A question to a user that stays open for 15
hours instead of 15 minutes lets an old yes start a call that nobody thinks of any more.

## Example
```yaml
approvals: {user: {ttl: 15}, approver: {ttl: 1.5h}}
```

## Use instead
```yaml
approvals: {user: {ttl: 15m}, approver: {ttl: 90m}}
```
",
    check: Check::Loading,
};
