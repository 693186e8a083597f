//! What a session keeps of a turn for its reply: the calls in it, what a reply must still take up, and how often one was
//! asked for again. Nothing is judged here.

use super::{CallState, RequestState, Session, Status};
use crate::acts::{Act, End, value_hashes};
use crate::canon::Digest;
use crate::event::Said;
use crate::hash::SessionKey;
use crate::policy::Policy;
use crate::tool::Effect;
use crate::value::Value;
use std::sync::Arc;

/// The most corrections that are noted of one turn.
const MAX_CORRECTIONS: usize = 256;

/// The most things that a reply must take up at once; what comes beyond is not told.
const MAX_OPEN: usize = 64;

/// The most calls of earlier turns whose end is waited for.
const MAX_UNSETTLED: usize = 256;

/// What is kept for the reply of a turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Replying {
    /// The calls of the turn, and writes of earlier turns that still run.
    pub(super) calls: Vec<Arc<str>>,
    /// How many replies were asked for again.
    pub(super) redrives: u64,
    /// True if a reply was asked for where there was none.
    pub(super) is_forced: bool,
    pub(super) phase: Phase,
    /// The hashes of the replies of this turn that were refused.
    pub(super) refused: Vec<u128>,
    /// The calls that had not ended, or were not answered, when the last reply went out.
    pub(super) unsettled: Vec<Arc<str>>,
    /// The last text of this turn that passed.
    pub(super) passed: Option<Arc<str>>,
    /// What a reply must take up, whichever turn it is of.
    pub(super) open: Vec<OpenViolation>,
    /// What was corrected.
    pub(super) corrections: Vec<Arc<str>>,
    /// True if the message that began the turn has a question mark.
    pub(super) question_typed: bool,
    /// True if the turn must end with a reply, and not with a question.
    pub(super) reply_only: bool,
    /// A reply about which the host is asked.
    pub(super) waiting: Option<Arc<Said<'static>>>,
    /// What was streamed of a reply that is not whole.
    pub(super) stream: Stream,
}

/// Where the reply of a turn stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Phase {
    /// Calls may be proposed, and a reply.
    #[default]
    Open,
    /// A reply is awaited, and no call.
    Redriving,
    /// The engine has spoken: the turn is over.
    Over,
}

/// What a reply must take up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenViolation {
    /// The guard, or the chain.
    pub code: Arc<str>,
    /// Its kind, for the correction's name.
    pub kind: &'static str,
    /// The call it came of.
    pub call: Arc<str>,
    /// The tool of that call.
    pub tool: Arc<str>,
    /// What the reply must do.
    pub correction: String,
    /// The call that is owed, where that is what it is about.
    pub owes: Option<Arc<str>>,
    /// True once a redrive named it.
    pub told: bool,
}

/// What was streamed so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stream {
    pub(super) text: String,
    /// How many bytes of it were released.
    pub(super) released: usize,
    /// True once something stands against it: nothing more is released.
    pub(super) is_stopped: bool,
    /// The last piece, for a repeat of it.
    pub(super) last: Option<Piece>,
}

/// A piece of a streamed reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) event: Box<str>,
    pub(super) digest: Digest,
    /// How many bytes were released with it.
    pub(super) released: usize,
}

/// A change of what is kept for a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyChange {
    /// Something was corrected in this turn.
    Corrected(Arc<str>),
    /// A reply must take this up.
    Violated(Box<OpenViolation>),
    /// What was owed is done.
    Fulfilled(Arc<str>),
    /// A reply was refused, and another is asked for.
    Redriven {
        /// The hash of the one that was refused.
        refused: u128,
        /// True if there was none.
        forced: bool,
    },
    /// A reply went out.
    Delivered(Arc<str>),
    /// Text beside calls passed, so it could stand in place of a reply that does not.
    Passed(Arc<str>),
    /// The engine spoke in place of a reply.
    Abstained,
    /// The host is asked about a reply.
    Waits(Arc<Said<'static>>),
    /// The host has answered.
    Answered,
    /// A piece of a reply was streamed.
    Streamed {
        /// The piece.
        text: Box<str>,
        /// How many bytes are released with it.
        released: usize,
        /// True if nothing more is.
        stops: bool,
        /// The event, for a repeat of it.
        event: Box<str>,
        /// Its digest.
        digest: Digest,
    },
    /// The streamed reply is whole.
    StreamEnded,
}

impl Replying {
    /// Begins a turn; writes that still run stay, and so does what a reply must take up.
    fn begin(&mut self, running: Vec<Arc<str>>, question_typed: bool, reply_only: bool) {
        let (open, unsettled) = (std::mem::take(&mut self.open), std::mem::take(&mut self.unsettled));
        *self = Replying { calls: running, open, unsettled, question_typed, reply_only, ..Replying::default() };
    }

    /// Plays a change.
    pub(super) fn play(&mut self, change: ReplyChange) {
        match change {
            ReplyChange::Corrected(tag) if self.corrections.len() < MAX_CORRECTIONS => self.corrections.push(tag),
            ReplyChange::Corrected(_) => {}
            ReplyChange::Violated(violation) if self.open.len() < MAX_OPEN => self.open.push(*violation),
            ReplyChange::Violated(_) => {}
            ReplyChange::Fulfilled(tool) => self.open.retain(|one| one.owes.as_ref() != Some(&tool)),
            ReplyChange::Redriven { refused, forced } => {
                self.phase = Phase::Redriving;
                self.waiting = None;
                if forced {
                    self.is_forced = true;
                    return;
                }
                self.redrives = self.redrives.saturating_add(1);
                self.refused.push(refused);
                self.open.iter_mut().for_each(|one| one.told = true);
            }
            ReplyChange::Delivered(text) => {
                self.phase = Phase::Open;
                self.passed = Some(text);
                self.waiting = None;
                self.open.clear();
            }
            ReplyChange::Passed(text) => self.passed = Some(text),
            ReplyChange::Abstained => {
                self.phase = Phase::Over;
                self.waiting = None;
                self.open.clear();
            }
            ReplyChange::Waits(said) => self.waiting = Some(said),
            ReplyChange::Answered => self.waiting = None,
            ReplyChange::Streamed { text, released, stops, event, digest } => {
                self.stream.text.push_str(&text);
                self.stream.released = self.stream.released.saturating_add(released);
                self.stream.is_stopped |= stops;
                self.stream.last = Some(Piece { event, digest, released });
            }
            ReplyChange::StreamEnded => self.stream = Stream::default(),
        }
    }
}

/// What a reply may tell of a call, beside where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// How a person is told of it, where its tool says.
    pub label: Option<Arc<str>>,
    /// Why it did not run, as a person may be told.
    pub public_reason: Option<Arc<str>>,
}

/// The hashes of the scalars in a call's arguments and behind them those in its result, where some guard asks for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// Nobody asks, or there are none, or these, the first of which are of the arguments.
    Known {
        /// The hashes.
        hashes: Arc<[u128]>,
        /// How many are of the arguments.
        arguments: usize,
    },
    /// There were too many to keep.
    TooMany,
}

impl Default for Values {
    fn default() -> Values {
        Values::Known { hashes: Arc::default(), arguments: 0 }
    }
}

impl Values {
    /// Those of a value, as far as some guard asks for them: as a call's arguments, before a result is taken in.
    pub(super) fn of(policy: &Policy, key: &SessionKey, value: &Value<'_>) -> Values {
        match policy.plan.keeps_act_values().then(|| value_hashes(key, value)) {
            None => Values::default(),
            Some(None) => Values::TooMany,
            Some(Some(hashes)) => Values::Known { arguments: hashes.len(), hashes: hashes.into() },
        }
    }

    /// Takes those of a result in.
    fn join(&mut self, result: &Values) {
        match (&mut *self, result) {
            (Values::Known { .. }, Values::Known { hashes: more, .. }) if more.is_empty() => {}
            (Values::Known { hashes, .. }, Values::Known { hashes: more, .. }) => {
                *hashes = [&**hashes, more].concat().into();
            }
            _ => *self = Values::TooMany,
        }
    }
}

impl Session {
    /// What was streamed of a reply so far.
    pub(super) fn streamed(&self) -> &str {
        &self.replying.stream.text
    }

    /// The reply about which the host is asked.
    pub(super) fn waiting_reply(&self) -> Option<&Said<'static>> {
        self.replying.waiting.as_deref()
    }

    /// The calls that a reply may tell of.
    pub(super) fn acts(&self, policy: &Policy) -> Vec<Act> {
        let known = self.replying.calls.iter().filter_map(|call| Some((call, self.calls.get(call)?)));
        known.map(|(call, state)| self.act(policy, call, state)).collect()
    }

    fn act(&self, policy: &Policy, call: &Arc<str>, state: &CallState) -> Act {
        let tool = policy.tool(&state.tool);
        let told = state.told.as_deref();
        let (values, arguments) = match &state.values {
            Values::Known { hashes, arguments } => (Some(hashes.clone()), *arguments),
            Values::TooMany => (None, 0),
        };
        Act {
            call: call.clone(),
            tool: state.tool.clone(),
            effect: match tool.map_or(Effect::External, |tool| tool.effect) {
                // What a host saw take effect did, whatever the tool was declared to be.
                Effect::Read if state.writes => Effect::Write,
                declared => declared,
            },
            end: self.end_of(call, state),
            is_empty: state.is_empty,
            word: tool.and_then(|tool| tool.outcome.clone()),
            label: told.and_then(|told| told.label.clone()),
            public_reason: told.and_then(|told| told.public_reason.clone()),
            values,
            arguments,
        }
    }

    /// What became of a call.
    fn end_of(&self, call: &str, state: &CallState) -> End {
        match state.status {
            Status::Asked => match self.approvals.requests.get(call).map(|request| request.state) {
                Some(RequestState::Refused) => End::Refused,
                Some(RequestState::Superseded | RequestState::Spent) => End::Denied,
                Some(RequestState::Open | RequestState::Granted) | None => End::Asked,
            },
            Status::Denied => state.end.unwrap_or(End::Denied),
            // It did not run, and the host may still answer.
            Status::Waiting => End::Denied,
            Status::Allowed | Status::Started => End::Running,
            Status::Succeeded => state.end.unwrap_or(End::Done),
            Status::Ended => state.end.unwrap_or(End::Unknown),
        }
    }

    /// Notes a reply of which the text is gone: what was decided on it.
    pub(crate) fn note_reply(&mut self, decision: &str) {
        match decision {
            "redrive" => self.replying.play(ReplyChange::Redriven { refused: 0, forced: false }),
            "deliver" => self.play_reply(ReplyChange::Delivered("".into())),
            "abstain" => self.play_reply(ReplyChange::Abstained),
            _ => {}
        }
    }

    /// Plays a change of what is kept for a reply.
    pub(super) fn play_reply(&mut self, change: ReplyChange) {
        if matches!(change, ReplyChange::Delivered(_) | ReplyChange::Abstained) {
            let mut unsettled = std::mem::take(&mut self.replying.unsettled);
            unsettled.extend(
                self.replying.calls.iter().filter(|call| !unsettled.contains(call)).cloned().collect::<Vec<_>>(),
            );
            unsettled.retain(|call| matches!(self.known_end(call), Some(End::Running | End::Asked)));
            unsettled.drain(..unsettled.len().saturating_sub(MAX_UNSETTLED));
            self.replying.unsettled = unsettled;
        }
        self.replying.play(change);
    }

    fn known_end(&self, call: &str) -> Option<End> {
        self.calls.get(call).map(|state| self.end_of(call, state))
    }

    /// Begins a turn. Among the calls that its reply may tell of are writes that still run, and what ended or was refused
    /// since the last reply went out: nobody was told of it.
    pub(super) fn begin_replying(&mut self, question_typed: bool, reply_only: bool) {
        let mut calls = std::mem::take(&mut self.replying.calls);
        calls.retain(|call| self.calls.get(call).is_some_and(|state| state.writes && state.status.is_running()));
        let mut unsettled = std::mem::take(&mut self.replying.unsettled);
        unsettled.retain(|call| match self.known_end(call) {
            Some(End::Running | End::Asked) => true,
            // One that was granted was made again, under this id or another.
            Some(End::Denied) | None => false,
            Some(_) if calls.contains(call) => false,
            Some(_) => {
                calls.push(call.clone());
                false
            }
        });
        self.replying.unsettled = unsettled;
        for call in &calls {
            if let Some(state) = self.calls.get_mut(call) {
                state.turn = Some(self.turn);
            }
        }
        self.replying.begin(calls, question_typed, reply_only);
    }

    /// Takes a call among those of the turn.
    pub(super) fn propose(&mut self, call: Arc<str>, state: CallState) {
        let turn = Some(self.turn);
        let before = self.calls.insert(call.clone(), CallState { turn, ..state });
        if before.is_none_or(|before| before.turn != turn) {
            self.replying.calls.push(call);
        }
    }

    /// Notes what became of a call that ran, maybe one of an earlier turn.
    pub(super) fn came(&mut self, call: &str, (end, is_empty, took): (End, bool, bool), values: &Values) {
        let turn = Some(self.turn);
        let Some((known, _)) = self.calls.get_key_value(call) else { return };
        let known = known.clone();
        let Some(state) = self.calls.get_mut(call) else { return };
        (state.end, state.is_empty) = (Some(end), is_empty);
        state.writes |= took;
        state.values.join(values);
        if state.turn != turn {
            state.turn = turn;
            self.replying.calls.push(known);
        }
    }
}
