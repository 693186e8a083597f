//! `unreachable-tool`: a tool that waits for another one which never runs.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule, about};
use crate::policy::{Requirement, into_tool};
use crate::source::Span;

pub(super) static RULE: Rule = Rule {
    code: "F550",
    name: "unreachable-tool",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a tool that can never run because of what must come before it: each way through `flow` and `requiresBefore` leads over
a tool of which no call may run, since a guard denies them all, a budget has no room for one, or `default: deny` is lifted
for none. Such a tool itself is not told: it was said outright. Circles are `flow-cycle`.

## Why
The tool is offered to the model, and each call of it is refused with the advice to call another one first, which is refused
as well.

## Example
```yaml
- {id: look-first, from: get_ticket, to: close_ticket}
```

## Use instead
```yaml
- {id: look-first, from: [get_ticket, list_tickets], to: close_ticket}
```
",
    check: Check::Spec(check),
};

/// How many steps of the way are told.
const TOLD: usize = 8;

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let spec = linted.spec;
    let barred: Vec<Option<Span>> = spec.tools.iter().map(|tool| about::barred(linted, tool)).collect();
    let needed =
        spec.tools.iter().map(|tool| into_tool(spec, tool).into_iter().filter(|one| one.is_constant).collect());
    let needed: Vec<Vec<Requirement>> = needed.collect();
    let runs = runnable(&barred, &needed);
    for (number, tool) in spec.tools.iter().enumerate() {
        let is_dead = runs.get(number) == Some(&false) && barred.get(number) == Some(&None);
        let Some(unmet) = needed.get(number).filter(|_| is_dead).and_then(|all| unmet(all, &runs)) else { continue };
        let any_of: Vec<String> = unmet.any_of.iter().map(|pattern| format!("`{pattern}`")).collect();
        let any_of = crate::text::joined(&any_of, "or");
        let message = format!("`{}` can never run: it needs {any_of} before it, which never runs", tool.name.value);
        let problem = RULE.at(tool.name.span, message).help("let another tool come before it, or take it out");
        found.push(way(linted, problem, number, &barred, &needed, &runs));
    }
}

/// Which tools can run: all, but for those that are barred and, again and again, those with a need that none can meet.
fn runnable(barred: &[Option<Span>], needed: &[Vec<Requirement>]) -> Vec<bool> {
    let mut runs: Vec<bool> = barred.iter().map(Option::is_none).collect();
    loop {
        let next: Vec<bool> =
            runs.iter().zip(needed).map(|(runs_so_far, all)| *runs_so_far && unmet(all, &runs).is_none()).collect();
        if next == runs {
            return runs;
        }
        runs = next;
    }
}

fn unmet<'n>(needed: &'n [Requirement], runs: &[bool]) -> Option<&'n Requirement> {
    needed.iter().find(|one| !one.met_by.iter().any(|number| runs.get(*number) == Some(&true)))
}

/// Adds each step from a tool to what bars the way.
fn way(
    linted: &Linted<'_>,
    mut problem: Diagnostic,
    start: usize,
    barred: &[Option<Span>],
    needed: &[Vec<Requirement>],
    runs: &[bool],
) -> Diagnostic {
    let name = |number: usize| linted.spec.tools.get(number).map_or("", |tool| tool.name.value.text());
    let mut open = std::collections::VecDeque::from([start]);
    let mut seen = vec![start];
    while let Some(at) = open.pop_front().filter(|_| problem.labels.len() < TOLD) {
        if let Some(Some(span)) = barred.get(at) {
            problem = problem.label(*span, format!("no call of `{}` may run", name(at)));
            continue;
        }
        let Some(unmet) = needed.get(at).and_then(|all| unmet(all, runs)) else { continue };
        let any_of: Vec<String> = unmet.any_of.iter().map(|pattern| format!("`{pattern}`")).collect();
        problem = problem.label(unmet.span, format!("`{}` needs {}", name(at), crate::text::joined(&any_of, "or")));
        for next in unmet.met_by.iter().filter(|next| !seen.contains(next)).collect::<Vec<_>>() {
            seen.push(*next);
            open.push_back(*next);
        }
    }
    problem
}
