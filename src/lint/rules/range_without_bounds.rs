//! `range-without-bounds`: a range or length without any bound. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F133",
    name: "range-without-bounds",
    severity: Severity::Error,
    docs: r"
## What it does
Finds `argRange`, `argLength` and `clamp` without a single bound.

## Why
Such a rule allows everything and changes nothing, but the prompt and every reader of the spec take it for a limit.
Most often the bound has been taken out while a new one was discussed.

## Example
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, exclusiveMax: 500}}
```
",
    check: Check::Loading,
};
