//! `constant-condition`: a condition that nothing can change. Reported while a spec is compiled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F215",
    name: "constant-condition",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a `when` or `check` that comes out the same for every call or turn that its guard is about, and the same in the
conditions of directives, of `terminal`, and of the keys of a tool such as `destructive` and `errorWhen`. It is
computed for each tool. Guards of a contract, which serve many agents, may be idle in some of them.

## Why
A check that is always true never fires, and one that is always false fires on every call. Most often a name in it is
misspelt, or the limit that it was to compare with has become a constant.

## Example
```yaml
guards:
  preTool:
    - {id: cap, when: has(args.amuont), check: args.amount <= 5, prose: at most 5, correction: At most 5.}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, when: has(args.note), check: args.amount <= 5, prose: at most 5, correction: At most 5.}
```
",
    check: Check::Loading,
};
