//! `unused-let`: a let that nothing reads. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F217",
    name: "unused-let",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a named expression under `let` that no guard, text, budget or other let of the spec reads.

## Why
Nothing reads it, so nothing checks its types either: it looks like part of a rule and is none. Most often the rule
that was to read it has a misspelt name or was taken out.

## Example
```yaml
let: {most: 5, largest: args.amont}
guards: {preTool: [{id: cap, check: args.amount <= most, prose: pay little, correction: Pay less.}]}
```

## Use instead
```yaml
let: {most: 5}
guards: {preTool: [{id: cap, check: args.amount <= most, prose: pay little, correction: Pay less.}]}
```
",
    check: Check::Loading,
};
