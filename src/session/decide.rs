//! From an event to a step: repeats, the state of the session, then what the event is.

use super::call::{Proposal, Proposals};
use super::controls::drops_text;
use super::explain::Recorder;
use super::ground;
use super::reply::Replies;
use super::turn::Beginning;
use super::{Change, MAX_REMEMBERED, Remembered, ReplyChange, Session, Status, Step, is_root};
use crate::context::{Context, NOTHING_DECLARED};
use crate::decision::{Decision, Interim, TurnDecision};
use crate::event::{Body, Call, Event, WorldChange};
use crate::facts::Typed;
use crate::observed::{Batch, View};
use crate::policy::Policy;
use crate::schema::Bound;
use crate::text::capitalised;
use crate::time::Timestamp;
use crate::tool::Effect;
use crate::value::Value;
use std::sync::Arc;

/// Decides on one event. Pure and total: the same policy, session and event give the same step.
///
/// ```
/// use flyball::event::{Body, Event, Opening};
/// use flyball::session::{Session, decide};
/// use flyball::source::Sources;
///
/// let text = "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {look: {effect: read}}\n";
/// let spec = flyball::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap();
/// let policy = flyball::policy::compile(&spec).unwrap();
///
/// let opening = Event::new("e1", "s1", Body::SessionOpened(Opening::default()));
/// let (mut session, step) = Session::open(&policy, &opening).unwrap();
/// session.commit(step).unwrap();
/// let step = decide(&policy, &session, &Event::new("e2", "s1", Body::turn(None)));
/// session.commit(step).unwrap();
/// assert_eq!(session.turn(), 1);
/// ```
#[must_use]
pub fn decide(policy: &Policy, session: &Session, event: &Event<'_>) -> Step {
    decide_heard(policy, session, event, &mut Recorder::default())
}

/// As [`decide`], telling the recorder what every rule said.
pub(super) fn decide_heard(policy: &Policy, session: &Session, event: &Event<'_>, recorder: &mut Recorder) -> Step {
    if *event.session != *session.id {
        return session.step(policy, event, of_another(session, event), Vec::new(), false);
    }
    if let Some(again) = matches!(event.body, Body::ReplyDelta { .. }).then(|| session.repeated_piece(event)).flatten()
    {
        return session.step(policy, event, again, Vec::new(), false);
    }
    if let Some(earlier) = session.answered.get(event.id.as_ref()) {
        return if session.is_repeat(earlier, event) {
            repeated(session, earlier)
        } else {
            session.step(policy, event, reused(event), Vec::new(), false)
        };
    }
    let mut changes = Vec::new();
    let decision = match refused(policy, session, event) {
        Some((code, message)) => refusal(policy, (session, event), code, &message, &mut changes),
        None => answer(policy, session, event, &mut changes, recorder),
    };
    let is_rejected = matches!(decision, Decision::Reject { .. });
    if is_rejected || matches!(decision, Decision::Refuse { .. }) {
        // What an event that is not acted on says of the world is not taken either.
        changes.clear();
    }
    // A rejected event was not taken, so a corrected one may have its id.
    // Pieces of a reply are many and say nothing alone: the session knows the last one by itself.
    let is_piece = matches!(event.body, Body::ReplyDelta { .. });
    let remember = !is_rejected && !is_piece && session.answered.len() < MAX_REMEMBERED;
    session.step(policy, event, decision, changes, remember)
}

/// The recorded answer again; nothing is written twice.
fn repeated(session: &Session, earlier: &Remembered) -> Step {
    Step {
        session: session.key,
        version: session.version,
        decision: earlier.decision.clone(),
        changes: Vec::new(),
        answering: None,
        records: None,
    }
}

fn of_another(session: &Session, event: &Event<'_>) -> Decision {
    let message = format!("the event is of session `{}`, and this is `{}`", event.session, session.id);
    Decision::Reject { code: "wrong_session", message }
}

fn reused(event: &Event<'_>) -> Decision {
    let message = format!("the event id `{}` was used for another event; give each event its own", event.id);
    Decision::Reject { code: "duplicate_event", message }
}

/// Gate 2, as far as it is about the session: why no event of this kind is acted on.
fn refused(policy: &Policy, session: &Session, event: &Event<'_>) -> Option<(&'static str, String)> {
    if session.policy != policy.digest() {
        return Some(("policy_changed", "the session was opened under another policy".into()));
    }
    if !session.open {
        return Some(("session_closed", "the session is closed".into()));
    }
    if let Some(agent) = event.agent.as_deref().filter(|agent| !is_root(policy, agent)) {
        return Some(("unknown_agent", format!("the session has no agent `{agent}`")));
    }
    let is_full = session.answered.len() >= MAX_REMEMBERED || session.calls.len() >= MAX_REMEMBERED;
    is_full.then(|| {
        (INDEX_FULL, format!("the session remembers {MAX_REMEMBERED} events and calls, and no more; open another"))
    })
}

/// The code of a session that can remember no more.
pub(super) const INDEX_FULL: &str = "index_full";

/// What the model is told of it.
pub(super) const TOO_LONG: &str =
    "This conversation is too long to go on. Stop calling tools, and say that a new one is needed.";

/// What the model is told where no call is acted on.
fn stop(code: &str, message: &str) -> String {
    if code == INDEX_FULL { TOO_LONG.to_owned() } else { format!("{}. Stop calling tools.", capitalised(message)) }
}

/// A call is denied, what a host reports is refused; the end of a session is always noted.
fn refusal(
    policy: &Policy,
    (session, event): (&Session, &Event<'_>),
    code: &'static str,
    message: &str,
    changes: &mut Vec<Change>,
) -> Decision {
    let mut deny = |call: &Call<'_>| {
        let remembered = session.calls.len().saturating_add(changes.len());
        if !session.calls.contains_key(call.id.as_ref()) && remembered < MAX_REMEMBERED {
            changes.push(Change::Proposed {
                call: call.id.as_ref().into(),
                state: super::call::state(call, Status::Denied),
            });
        }
        super::call::denied_by_gate(call, code, stop(code, message))
    };
    match &event.body {
        Body::ToolProposed(call) => Decision::Call(deny(call)),
        Body::ModelTurn { calls, text } => Decision::Calls {
            calls: calls.iter().map(deny).collect(),
            beside: drops_text(policy, calls, text.says_something()).then(Interim::default),
        },
        Body::SessionClosed => {
            changes.push(Change::Closed);
            Decision::Proceed
        }
        _ => Decision::Refuse { code, message: message.to_owned() },
    }
}

/// What holds while an event is decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment<'m> {
    /// The kept part of the world, with the event's change in it.
    pub(super) world: &'m Value<'static>,
    /// True if nobody has sent the world again since the last write.
    pub(super) world_is_stale: bool,
    /// True if the event brings the world, or a change of it.
    pub(super) world_is_sent: bool,
    /// The event's time, never before an earlier one.
    pub(super) now: Option<Timestamp>,
}

impl<'m> Moment<'m> {
    /// What may be read of a session now, where no tool is named: a base for what else there is.
    pub(super) fn context<'c>(self, session: &'c Session, args: &'c Bound<'c>, batch: &'c Batch) -> Context<'c>
    where
        'm: 'c,
    {
        Context {
            tool: "",
            effect: Effect::Read,
            is_destructive: false,
            args,
            declared: &NOTHING_DECLARED,
            result: None,
            input: None,
            reply: None,
            hashes: &[],
            world: self.world,
            world_is_stale: self.world_is_stale,
            session: &session.facts,
            now: self.now,
            cwd: None,
            observed: View { observed: &session.observed, batch },
            facts: &session.typed,
            turn: session.turn,
            repeat: None,
            key: &session.key,
            answers: &[],
        }
    }
}

fn answer(
    policy: &Policy,
    session: &Session,
    event: &Event<'_>,
    changes: &mut Vec<Change>,
    recorder: &mut Recorder,
) -> Decision {
    let starts_turn = matches!(event.body, Body::TurnStarted { .. });
    let turn = if starts_turn { session.turn.saturating_add(1) } else { session.turn };
    if let Some(named) = event.turn.filter(|named| *named != turn) {
        let message = match starts_turn {
            true => format!("the event begins turn {named}, and the next turn of the session is {turn}"),
            false => format!("the event is of turn {named}, and the session is in turn {turn}"),
        };
        return Decision::Reject { code: "wrong_turn", message };
    }
    let sent = world_after(policy, session, &event.world).map(Arc::new);
    changes.extend(sent.clone().map(Change::World).into_iter().chain(ground::world(policy, session, &event.world)));
    let world = sent.as_ref().unwrap_or(&session.world);
    let now = time_of(policy, event).map(|at| session.clock.map_or(at, |last| last.max(at)));
    if let Some(at) = now.filter(|at| session.clock != Some(*at)) {
        changes.push(Change::Clock(at));
    }
    let world_is_sent = !matches!(event.world, WorldChange::None);
    let world_is_stale = session.world_is_stale && !world_is_sent;
    let moment = Moment { world, world_is_stale, world_is_sent, now };
    told(Situation { policy, session, moment }, event, changes, recorder)
}

/// What holds while one event is decided.
struct Situation<'s> {
    policy: &'s Policy,
    session: &'s Session,
    moment: Moment<'s>,
}

/// The answer to what an event tells.
fn told(situation: Situation<'_>, event: &Event<'_>, changes: &mut Vec<Change>, recorder: &mut Recorder) -> Decision {
    let Situation { policy, session, moment } = situation;
    match &event.body {
        Body::SessionOpened(_) => {
            Decision::Refuse { code: "already_open", message: "the session is open; use another id for another".into() }
        }
        Body::TurnStarted { typed, attachments } => {
            let beginning = Beginning { policy, session, moment, attachments };
            begin_turn(&beginning, typed.as_ref(), changes, recorder)
        }
        Body::ToolProposed(call) => {
            let mut proposals = Proposals::new(policy, session, moment, changes, recorder);
            Decision::Call(proposals.decide(&Proposal::new(call)))
        }
        Body::ModelTurn { calls, text } => {
            let decided = Proposals::new(policy, session, moment, changes, recorder).decide_batch(calls, text);
            Replies { policy, session, moment, changes, recorder }.with_interim(decided, text)
        }
        // A proposal goes on with the host's answers; a call that asked nothing has none to get.
        Body::ReplyProposed(said) => Replies { policy, session, moment, changes, recorder }.decide(said, None),
        Body::ReplyDelta { text } => super::stream::piece(policy, session, moment, event, text, changes),
        Body::ReplyEnd { claims, streamed } => {
            let ended = super::stream::Ended { claims: claims.as_ref(), streamed: streamed.as_deref() };
            ended.decide(Replies { policy, session, moment, changes, recorder })
        }
        Body::Answers { call: None, answers } => {
            Replies { policy, session, moment, changes, recorder }.answered(answers)
        }
        Body::Answers { call: Some(call), answers } => {
            let Some(proposed) = session.waiting_call(call) else { return unknown_call(call, "waits for no answers") };
            let mut proposals = Proposals::new(policy, session, moment, changes, recorder);
            Decision::Call(proposals.decide(&Proposal::answered(&proposed, answers)))
        }
        Body::ToolStarted { call } => super::finish::started(session, call, changes),
        Body::ToolFinished { call, outcome } => {
            super::finish::finished(policy, session, moment, call, outcome, changes, recorder)
        }
        Body::ApprovalDecided(approvals) => super::decided::decided(policy, session, moment, approvals, changes),
        Body::ApprovalRevoked { remembered } => super::decided::revoked(session, remembered, changes),
        Body::WorldChanged | Body::TurnEnded => Decision::Proceed,
        Body::SessionClosed => {
            changes.push(Change::Closed);
            Decision::Proceed
        }
    }
}

/// A turn begins, also one that is refused: its text was typed, and its counts start again.
fn begin_turn(
    beginning: &Beginning<'_>,
    typed: Option<&Typed<'_>>,
    changes: &mut Vec<Change>,
    recorder: &mut Recorder,
) -> Decision {
    let decision = beginning.judge(recorder);
    let (policy, refused) = (beginning.policy, decision.reply().is_some());
    let mut refused_by = None;
    changes.extend(typed.filter(|_| policy.plan.keeps_typed()).map(|typed| beginning.session.hear(typed)));
    if let Decision::Turn(turn) = &decision
        && let Some(refusal) = &turn.refused
    {
        let guard = policy.turn.guards.iter().find(|guard| guard.code == refusal.first.guard);
        let tag = format!("onInput:{}", guard.map_or("custom", |guard| guard.kind));
        refused_by = Some(Change::Reply(ReplyChange::Corrected(tag.into())));
    }
    let reply_only = if let Decision::Turn(turn) = &decision { turn.reply_only } else { false };
    let question = typed.is_some_and(Typed::has_question_mark);
    changes.push(Change::TurnStarted {
        counters: policy.turn_counters.as_slice().into(),
        refused,
        question,
        reply_only,
    });
    changes.extend(refused_by);
    // A turn without calls licenses none.
    let Some(typed) = typed.filter(|_| !refused) else { return decision };
    let turn = beginning.session.turn.saturating_add(1);
    let consents = beginning.session.consents(policy, typed, beginning.moment.now);
    changes.extend(consents.iter().map(|call| Change::Consented { call: call.clone(), turn }));
    match decision {
        decision if consents.is_empty() => decision,
        Decision::Turn(turn) => Decision::Turn(Box::new(TurnDecision { consents, ..*turn })),
        _ => Decision::Turn(Box::new(TurnDecision { consents, ..TurnDecision::default() })),
    }
}

impl Session {
    /// What is kept of what the user typed.
    fn hear(&self, typed: &Typed<'_>) -> Change {
        Change::Heard(self.typed.heard(&self.key, typed))
    }
}

/// The time of an event, where some rule reads times.
pub(super) fn time_of(policy: &Policy, event: &Event<'_>) -> Option<Timestamp> {
    event.at.as_deref().filter(|_| policy.plan.keeps_time()).and_then(Timestamp::parse)
}

/// The kept part of the world once the event's change is in, where it brings one.
fn world_after(policy: &Policy, session: &Session, change: &WorldChange<'_>) -> Option<Value<'static>> {
    match change {
        WorldChange::None => None,
        WorldChange::Whole(world) => Some(policy.prune_world(world)),
        WorldChange::Patch(patch) => {
            let mut world = Value::clone(&session.world);
            world.merge_patch(patch);
            Some(policy.prune_world(&world))
        }
    }
}

pub(super) fn unknown_call(call: &str, why: &str) -> Decision {
    Decision::Reject { code: "unknown_call", message: format!("the call `{call}` {why}") }
}
