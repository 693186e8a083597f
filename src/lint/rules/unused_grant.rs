//! `unused-grant`: something is permitted that nothing needs.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule};
use crate::yaml::{Data, Node};

pub(super) static RULE: Rule = Rule {
    code: "F355",
    name: "unused-grant",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a scope under `grants.scopes` or an effect under `grants.effects` that no tool of the spec needs. What a base grants is
not looked at: another spec may need it. Neither is a spec that another linted spec extends.

## Why
A grant is the outer wall. One that nothing needs is a door into it: the next tool that is added, or a host's tool that a
glob lets in, runs through it unnoticed.

## Example
```yaml
scopes: [stock:read, stock:write]
```

## Use instead
```yaml
scopes: [stock:read]
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let tools = &linted.spec.tools;
    for scope in granted(linted, "scopes") {
        let Some(name) = scope.text() else { continue };
        if !tools.iter().any(|tool| tool.scopes.iter().any(|needed| needed.value == name)) {
            let problem = RULE.at(scope.span, format!("no tool needs the scope `{name}`"));
            found.push(problem.help("take it out, or name it under the `scopes` of the tool that needs it"));
        }
    }
    for effect in granted(linted, "effects") {
        let Some(name) = effect.text() else { continue };
        if !tools.iter().any(|tool| tool.effect.name() == name) {
            let problem = RULE.at(effect.span, format!("no tool has the effect `{name}`"));
            found.push(problem.help("take it out"));
        }
    }
}

/// What stands under a key of `grants`, in the spec's own file.
fn granted<'l>(linted: &'l Linted<'_>, key: &str) -> &'l [Node] {
    match linted.node(&["grants", key]).map(|node| &node.data) {
        Some(Data::List(items)) => items,
        _ => &[],
    }
}
