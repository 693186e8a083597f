//! What gates 6 to 9 find of one call, each thing in the place where its action puts it.
//!
//! Nothing is decided here: the strictest of what was found is.

use super::call::Ready;
use super::explain::Judgement;
use super::judge::{Objection, failure_of, is_skipped, no_let};
use super::spent::Entry;
use crate::context::{Failure, Finding, LetId, Query};
use crate::decision::{Ask, Match, Repeat};
use crate::expr::{Evaluation, Lets};
use crate::policy::{BoundGuard, Policy};
use crate::spec::{Action, By, OnFailure};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What gates 6 to 9 found. Of most calls nothing is matched.
#[derive(Default)]
pub(super) struct Found {
    matched: Option<Box<Matched>>,
    pub(super) is_destructive: bool,
    pub(super) lifted: bool,
    /// What it would spend.
    pub(super) entries: Vec<Entry>,
    /// Its key and the hash of its arguments.
    pub(super) key: Option<(u128, u128)>,
    /// What every rule said, where somebody listens.
    pub(super) heard: Option<Vec<Judgement>>,
}

/// What was matched, each in the place where its action puts it.
#[derive(Default)]
pub(super) struct Matched {
    pub(super) denies: Vec<Match>,
    /// Who asks somebody before the call runs, and whom.
    pub(super) asks: Vec<(By, Match)>,
    pub(super) warnings: Vec<Match>,
    pub(super) audited: Vec<Match>,
    /// Lets without a value that something reads.
    pub(super) lets: Vec<LetId>,
    pub(super) queries: Vec<Query>,
    /// The answer to a repeat.
    pub(super) answer: Option<Repeat>,
    /// The budget that ends the run.
    pub(super) stops: Option<Arc<str>>,
}

impl Found {
    /// Nothing yet; `listens` says whether somebody wants to hear every rule.
    pub(super) fn new(listens: bool) -> Found {
        Found { heard: listens.then(Vec::new), ..Found::default() }
    }

    /// Where to put what is matched.
    pub(super) fn matched(&mut self) -> &mut Matched {
        self.matched.get_or_insert_default()
    }

    /// What was matched, where something was.
    pub(super) fn take_matched(&mut self) -> Option<Box<Matched>> {
        self.matched.take()
    }

    /// How many things deny.
    pub(super) fn denies(&self) -> usize {
        self.matched.as_ref().map_or(0, |matched| matched.denies.len())
    }

    /// The budget that ends the run.
    pub(super) fn stops(&self) -> Option<&Arc<str>> {
        self.matched.as_ref()?.stops.as_ref()
    }

    pub(super) fn hear(&mut self, judgement: impl FnOnce() -> Judgement) {
        if let Some(heard) = &mut self.heard {
            heard.push(judgement());
        }
    }
}

impl Found {
    /// Takes in what a guard says, in the place where its action puts it.
    #[cold]
    #[inline(never)]
    pub(super) fn add(&mut self, guard: &BoundGuard, objection: Objection, answered: bool) {
        let Objection { finding, matched } = objection;
        match finding {
            Finding::Pass => {}
            finding if is_skipped(guard, &finding) => {}
            Finding::Fires | Finding::Missing => self.fired(guard, matched),
            // Only who watches, or lifts, lets the call go on without it.
            Finding::NoLet(id) if !matches!(guard.action, Action::Audit | Action::Allow) => {
                self.matched().lets.push(id)
            }
            Finding::NoLet(_) => {}
            Finding::Fails(failure) => self.failed(guard, &failure),
            Finding::Needs(query) if !answered => self.matched().queries.push(query),
            Finding::Needs(_) => self.failed(guard, &Failure::NoAnswer("asked twice".into())),
        }
    }

    fn fired(&mut self, guard: &BoundGuard, matched: Option<Match>) {
        match (guard.action, matched) {
            (Action::Allow, _) | (_, None) => self.lifted = true,
            (Action::Audit, Some(matched)) => self.matched().audited.push(matched),
            (Action::Warn, Some(matched)) => self.matched().warnings.push(matched),
            (Action::Ask, Some(matched)) => self.matched().asks.push((guard.by, matched)),
            (Action::Deny, Some(matched)) => self.matched().denies.push(matched),
        }
    }

    /// A guard that cannot judge denies, or asks where its author says so.
    fn failed(&mut self, guard: &BoundGuard, failure: &Failure) {
        let matched = failure_of(guard, failure, UNAVAILABLE);
        match guard.action {
            Action::Audit | Action::Allow => self.matched().audited.push(matched),
            _ if guard.on_failure == OnFailure::Ask => self.matched().asks.push((guard.by, matched)),
            Action::Deny | Action::Ask | Action::Warn => self.matched().denies.push(matched),
        }
    }

    /// Denies once for each let without a value, before what the guards deny: those begin at a place among the denies.
    pub(super) fn deny_lets(&mut self, guards: usize, lets: &Lets, evaluation: &mut Evaluation<'_>) {
        let Some(matched) = self.matched.as_mut().filter(|matched| !matched.lets.is_empty()) else { return };
        let without: BTreeSet<LetId> = std::mem::take(&mut matched.lets).into_iter().collect();
        let denies: Vec<Match> = without.into_iter().map(|id| no_let(lets, id, evaluation)).collect();
        denies.iter().for_each(|matched| self.hear(|| Judgement::no_let(matched)));
        let found = self.matched();
        let of_guards = found.denies.split_off(guards.min(found.denies.len()));
        found.denies.extend(denies.into_iter().chain(of_guards));
    }

    /// True if nothing stands against the call.
    pub(super) fn is_open(&self) -> bool {
        self.matched.as_ref().is_none_or(|matched| {
            matched.denies.is_empty()
                && matched.queries.is_empty()
                && matched.asks.is_empty()
                && matched.answer.is_none()
        })
    }

    /// A repeat is answered before the budgets and the guards are asked.
    pub(super) fn hear_nothing_more(&mut self, policy: &Policy, ready: &Ready<'_>) {
        if let Some(heard) = &mut self.heard {
            heard.extend(super::explain::not_asked(policy, ready.tool, ready.name));
        }
    }
}

/// The one question of all who ask: shown as the first, put to the strictest.
pub(super) fn asked(asks: Vec<(By, Match)>) -> (Ask, By) {
    let by = asks.iter().map(|(by, _)| *by).max().unwrap_or_default();
    let reasons = asks.iter().filter_map(|(_, matched)| matched.public_reason.as_deref().map(str::to_owned)).collect();
    let mut asking = asks.into_iter().map(|(_, matched)| matched);
    let first = asking.next();
    (Ask { by: by.name(), also: asking.collect(), reasons, ..Ask::of(first) }, by)
}

/// What a guard that could not judge tells the model.
const UNAVAILABLE: &str = "A guard is unavailable, so this call cannot run now. Say so; do not try another way.";
