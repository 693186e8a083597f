//! `bad-rewrite`: a rewrite that does not say one thing about one place. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F309",
    name: "bad-rewrite",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an entry of `rewrite` that says none or several of `set`, `clamp`, `default` and `normalise`, and a `set` or
`default` whose path means many places.

## Why
Rewrites change what the tool gets after the model has decided, so each must be plain to a reviewer. With two changes
in one entry their order would decide what is sent, and one value for every line of an order is seldom what was meant.

## Example
```yaml
rewrite:
  - {arg: note, set: none, normalise: trim}
```

## Use instead
```yaml
rewrite:
  - {arg: note, normalise: trim}
```
",
    check: Check::Loading,
};
