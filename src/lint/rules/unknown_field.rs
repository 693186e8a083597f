//! `unknown-field`: a field that is not there. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F205",
    name: "unknown-field",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a member that the value before it does not have: an argument that is missing from the schema of a tool, a field
of a let, of `params`, of what a tool `declares`, of the world where it has a schema. It looks at each tool that a
rule is about. A field that may be absent, as in `has(args.x)` and `args.?x`, must be known to at least one of them.
The texts of a contract know the `params` of the contract only.

## Why
A misspelt field is absent in every call. Behind `has` or `orValue` nobody would ever notice: the guard of a limit
would quietly add nothing, or be skipped, for as long as the spec is in use.

## Example
```yaml
- id: rule-1
  tools: [refund]
  check: args.amont <= params.limit
```

## Use instead
```yaml
- id: rule-1
  tools: [refund]
  check: args.amount <= params.limit
```
",
    check: Check::Loading,
};
