//! `negative-sum`: a sum of an argument that may be negative. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F511",
    name: "negative-sum",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a budget whose `sum` is an argument that the schema of a tool lets be negative. The budget itself denies such a
call when it comes.

## Why
Negative amounts would let a model earn back what it has spent, so the budget refuses them, but the model only learns
it from a denial. With a lower bound in the schema it knows beforehand, and a second guard stands before the budget.

## Example
```yaml
tools:
  refund:
    effect: external
    parameters: {type: object, required: [amount], properties: {amount: {type: number}, note: {type: string}, lines: {type: array, items: {type: object, properties: {sku: {type: string}}}}}}
budgets:
  - {id: spend, sum: args.amount, tools: [refund], max: 100}
```

## Use instead
```yaml
tools:
  refund:
    effect: external
    parameters: {type: object, required: [amount], properties: {amount: {type: number, minimum: 0}, note: {type: string}, lines: {type: array, items: {type: object, properties: {sku: {type: string}}}}}}
budgets:
  - {id: spend, sum: args.amount, tools: [refund], max: 100}
```
",
    check: Check::Loading,
};
