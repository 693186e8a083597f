//! What a spec does about one tool: who asks about its calls, what denies them all.
//!
//! Where only a part of a family of tools is meant, or only some of the calls, rules that look for a gap take it for
//! covered, and rules that look for a wall take it for open.

use super::Linted;
use crate::guards::Hook;
use crate::policy::covers;
use crate::source::Span;
use crate::spec::{Action, DefaultVerdict, GuardSpec, Measure, OnSpent, ToolSpec};

/// The guards on proposed calls that can be about a tool.
pub(super) fn guards<'l>(linted: &Linted<'l>, tool: &'l ToolSpec) -> impl Iterator<Item = &'l GuardSpec> {
    let guards = linted.spec.guards.iter().filter(|guard| guard.hook == Hook::PreTool);
    guards.filter(|guard| guard.selection.may_match(tool))
}

/// True if somebody may be asked before a call of it runs, or the host's own prompt is.
pub(super) fn is_asked_about(linted: &Linted<'_>, tool: &ToolSpec) -> bool {
    let spec = linted.spec;
    let asks = |guard: &GuardSpec| {
        guard.action == Action::Ask || matches!(guard.kind, Some("confirmFirst" | "consentRequired"))
    };
    let budgets = spec.budgets.iter().filter(|budget| budget.terms.action == OnSpent::Ask);
    matches!(spec.default, DefaultVerdict::Ask | DefaultVerdict::Defer)
        || tool.destructive.may_be()
        || guards(linted, tool).any(asks)
        || budgets.into_iter().any(|budget| budget.selection.may_match(tool))
        || spec.required().any(|required| required.selection.may_match(tool))
}

/// Where it is said that no call of a tool may run, whatever it is.
pub(super) fn barred(linted: &Linted<'_>, tool: &ToolSpec) -> Option<Span> {
    let spec = linted.spec;
    let denies = |guard: &&GuardSpec| {
        let is_bare = match guard.kind {
            None => guard.check.is_none() && guard.rule.is_none(),
            Some(kind) => {
                kind == "forbid"
                    || guard.rule.as_ref().and_then(|rule| rule.limit()).is_some_and(|limit| limit.max == 0)
            }
        };
        guard.action == Action::Deny
            && is_bare
            && guard.when.is_none()
            && guard.each.is_none()
            && covers(&guard.selection, tool)
    };
    let by_guard = guards(linted, tool).find(denies).map(|guard| guard.id.span);
    let budgets = spec.budgets.iter().filter(|budget| {
        let terms = &budget.terms;
        let is_count = matches!(terms.measure, Measure::Calls | Measure::Attempts);
        let is_whole = terms.when.is_none() && terms.per.is_none() && !terms.failed && !terms.streak;
        let stops = matches!(terms.action, OnSpent::Deny | OnSpent::Stop);
        is_count && is_whole && stops && terms.max.is_zero() && covers(&budget.selection, tool)
    });
    let by_budget = budgets.map(|budget| budget.id.span).next();
    let allows = |guard: &GuardSpec| guard.action == Action::Allow;
    let by_default = || spec.default == DefaultVerdict::Deny && !guards(linted, tool).any(allows);
    by_guard.or(by_budget).or_else(|| by_default().then(|| linted.place(&["default"])))
}
