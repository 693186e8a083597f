//! `core-outcome`: an outcome that is called like one of the core. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F705",
    name: "core-outcome",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a word under `outcomes` of a contract that every domain has already, such as `success`, `failure`, `not_found`
or `no_op`, also in another spelling: `No-Op` reads as `no_op`.

## Why
Replies are held against what the calls came to, and these words have a fixed meaning there. If `not_found` meant a
failure in one contract, an agent could report that something does not exist when in truth the look-up broke.

## Example
```yaml
contract:
  contract: 1
  id: shop
  outcomes: {refunded: success, not_found: failure, No-Op: success}
```

## Use instead
```yaml
contract:
  contract: 1
  id: shop
  outcomes: {refunded: success, no_such_order: not_found, nothing_due: no_op}
```
",
    check: Check::Loading,
};
