//! `missing-file`: a file that is named and cannot be read. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F013",
    name: "missing-file",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a `contract`, an `extends`, an entry of `packs` or a `$ref` of a schema that leads to no file, or to one that
cannot be read. A path is relative to the file in which it stands, not to the folder in which a command runs.

## Why
What is named there brings rules of its own: the contract's guards and budgets hold for every agent of a business.
Going on without it would start the agent with those rules left out.

## Example
```yaml
contract: shop.yaml
```

## Use instead
```yaml
contract: ../../contracts/airline.yaml
```
",
    check: Check::Loading,
};
