//! `bad-path`: a path that leads nowhere. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F129",
    name: "bad-path",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a path that is not written as one: with an index in it (`lines[0]`), with empty steps, empty where an argument
must be named, or without `args.` or `result.` where both are possible, as under `sensitive`. In a path `a.b` is a
member, `a[].b` is in every element, `m.*.b` is in every value, and `''` is all of it.

## Why
A path says which part of a call a rule is about, or which part of a result outsiders can write. One that misses would
leave every other element unchecked: with `lines[0].price` a model could put the high price into the second line.

## Example
```yaml
guards:
  preTool:
    - {id: price, tools: [refund], kind: argRange, with: {arg: 'lines[0].price', max: 500}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: price, tools: [refund], kind: argRange, with: {arg: 'lines[].price', max: 500}}
```
",
    check: Check::Loading,
};
