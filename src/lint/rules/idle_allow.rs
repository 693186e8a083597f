//! `idle-allow`: a guard that lifts what nothing holds down.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule};
use crate::spec::{Action, DefaultVerdict, GuardSpec, Layer, ToolSpec};

pub(super) static RULE: Rule = Rule {
    code: "F471",
    name: "idle-allow",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a guard with `action: allow` that changes no verdict: the spec's `default` is `allow`, or another guard without a
condition lifts it for the same tools already.

## Why
Such a guard lifts `default` and nothing else, never a deny or an ask. Who writes one where calls are allowed anyway often
means it as an exception to another guard, and it is none.

## Example
```yaml
default: allow
- id: small-ones
  when: args.amount <= 50
  action: allow
```

## Use instead
```yaml
default: ask
- id: small-ones
  when: args.amount <= 50
  action: allow
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let spec = linted.spec;
    let lifts: Vec<&GuardSpec> = spec.guards.iter().filter(|guard| guard.action == Action::Allow).collect();
    for (at, guard) in lifts.iter().enumerate() {
        // One of a contract may lift something for other agents.
        if guard.layer == Layer::Contract {
            continue;
        }
        let problem = |message: String, help| RULE.at(guard.id.span, message).help(help);
        if spec.default == DefaultVerdict::Allow {
            let message = format!("`{}` lifts nothing: what no guard denies is allowed here anyway", guard.id.value);
            let help = "it is no exception to another guard; write the exception into that guard's `when`";
            found.push(problem(message, help));
            continue;
        }
        let others = lifts.iter().enumerate().filter(|(other, _)| *other != at);
        let mut others = others.filter(|(other, lift)| *other < at || !is_same(linted, guard, lift));
        let covers = |lift: &GuardSpec| is_always(lift) && spec.selected(&guard.selection).all(|tool| has(lift, tool));
        if let Some((_, other)) = others.find(|(_, lift)| covers(lift)) {
            let message = format!("`{}` lifts nothing that `{}` does not lift anyway", guard.id.value, other.id.value);
            let problem = problem(message, "take it out, or give the other one a `when`");
            found.push(problem.label(other.id.span, "this one has no condition"));
        }
    }
}

/// True if neither has a condition and both are about the same tools: then the later one is idle.
fn is_same(linted: &Linted<'_>, one: &GuardSpec, other: &GuardSpec) -> bool {
    let tools = &linted.spec.tools;
    is_always(one) && tools.iter().all(|tool| one.selection.may_match(tool) == other.selection.may_match(tool))
}

fn is_always(lift: &GuardSpec) -> bool {
    lift.when.is_none() && lift.each.is_none()
}

/// True if every call of a tool is meant: of a family only where the whole of it is.
fn has(lift: &GuardSpec, tool: &ToolSpec) -> bool {
    let (selector, name) = (&lift.selection.selector, &tool.name.value);
    if name.is_exact() {
        return lift.selection.may_match(tool);
    }
    let is_named = selector.tools.is_empty() || selector.tools.contains(name);
    is_named && selector.except.is_empty() && lift.selection.may_match(tool)
}
