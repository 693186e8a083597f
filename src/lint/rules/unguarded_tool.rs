//! `unguarded-tool`: nothing that the author wrote looks at a tool that writes.

use crate::diagnostic::{Diagnostic, Severity};
use crate::guards::Hook;
use crate::lint::{Check, Linted, Rule, about, arguments};
use crate::spec::{DefaultVerdict, ToolSpec};

pub(super) static RULE: Rule = Rule {
    code: "F356",
    name: "unguarded-tool",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a tool with the effect `write` or `external` that no guard, flow edge, budget, approval or `destructive` mark of spec
and contract is about, where `default` is `allow`. A rule about every tool is about this one too. Automatic guards, which
every spec has, do not count.

## Why
Such a tool does whatever the model says, as often as it says it. That is rarely what was meant: most often a rule names the
tool by an earlier name, or the tool was added after the rules were written.

## Example
```yaml
send_label: {description: Send a label to the printer., effect: external}
```

## Use instead
```yaml
- {id: labels, count: calls, tools: [send_label], scope: turn, max: 3}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let tools = linted.spec.tools.iter().filter(|tool| arguments::writes(tool));
    for tool in tools.filter(|tool| !is_looked_at(linted, tool)) {
        let message = format!("no rule is about `{}`, whose effect is `{}`", tool.name.value, tool.effect.name());
        let help = "write a guard, a budget or a flow edge about it, or mark it `destructive`";
        found.push(RULE.at(tool.name.span, message).help(help));
    }
}

fn is_looked_at(linted: &Linted<'_>, tool: &ToolSpec) -> bool {
    let spec = linted.spec;
    let guards = spec.guards.iter().filter(|guard| matches!(guard.hook, Hook::PreTool | Hook::PostTool));
    let edges = spec.flow.iter().map(|edge| &edge.selection);
    let budgets = spec.budgets.iter().map(|budget| &budget.selection);
    let mut selections = guards.map(|guard| &guard.selection).chain(edges).chain(budgets);
    spec.default != DefaultVerdict::Allow
        || selections.any(|selection| selection.may_match(tool))
        || about::is_asked_about(linted, tool)
}
