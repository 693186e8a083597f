//! What the rules that prove something share: the guards on calls, and what each says of the tools it is about.

use crate::guards::Hook;
use crate::lint::Linted;
use crate::policy::ToolPolicy;
use crate::proof::{Calls, Opinion};
use crate::source::Span;
use crate::spec::{Action, GuardSpec};

/// A guard on calls, and each tool that it is bound to with what it says of its calls.
pub(super) struct Bound<'l> {
    pub(super) guard: &'l GuardSpec,
    pub(super) on: Vec<(&'l ToolPolicy, &'l Calls, &'l Opinion)>,
}

/// Every guard that stands against calls, in the order of the files. One that lifts the default, or judges messages, results
/// or replies, is none.
pub(super) fn bound<'l>(linted: &'l Linted<'l>) -> impl Iterator<Item = Bound<'l>> {
    let guards = linted.spec.guards.iter().filter(|guard| guard.hook == Hook::PreTool && guard.action != Action::Allow);
    guards.map(|guard| {
        let of_tool = |(tool, calls): &'l (&'l ToolPolicy, Calls)| {
            let opinion = calls.opinions.iter().find(|opinion| *opinion.code == *guard.id.value)?;
            Some((*tool, calls, opinion))
        };
        Bound { guard, on: linted.proofs.tools.iter().filter_map(of_tool).collect() }
    })
}

/// Where the guard or the edge of a code is written.
pub(super) fn guard_of(linted: &Linted<'_>, code: &str) -> Option<Span> {
    let guards = linted.spec.guards.iter().map(|guard| &guard.id);
    guards.chain(linted.spec.flow.iter().map(|edge| &edge.id)).find(|id| id.value == code).map(|id| id.span)
}
