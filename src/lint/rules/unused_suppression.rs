//! `unused-suppression`: a comment that allows what is not there. Reported where findings are settled.

use crate::diagnostic::Severity;
use crate::lint::{Check, Rule};

pub(in crate::lint) static RULE: Rule = Rule {
    code: "F910",
    name: "unused-suppression",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a comment `# flyball: allow RULE -- reason` that takes no finding away, names a rule that there is none of, or gives
no reason.

## Why
An allowance that matches nothing hides the next problem at that place, and a reader takes it for a fact about the spec.
One without a reason cannot be judged by whoever reviews it. What keeps a spec from loading cannot be allowed at all.

## Example
```yaml
# flyball: allow left-observing -- a trial until June
mode: enforce
```

## Use instead
```yaml
# flyball: allow left-observing -- a trial until June
mode: observe
```
",
    check: Check::Settling,
};
