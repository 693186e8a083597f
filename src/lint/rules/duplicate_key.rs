//! `duplicate-key`: a key that is set twice in one map. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F031",
    name: "duplicate-key",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a key that stands twice in the same map, both places of it shown.

## Why
Most readers of YAML keep the last one and drop the first without a word. With a second `guards:` further down, every
guard of the first would be gone, and the agent would run without them while the file still shows them.

## Example
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 500}}
budgets:
  - {id: three, count: calls, tools: [refund], max: 3}
guards:
  preTool:
    - {id: note, tools: [refund], kind: argRequired, with: {arg: note}}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 500}}
    - {id: note, tools: [refund], kind: argRequired, with: {arg: note}}
```
",
    check: Check::Loading,
};
