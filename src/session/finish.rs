//! What became of an allowed call: the outcomes table of section 5.
//!
//! Only a success that the model saw licenses later calls. What failed without an effect may be tried again; what
//! nobody knows stays spent.

use super::decide::unknown_call;
use super::{CallState, Change, Feed, Session, Status};
use crate::decision::Decision;
use crate::event::{Outcome, Unknown};
use crate::observed::{IndexDefinition, Root, Seen, entry_key, part_hash};
use crate::policy::Policy;
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
    call: &str,
    outcome: &Outcome<'_>,
    changes: &mut Vec<Change>,
) -> Decision {
    let state = match session.calls.get(call) {
        Some(state) if matches!(state.status, Status::Allowed | Status::Started) => state,
        Some(state) if matches!(state.status, Status::Succeeded | Status::Ended) => {
            return unknown_call(call, "has ended before");
        }
        _ => return unknown_call(call, "was not allowed to run; its result is ignored"),
    };
    let effect = policy.tool(&state.tool).map_or(Effect::External, |tool| tool.effect);
    match outcome {
        Outcome::Ok(result) => {
            changes.push(Change::Moved { call: call.into(), status: Status::Succeeded });
            if effect != Effect::Read {
                changes.push(Change::Wrote);
            }
            keep(policy, session, state, result, changes);
            Decision::Accept
        }
        Outcome::Failed { effect: took, .. } => {
            changes.push(Change::Moved { call: call.into(), status: Status::Ended });
            let without_effect = took.map_or(effect == Effect::Read, |took| !took);
            if let Some(place) = state.repeat.filter(|_| without_effect) {
                changes.push(Change::Forgotten(place));
            }
            Decision::Accept
        }
        Outcome::Unknown(why) => {
            changes.push(Change::Moved { call: call.into(), status: Status::Ended });
            match why {
                Unknown::Unreadable => Decision::Withhold {
                    code: why.name(),
                    message: "The result cannot be read. Whether the call took effect is unknown: do not say that it did, and do not repeat it."
                        .into(),
                },
                Unknown::TimedOut | Unknown::Interrupted => Decision::Accept,
            }
        }
    }
}

/// Enters a success into the indexes that it feeds.
fn keep(policy: &Policy, session: &Session, state: &CallState, result: &Value<'_>, changes: &mut Vec<Change>) {
    let empty = is_empty(result);
    for feed in &state.feeds {
        let Some(definition) = policy.plan.get(feed.index).filter(|definition| definition.empty_counts || !empty)
        else {
            continue;
        };
        for entry in entries(session, definition, feed, result) {
            changes.push(Change::Kept { index: feed.index, entry, seen: Seen { turn: session.turn } });
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
    single.map(|single| vec![entry_key(&session.key, &single)]).unwrap_or_default()
}
