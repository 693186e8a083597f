//! `bad-expression`: an expression that cannot be read. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F201",
    name: "bad-expression",
    severity: Severity::Error,
    docs: r"
## What it does
Finds an expression that does not follow the grammar: a word or sign of another language (`=`, `and`, `not in`, `//`),
a bracket or quote that is never closed, a number such as `0x10`. It also finds one that is too large: above 4 KiB,
512 parts or a depth of 32, with the parameters of a pack's kind put in, or through the lets that it reads. A variable
that is called like a let or a word of the language is found here too.

## Why
An expression is the condition of a rule, and half of a condition is another condition. The limits keep the time of a
decision small, since each call of a tool waits for it.

## Example
```yaml
- id: rule-5
  tools: [refund]
  check: args.amount > 3 and args.amount < 5
```

## Use instead
```yaml
- id: rule-5
  tools: [refund]
  check: args.amount > 3 && args.amount < 5
```
",
    check: Check::Loading,
};
