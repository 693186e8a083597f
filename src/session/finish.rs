//! What became of an allowed call: the outcomes table of section 5, and what guards say of its result.
//!
//! Only a success that the model saw licenses later calls. What had no effect may be tried again, and a read never has
//! one; what nobody knows of a write stays spent.

use super::call::{failure_of, matched};
use super::decide::{Moment, unknown_call};
use super::explain::{Judgement, Recorder};
use super::{CallState, Change, Entry, Feed, Session, Status};
use crate::context::{Context, Failure, Finding};
use crate::decision::{Decision, Deny, Judged};
use crate::event::{Outcome, Unknown};
use crate::observed::{Batch, IndexDefinition, Root, Seen, View, entry_key, part_hash};
use crate::policy::{Policy, Unit};
use crate::schema::Bound;
use crate::spec::{Action, Mode, OnMissing};
use crate::tool::Effect;
use crate::value::Value;

pub(super) fn started(session: &Session, call: &str, changes: &mut Vec<Change>) -> Decision {
    match session.calls.get(call).map(|state| state.status) {
        Some(Status::Allowed) => {
            changes.push(Change::Moved { call: call.into(), status: Status::Started });
            Decision::Accept
        }
        Some(Status::Started) => unknown_call(call, "was started before"),
        _ => unknown_call(call, "is not allowed to start"),
    }
}

pub(super) fn finished(
    policy: &Policy,
    session: &Session,
    moment: Moment<'_>,
    call: &str,
    outcome: &Outcome<'_>,
    changes: &mut Vec<Change>,
    recorder: &mut Recorder,
) -> Decision {
    let state = match session.calls.get(call) {
        Some(state) if matches!(state.status, Status::Allowed | Status::Started) => state,
        Some(state) if state.status == Status::Ended && session.may_end_later(call, state) => state,
        Some(state) if matches!(state.status, Status::Succeeded | Status::Ended) => {
            return unknown_call(call, "has ended before");
        }
        _ => return unknown_call(call, "was not allowed to run; its result is ignored"),
    };
    let effect = policy.tool(&state.tool).map_or(Effect::External, |tool| tool.effect);
    settle_budgets(policy, moment, state, outcome, changes);
    if !matches!(outcome, Outcome::Ok(_)) {
        super::idempotency::settle(policy, session, (call, state), (outcome, true), changes);
    }
    match outcome {
        Outcome::Ok(result) => {
            changes.push(Change::Moved { call: call.into(), status: Status::Succeeded });
            if effect != Effect::Read {
                changes.push(Change::Wrote);
            }
            let judged = judge(policy, session, moment, (state, result), recorder);
            // What the model does not see licenses nothing; that it took place still counts.
            if judged.withheld.is_none() {
                keep(policy, session, state, result, changes);
            }
            super::idempotency::settle(policy, session, (call, state), (outcome, judged.withheld.is_none()), changes);
            if judged == Judged::default() { Decision::Accept } else { Decision::Judged(Box::new(judged)) }
        }
        Outcome::Failed { effect: took, .. } => {
            changes.push(Change::Moved { call: call.into(), status: Status::Ended });
            again(policy, state, call, *took, changes);
            Decision::Accept
        }
        Outcome::Unknown(why) => {
            changes.push(Change::Moved { call: call.into(), status: Status::Ended });
            again(policy, state, call, None, changes);
            match why {
                Unknown::Unreadable => Decision::Withhold { code: why.name(), message: unreadable(effect).into() },
                Unknown::TimedOut | Unknown::Interrupted => Decision::Accept,
            }
        }
    }
}

/// What the end of a call makes of its budgets. An amount is given back only where the host says that the call had no
/// effect; whether a failed read costs nothing is not for us to say.
fn settle_budgets(
    policy: &Policy,
    moment: Moment<'_>,
    state: &CallState,
    outcome: &Outcome<'_>,
    changes: &mut Vec<Change>,
) {
    let had_no_effect = matches!(outcome, Outcome::Failed { effect: Some(false), .. });
    for entry in &state.spent {
        let Some(counter) = policy.counters.get(entry.budget) else { continue };
        let account = (entry.budget, entry.account);
        match outcome {
            Outcome::Ok(_) if counter.streak => {
                changes.push(Change::Emptied { budget: account.0, account: account.1 });
            }
            Outcome::Ok(_) => {}
            // It failed once, whatever is heard of it later.
            _ if counter.failed && state.status == Status::Ended => {}
            _ if counter.failed => {
                changes.push(Change::Spent(Entry { at: counter.window.and(moment.now), ..*entry }));
            }
            _ if counter.unit == Unit::Amount && had_no_effect => changes.push(Change::Released(*entry)),
            _ => {}
        }
    }
}

/// Whether a call that did not succeed may be tried again; `took` is what the host knows of its effect.
fn again(policy: &Policy, state: &CallState, call: &str, took: Option<bool>, changes: &mut Vec<Change>) {
    let (effect, destructive) =
        policy.tool(&state.tool).map_or((Effect::External, false), |tool| (tool.effect, tool.destructive));
    match (took.or((effect == Effect::Read).then_some(false)), state.repeat) {
        (Some(false), place) => {
            changes.extend(place.map(Change::Forgotten));
            changes.extend(destructive.then(|| Change::Spared(call.into())));
        }
        (None, Some(place)) => changes.push(Change::Unknown(place)),
        (Some(true), _) | (None, None) => {}
    }
}

fn unreadable(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => {
            "The result cannot be read. The call changed nothing: try once more, or say that you do not know."
        }
        Effect::Write | Effect::External => {
            "The result cannot be read. Whether the call took effect is unknown: do not say that it did, and do not repeat it."
        }
    }
}

/// What the guards on results say of one.
fn judge(
    policy: &Policy,
    session: &Session,
    moment: Moment<'_>,
    (state, result): (&CallState, &Value<'_>),
    recorder: &mut Recorder,
) -> Judged {
    recorder.begin();
    let mut judged = Judged::default();
    let Some(tool) = policy.tool(&state.tool).filter(|tool| !tool.after.is_empty()) else { return judged };
    let batch = Batch::default();
    let context = Context {
        tool: &state.tool,
        effect: tool.effect,
        args: &Bound::none(),
        hashes: &[],
        result: Some(result),
        world: moment.world,
        world_is_stale: moment.world_is_stale,
        session: &session.facts,
        now: moment.now,
        cwd: None,
        observed: View { observed: &session.observed, batch: &batch },
        turn: session.turn,
        repeat: None,
        key: &session.key,
        answers: &[],
    };
    let mut denies = Vec::new();
    for guard in tool.after.iter().filter_map(|planned| planned.about(&state.tool, tool.effect)) {
        let finding = guard.check.as_ref().map_or(Finding::Fires, |check| check.check(&context));
        recorder.hear(|| Judgement::guard(guard, &context, &finding, true));
        let (matched, is_failure) = match finding {
            Finding::Pass => continue,
            Finding::Missing if guard.missing == OnMissing::Skip => continue,
            Finding::Fires | Finding::Missing => (matched(guard, &context), false),
            Finding::Fails(failure) => (failure_of(guard, &failure, UNJUDGED), true),
            // Nothing is asked of a host once a call has ended.
            Finding::Needs(_) => (failure_of(guard, &Failure::NoAnswer("not asked".into()), UNJUDGED), true),
        };
        match guard.action {
            Action::Audit | Action::Allow => judged.audited.push(matched),
            Action::Warn if !is_failure => judged.warnings.push(matched),
            Action::Warn | Action::Deny => denies.push(matched),
        }
    }
    let mut denies = denies.into_iter();
    let deny = denies.next().map(|first| Deny::of(first, denies.collect()));
    match policy.mode {
        Mode::Observe => judged.would = deny,
        Mode::Enforce => judged.withheld = deny,
    }
    judged
}

/// What the model gets where a guard could not judge a result.
const UNJUDGED: &str = "A guard is unavailable, so the result is withheld. The call ran; do not repeat it.";

/// Enters a success into the indexes that it feeds.
fn keep(policy: &Policy, session: &Session, state: &CallState, result: &Value<'_>, changes: &mut Vec<Change>) {
    let seen = Seen::of(session.turn, is_empty(result));
    for feed in &state.feeds {
        let Some(definition) = policy.plan.get(feed.index) else { continue };
        for entry in entries(session, definition, feed, result) {
            changes.push(Change::Kept { index: feed.index, entry, seen });
        }
    }
}

/// A result that says nothing: null, an empty text, list or object. A record of empty fields is not empty.
fn is_empty(result: &Value<'_>) -> bool {
    match result {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The entries of a success in one index: one of all its single parts, or one per value of its only part.
fn entries(session: &Session, definition: &IndexDefinition, feed: &Feed, result: &Value<'_>) -> Vec<u128> {
    let mut parts: Vec<Vec<u128>> = Vec::with_capacity(definition.parts.len());
    for (part, from_args) in definition.parts.iter().zip(&feed.parts) {
        let mut hashes = from_args.to_vec();
        if part.root == Root::Result {
            part.path.each(result, |value| {
                if !value.is_null() {
                    hashes.push(part_hash(&session.key, value));
                }
            });
        }
        parts.push(hashes);
    }
    if let [only] = parts.as_slice() {
        return only.clone();
    }
    let single: Option<Vec<u128>> =
        parts.iter().map(|hashes| if let [one] = hashes.as_slice() { Some(*one) } else { None }).collect();
    single.map(|single| vec![entry_key(single)]).unwrap_or_default()
}
