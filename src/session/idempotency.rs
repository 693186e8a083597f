//! Gate 7: calls that are one. The key of a call is claimed before it runs, so that a repeat of it does not run again.
//!
//! A repeat of a call that succeeded is answered with its result; of one that runs it waits; where nobody knows, somebody
//! is asked. Only a failure that is known to have had no effect gives the key back.

use super::call::{Proposals, Ready};
use super::explain::Judgement;
use super::found::Found;
use super::spent::begins;
use super::step::Change;
use super::{CallState, Session};
use crate::decision::{Match, Repeat, StepOutcome};
use crate::event::{Outcome, Unknown};
use crate::expr::{Evaluation, Fault};
use crate::hash::{FingerprintMap, Hash128};
use crate::observed::MAX_ENTRIES;
use crate::policy::{BoundKey, Policy};
use crate::spec::By;
use crate::time::Timestamp;
use crate::tool::Effect;
use crate::value::Value;
use std::sync::Arc;

/// The most canonical bytes of a result that is kept for repeats.
pub const MAX_KEPT_RESULT: usize = 64 << 10;

/// Who has a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The call that claimed it.
    pub call: Arc<str>,
    /// The hash of its arguments.
    pub args: u128,
    /// When, where the host says.
    pub at: Option<Timestamp>,
    /// What became of the call.
    pub end: End,
}

/// What became of the call that has a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It may run, or runs.
    Open,
    /// It took effect; its result, where it may be given again.
    Done(Option<Arc<Value<'static>>>),
    /// Nobody knows; true if the host may still hear of it.
    Unknown(bool),
}

/// What a key says of a call.
pub(super) enum Said {
    /// The tool has none, or it is free.
    Free,
    /// The call is a repeat, and this is its answer.
    Answered(Repeat),
}

/// The keys that the calls before this one in the same batch have claimed, each with the hash of the arguments.
pub(super) type Claimed = FingerprintMap<u128>;

impl Proposals<'_> {
    /// The key of a call, and what it says.
    pub(super) fn find_key(&self, ready: &Ready<'_>, evaluation: &mut Evaluation<'_>, found: &mut Found) -> Said {
        let Some(bound) = &ready.tool.key else { return Said::Free };
        let read = bound.key.json(evaluation);
        let value = match read {
            Ok(Value::Null) => {
                found.hear(|| Judgement::key(false, "unreadable"));
                found.matched().denies.push(no_key(&Fault::Missing("its key is null".into())));
                return Said::Free;
            }
            Ok(value) => value,
            Err(Fault::Let(id)) => {
                found.hear(|| Judgement::key(false, "unreadable"));
                found.matched().lets.push(id);
                return Said::Free;
            }
            Err(fault) => {
                let matched = no_key(&fault);
                found.hear(|| Judgement::key(false, "unreadable"));
                found.matched().denies.push(matched);
                return Said::Free;
            }
        };
        let key = Hash128::new(&self.session.key).str(ready.name).value(&value).finish();
        let args = Hash128::new(&self.session.key).value(ready.bound.args()).finish();
        found.key = Some((key, args));
        if let Some(sibling) = self.claimed.get(&key) {
            return self.open(*sibling == args, found);
        }
        let Some(claim) = self.session.claims.get(&key).filter(|claim| !has_lapsed(claim, bound, self.moment.now))
        else {
            // One that has lapsed leaves its place.
            let is_new = !self.session.claims.contains_key(&key);
            if is_new && self.session.claims.len().saturating_add(self.claimed.len()) >= MAX_ENTRIES {
                found.hear(|| Judgement::key(false, "full"));
                found.matched().denies.push(gate("guard_failure", Some("index_full"), UNAVAILABLE));
                return Said::Free;
            }
            found.hear(|| Judgement::key(true, "free"));
            return Said::Free;
        };
        match &claim.end {
            _ if claim.args != args => self.open(false, found),
            End::Open => self.open(true, found),
            End::Done(Some(result)) => {
                found.hear(|| Judgement::key(false, "answered"));
                Said::Answered(Repeat { of: claim.call.clone(), result: result.clone() })
            }
            End::Done(None) => {
                found.hear(|| Judgement::key(false, "done"));
                found.matched().denies.push(gate("already_done", None, ALREADY_DONE));
                Said::Free
            }
            End::Unknown(_) => {
                found.hear(|| Judgement::key(false, "unknown"));
                found.matched().asks.push((By::Approver, gate("outcome_unknown", None, OUTCOME_UNKNOWN)));
                Said::Free
            }
        }
    }

    /// A key that another call has: one with the same arguments that has not ended, or one with others.
    fn open(&self, is_same: bool, found: &mut Found) -> Said {
        let (code, word, correction) =
            if is_same { ("in_flight", "in flight", IN_FLIGHT) } else { ("key_reused", "reused", KEY_REUSED) };
        found.hear(|| Judgement::key(false, word));
        found.matched().denies.push(gate(code, None, correction));
        Said::Free
    }

    /// Claims the key of a call that may run.
    pub(super) fn claim(&mut self, call: &Arc<str>, (key, args): (u128, u128)) {
        if self.has_siblings {
            self.claimed.insert(key, args);
        }
        let claim = Claim { call: call.clone(), args, at: self.moment.now, end: End::Open };
        self.changes.push(Change::Claimed { key, claim: Box::new(claim) });
    }
}

/// True if a claim lies before its window. A call that has not ended keeps its key.
fn has_lapsed(claim: &Claim, bound: &BoundKey, now: Option<Timestamp>) -> bool {
    let begins = begins(bound.window, now);
    claim.end != End::Open && begins.zip(claim.at).is_some_and(|(begins, at)| at <= begins)
}

const IN_FLIGHT: &str = "The same call is running and has no result yet. Do not send it again; wait for its result.";
const KEY_REUSED: &str = "This was called before with other arguments, and may not be called twice. Say what was done, and ask before anything else.";
const ALREADY_DONE: &str =
    "The same call took effect before, and its result cannot be given again. Do not repeat it; say that it is done.";
const OUTCOME_UNKNOWN: &str =
    "Nobody knows whether the same call took effect before. Say so, and wait for an approver.";
const UNAVAILABLE: &str = "A guard is unavailable, so this call cannot run now. Say so; do not try another way.";

fn gate(code: &'static str, failure: Option<&'static str>, correction: &str) -> Match {
    let guard = if failure.is_some() { "idempotency" } else { code };
    Match {
        guard: guard.into(),
        code: code.into(),
        outcome: StepOutcome::GuardDenied,
        correction: correction.to_owned(),
        public_reason: None,
        failure,
        is_final: true,
    }
}

/// The match of a key that cannot be read of a call.
fn no_key(fault: &Fault) -> Match {
    match fault {
        Fault::Missing(what) => {
            let text = format!("It cannot be told whether this call is a repeat: {what}. Give it.");
            Match { is_final: false, ..gate("guard_failure", Some("missing"), &text) }
        }
        // A let with a text is denied once, for all who read it.
        Fault::Let(_) => gate("guard_failure", Some("missing"), UNAVAILABLE),
        Fault::IndexFull => gate("guard_failure", Some("index_full"), UNAVAILABLE),
        Fault::OutOfFuel => gate("guard_failure", Some("out_of_fuel"), UNAVAILABLE),
        Fault::OutOfRange(_) => gate("guard_failure", Some("out_of_range"), UNAVAILABLE),
    }
}

impl Session {
    /// The claim that a call has on its key, as long as no other call has it.
    fn claim_of(&self, call: &str, state: &CallState) -> Option<(u128, &Claim)> {
        let key = state.held.as_ref()?.key?;
        self.claims.get(&key).filter(|claim| *claim.call == *call).map(|claim| (key, claim))
    }

    /// True if a call has ended without anybody knowing how, and what the host hears of it later is taken.
    pub(super) fn may_end_later(&self, call: &str, state: &CallState) -> bool {
        self.claim_of(call, state).is_some_and(|(_, claim)| claim.end == End::Unknown(true))
    }
}

/// What the end of a call makes of its key; `shown` says whether the model saw the result.
pub(super) fn settle(
    policy: &Policy,
    session: &Session,
    (call, state): (&str, &CallState),
    (outcome, shown): (&Outcome<'_>, bool),
    changes: &mut Vec<Change>,
) {
    let Some((key, claim)) = session.claim_of(call, state) else { return };
    let effect = policy.tool(&state.tool).map_or(Effect::External, |tool| tool.effect);
    let end = match outcome {
        Outcome::Ok { result, .. } => End::Done(kept(result).filter(|_| shown)),
        Outcome::Failed { effect: took, .. } => match took.or((effect == Effect::Read).then_some(false)) {
            Some(false) => return changes.push(Change::Freed(key)),
            Some(true) => End::Done(None),
            None => End::Unknown(false),
        },
        // Reading has no effect, whether it came to an end or not.
        Outcome::Unknown(_) if effect == Effect::Read => return changes.push(Change::Freed(key)),
        Outcome::Unknown(why) => End::Unknown(*why != Unknown::Unreadable),
    };
    changes.push(Change::Claimed { key, claim: Box::new(Claim { end, ..claim.clone() }) });
}

/// The result for repeats, unless it is too large to be kept.
fn kept(result: &Value<'_>) -> Option<Arc<Value<'static>>> {
    let is_small = crate::canon::to_vec(result).len() <= MAX_KEPT_RESULT;
    is_small.then(|| Arc::new(result.to_owned_value()))
}
