//! `unreachable-budget`: a budget that another one always uses up first.

use crate::diagnostic::{Diagnostic, Severity};
use crate::guards::max_calls::Scope;
use crate::lint::rules::duplicate_guard;
use crate::lint::{Check, Linted, Rule};
use crate::policy::covers;
use crate::source::Span;
use crate::spec::{By, GuardSpec, Layer, Measure, OnSpent, Selection, Spec, Terms};

pub(super) static RULE: Rule = Rule {
    code: "F553",
    name: "unreachable-budget",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a budget that never decides anything, because another one measures the same, of the same tools or of more, for as long
or longer, allows no more, and is at least as strict. Of two that say the same the second is told. Guards of kind `maxCalls`
are budgets too; two such guards that say the same are [duplicate-guard](#duplicate-guard). A base, a contract and a host may
only narrow what a spec allows; that is no mistake of the spec, and a contract's budget is not held against it. What a spec
narrows in turn is none of its base.

## Why
One of the two is not what its author meant: most often the wider one was to have a higher `max`, or a longer `scope` was
written for a shorter one. Whoever reads the higher number takes it for the limit.

## Example
```yaml
- {id: letters-a-turn, count: calls, tools: [send_letter], scope: turn, max: 5}
- {id: letters, count: calls, tools: [send_letter], scope: session, max: 3}
```

## Use instead
```yaml
- {id: letters-a-turn, count: calls, tools: [send_letter], scope: turn, max: 2}
- {id: letters, count: calls, tools: [send_letter], scope: session, max: 3}
```
",
    check: Check::Spec(check),
};

/// A budget, or a guard that is one.
struct Limit<'s> {
    guard: Option<&'s GuardSpec>,
    id: &'s str,
    span: Span,
    layer: Layer,
    selection: &'s Selection,
    by: By,
    terms: Terms,
}

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let spec = linted.spec;
    let limits = limits(spec);
    for (at, limit) in limits.iter().enumerate() {
        let before = |(other_at, other): &(usize, &Limit<'_>)| {
            *other_at != at
                && !is_elsewhere(linted, limit, other)
                && comes_first(spec, other, limit)
                && (*other_at < at || !comes_first(spec, limit, other))
        };
        let Some((_, other)) = limits.iter().enumerate().find(before) else { continue };
        let message = if comes_first(spec, limit, other) {
            format!("`{}` says what `{}` says", limit.id, other.id)
        } else {
            format!("`{}` never decides anything: `{}` is always used up first", limit.id, other.id)
        };
        let label = format!("this allows {}, and no more", other.terms.max);
        found.push(RULE.at(limit.span, message).label(other.span, label).help("lower its `max`, or take it out"));
    }
}

/// True where the finding is of another rule, or of another file: what a base or a contract allows, a spec may narrow.
fn is_elsewhere(linted: &Linted<'_>, limit: &Limit<'_>, by: &Limit<'_>) -> bool {
    let is_shared = !linted.is_own(limit.span) && limit.span.file != by.span.file;
    is_shared || limit.guard.zip(by.guard).is_some_and(|(one, other)| duplicate_guard::is_copy(one, other))
}

fn limits(spec: &Spec) -> Vec<Limit<'_>> {
    let budgets = spec.budgets.iter().map(|budget| Limit {
        guard: None,
        id: &budget.id.value,
        span: budget.id.span,
        layer: budget.layer,
        selection: &budget.selection,
        by: By::default(),
        terms: budget.terms.clone(),
    });
    let guards = spec.guards.iter().filter_map(|guard| {
        let limit = guard.rule.as_ref()?.limit()?;
        let action = OnSpent::of(guard.action);
        let measure = if limit.attempts { Measure::Attempts } else { Measure::Calls };
        let terms = Terms { when: guard.when.clone(), measure, ..Terms::of(limit, action) };
        let (id, span) = (guard.id.value.as_str(), guard.id.span);
        Some(Limit {
            guard: Some(guard),
            id,
            span,
            layer: guard.layer,
            selection: &guard.selection,
            by: guard.by,
            terms,
        })
    });
    let mut limits: Vec<Limit<'_>> = budgets.chain(guards).collect();
    limits.sort_by_key(|limit| (limit.layer, limit.span));
    limits
}

/// True if whatever uses up the second budget has used up the first before.
fn comes_first(spec: &Spec, first: &Limit<'_>, second: &Limit<'_>) -> bool {
    let (one, two) = (&first.terms, &second.terms);
    let is_said = |expression: &Option<crate::expr::Expression>| expression.as_ref().map(|one| one.text());
    let (when, per) = (is_said(&one.when), is_said(&one.per));
    let lasts = two.scope == Scope::Turn || one.scope == Scope::Session;
    let looks_back = one.window.is_none_or(|window| two.window.is_some_and(|other| other <= window));
    let stays = !one.reset_on_turn || two.reset_on_turn || two.scope == Scope::Turn;
    same_measure(&one.measure, &two.measure)
        && (when.is_none() || when == is_said(&two.when))
        && (per.is_none() || per == is_said(&two.per))
        && lasts
        && looks_back
        && stays
        && (one.failed, one.streak) == (two.failed, two.streak)
        && strictness(one.action) >= strictness(two.action)
        && (one.action != OnSpent::Ask || first.by == second.by)
        && one.max <= two.max
        && is_about_as_many(spec, first, second)
}

fn same_measure(one: &Measure, two: &Measure) -> bool {
    match (one, two) {
        (Measure::Sum(one), Measure::Sum(two)) => one.text() == two.text(),
        (Measure::Calls, Measure::Calls) | (Measure::Attempts, Measure::Attempts) => true,
        _ => false,
    }
}

fn strictness(action: OnSpent) -> u8 {
    match action {
        OnSpent::Audit => 0,
        OnSpent::Warn => 1,
        OnSpent::Ask => 2,
        OnSpent::Deny => 3,
        OnSpent::Stop => 4,
    }
}

/// True if the first is about every tool that the second is about. What a contract says is for other agents too, whose
/// tools are not known here.
fn is_about_as_many(spec: &Spec, first: &Limit<'_>, second: &Limit<'_>) -> bool {
    if second.layer == Layer::Contract {
        return first.layer == Layer::Contract && first.selection.selector == second.selection.selector;
    }
    let mut about = spec.tools.iter().filter(|tool| second.selection.may_match(tool)).peekable();
    about.peek().is_some() && about.all(|tool| covers(first.selection, tool))
}
