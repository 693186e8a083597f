//! `bad-name`: a name that cannot be one. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F117",
    name: "bad-name",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a name that expressions could not read: a constant, let or variable with other characters than letters, digits
and `_`, or one that means something already (`world`, `args`, `string`); a kind of a pack with other characters than
letters and digits. It also finds a path where `sensitive` of a contract wants the name of a field, and a key of
`secretKeys` without a letter or digit.

## Why
A let called `world` would hide the world from every expression that comes after it. A path under `sensitive` would
match no field at all, and what was to be hidden would be shown.

## Example
```yaml
contract:
  contract: 1
  id: shop
  sensitive: {customer.card: omit, 'orders[].street': mask}
```

## Use instead
```yaml
contract:
  contract: 1
  id: shop
  sensitive: {card: omit, street: mask}
```
",
    check: Check::Loading,
};
