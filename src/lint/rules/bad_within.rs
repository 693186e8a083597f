//! `bad-within`: a number of turns that cannot be read. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F503",
    name: "bad-within",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a `within` that is neither `turn` nor a number of turns such as `3 turns`. A bare number, another unit and
`0 turns` are found, and so is `1 turns`.

## Why
`within` says how long an earlier success licenses a later call. Read in the wrong unit, a look at a record from the
beginning of a long conversation would still permit a change of it at the end.

## Example
```yaml
flow:
  - {id: look-first, from: lookup, to: refund, within: 3 calls}
```

## Use instead
```yaml
flow:
  - {id: look-first, from: lookup, to: refund, within: 3 turns}
```
",
    check: Check::Loading,
};
