//! `lenient-failure`: a guard that asks where it cannot judge.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule};
use crate::spec::OnFailure;

pub(super) static RULE: Rule = Rule {
    code: "F472",
    name: "lenient-failure",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a guard with `onFailure: ask`.

## Why
Where such a guard cannot judge, somebody is asked about a call of which nothing is known to be right. People agree to most
of what they are asked, and a call that makes a guard fail is one that somebody may have meant to.

## Example
```yaml
onFailure: ask
```

## Use instead
```yaml
onFailure: deny
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for guard in linted.spec.guards.iter().filter(|guard| guard.on_failure == OnFailure::Ask) {
        let at = linted.said(guard.id.span, &["onFailure"]);
        let message = format!("where `{}` cannot judge, a call still runs if somebody agrees", guard.id.value);
        let problem = RULE.at(at, message).help("leave `onFailure` out: a guard that fails then denies");
        found.push(if at == guard.id.span { problem } else { problem.edit(at, "deny") });
    }
}
