//! `one-list`: a list of what is allowed and one of what is not. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F425",
    name: "one-list",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an `argOneOf` with both `values` and `not`, or with neither of them.

## Why
With both it is not said what becomes of a value that stands in neither list. One list leaves no such gap: `values`
are the only ones allowed, `not` are the ones refused.

## Example
```yaml
guards:
  preTool:
    - {id: words, tools: [refund], kind: argOneOf, with: {arg: note, values: [late, broken], not: [none]}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: words, tools: [refund], kind: argOneOf, with: {arg: note, values: [late, broken]}}
```
",
    check: Check::Loading,
};
