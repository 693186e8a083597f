//! `bad-source`: a source of values that is not one. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F805",
    name: "bad-source",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an entry under `from` of `argFrom`, `argNotFrom` or `contentFrom` that is not exactly one of `user`, a `tool`
with a `path`, and an `expr`. For `amountsGrounded` it finds a source with both a `currency` and a `currencyPath`.

## Why
Sources say who may vouch for a value: the user who typed it, a result, or the world. A tool without a path would make
the whole of its result a source, with every text that an outsider put into it.

## Example
```yaml
guards:
  preTool:
    - {id: both, tools: [pay], kind: argFrom, with: {arg: to, from: {tool: get, expr: world.own}}}
    - {id: half, tools: [pay], kind: argFrom, with: {arg: to, from: [user, {tool: get}]}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: both, tools: [pay], kind: argFrom, with: {arg: to, from: [{tool: get, path: id}, {expr: world.own}]}}
    - {id: half, tools: [pay], kind: argFrom, with: {arg: to, from: [user, {tool: get, path: id}]}}
```
",
    check: Check::Loading,
};
