//! `loosened-base`: a change of a base that lets more through. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F803",
    name: "loosened-base",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an entry of a spec with `extends` that makes its base weaker, or changes what must stay as it is. The extending
file may add rules, lower a `max`, widen the `tools` of a rule, strengthen an `action` or the `default`, shorten a
`ttl`, take answers out of `accept`, take tools out and replace texts.

## Why
Whoever wrote the base relies on it to hold in every spec that extends it, and whoever reviews the base has not seen
those specs. If they could raise a limit, the base would be a suggestion.

## Example
```yaml
extends: ../refunds.yaml
guards:
  preTool:
    - {id: cap, with: {max: 5000.00}}
```

## Use instead
```yaml
extends: ../refunds.yaml
guards:
  preTool:
    - {id: cap, with: {max: 50.00}}
```
",
    check: Check::Loading,
};
