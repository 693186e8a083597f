//! `zero-budget`: a budget that leaves no room for anything.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule};
use crate::source::Span;
use crate::spec::{Action, Measure, OnSpent};

pub(super) static RULE: Rule = Rule {
    code: "F551",
    name: "zero-budget",
    severity: Severity::Note,
    docs: r"
## What it does
Finds a budget, or a guard of kind `maxCalls`, with `max: 0` that denies or stops. One that asks is not looked at: it asks
about each call.

## Why
`max: 0` does not mean that there is no bound: it allows none. Where that is meant, a guard of kind `forbid` says it in words
that the model and its reader understand.

## Example
```yaml
- {id: calls-out, count: calls, tools: [call_back], max: 0}
```

## Use instead
```yaml
- {id: calls-out, count: calls, tools: [call_back], max: 1}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let budgets =
        linted.spec.budgets.iter().filter(|budget| {
            budget.terms.max.is_zero() && matches!(budget.terms.action, OnSpent::Deny | OnSpent::Stop)
        });
    let budgets = budgets.map(|budget| {
        let what = if matches!(budget.terms.measure, Measure::Sum(_)) { "no amount above 0" } else { "no call" };
        (&budget.id.value, budget.id.span, what)
    });
    let guards = linted.spec.guards.iter().filter(|guard| guard.action == Action::Deny);
    let guards =
        guards.filter(|guard| guard.rule.as_ref().and_then(|rule| rule.limit()).is_some_and(|limit| limit.max == 0));
    let guards = guards.map(|guard| (&guard.id.value, guard.id.span, "no call"));
    found.extend(budgets.chain(guards).map(|(id, span, what)| zero(id, span, what)));
}

fn zero(id: &str, span: Span, what: &str) -> Diagnostic {
    let problem = RULE.at(span, format!("`{id}` has the `max` 0, which allows {what}"));
    problem.help("leave it out for no bound, write a higher `max`, or forbid the tools with a guard of kind `forbid`")
}
