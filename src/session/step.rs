//! A step: what was decided on one event, and the changes it makes. Nothing changes before it is committed.

use super::approvals::{Remembered as RememberedAnswer, Request, RequestState};
use super::controls::CALLS_PER_STEP;
use super::replying::{ReplyChange, Values};
use super::{CallState, Claim, Entry, Records, Remembered, Session, Status};
use crate::acts::End;
use crate::canon::Digest;
use crate::decimal::Decimal;
use crate::decision::Decision;
use crate::facts::Runs;
use crate::grounds::Gathered;
use crate::hash::SessionKey;
use crate::ledger::Chain;
use crate::observed::{IndexId, Kept, Place, RecallId, Seen, TallyId};
use crate::policy::{Policy, Unit};
use crate::time::Timestamp;
use crate::tool::Effect;
use crate::value::Value;
use std::sync::Arc;

/// One change of a session, the delta a store would save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A turn began; these budgets start again.
    TurnStarted {
        /// Budgets of one turn.
        counters: Arc<[usize]>,
        /// True if nothing is done in it.
        refused: bool,
        /// True if the message has a question mark.
        question: bool,
        /// True if the turn must end with a reply, and not with a question.
        reply_only: bool,
    },
    /// The user typed something; of it only hashes are kept.
    Heard(Runs),
    /// Figures came up that a reply may name; of them only hashes are kept.
    Grounded(Box<Gathered>),
    /// The conversation is over.
    Closed,
    /// The kept part of the world is now this.
    World(Arc<Value<'static>>),
    /// The latest time is now this.
    Clock(Timestamp),
    /// A call was proposed and decided.
    Proposed {
        /// The call.
        call: Arc<str>,
        /// What is known of it.
        state: CallState,
    },
    /// An allowed call counts for what expressions ask.
    CountedCall {
        /// The index.
        index: TallyId,
        /// The entry.
        entry: u128,
    },
    /// It failed, so it counts no more.
    DiscountedCall {
        /// The index.
        index: TallyId,
        /// The entry.
        entry: u128,
    },
    /// A success is kept for what expressions ask.
    Remembered {
        /// The index.
        index: RecallId,
        /// The entry.
        entry: u128,
        /// What is kept.
        kept: Box<Kept>,
    },
    /// Something is spent of a budget.
    Spent(Entry),
    /// What was spent is given back.
    Released(Entry),
    /// What lies before a window is forgotten.
    Lapsed {
        /// The budget.
        budget: usize,
        /// The hash of the value of its `per`.
        account: Option<u128>,
        /// When the window begins.
        before: Timestamp,
    },
    /// A budget is set to 0.
    Emptied {
        /// The budget.
        budget: usize,
        /// The hash of the value of its `per`.
        account: Option<u128>,
    },
    /// A budget ended the run.
    Stopped(Arc<str>),
    /// So many calls in a row were refused.
    Vetoes(u64),
    /// A key has this claim now.
    Claimed {
        /// The key.
        key: u128,
        /// The claim.
        claim: Box<Claim>,
    },
    /// A key is free.
    Freed(u128),
    /// A call would be repeated by one of its hash.
    Repeatable {
        /// Its place.
        place: Place,
        /// Its effect.
        effect: Effect,
    },
    /// A destructive call may run.
    Destructive {
        /// The call.
        call: Box<str>,
        /// Its tool.
        tool: Box<str>,
    },
    /// A destructive call had no effect.
    Spared(Box<str>),
    /// A call may be tried again.
    Forgotten(Place),
    /// Nobody knows whether a call took effect.
    Unknown(Place),
    /// A call moved on.
    Moved {
        /// The call.
        call: Box<str>,
        /// Where to.
        status: Status,
    },
    /// What became of a call that ran.
    Came {
        /// The call.
        call: Box<str>,
        /// What.
        end: End,
        /// True if it came back with nothing.
        is_empty: bool,
        /// True if the host says that it took effect.
        took: bool,
        /// What stands in its result.
        values: Values,
    },
    /// What is kept for a reply changed.
    Reply(ReplyChange),
    /// A success is indexed.
    Kept {
        /// The index.
        index: IndexId,
        /// The entry.
        entry: u128,
        /// When.
        seen: Seen,
    },
    /// What the calls of an entry told has changed.
    Dropped {
        /// The index.
        index: IndexId,
        /// The entry.
        entry: u128,
    },
    /// A write succeeded.
    Wrote,
    /// The model read something that guards of the flow of information ask about.
    Exposed {
        /// Text that outsiders can write.
        untrusted: bool,
        /// Private data.
        private: bool,
    },
    /// What is known of the world is old.
    WorldStale,
    /// A call succeeded after which there is none.
    Ended,
    /// Somebody is asked about a call.
    Asked(Box<Request>),
    /// A request moved on.
    RequestMoved {
        /// Its call.
        call: Arc<str>,
        /// Where to.
        state: RequestState,
    },
    /// A request was granted with other arguments.
    Edited(Box<Request>),
    /// The user consented by a text, in a turn.
    Consented {
        /// The call.
        call: Arc<str>,
        /// The turn.
        turn: u32,
    },
    /// An answer stands for later calls too.
    RememberedAnswer(Box<RememberedAnswer>),
    /// It does not any more.
    RevokedAnswer(Arc<str>),
}

/// The event a step answers, for repeats of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answering {
    pub(super) id: Box<str>,
    pub(super) digest: Digest,
}

/// What was decided on one event of one version of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Whose step it is: the key is made of the session's id and nonce.
    pub(super) session: SessionKey,
    pub(super) version: u64,
    pub(super) decision: Arc<Decision>,
    pub(super) changes: Vec<Change>,
    pub(super) answering: Option<Answering>,
    pub(super) records: Option<Records>,
}

impl Step {
    /// The decision.
    #[must_use]
    pub fn decision(&self) -> &Decision {
        &self.decision
    }

    /// What must be written before it is committed; `None` for a session without a ledger, and for an event that was
    /// answered before.
    #[must_use]
    pub fn records(&self) -> Option<&Records> {
        self.records.as_ref()
    }

    /// False for the answer to an event that was answered before: what others decided stands.
    fn changes_something(&self) -> bool {
        !self.changes.is_empty() || self.answering.is_some() || self.records.is_some()
    }

    /// The changes it makes, in order.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }
}

/// Why a step cannot be committed. Decide again, on the session as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stale {
    /// Another step was committed since this one was decided.
    #[error("decided on version {decided} of the session, which is now at {current}; decide again")]
    Version {
        /// The version decided on.
        decided: u64,
        /// The session's version.
        current: u64,
    },
    /// It was decided on another session.
    #[error("decided on another session; decide again on this one")]
    Session,
}

impl Session {
    /// Plays a step's changes and gives its decision.
    ///
    /// # Errors
    /// [`Stale`] where another step came first, or it is another session's; nothing changed then.
    pub fn commit(&mut self, step: Step) -> Result<Arc<Decision>, Stale> {
        if step.session != self.key {
            return Err(Stale::Session);
        }
        if step.version != self.version {
            return Err(Stale::Version { decided: step.version, current: self.version });
        }
        if step.changes_something() {
            self.version = self.version.saturating_add(1);
        }
        for change in step.changes {
            self.play(change);
        }
        if let Some(records) = step.records {
            self.chain = Some(records.chain);
        }
        if let Some(Answering { id, digest }) = step.answering {
            self.answered.insert(id, Remembered { digest, decision: step.decision.clone() });
        }
        Ok(step.decision)
    }

    /// Goes on from where the ledger's file put its chain: behind a seal or a recovery of its own.
    pub fn take_chain(&mut self, chain: Chain) {
        if self.chain.is_some() {
            self.chain = Some(chain);
        }
    }

    /// Takes the place in the chain that a ledger says, for deciding its events again.
    pub(crate) fn rechain(&mut self, seq: u64, prev: Digest) {
        let after = seq.checked_sub(1);
        self.chain = self.chain.take().and_then(|chain| match after {
            Some(last) => Chain::after(chain.run(), last, prev),
            None => Chain::genesis(chain.run()),
        });
    }

    /// Notes a call whose arguments are gone: its verdict, and what it counts for. What depends on the arguments is not
    /// known any more: sums, counts with `when` or `per`, and keys.
    pub(crate) fn note(&mut self, policy: &Policy, call: &str, tool: &str, runs: bool) {
        let status = if runs { Status::Allowed } else { Status::Denied };
        self.play(Change::Proposed { call: call.into(), state: CallState::new(status, tool.into()) });
        let Some(known) = policy.tool(tool) else { return };
        for (bound, counter) in policy.counters_of(known, tool) {
            let counts = match counter.unit {
                Unit::Calls => runs && !counter.failed,
                Unit::Attempts => true,
                // An amount that is gone with the arguments cannot be known.
                Unit::Amount => false,
            };
            if counts && bound.when.is_none() && bound.per.is_none() {
                let at = counter.window.and(self.clock);
                let (amount, turn) = (Decimal::ONE, self.turn);
                self.play(Change::Spent(Entry { budget: bound.number, account: None, amount, at, turn }));
            }
        }
        if runs && known.destructive.may_be() && policy.plan.keeps_destructive() {
            self.play(Change::Destructive { call: call.into(), tool: tool.into() });
        }
    }

    /// Notes what the verdict on a call whose arguments are gone counts for among the refused ones in a row.
    pub(crate) fn note_veto(&mut self, policy: &Policy, verdict: &str, code: Option<&str>) {
        let Some(most) = policy.bounds.veto_streak.filter(|most| self.vetoes < *most) else { return };
        let vetoes = match verdict {
            "allow" | "defer" => 0,
            "deny" if code != Some(CALLS_PER_STEP) => self.vetoes.saturating_add(1).min(most),
            _ => return,
        };
        self.play(Change::Vetoes(vetoes));
    }

    /// Notes a turn of which the text is gone: what was typed in it is not known.
    pub(crate) fn note_turn(&mut self, policy: &Policy, refused: bool) {
        let counters = policy.turn_counters.as_slice().into();
        self.play(Change::TurnStarted { counters, refused, question: false, reply_only: false });
    }

    /// What a new turn sets back.
    fn begin_turn(&mut self, counters: &[usize], refused: bool) {
        self.turn_is_refused = refused;
        self.turn = self.turn.saturating_add(1);
        self.vetoes = 0;
        self.observed.start_turn();
        self.spent.start_turn(counters);
    }

    /// Moves a call on.
    fn moved(&mut self, call: &str, status: Status) {
        let is_needed = match status {
            Status::Ended => self.calls.get(call).is_some_and(|state| self.may_end_later(call, state)),
            other => other != Status::Succeeded,
        };
        if let Some(state) = self.calls.get_mut(call) {
            state.moves(status, is_needed);
        }
    }

    fn play(&mut self, change: Change) {
        match change {
            Change::TurnStarted { counters, refused, question, reply_only } => {
                self.begin_turn(&counters, refused);
                self.begin_replying(question, reply_only);
            }
            Change::Heard(runs) => self.typed.keep(&runs),
            Change::Grounded(gathered) => self.grounds.keep(&gathered),
            Change::Closed => self.open = false,
            Change::World(world) => (self.world, self.world_is_stale) = (world, false),
            Change::Clock(at) => self.clock = Some(at),
            Change::Proposed { call, state } => self.propose(call, state),
            Change::CountedCall { index, entry } => self.observed.count_call(index, entry),
            Change::DiscountedCall { index, entry } => self.observed.discount_call(index, entry),
            Change::Remembered { index, entry, kept } => self.observed.remember(index, entry, *kept),
            Change::Spent(entry) => self.spent.add(&entry),
            Change::Released(entry) => self.spent.release(&entry),
            Change::Lapsed { budget, account, before } => self.spent.lapse(budget, account, before),
            Change::Emptied { budget, account } => self.spent.empty(budget, account),
            Change::Stopped(budget) => self.stopped = Some(budget),
            Change::Asked(request) | Change::Edited(request) => {
                _ = self.approvals.requests.insert(request.call.clone(), *request);
            }
            Change::RequestMoved { call, state } => {
                self.approvals.requests.get_mut(&call).into_iter().for_each(|request| request.state = state);
            }
            Change::Consented { call, turn } => {
                self.approvals.requests.get_mut(&call).into_iter().for_each(|request| request.consented = Some(turn));
            }
            Change::RememberedAnswer(answer) => self.approvals.remembered.push(*answer),
            Change::RevokedAnswer(id) => self.approvals.remembered.retain(|one| one.id != id),
            Change::Vetoes(vetoes) => self.vetoes = vetoes,
            Change::Claimed { key, claim } => _ = self.claims.insert(key, *claim),
            Change::Freed(key) => _ = self.claims.remove(&key),
            Change::Repeatable { place, effect } => self.observed.allow(place, effect),
            Change::Destructive { call, tool } => self.observed.destroys(call, tool),
            Change::Spared(call) => self.observed.spare(&call),
            Change::Forgotten(place) => self.observed.forget(place),
            Change::Unknown(place) => self.observed.lose(place),
            Change::Moved { call, status } => self.moved(&call, status),
            Change::Came { call, end, is_empty, took, values } => {
                self.came(&call, (end, is_empty, took), &values);
            }
            Change::Reply(change) => self.play_reply(change),
            Change::Kept { index, entry, seen } => self.observed.keep(index, entry, seen),
            Change::Dropped { index, entry } => self.observed.drop_entry(index, entry),
            Change::Wrote => self.observed.wrote(),
            Change::Exposed { untrusted, private } => self.observed.expose(self.turn, untrusted, private),
            Change::WorldStale => self.world_is_stale = true,
            Change::Ended => self.has_ended = true,
        }
    }
}
