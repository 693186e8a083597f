//! Recorded conversations back through a policy.
//!
//! A trace is one JSON object a conversation: the calls that were made, with their results. A [`Player`] turns it into
//! events, one at a time, and is told each decision: a call that is denied here did not run, so its recorded result is
//! left out. It performs nothing; whoever plays it hands the events to a governor.

pub mod ledger;
mod summary;

use crate::decision::{Decision, Verdict};
use crate::event::{Body, Call, Event, Opening, Outcome, Principal, WorldChange};
use crate::json::{JsonCode, JsonError, Limits};
use crate::policy::Policy;
use crate::value::{Object, Value};
use std::borrow::Cow;

pub use summary::Summary;

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TraceStep<'a> {
    /// The user said something; what, is not kept.
    User,
    /// The agent called a tool.
    Call { tool: Cow<'a, str>, args: Value<'a>, outcome: Outcome<'a> },
    /// The agent replied.
    Reply,
}

/// One recorded conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace<'a> {
    task: Cow<'a, str>,
    user: Option<Cow<'a, str>>,
    world: Option<Value<'a>>,
    steps: Vec<TraceStep<'a>>,
}

/// True if a line is a trace, and not an event of the wire.
///
/// ```
/// assert!(flyball::replay::is_trace(br#"{"task_id": "t", "steps": []}"#));
/// assert!(!flyball::replay::is_trace(br#"{"v": "flyball/1", "type": "turnStarted"}"#));
/// ```
#[must_use]
pub fn is_trace(line: &[u8]) -> bool {
    let Ok(mut reader) = crate::json::Reader::new(line, Limits::default()) else { return false };
    let (mut steps, mut version) = (false, false);
    // A line that is not JSON is left to the reader of events, which says why.
    let read = reader.object(|reader, key| {
        steps |= key == "steps";
        version |= key == "v";
        reader.skip()
    });
    read.is_ok() && steps && !version
}

impl<'a> Trace<'a> {
    /// Reads a line of a trace file. Members that are labels for scoring are not looked at.
    ///
    /// # Errors
    /// The line is no JSON object with `steps`, or a step is no `user`, `reply` or call.
    pub fn read(line: &'a [u8]) -> Result<Trace<'a>, JsonError> {
        let Value::Object(mut members) = crate::json::parse(line, &Limits::default())? else {
            return Err(bad("a trace is an object"));
        };
        let text = |members: &mut Object<'a>, key: &str| match members.remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let Some(Value::Array(steps)) = members.remove("steps") else {
            return Err(bad("a trace has an array `steps`"));
        };
        let steps: Result<Vec<TraceStep<'a>>, JsonError> = steps.into_iter().map(step).collect();
        Ok(Trace {
            task: text(&mut members, "task_id").unwrap_or(Cow::Borrowed("trace")),
            user: text(&mut members, "user_id"),
            world: members.remove("world").filter(|world| world.as_object().is_some()),
            steps: steps?,
        })
    }

    /// How many calls were recorded.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.steps.iter().filter(|step| matches!(step, TraceStep::Call { .. })).count()
    }
}

fn bad(message: &str) -> JsonError {
    JsonError::new(JsonCode::BadJson, 0, message)
}

fn step(step: Value<'_>) -> Result<TraceStep<'_>, JsonError> {
    let Value::Object(mut members) = step else { return Err(bad("a step is an object")) };
    match members.get("type").and_then(Value::as_str) {
        Some("user") => return Ok(TraceStep::User),
        Some("reply") => return Ok(TraceStep::Reply),
        Some("call") | None => {}
        Some(other) => return Err(bad(&format!("a step of type `{other}`; known are `user`, `reply` and `call`"))),
    }
    let Some(Value::String(tool)) = members.remove("tool") else { return Err(bad("a call names its `tool`")) };
    let args = members.remove("args").unwrap_or(Value::Object(Object::new()));
    let result = members.remove("result").unwrap_or_default();
    let outcome = match members.remove("error") {
        None | Some(Value::Null) => Outcome::Ok(result),
        Some(error) => Outcome::Failed { error, effect: None },
    };
    Ok(TraceStep::Call { tool, args, outcome })
}

/// Plays a trace: gives the next event, and takes the decision on it.
#[derive(Clone, Debug)]
pub struct Player<'t> {
    trace: &'t Trace<'t>,
    session: String,
    world: Value<'static>,
    at: usize,
    events: usize,
    phase: Phase,
}

/// Where a player stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Opening,
    /// No user step opens the first turn, so the trace's prompt does.
    FirstTurn,
    Step,
    /// The call before `at` was proposed.
    Proposed,
    /// It was allowed.
    Allowed,
    Closed,
}

impl<'t> Player<'t> {
    /// Plays a trace under a policy, as the session `task-number`. Of the trace's world, or `world` where it has none,
    /// only what the policy reads is sent.
    #[must_use]
    pub fn new(trace: &'t Trace<'t>, policy: &Policy, number: usize, world: Option<&Value<'_>>) -> Player<'t> {
        let world = trace
            .world
            .as_ref()
            .map(|world| policy.prune_world(world))
            .or(world.map(|world| policy.prune_world(world)));
        Player {
            trace,
            session: format!("{}-{number}", trace.task),
            world: world.unwrap_or(Value::Object(Object::new())),
            at: 0,
            events: 0,
            phase: Phase::Opening,
        }
    }

    /// The session's id.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The next event; `None` after the last.
    pub fn next_event(&mut self) -> Option<Event<'t>> {
        let trace = self.trace;
        let body = match self.phase {
            Phase::Opening => {
                let opens_itself = trace.steps.contains(&TraceStep::User);
                self.phase = if opens_itself { Phase::Step } else { Phase::FirstTurn };
                let world = WorldChange::Whole(self.world.clone());
                return Some(self.event(self.opening()).with_world(world));
            }
            Phase::FirstTurn => {
                self.phase = Phase::Step;
                Body::TurnStarted
            }
            Phase::Allowed => {
                self.phase = Phase::Step;
                self.finish()?
            }
            Phase::Step | Phase::Proposed => self.step()?,
            Phase::Closed => return None,
        };
        Some(self.event(body))
    }

    /// Tells what was decided on the event that [`Player::next_event`] gave last. True if a recorded result is left
    /// out because of it.
    pub fn decided(&mut self, decision: &Decision) -> bool {
        if self.phase != Phase::Proposed {
            return false;
        }
        let runs =
            matches!(decision, Decision::Call(call) if matches!(call.verdict, Verdict::Allow(_) | Verdict::Defer));
        self.phase = if runs { Phase::Allowed } else { Phase::Step };
        !runs
    }

    fn event(&mut self, body: Body<'t>) -> Event<'t> {
        let id = format!("e{}", self.events);
        self.events = self.events.saturating_add(1);
        Event::new(id, self.session.clone(), body)
    }

    fn opening(&self) -> Body<'t> {
        let id = self.trace.user.as_deref().map(Cow::Borrowed);
        let nonce = Some(Cow::Owned(self.session.clone()));
        Body::SessionOpened(Opening {
            nonce,
            principal: Principal { id, ..Principal::default() },
            ..Opening::default()
        })
    }

    fn step(&mut self) -> Option<Body<'t>> {
        let number = self.at;
        self.at = self.at.saturating_add(1);
        Some(match self.trace.steps.get(number) {
            Some(TraceStep::User) => Body::TurnStarted,
            Some(TraceStep::Reply) => Body::TurnEnded,
            Some(TraceStep::Call { tool, args, .. }) => {
                self.phase = Phase::Proposed;
                let tool = crate::tool::canonical_name(tool);
                Body::ToolProposed(Call { id: format!("c{number}").into(), tool, args: args.clone() })
            }
            None => {
                self.phase = Phase::Closed;
                Body::SessionClosed
            }
        })
    }

    fn finish(&self) -> Option<Body<'t>> {
        let number = self.at.checked_sub(1)?;
        let Some(TraceStep::Call { outcome, .. }) = self.trace.steps.get(number) else { return None };
        Some(Body::ToolFinished { call: format!("c{number}").into(), outcome: outcome.clone() })
    }
}
