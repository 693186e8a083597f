//! What the end of a call leaves for the reply that tells of it: what became of it, what it makes owed, and what guards
//! have to say of its result.

use super::after::After;
use super::decide::Moment;
use super::finish::is_empty;
use super::replying::{OpenViolation, ReplyChange};
use super::{CallState, Change, Session, Values, simulate};
use crate::acts::End;
use crate::decision::{Deny, Judged, Owed};
use crate::event::Outcome;
use crate::policy::Policy;
use crate::spec::Mode;
use crate::tool::Effect;
use crate::value::Value;

/// Notes what became of a call, for the reply that tells of it.
pub(super) fn came(
    policy: &Policy,
    session: &Session,
    (call, state, effect): (&str, &CallState, Effect),
    outcome: &Outcome<'_>,
) -> Change {
    let (end, shown) = match outcome {
        Outcome::Ok { effect: Some(false), result } => (End::NoEffect, Some(result)),
        Outcome::Ok { effect: None, result } if simulate::is_one(state) => (simulate::end(result), Some(result)),
        Outcome::Ok { result, .. } => (End::Done, Some(result)),
        Outcome::Failed { effect: Some(true), error } => (End::FailedWithEffect, Some(error)),
        Outcome::Failed { effect: Some(false), error } => (End::Failed, Some(error)),
        // A read changes nothing, however it fails.
        Outcome::Failed { effect: None, error } if effect == Effect::Read => (End::Failed, Some(error)),
        Outcome::Failed { effect: None, error } => (End::Unknown, Some(error)),
        Outcome::Unknown(_) if effect == Effect::Read => (End::Failed, None),
        Outcome::Unknown(_) => (End::Unknown, None),
    };
    let is_empty = matches!(outcome, Outcome::Ok { result, .. } if is_empty(result));
    let values = shown.map(|shown| Values::of(policy, &session.key, shown)).unwrap_or_default();
    let took = matches!(outcome, Outcome::Ok { effect: Some(true), .. } | Outcome::Failed { effect: Some(true), .. });
    Change::Came { call: call.into(), end, is_empty, took, values }
}

/// What a success makes owed, and what it was owed itself.
pub(super) fn owe(
    policy: &Policy,
    session: &Session,
    moment: Moment<'_>,
    (call, state): (&str, &CallState),
    result: &Value<'_>,
    changes: &mut Vec<Change>,
) -> Vec<Owed> {
    let mut owes = Vec::new();
    changes.push(Change::Reply(ReplyChange::Fulfilled(state.tool.clone())));
    let chains = policy.tool(&state.tool).map_or(&[][..], |tool| &tool.chains);
    for chain in chains.iter().filter(|chain| *chain.after == *state.tool) {
        // What cannot be judged is owed.
        let is_owed = chain
            .when
            .as_ref()
            .is_none_or(|when| (After { policy, session, moment, state, result }).holds(when).unwrap_or(true));
        if is_owed {
            let correction = format!(
                "`{}` succeeded, and `{}` was to be called after it and was not. Say that this has not been done.",
                state.tool, chain.call
            );
            changes.push(Change::Reply(ReplyChange::Violated(Box::new(OpenViolation {
                code: chain.code.clone(),
                kind: "chain",
                call: call.into(),
                tool: state.tool.clone(),
                correction,
                owes: Some(chain.call.clone()),
                told: false,
            }))));
            owes.push(Owed::new(chain.call.clone()));
        }
    }
    owes
}

/// What guards say of a result is noted for the reply: what it must take up, and what was corrected.
pub(super) fn note_judged(
    policy: &Policy,
    (call, state): (&str, &CallState),
    judged: &Judged,
    changes: &mut Vec<Change>,
) {
    let withheld = judged.withheld.iter().flat_map(Deny::matches).map(|one| (one, false));
    for (one, is_open) in withheld.chain(judged.warnings.iter().map(|one| (one, true))) {
        let kind = policy.tool(&state.tool).map_or("custom", |tool| tool.kind_of_result(&one.guard));
        changes.push(Change::Reply(ReplyChange::Corrected(format!("output:{kind}:{}", state.tool).into())));
        if is_open && policy.mode == Mode::Enforce {
            changes.push(Change::Reply(ReplyChange::Violated(Box::new(OpenViolation {
                code: one.code.clone(),
                kind,
                call: call.into(),
                tool: state.tool.clone(),
                correction: one.correction.clone(),
                owes: None,
                told: false,
            }))));
        }
    }
}
