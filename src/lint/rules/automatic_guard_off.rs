//! `automatic-guard-off`: a guard that every spec has, and this one not.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule};

pub(super) static RULE: Rule = Rule {
    code: "F474",
    name: "automatic-guard-off",
    severity: Severity::Note,
    docs: r"
## What it does
Notes each automatic guard that `controls.auto` switches off and that no guard of the same kind replaces.

## Why
Whoever reads the spec takes these guards for granted, since every spec has them. A comment beside the switch says why this
one does not.

## Example
```yaml
auto: {noDuplicateCall: false}
```

## Use instead
```yaml
auto: {noDuplicateCall: true}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let spec = linted.spec;
    for name in &spec.controls.off {
        let replaces = |kind: Option<&str>| kind == Some(*name);
        if spec.guards.iter().any(|guard| replaces(guard.kind)) {
            continue;
        }
        let at = linted.node(&["controls", "auto", name]).map_or(spec.controls.span, |node| node.span);
        let problem = RULE.at(at, format!("`{name}`, which every spec has, is switched off, and nothing replaces it"));
        found.push(problem.help("say in a comment why, or put a guard of this kind in its place"));
    }
}
