//! `left-observing`: the whole spec decides nothing.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule};
use crate::spec::Mode;

pub(super) static RULE: Rule = Rule {
    code: "F420",
    name: "left-observing",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a spec with `mode: observe`.

## Why
Every answer of such a spec is `allow`, and what would have been decided is only recorded. That is how a new spec is
tried on live traffic; left on, no rule of it holds.

## Example
```yaml
mode: observe
```

## Use instead
```yaml
mode: enforce
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    if linted.spec.mode == Mode::Observe {
        let problem = RULE.at(linted.place(&["mode"]), "this spec only observes: no rule of it is enforced");
        found.push(problem.help("take `mode: observe` out once what it would deny is right"));
    }
}
