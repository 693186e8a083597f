//! `impossible-range`: bounds between which nothing lies. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F135",
    name: "impossible-range",
    severity: Severity::Error,
    docs: r"
## What it does
Finds bounds that exclude each other: a `min` above the `max` of `argRange`, `argLength`, `maxQuestions` or `clamp`.
For `argRange` equal bounds are found too if one of them excludes the number.

## Why
No value is inside, so every call is denied, and the correction tells the model to use a value that does not exist.
The model then tries one number after another until its turn is over. Where a tool is not to be called, the kind
`forbid` says so.

## Example
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, min: 500, max: 5}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, min: 5, max: 500}}
```
",
    check: Check::Loading,
};
