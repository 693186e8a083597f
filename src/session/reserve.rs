//! What a call takes in once it is decided: its place in budgets, repeats and indexes, and what its end will need.
//!
//! Only a call that may run takes a place. Nothing is decided here.

use super::call::{Kept, Proposals, Ready, status};
use super::{CallState, Change, Feed, Held, Noted, NotedRecall, Status, Values};
use crate::acts::End;
use crate::decision::{StepOutcome, Verdict};
use crate::event::Call;
use crate::expr::Evaluation;
use crate::guards::confirm_first::is_simulation;
use crate::observed::{CallsBy, Form, Place, TallyId, kept_args, part_hash, whole_entry_key};
use crate::policy::{FeedPart, PlannedAsk, PlannedFeed, ToolPolicy};
use crate::schema::{Bound, Located};
use crate::tool::Effect;
use std::sync::Arc;

impl Proposals<'_> {
    /// Notes the call; if it may run, takes its place in counters and repeats.
    pub(super) fn reserve(
        &mut self,
        call: &Call<'_>,
        id: &Arc<str>,
        (ready, kept): (&Ready<'_>, &Kept),
        verdict: &Verdict,
        is_destructive: bool,
    ) {
        let tool = if ready.tool.name.is_exact() { ready.tool.label.clone() } else { ready.name.into() };
        let (mut state, mut held) = (CallState::new(status(verdict), tool), Held::default());
        if state.status == Status::Allowed {
            state.feeds = self.feeds(ready);
            held.noted = self.note(ready);
            held.args = ready.tool.keeps_args.then(|| ready.bound.args().to_owned_value());
            held.spent = self.reserve_budgets(&kept.entries);
            if let Some(key) = kept.key {
                held.key = Some(key.0);
                self.claim(id, key);
            }
            if let Some(call) = ready.repeat {
                let place = Place { call, version: self.session.version };
                state.repeat = Some(place);
                self.batch.allow(call);
                self.changes.push(Change::Repeatable { place, effect: ready.tool.effect });
            }
            held.simulates = is_destructive && is_simulation(ready.tool.simulate, &ready.bound);
            if is_destructive && self.policy.plan.keeps_destructive() {
                self.batch.destroys(ready.name);
                self.changes.push(Change::Destructive { call: call.id.as_ref().into(), tool: ready.name.into() });
            }
        }
        self.note_for_reply(ready, verdict, &mut state);
        let is_asked_for = match state.status {
            Status::Denied => false,
            Status::Waiting => true,
            _ => !ready.tool.after.is_empty(),
        };
        held.cwd = ready.cwd.filter(|_| is_asked_for).map(Into::into);
        held.waiting = (state.status == Status::Waiting).then(|| call.args.to_owned_value());
        state.held = held.boxed();
        self.changes.push(Change::Proposed { call: id.clone(), state });
    }

    /// What a reply may tell of the call. A label is made of the arguments, which are not kept.
    fn note_for_reply(&self, ready: &Ready<'_>, verdict: &Verdict, state: &mut CallState) {
        let is_write = ready.tool.effect != Effect::Read;
        state.writes = is_write && state.status == Status::Allowed;
        state.values = Values::of(self.policy, &self.session.key, ready.bound.args());
        if is_write && ready.tool.question.label.is_some() && state.status != Status::Denied {
            let mut evaluation = Evaluation::new(self.context(ready, &[]), &ready.tool.lets);
            let label = super::question::question_label(ready.tool, &mut evaluation);
            state.told.get_or_insert_default().label = Some(label.into());
        }
        if let Verdict::Deny(deny) = verdict {
            state.end = (deny.first.outcome == StepOutcome::ApprovalDenied).then_some(End::Refused);
            if let Some(reason) = &deny.first.public_reason {
                state.told.get_or_insert_default().public_reason = Some(reason.clone());
            }
        }
    }

    /// The arguments that checks and indexes ask by, hashed once.
    pub(super) fn hashes(&self, tool: &ToolPolicy, bound: &Bound<'_>) -> Vec<Option<u128>> {
        let hash = |located: &Located| {
            let value = located.get(bound).filter(|value| !value.is_null())?;
            Some(part_hash(&self.session.key, value))
        };
        tool.hashed.iter().map(hash).collect()
    }

    /// What expressions may ask of an allowed call: it is counted now, and kept when it succeeds.
    fn note(&mut self, ready: &Ready<'_>) -> Option<Noted> {
        if ready.tool.recalls.is_empty() && ready.tool.tallies.is_empty() {
            return None;
        }
        let plan = &self.policy.plan;
        let recalls = ready.tool.recalls.iter().filter_map(|ask| {
            let definition = plan.recalled(ask.index)?;
            let entry = entry(ready, ask, &definition.calls)?;
            Some(NotedRecall { index: ask.index, entry, args: kept_args(definition, ready.bound.args()) })
        });
        let tallies = ready.tool.tallies.iter().flat_map(|ask| {
            let entries = plan.tallied(ask.index).map(|definition| self.entries(ready, ask, &definition.calls));
            entries.into_iter().flatten().map(|entry| (ask.index, entry))
        });
        let tallies: Box<[(TallyId, u128)]> = tallies.collect();
        let noted = Noted { turn: self.session.turn, recalls: recalls.collect(), tallies };
        for (index, entry) in &noted.tallies {
            self.batch.tally(&self.session.observed, *index, *entry);
            self.changes.push(Change::CountedCall { index: *index, entry: *entry });
        }
        let is_empty = noted.recalls.is_empty() && noted.tallies.is_empty();
        (!is_empty).then_some(noted)
    }

    /// The entries of a call in an index of counts: one, or one for each different value of an argument.
    fn entries(&self, ready: &Ready<'_>, ask: &PlannedAsk<TallyId>, calls: &CallsBy) -> Vec<u128> {
        let Some(located) = &ask.each else { return entry(ready, ask, calls).into_iter().collect() };
        let mut entries = Vec::new();
        if ready.tool.name.is_exact() || calls.are_of(ready.name) {
            located.each(&ready.bound, |value| Form::Scalars.keys(&self.session.key, value, &mut entries));
        }
        entries.sort_unstable();
        entries.dedup();
        entries
    }

    fn feeds(&self, ready: &Ready<'_>) -> Box<[Feed]> {
        let exact = ready.tool.name.is_exact();
        let about = |feed: &&PlannedFeed| {
            let definition = self.policy.plan.get(feed.index);
            exact || definition.is_some_and(|index| index.tools.iter().any(|pattern| pattern.matches(ready.name)))
        };
        let writes = |feed: &&PlannedFeed| {
            let writes = self.policy.plan.get(feed.index).and_then(|index| index.forgotten_by.as_ref());
            exact || writes.is_some_and(|writes| writes.of.matches(ready.name, ready.tool.effect))
        };
        let made = |feed: &PlannedFeed, forgets| Feed {
            index: feed.index,
            forgets,
            parts: feed.parts.iter().map(|part| self.feed_part(part, ready)).collect(),
        };
        let mut feeds = Vec::with_capacity(ready.tool.feeds.len().saturating_add(ready.tool.forgets.len()));
        feeds.extend(ready.tool.feeds.iter().filter(about).map(|feed| made(feed, false)));
        feeds.extend(ready.tool.forgets.iter().filter(writes).map(|feed| made(feed, true)));
        feeds.into()
    }

    fn feed_part(&self, part: &FeedPart, ready: &Ready<'_>) -> Box<[u128]> {
        match part {
            FeedPart::Hashed(id) => ready.hashes.get(usize::from(id.0)).copied().flatten().into_iter().collect(),
            FeedPart::Each(located, form) => {
                let mut hashes = Vec::new();
                located.each(&ready.bound, |value| form.keys(&self.session.key, value, &mut hashes));
                hashes.into()
            }
            FeedPart::Result | FeedPart::Absent => Box::default(),
        }
    }
}

/// The entry of a call in an index that expressions ask; `None` for a call that is not among those or lacks a key.
fn entry<I>(ready: &Ready<'_>, ask: &PlannedAsk<I>, calls: &CallsBy) -> Option<u128> {
    if !ready.tool.name.is_exact() && !calls.are_of(ready.name) {
        return None;
    }
    whole_entry_key(ask.keys.iter().map(|id| ready.hashes.get(usize::from(id.0)).copied().flatten()))
}
