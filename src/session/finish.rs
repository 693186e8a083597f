//! What became of an allowed call: the outcomes table of section 5, and what guards say of its result.
//!
//! Only a success that the model saw licenses later calls. What had no effect may be tried again, and a read never has
//! one; what nobody knows of a write stays spent.

use super::after::{After, TakenFor};
use super::decide::{Moment, unknown_call};
use super::explain::Recorder;
use super::told;
use super::{CallState, Change, Entry, Feed, Session, Status};
use crate::decision::{Decision, Judged};
use crate::event::{Outcome, Unknown};
use crate::observed::{IndexDefinition, Kept, Root, Seen, TallyScope, entry_key};
use crate::policy::{Policy, Unit};
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

/// A call that can end: it may run, or nobody has heard of its end yet.
fn running<'s>(session: &'s Session, call: &str) -> Result<&'s CallState, Decision> {
    match session.calls.get(call) {
        Some(state) if matches!(state.status, Status::Allowed | Status::Started) => Ok(state),
        Some(state) if state.status == Status::Ended && session.may_end_later(call, state) => Ok(state),
        Some(state) if matches!(state.status, Status::Succeeded | Status::Ended) => {
            Err(unknown_call(call, "has ended before"))
        }
        _ => Err(unknown_call(call, "was not allowed to run; its result is ignored")),
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
    let state = match running(session, call) {
        Ok(state) => state,
        Err(rejected) => return rejected,
    };
    let tool = policy.tool(&state.tool);
    let said = said(policy, session, moment, state, outcome);
    let (reported, outcome) = (outcome, said.as_ref().unwrap_or(outcome));
    let effect = tool.map_or(Effect::External, |tool| tool.effect);
    let wrote = may_have_written(effect, outcome);
    if wrote {
        forget(policy, session, state, changes);
    }
    let goes_stale = policy.world_goes_stale && !moment.world_is_sent && wrote;
    changes.extend(goes_stale.then_some(Change::WorldStale));
    let moment = Moment { world_is_stale: moment.world_is_stale || goes_stale, ..moment };
    settle_budgets(policy, session, moment, state, outcome, changes);
    if !matches!(outcome, Outcome::Ok { .. }) {
        super::idempotency::settle(policy, session, (call, state), (outcome, true), changes);
    }
    let status = if matches!(outcome, Outcome::Ok { .. }) { Status::Succeeded } else { Status::Ended };
    changes.push(Change::Moved { call: call.into(), status });
    changes.push(told::came(policy, session, (call, state, effect), outcome));
    match outcome {
        Outcome::Ok { result, effect: took } => {
            let owes = told::owe(policy, session, moment, (call, state), result, changes);
            changes.extend(wrote.then_some(Change::Wrote));
            changes.extend(tool.filter(|tool| tool.ends).map(|_| Change::Ended));
            let mut judged = After { policy, session, moment, state, result }.judge(TakenFor::Success, recorder);
            judged.warnings.extend(super::simulate::settle((call, state), (result, *took), changes));
            judged.owes = owes;
            told::note_judged(policy, (call, state), &judged, changes);
            see(policy, session, moment, (call, state), (outcome, &judged), changes);
            judged_or_accepted(judged)
        }
        Outcome::Failed { effect: took, .. } => {
            again(policy, state, call, *took, changes);
            discount(policy, session, state, changes);
            see_no_success(policy, session, moment, state, reported, changes, recorder)
        }
        Outcome::Unknown(why) => {
            again(policy, state, call, None, changes);
            match why {
                Unknown::Unreadable => Decision::Withhold { code: why.name(), message: unreadable(effect).into() },
                Unknown::TimedOut | Unknown::Interrupted => {
                    see_no_success(policy, session, moment, state, reported, changes, recorder)
                }
            }
        }
    }
}

fn judged_or_accepted(judged: Judged) -> Decision {
    if judged == Judged::default() { Decision::Accept } else { Decision::Judged(Box::new(judged)) }
}

/// The model sees what was reported, whatever that is taken for. So a result that looks like an error is judged too, lest
/// an outsider's text pass unread by looking like one.
fn see_no_success(
    policy: &Policy,
    session: &Session,
    moment: Moment<'_>,
    state: &CallState,
    reported: &Outcome<'_>,
    changes: &mut Vec<Change>,
    recorder: &mut Recorder,
) -> Decision {
    let judged = match reported {
        Outcome::Ok { result, .. } => After { policy, session, moment, state, result }.judge(TakenFor::Error, recorder),
        Outcome::Failed { .. } | Outcome::Unknown(_) => Judged::default(),
    };
    if judged.withheld.is_none() {
        let rewritten = rewritten(&judged);
        let shown = rewritten.as_ref().unwrap_or(reported);
        super::exposure::note(policy, policy.tool(&state.tool), shown, changes);
        super::ground::result(policy, session, &state.tool, shown, changes);
    }
    judged_or_accepted(judged)
}

/// What the model sees in place of a result.
fn rewritten(judged: &Judged) -> Option<Outcome<'_>> {
    let result = judged.rewritten.as_ref()?.result.clone();
    Some(Outcome::Ok { result, effect: None })
}

/// What the model sees of a success is kept. What it does not see licenses nothing; that it took place still counts.
fn see(
    policy: &Policy,
    session: &Session,
    moment: Moment<'_>,
    (call, state): (&str, &CallState),
    (outcome, judged): (&Outcome<'_>, &Judged),
    changes: &mut Vec<Change>,
) {
    let rewritten = rewritten(judged);
    let shown = rewritten.as_ref().unwrap_or(outcome);
    if let (None, Outcome::Ok { result, .. }) = (&judged.withheld, shown) {
        keep(policy, session, state, result, changes);
        remember(policy, moment, state, result, changes);
        super::exposure::note(policy, policy.tool(&state.tool), shown, changes);
        super::ground::result(policy, session, &state.tool, shown, changes);
    }
    super::idempotency::settle(policy, session, (call, state), (shown, judged.withheld.is_none()), changes);
}

/// What a result itself says of how the call ended, where that is not the success that the host took it for.
fn said(
    policy: &Policy,
    session: &Session,
    moment: Moment<'_>,
    state: &CallState,
    outcome: &Outcome<'_>,
) -> Option<Outcome<'static>> {
    let Outcome::Ok { result, .. } = outcome else { return None };
    match (After { policy, session, moment, state, result }).says_failed() {
        Some(false) => None,
        // An author who says how a failure looks says that it changed nothing.
        Some(true) => Some(Outcome::Failed { error: Value::Null, effect: Some(false) }),
        None => Some(Outcome::Unknown(Unknown::Interrupted)),
    }
}

/// True unless it is known that a call left everything as it was. A plain error of a tool tells as much.
fn may_have_written(effect: Effect, outcome: &Outcome<'_>) -> bool {
    let took = match outcome {
        Outcome::Ok { effect: took, .. } => *took != Some(false),
        Outcome::Unknown(_) => true,
        Outcome::Failed { effect: took, .. } => *took == Some(true),
    };
    took && effect != Effect::Read
}

/// What the end of a call makes of its budgets. An amount is given back only where the host says that the call had no
/// effect; whether a failed read costs nothing is not for us to say.
fn settle_budgets(
    policy: &Policy,
    session: &Session,
    moment: Moment<'_>,
    state: &CallState,
    outcome: &Outcome<'_>,
    changes: &mut Vec<Change>,
) {
    let took = if let Outcome::Ok { effect, .. } | Outcome::Failed { effect, .. } = outcome { *effect } else { None };
    for entry in state.spent() {
        let Some(counter) = policy.counters.get(entry.budget) else { continue };
        let account = (entry.budget, entry.account);
        // A new turn has set it to 0 since.
        let is_gone = counter.is_turnly && entry.turn != session.turn;
        match outcome {
            Outcome::Ok { .. } if counter.streak => {
                changes.push(Change::Emptied { budget: account.0, account: account.1 });
            }
            Outcome::Ok { .. } if counter.failed => {}
            // It failed once, whatever is heard of it later.
            _ if counter.failed && state.status == Status::Ended => {}
            _ if counter.failed => {
                changes.push(Change::Spent(Entry { at: counter.window.and(moment.now), turn: session.turn, ..*entry }));
            }
            _ if counter.unit == Unit::Amount && took == Some(false) && !is_gone => {
                changes.push(Change::Released(*entry))
            }
            _ => {}
        }
    }
}

/// Whether a call that did not succeed may be tried again; `took` is what the host knows of its effect.
fn again(policy: &Policy, state: &CallState, call: &str, took: Option<bool>, changes: &mut Vec<Change>) {
    let (effect, destructive) =
        policy.tool(&state.tool).map_or((Effect::External, false), |tool| (tool.effect, tool.destructive.may_be()));
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

/// Enters a success into the indexes that it feeds.
fn keep(policy: &Policy, session: &Session, state: &CallState, result: &Value<'_>, changes: &mut Vec<Change>) {
    let seen = Seen::of(session.turn, is_empty(result));
    for feed in state.feeds.iter().filter(|feed| !feed.forgets) {
        let Some(definition) = policy.plan.get(feed.index) else { continue };
        for entry in entries(session, definition, feed, Some(result)) {
            changes.push(Change::Kept { index: feed.index, entry, seen });
        }
    }
}

/// Takes the entries away that a write makes old.
fn forget(policy: &Policy, session: &Session, state: &CallState, changes: &mut Vec<Change>) {
    for feed in state.feeds.iter().filter(|feed| feed.forgets) {
        let Some(definition) = policy.plan.get(feed.index) else { continue };
        for entry in entries(session, definition, feed, None) {
            changes.push(Change::Dropped { index: feed.index, entry });
        }
    }
}

/// Keeps a success for what expressions ask.
fn remember(policy: &Policy, moment: Moment<'_>, state: &CallState, result: &Value<'_>, changes: &mut Vec<Change>) {
    let Some(noted) = state.noted() else { return };
    for recall in &noted.recalls {
        let Some(definition) = policy.plan.recalled(recall.index) else { continue };
        let kept = Kept::of(definition, noted.turn, moment.now, recall.args.clone(), result);
        changes.push(Change::Remembered { index: recall.index, entry: recall.entry, kept: Box::new(kept) });
    }
}

/// A call that is known to have failed counts no more; one of an earlier turn does not count in this one anyway.
fn discount(policy: &Policy, session: &Session, state: &CallState, changes: &mut Vec<Change>) {
    let Some(noted) = state.noted() else { return };
    for (index, entry) in &noted.tallies {
        let scope = policy.plan.tallied(*index).map(|definition| definition.scope);
        if scope == Some(TallyScope::Session) || noted.turn == session.turn {
            changes.push(Change::DiscountedCall { index: *index, entry: *entry });
        }
    }
}

/// A result that says nothing: null, an empty text, list or object. A record of empty fields is not empty.
pub(super) fn is_empty(result: &Value<'_>) -> bool {
    match result {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The entries of a call in one index: one of all its single parts, or one per value of its only part. Without a result
/// all of them stand in its arguments.
fn entries(session: &Session, definition: &IndexDefinition, feed: &Feed, result: Option<&Value<'_>>) -> Vec<u128> {
    let mut parts: Vec<Vec<u128>> = Vec::with_capacity(definition.parts.len());
    for (part, from_args) in definition.parts.iter().zip(&feed.parts) {
        let mut hashes = from_args.to_vec();
        if let (Root::Result, Some(result)) = (part.at.root, result) {
            part.at.path.each(result, |value| part.form.keys(&session.key, value, &mut hashes));
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
