//! `bad-each`: a loop that does not name its variable. Reported while a file is read.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F415",
    name: "bad-each",
    severity: Severity::Error,
    docs: r"
## What it does
Finds a `forEach` that is not `item in LIST` or `index, item in LIST`: without ` in `, with three variables, or with
the same name for two.

## Why
The check of such a guard is asked for each element by the name of the variable. Without one it could only look at the
call as a whole, and one forbidden line among many allowed ones would pass.

## Example
```yaml
guards:
  preTool:
    - {id: cap, forEach: args.note, check: args.amount <= 5, prose: at most 5, correction: At most 5.}
```

## Use instead
```yaml
guards:
  preTool:
    - {id: cap, forEach: x in args.lines, check: x <= 5, prose: at most 5, correction: At most 5.}
```
",
    check: Check::Loading,
};
