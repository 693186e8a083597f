//! `needs-clock`: the spec reads the time, so its host has to tell it.

use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::ReadPath;
use crate::lint::{Check, Linted, Rule, about, expressions};
use crate::source::Span;
use crate::spec::{Approvals, Layer};

pub(super) static RULE: Rule = Rule {
    code: "F851",
    name: "needs-clock",
    severity: Severity::Note,
    docs: r"
## What it does
Says once that a spec reads the time: by `now` or the `at` of an earlier call in an expression, or by a `window` or a `ttl`
of its own.

## Why
There is no clock in the engine: the time is the `at` of the host's events. Where an event comes without one, `now` is
missing, so a guard that reads it denies, and what came without a time never leaves a window. So every event of a host that
runs this spec must carry `at`. Wherever somebody is asked before a call runs, the answer needs one too.

## Example
```yaml
- {id: codes, count: calls, tools: [send_code], window: 24h, max: 3}
```

## Use instead
```yaml
- {id: codes, count: calls, tools: [send_code], scope: session, max: 3}
```
",
    check: Check::Spec(check),
};

/// How many places besides the first are shown.
const SHOWN: usize = 3;

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let mut places = of_expressions(linted);
    places.extend(of_terms(linted));
    // The spec's own file comes before what it shares.
    places.sort_by_key(|(span, _)| (span.file != linted.spec.id.span.file, *span));
    places.dedup();
    let mut places = places.into_iter();
    let Some((span, what)) = places.next() else { return };
    let problem = RULE.at(span, format!("{what}, so every event must carry `at`"));
    let problem = places.take(SHOWN).fold(problem, |problem, (span, what)| problem.label(span, what));
    found.push(problem.help("let the host send its clock with each event; without one such a rule cannot judge"));
}

fn of_expressions(linted: &Linted<'_>) -> Vec<(Span, &'static str)> {
    let mut places = Vec::new();
    for expression in expressions::all(linted) {
        let now = expression.roots().into_iter().filter(|root| root.value == "now");
        places.extend(now.map(|root| (root.span, "`now` is read here")));
        let times = expression.read_paths().into_iter().filter(|path| is_time_of_call(linted, path));
        places.extend(times.map(|path| (path.span, "the time of an earlier call is read here")));
    }
    places
}

/// True for the `at` of an earlier call.
fn is_time_of_call(linted: &Linted<'_>, path: &ReadPath) -> bool {
    let is_earlier = |root: &str| matches!(root, "first(…)" | "last(…)");
    let through = || expressions::named(linted.spec, &path.root).and_then(|named| named.value.path());
    let is_call =
        is_earlier(&path.root) || through().is_some_and(|path| is_earlier(&path.root) && path.steps.is_empty());
    is_call && path.steps.len() == 1 && path.steps.first().is_some_and(|step| step == "at")
}

fn of_terms(linted: &Linted<'_>) -> Vec<(Span, &'static str)> {
    let spec = linted.spec;
    let budgets = spec.budgets.iter().filter(|budget| budget.terms.window.is_some());
    let budgets = budgets.map(|budget| (budget.id.span, "this budget has a `window`"));
    let keyed = |tool: &&crate::spec::ToolSpec| tool.idempotency.as_ref().is_some_and(|key| key.window.is_some());
    let keys = spec.tools.iter().filter(keyed).map(|tool| (tool.name.span, "the key of this tool has a `window`"));
    budgets.chain(keys).chain(of_answers(linted)).collect()
}

/// Where the time to answer is set, and somebody is asked.
fn of_answers(linted: &Linted<'_>) -> Option<(Span, &'static str)> {
    let (spec, usual) = (linted.spec, Approvals::default());
    let is_own = (spec.approvals.user.ttl, spec.approvals.approver_ttl) != (usual.user.ttl, usual.approver_ttl);
    let asks = || spec.tools.iter().any(|tool| about::is_asked_about(linted, tool));
    let of_spec = ["user", "approver"].into_iter().find_map(|who| linted.node(&["approvals", who, "ttl"]));
    let place =
        if spec.approvals.layer == Layer::Spec { of_spec.map(|node| node.span) } else { Some(spec.approvals.span) };
    (is_own && asks()).then(|| (place.unwrap_or(spec.id.span), "the time to answer is set here"))
}
