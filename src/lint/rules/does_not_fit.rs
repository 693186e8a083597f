//! `does-not-fit`: a rule that does not fit the tool it is about. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F307",
    name: "does-not-fit",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a rule that cannot work with the tool, result or world it names: a path that their schema does not have, an
argument whose type the kind does not read, a rewrite to a value that the schema refuses, marks such as `untrusted` on
something that is not there. It also finds rules that can do nothing at all: `fresh` where nothing writes, `trifecta`
where nothing is marked untrusted, `argAbsent` of a required argument, an idempotency key of what the tool never gets,
an `outcome` whose word means no success.

## Why
A guard with `arg: amout` would find no amount in any call. Depending on `missing` it would then deny all of them or
let all of them pass, and the second would look like a guard that never had reason to fire.

## Example
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amout, max: 500}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 500}}
```
",
    check: Check::Loading,
};
