//! `shadowed-name`: a name that is given twice where only one can be meant. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F119",
    name: "shadowed-name",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a name that the contract and the spec both give: an entry of `params`, `let` or `$defs`, or `approvals` as a
whole. It also finds something under `declares` that is called like an argument of the same tool.

## Why
If the nearer one won, a spec could change a limit that the contract set for every agent, just by naming it again, and
nobody who reads the contract would know. So a name never hides another.

## Example
```yaml
tools:
  refund:
    effect: external
    parameters: {type: object, required: [amount], properties: {amount: {type: number}, reason: {type: string}}}
    declares: {reason: {enum: [damaged, late]}}
```

## Use instead
```yaml
tools:
  refund:
    effect: external
    parameters: {type: object, required: [amount], properties: {amount: {type: number}}}
    declares: {reason: {enum: [damaged, late]}}
```
",
    check: Check::Loading,
};
