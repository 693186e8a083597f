//! One governed conversation: the unit of state and of locking.
//!
//! [`decide`] is pure and total: policy, session and event in, a [`Step`] out. [`Session::commit`] only plays the
//! step's changes, and fails only where another step was committed in between. A host never writes state itself.

mod after;
mod approvals;
mod budgets;
mod call;
mod controls;
mod copies;
mod decide;
mod decided;
mod declared;
mod explain;
mod exposure;
mod finish;
mod found;
mod ground;
mod idempotency;
mod judge;
mod question;
mod record;
mod reply;
mod replying;
mod reserve;
mod restored;
mod rewrite;
mod simulate;
mod spent;
mod step;
mod stream;
mod tail;
mod telling;
mod told;
mod turn;

use crate::acts;
use crate::canon::Digest;
use crate::decimal::Decimal;
use crate::decision::Decision;
use crate::event::{Body, Call, Event, EventSalt, Opening, Rejection, WorldChange};
use crate::facts::Facts;
use crate::grounds::Grounds;
use crate::hash::{FingerprintMap, KeyedMap, KeyedState, SessionKey};
use crate::ledger::{Chain, SaltSource};
use crate::observed::{IndexId, Observed, Place, RecallId, TallyId};
use crate::policy::{Policy, Unit};
use crate::spec::{Action, Mode, Streaming, TextWithCalls};
use crate::time::Timestamp;
use crate::value::{Object, Value};
use std::borrow::Cow;
use std::sync::Arc;

use approvals::Approvals;
use replying::Replying;
use spent::Spent;
use step::Answering;

pub use approvals::{Remembered as RememberedAnswer, Request, RequestState};
pub use decide::decide;
pub use explain::{CallExplanation, Explanation, Judgement, Said, Sort, explain};
pub use idempotency::{Claim, End, MAX_KEPT_RESULT};
pub use question::shown_arguments;
pub use record::Records;
pub use replying::{OpenViolation, ReplyChange, Told, Values};
pub use restored::OpenCall;
pub use spent::Entry;
pub use step::{Change, Stale, Step};

/// The most events and the most calls a session remembers; beyond, no call is allowed any more.
pub const MAX_REMEMBERED: usize = 65_536;

/// One governed conversation.
#[derive(Clone, Debug)]
pub struct Session {
    id: String,
    policy: Digest,
    key: SessionKey,
    version: u64,
    open: bool,
    turn: u32,
    opened: Opened,
    world: Arc<Value<'static>>,
    /// True after a write, where the spec says `stale: deny`, until the host sends the world again.
    world_is_stale: bool,
    /// True once a tool with `ends: session` succeeded: no call is allowed any more.
    has_ended: bool,
    /// True from a turn that was refused until the next one begins: no call is allowed in it.
    turn_is_refused: bool,
    /// `{id, user, roles, attributes, agent}`, as expressions read it.
    facts: Value<'static>,
    /// True if what a model says beside its calls is judged, and so kept.
    judges_beside: bool,
    /// What the user typed, where some rule asks.
    typed: Facts,
    /// What a reply may name because it came up, where some rule asks.
    grounds: Grounds,
    /// The latest `at`.
    clock: Option<Timestamp>,
    observed: Observed,
    /// What is spent of the budgets.
    spent: Spent,
    /// Who has the keys of calls that must not run twice.
    claims: FingerprintMap<Claim>,
    /// The budget that ended the run.
    stopped: Option<Arc<str>>,
    /// What was asked of people, and what they answered.
    approvals: Approvals,
    /// What is kept of this turn for its reply.
    replying: Replying,
    /// How many calls in a row were refused in this turn, where the spec bounds that.
    vetoes: u64,
    calls: KeyedMap<Arc<str>, CallState>,
    answered: KeyedMap<Box<str>, Remembered>,
    /// Of the answered events that came back from a ledger what they told; elsewhere empty.
    retold: KeyedMap<Box<str>, Digest>,
    /// The answer that most results get, one for all that remember it.
    accept: Arc<Decision>,
    /// Where the ledger stands; `None` for a session without one.
    chain: Option<Chain>,
    /// What salts come from where an event brings none.
    nonce: Box<[u8]>,
    /// The entropy that the host sent, where it sent any: codes come from it.
    entropy: Box<[u8]>,
}

/// What the opening event fixed.
#[derive(Clone, Debug)]
struct Opened {
    /// The scopes of the spec that the host grants too.
    scopes: Vec<String>,
    /// The budgets' bounds, narrowed by the host.
    limits: Vec<Decimal>,
}

/// An event that was answered.
#[derive(Clone, Debug)]
struct Remembered {
    /// Of its bytes; of one that came back from a ledger as its record holds it, salted.
    digest: Digest,
    decision: Arc<Decision>,
}

/// What is known of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallState {
    /// Where it stands.
    pub status: Status,
    /// The tool's canonical name.
    pub tool: Arc<str>,
    /// True if it may change something, and may run; or if the host saw it do so.
    pub writes: bool,
    /// True if it came back with nothing.
    pub is_empty: bool,
    /// What became of it, where its status does not say.
    pub end: Option<acts::End>,
    /// The last turn among whose calls it is.
    pub turn: Option<u32>,
    /// What a reply may tell of it.
    pub told: Option<Box<Told>>,
    /// What stands in its arguments and its result.
    pub values: Values,
    /// Its place among the calls of its turn, where it was allowed and repeats are asked about.
    pub repeat: Option<Place>,
    /// What its arguments give to each index that its success will feed.
    pub feeds: Box<[Feed]>,
    /// What only some calls need, most of it until they have ended.
    pub held: Option<Box<Held>>,
}

/// What is held of a call beside what every call has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// What expressions may ask of it once it has ended.
    pub noted: Option<Noted>,
    /// What its end settles of the budgets.
    pub spent: Box<[Entry]>,
    /// The key that it claimed.
    pub key: Option<u128>,
    /// The proposal, while the host is asked about it.
    pub waiting: Option<Value<'static>>,
    /// What the tool runs with, until it ended, where the guards on its result read that.
    pub args: Option<Value<'static>>,
    /// Where it would run, as long as somebody may ask.
    pub cwd: Option<Box<str>>,
    /// True if it is to change nothing, which its result must prove.
    pub simulates: bool,
}

impl Held {
    /// What is held; nothing where that is nothing.
    #[inline]
    fn boxed(self) -> Option<Box<Held>> {
        let Held { noted, spent, key, waiting, args, cwd, simulates } = &self;
        let is_nothing = noted.is_none() && spent.is_empty() && key.is_none();
        let is_nothing = is_nothing && waiting.is_none() && args.is_none() && cwd.is_none() && !simulates;
        (!is_nothing).then(|| Box::new(self))
    }
}

impl CallState {
    /// A call of which nothing is known but where it stands.
    fn new(status: Status, tool: Arc<str>) -> CallState {
        CallState { status, tool, ..CallState::default() }
    }

    /// What expressions may ask of it once it has ended.
    fn noted(&self) -> Option<&Noted> {
        self.held.as_ref()?.noted.as_ref()
    }

    /// What its end settles of the budgets.
    fn spent(&self) -> &[Entry] {
        self.held.as_ref().map_or(&[], |held| &held.spent)
    }

    /// What the tool runs with.
    fn args(&self) -> Option<&Value<'static>> {
        self.held.as_ref()?.args.as_ref()
    }

    /// Where it would run.
    fn cwd(&self) -> Option<&str> {
        self.held.as_ref()?.cwd.as_deref()
    }

    /// Moves it on. Where nothing more is heard of how it ended, only its budgets and its key may ask for it again.
    fn moves(&mut self, status: Status, is_needed: bool) {
        self.status = status;
        if !is_needed {
            let held = self.held.take().map(|held| Held { spent: held.spent, key: held.key, ..Held::default() });
            self.held = held.and_then(Held::boxed);
        }
    }
}

/// What is noted of an allowed call for the time when it has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The turn it was allowed in.
    pub turn: u32,
    /// The indexes that its success enters.
    pub recalls: Box<[NotedRecall]>,
    /// The entries that count it.
    pub tallies: Box<[(TallyId, u128)]>,
}

/// What a call's arguments give to an index of kept calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedRecall {
    /// The index.
    pub index: RecallId,
    /// The entry.
    pub entry: u128,
    /// What is kept of the arguments.
    pub args: Value<'static>,
}

/// Where a call stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It did not run and will not.
    #[default]
    Denied,
    /// It waits for somebody's word.
    Asked,
    /// It waits for the host's answers.
    Waiting,
    /// It may run.
    Allowed,
    /// It runs.
    Started,
    /// It succeeded.
    Succeeded,
    /// It failed, or nobody knows.
    Ended,
}

/// The keys of a call's arguments in one index: per part the values' hashes, none for parts of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feed {
    /// The index.
    pub index: IndexId,
    /// True if the call takes the entry away.
    pub forgets: bool,
    /// Per part of its key.
    pub parts: Box<[Box<[u128]>]>,
}

/// Why a session is not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The event is of another type.
    #[error("a session begins with `sessionOpened`, not with `{0}`")]
    NotAnOpening(&'static str),
    /// The host names another agent.
    #[error("the agent `{found}` is not `{wanted}`, which this policy is of")]
    UnknownAgent {
        /// What the host says.
        found: String,
        /// The policy's id.
        wanted: String,
    },
    /// A run's name that no file can have.
    #[error("a run is named with 1 to 64 of `0-9A-Za-z_-`, not `{0}`; give `run` a plain name")]
    BadRun(String),
    /// A limit names no budget.
    #[error("there is no budget `{0}` to limit")]
    UnknownBudget(String),
    /// A limit above the spec's.
    #[error("the limit of `{budget}` may only narrow: {asked} is above {max}")]
    Widens {
        /// The budget.
        budget: String,
        /// What the host asks.
        asked: Decimal,
        /// What the spec says.
        max: Decimal,
    },
    /// The host shows replies before they are decided, and rules of the spec are about what it shows.
    #[error(
        "the host cannot hold a reply back (`hold`), and `{guard}` judges replies before they are shown; let the host hold them, or say `controls: {{stream: after}}`"
    )]
    NeedsHold {
        /// A guard that judges replies.
        guard: String,
    },
    /// A limit of a count with a fraction.
    #[error("the limit of `{budget}` is {asked}, and it counts whole calls")]
    Fraction {
        /// The budget.
        budget: String,
        /// What the host asks.
        asked: Decimal,
    },
}

impl Refusal {
    /// The stable word.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::NotAnOpening(_) => "not_open",
            Refusal::UnknownAgent { .. } => "unknown_agent",
            Refusal::BadRun(_) => "bad_run",
            Refusal::UnknownBudget(_) => "unknown_budget",
            Refusal::Widens { .. } => "widens",
            Refusal::Fraction { .. } => "fraction",
            Refusal::NeedsHold { .. } => "needs_hold",
        }
    }
}

impl Session {
    /// Opens a session without a ledger with the event that begins it. The step's decision is `proceed`; commit it.
    ///
    /// # Errors
    /// The event is no `sessionOpened`, names another agent, or asks for more than the spec gives.
    pub fn open(policy: &Policy, event: &Event<'_>) -> Result<(Session, Step), Refusal> {
        Session::begin(policy, event, None)
    }

    /// As [`Session::open`], with every step recorded in the chain of the event's `run`, or of its session's name.
    ///
    /// # Errors
    /// As [`Session::open`], and a run whose name no file can have.
    pub fn open_recorded(policy: &Policy, event: &Event<'_>) -> Result<(Session, Step), Refusal> {
        let Body::SessionOpened(opening) = &event.body else { return Err(Refusal::NotAnOpening(event.body.name())) };
        let run = opening.run.as_deref().unwrap_or(&event.session);
        let chain = Chain::genesis(run).ok_or_else(|| Refusal::BadRun(run.to_owned()))?;
        Session::begin(policy, event, Some(chain))
    }

    fn begin(policy: &Policy, event: &Event<'_>, chain: Option<Chain>) -> Result<(Session, Step), Refusal> {
        let Body::SessionOpened(opening) = &event.body else { return Err(Refusal::NotAnOpening(event.body.name())) };
        if let Some(found) = event.agent.as_deref().filter(|agent| !is_root(policy, agent)) {
            return Err(Refusal::UnknownAgent { found: found.to_owned(), wanted: policy.id().to_owned() });
        }
        if let Some(guard) = needs_hold(policy, opening) {
            return Err(Refusal::NeedsHold { guard: guard.to_owned() });
        }
        let nonce = opening.nonce.as_deref().unwrap_or_default();
        let nonce = format!("{}:{}{nonce}", event.session.len(), event.session).into_bytes();
        let key = SessionKey::from_nonce(&nonce);
        let world = match &event.world {
            WorldChange::Whole(world) | WorldChange::Patch(world) => policy.prune_world(world),
            WorldChange::None => Value::Object(Object::new()),
        };
        let session = Session {
            id: event.session.clone().into_owned(),
            policy: policy.digest(),
            key,
            version: 0,
            open: true,
            turn: 0,
            opened: Opened { scopes: scopes(policy, opening), limits: limits(policy, opening)? },
            world: Arc::new(world),
            world_is_stale: false,
            has_ended: false,
            turn_is_refused: false,
            facts: facts(policy, event, opening),
            judges_beside: policy.bounds.text_with_calls == TextWithCalls::Check,
            typed: Facts::default(),
            grounds: Grounds::default(),
            clock: decide::time_of(policy, event),
            observed: Observed::new(&policy.plan),
            spent: Spent::of(policy.counters.len()),
            claims: FingerprintMap::default(),
            stopped: None,
            approvals: Approvals::default(),
            replying: Replying::default(),
            vetoes: 0,
            calls: KeyedMap::with_hasher(KeyedState::new(&key)),
            answered: KeyedMap::with_hasher(KeyedState::new(&key)),
            retold: KeyedMap::with_hasher(KeyedState::new(&key)),
            accept: Arc::new(Decision::Accept),
            chain,
            nonce: nonce.into(),
            entropy: opening.nonce.as_deref().unwrap_or_default().as_bytes().into(),
        };
        let grounded = ground::world(policy, &session, &event.world).into_iter().collect();
        let step = session.step(policy, event, Decision::Proceed, grounded, true);
        Ok((session, step))
    }

    /// A finished step on an event.
    fn step(
        &self,
        policy: &Policy,
        event: &Event<'_>,
        decision: Decision,
        changes: Vec<Change>,
        remember: bool,
    ) -> Step {
        let records = self.chain.as_ref().map(|chain| record::records(policy, self, chain, event, &decision));
        let mut decision = decision;
        if let Decision::Reply(reply) = &mut decision {
            // Only now it is known where the ledger stands behind it.
            let head = records.as_ref().map(|records| records.chain.head());
            reply.turn.iter_mut().for_each(|turn| turn.head = head);
        }
        let answering = remember.then(|| Answering { id: event.id.as_ref().into(), digest: event.digest });
        let decision = match decision {
            Decision::Accept => self.accept.clone(),
            other => Arc::new(other),
        };
        Step { session: self.key, version: self.version, decision, changes, answering, records }
    }

    /// The step on bytes that are no event: nothing changes but the ledger.
    #[must_use]
    pub fn reject(&self, rejection: &Rejection) -> Step {
        let decision = Decision::Reject { code: rejection.code, message: rejection.message.clone() };
        let records = self.chain.as_ref().map(|chain| record::rejection(chain, rejection));
        Step {
            session: self.key,
            version: self.version,
            decision: Arc::new(decision),
            changes: Vec::new(),
            answering: None,
            records,
        }
    }

    fn salts<'s>(&'s self, event: &'s Event<'_>) -> SaltSource<'s> {
        match &event.salt {
            EventSalt::OfRun => SaltSource::Entropy(&self.nonce),
            EventSalt::Host(salt) | EventSalt::Drawn(salt) => SaltSource::Entropy(salt.as_bytes()),
            EventSalt::Known(salts) => SaltSource::Known(salts),
        }
    }

    /// A call that waits for the host's answers, as it was proposed.
    fn waiting_call<'s>(&'s self, call: &'s str) -> Option<Call<'s>> {
        let state = self.calls.get(call).filter(|state| state.status == Status::Waiting)?;
        let args = state.held.as_ref()?.waiting.clone()?;
        let cwd = state.cwd().map(Cow::Borrowed);
        Some(Call { id: call.into(), tool: state.tool.as_ref().into(), args, cwd })
    }

    /// The chain of its ledger, if it has one.
    #[must_use]
    pub fn chain(&self) -> Option<&Chain> {
        self.chain.as_ref()
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The turn: 0 before the first `turnStarted`.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// True until `sessionClosed`.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// How many steps were committed.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What is known of a call.
    #[must_use]
    pub fn call(&self, id: &str) -> Option<&CallState> {
        self.calls.get(id)
    }
}

/// True if a host's name of the agent means the one this policy is of.
fn is_root(policy: &Policy, agent: &str) -> bool {
    agent == "root" || agent == policy.id()
}

/// A guard that judges replies before they are shown, where the host cannot wait for that. One that only watches can.
fn needs_hold<'p>(policy: &'p Policy, opening: &Opening<'_>) -> Option<&'p str> {
    let can_hold = |words: &Vec<Cow<'_, str>>| words.iter().any(|word| word == Opening::HOLD);
    if opening.capabilities.as_ref().is_none_or(can_hold) || policy.bounds.stream == Streaming::After {
        return None;
    }
    if policy.mode == Mode::Observe {
        return None;
    }
    let judging = policy.reply.mutators.iter().chain(&policy.reply.guards);
    judging.filter(|guard| guard.action == Action::Deny).map(|guard| &*guard.code).next()
}

/// Who is speaking, as expressions read it: what the host does not say is absent.
fn facts(policy: &Policy, event: &Event<'_>, opening: &Opening<'_>) -> Value<'static> {
    let text = |text: &str| Value::from(text.to_owned());
    let principal = &opening.principal;
    Object::of_some([
        ("id", Some(text(&event.session))),
        ("user", principal.id.as_deref().map(text)),
        ("roles", Some(Value::Array(principal.roles.iter().map(|role| text(role)).collect()))),
        ("attributes", principal.attributes.as_ref().map(Value::to_owned_value)),
        ("agent", Some(text(policy.id()))),
    ])
    .into()
}

fn scopes(policy: &Policy, opening: &Opening<'_>) -> Vec<String> {
    let granted =
        |scope: &&String| opening.scopes.as_ref().is_none_or(|scopes| scopes.iter().any(|given| given == *scope));
    policy.scopes.iter().filter(granted).cloned().collect()
}

fn limits(policy: &Policy, opening: &Opening<'_>) -> Result<Vec<Decimal>, Refusal> {
    let mut limits: Vec<Decimal> = policy.counters.iter().map(|counter| counter.max).collect();
    for (budget, asked) in &opening.limits {
        let known = policy.counters.iter().zip(&mut limits).find(|(counter, _)| *counter.code == **budget);
        let Some((counter, limit)) = known else {
            return Err(Refusal::UnknownBudget(budget.clone().into_owned()));
        };
        if counter.unit != Unit::Amount && !asked.is_integer() {
            return Err(Refusal::Fraction { budget: budget.clone().into_owned(), asked: *asked });
        }
        if *asked > *limit {
            return Err(Refusal::Widens { budget: budget.clone().into_owned(), asked: *asked, max: *limit });
        }
        *limit = *asked;
    }
    Ok(limits)
}

#[cfg(test)]
mod tests;
