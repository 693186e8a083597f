//! `shows-secret`: a secret in the label of a call. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F609",
    name: "shows-secret",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a value in a tool's `label` in which something can be read that the spec calls sensitive: an argument or part of
a result under `sensitive` of a tool, a field under `sensitive` of the contract. It follows lets, functions that keep
the value and conditions; the last digits, a length or a comparison may be shown.

## Why
The label is what people read when they are asked whether a call may run, and they may be other people than the one
who gave the secret. Where arguments are shown the engine hides what is sensitive, but a label is the author's own
text and is shown as it is.

## Example
```yaml
contract: {contract: 1, id: shop, sensitive: {email: mask}}
tools:
  charge:
    effect: external
    label: charging {args.card} with {args.amount}, receipt to {args.email}
    sensitive: [args.card]
```

## Use instead
```yaml
contract: {contract: 1, id: shop, sensitive: {email: mask}}
tools:
  charge:
    effect: external
    label: charging {args.amount} to the card that ends in {args.card.substring(12)}
    sensitive: [args.card]
```
",
    check: Check::Loading,
};
