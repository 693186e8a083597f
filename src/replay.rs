//! Recorded conversations back through a policy.
//!
//! A trace is the calls of one conversation with their results, in our own form or as a chat transcript ([`chat`]). A
//! [`Player`] turns it into events, one at a time, and is told each decision: a call that is denied here did not run, so
//! its recorded result is left out. It performs nothing; whoever plays it hands the events to a governor.

pub mod chat;
pub mod ledger;
pub mod restore;
pub mod score;
mod summary;

use crate::decision::{CallDecision, Decision, Verdict};
use crate::event::{Attachment, Beside, Body, Call, Claims, Event, Opening, Outcome, Principal, Said, WorldChange};
use crate::facts::Typed;
use crate::json::{JsonCode, JsonError, Limits};
use crate::policy::Policy;
use crate::value::{Kind, Object, Value};
use std::borrow::Cow;

pub use summary::Summary;

/// One step of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TraceStep<'a> {
    /// The user said something, and what came with it.
    User(Option<Typed<'a>>, Vec<Attachment<'a>>),
    /// The user answered with a code that was asked for: the number of it, from 1.
    Code(usize),
    /// The agent called tools, all at once, and maybe said something beside them.
    Calls(Vec<TraceCall<'a>>, Beside<'a>),
    /// A call ended: its number among all calls, and how.
    Result { call: usize, outcome: Outcome<'a> },
    /// The agent replied; `None` where nobody recorded what.
    Reply(Option<Said<'a>>),
}

/// A call of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TraceCall<'a> {
    id: Cow<'a, str>,
    tool: Cow<'a, str>,
    args: Value<'a>,
    /// Whether the trace says how it ended; a call without a result never finished.
    ends: bool,
}

/// One recorded conversation, in whatever form it was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace<'a> {
    task: Cow<'a, str>,
    user: Option<Cow<'a, str>>,
    /// What the user typed, where no step says it.
    prompt: Option<Typed<'a>>,
    at: Option<Cow<'a, str>>,
    world: Option<Value<'a>>,
    steps: Vec<TraceStep<'a>>,
}

/// True if a line is a recorded conversation, and not an event of the wire: an object with `steps` or `messages`, or a
/// list of messages.
///
/// ```
/// use flyball::replay::is_trace;
///
/// assert!(is_trace(br#"{"task_id": "t", "steps": []}"#));
/// assert!(is_trace(br#"[{"role": "user", "content": "Hello."}]"#));
/// assert!(!is_trace(br#"{"v": "flyball/1", "type": "turnStarted"}"#));
/// ```
#[must_use]
pub fn is_trace(line: &[u8]) -> bool {
    let Ok(mut reader) = crate::json::Reader::new(line, Limits::default()) else { return false };
    if reader.kind().is_ok_and(|kind| kind == Kind::Array) {
        return true;
    }
    let (mut steps, mut version) = (false, false);
    // A line that is not JSON is left to the reader of events, which says why.
    let read = reader.object(|reader, key| {
        steps |= key == "steps" || key == "messages";
        version |= key == "v";
        reader.skip()
    });
    read.is_ok() && steps && !version
}

/// True if a line could be the first of a JSON value written over several: it ends before its value does.
///
/// ```
/// use flyball::replay::goes_on;
///
/// assert!(goes_on(b"{"));
/// assert!(!goes_on(br#"{"steps": []}"#) && !goes_on(b"not JSON"));
/// ```
#[must_use]
pub fn goes_on(line: &[u8]) -> bool {
    let open = line.trim_ascii().first().is_some_and(|first| matches!(first, b'{' | b'['));
    let fails_at = || crate::json::parse(line, &Limits::default()).err().map(|error| error.offset);
    open && fails_at().is_some_and(|offset| offset >= line.trim_ascii_end().len())
}

impl<'a> Trace<'a> {
    /// Reads a conversation: a trace with `steps`, or a transcript in one of the forms that [`chat`] knows. Members
    /// that are labels for scoring are not looked at.
    ///
    /// # Errors
    /// It is no conversation, or something in it is no step or message of its form.
    pub fn read(line: &'a [u8]) -> Result<Trace<'a>, JsonError> {
        Trace::read_in(line, |_, steps| Ok(steps.into_iter().enumerate().collect()))
    }

    /// Reads a conversation; of a trace with `steps` those that `arrange` leaves, in its order, each with its number.
    fn read_in(
        line: &'a [u8],
        arrange: impl Fn(&Object<'a>, Vec<Value<'a>>) -> Result<Vec<(usize, Value<'a>)>, JsonError>,
    ) -> Result<Trace<'a>, JsonError> {
        let (mut members, form) = match crate::json::parse(line, &Limits::default())? {
            Value::Array(messages) => (Object::new(), (chat::steps(messages)?, "chat")),
            Value::Object(mut members) => {
                let form = match (members.remove("steps"), members.remove("messages")) {
                    (Some(Value::Array(steps)), _) => (own_steps(arrange(&members, steps)?)?, "trace"),
                    (None, Some(Value::Array(messages))) => (chat::steps(messages)?, "chat"),
                    _ => return Err(bad("a conversation has an array `steps` or `messages`")),
                };
                (members, form)
            }
            _ => return Err(bad("a conversation is an object, or a list of messages")),
        };
        let mut text = |key: &str| match members.remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        };
        let (steps, task) = form;
        let at = match text("at").map(|at| crate::event::utc(at.clone()).ok_or(at)) {
            None => None,
            Some(Ok(at)) => Some(at),
            Some(Err(at)) => {
                let shown = crate::text::quoted(&at);
                return Err(bad(&format!("`at` is {shown}, not a time like `2031-03-04T09:00:00Z`")));
            }
        };
        Ok(Trace {
            at,
            task: text("task_id").unwrap_or(Cow::Borrowed(task)),
            user: text("user_id"),
            prompt: text("prompt").map(Typed::new),
            world: members.remove("world").filter(|world| world.as_object().is_some()),
            steps,
        })
    }

    fn proposed(&self) -> impl Iterator<Item = &TraceCall<'a>> {
        let calls =
            self.steps.iter().filter_map(|step| if let TraceStep::Calls(calls, _) = step { Some(calls) } else { None });
        calls.flatten()
    }

    /// How many calls were recorded.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.proposed().count()
    }
}

fn bad(message: &str) -> JsonError {
    JsonError::new(JsonCode::BadJson, 0, message)
}

/// The steps of a trace in our own form: each call with how it ended.
fn own_steps(steps: Vec<(usize, Value<'_>)>) -> Result<Vec<TraceStep<'_>>, JsonError> {
    let (mut read, mut calls) = (Vec::new(), 0_usize);
    for (number, step) in steps {
        let Value::Object(mut members) = step else { return Err(bad("a step is an object")) };
        match members.get("type").and_then(Value::as_str) {
            Some("user") => read.push(own_message(members)?),
            Some("reply") => read.push(own_reply(members)?),
            Some("call") | None => {
                let outcome = own_outcome(&mut members);
                let call = own_call(members, number, outcome.is_some())?;
                read.push(TraceStep::Calls(vec![call], Beside::Nothing));
                read.extend(outcome.map(|outcome| TraceStep::Result { call: calls, outcome }));
                calls = calls.saturating_add(1);
            }
            Some(other) => {
                return Err(bad(&format!("a step of type `{other}`; known are `user`, `reply` and `call`")));
            }
        }
    }
    Ok(read)
}

/// What the user said and what came with it.
fn own_message(mut members: Object<'_>) -> Result<TraceStep<'_>, JsonError> {
    let typed = match members.remove("text") {
        Some(Value::String(text)) => match asked_code(&text) {
            Some(number) => return Ok(TraceStep::Code(number)),
            None => Some(Typed::new(text)),
        },
        _ => None,
    };
    let attachments = members.remove("attachments").map(crate::event::attachments_of).transpose();
    Ok(TraceStep::User(typed, attachments.map_err(|reason| bad(&reason))?.unwrap_or_default()))
}

/// `${code.2}`: the code that was asked for second, which no trace can know before it is played.
fn asked_code(text: &str) -> Option<usize> {
    let number = text.trim().strip_prefix("${code.")?.strip_suffix('}')?;
    number.parse().ok().filter(|number| *number > 0)
}

/// What the agent replied, and what it claims.
fn own_reply(mut members: Object<'_>) -> Result<TraceStep<'_>, JsonError> {
    let claims = members.remove("claims").filter(|claims| !claims.is_null());
    let claims = claims.map(Claims::of).transpose().map_err(|reason| bad(&reason))?;
    Ok(TraceStep::Reply(match members.remove("text") {
        Some(Value::String(text)) => Some(Said { text, claims }),
        _ => None,
    }))
}

fn own_call(mut members: Object<'_>, number: usize, ends: bool) -> Result<TraceCall<'_>, JsonError> {
    let Some(Value::String(tool)) = members.remove("tool") else { return Err(bad("a call names its `tool`")) };
    let args = members.remove("args").unwrap_or(Value::Object(Object::new()));
    Ok(TraceCall { id: call_id(number).into(), tool, args, ends })
}

/// The id of the call that a step is, in our own form.
fn call_id(step: usize) -> String {
    format!("c{step}")
}

/// How a call ended; `None` where the trace has no result of it. A `null` that is written out is a result, and no error.
fn own_outcome<'a>(members: &mut Object<'a>) -> Option<Outcome<'a>> {
    let result = members.remove("result").map(|result| Outcome::Ok { result, effect: None });
    match members.remove("error") {
        None | Some(Value::Null) => result,
        Some(error) => Some(Outcome::Failed { error, effect: None }),
    }
}

/// Plays a trace: gives the next event, and takes the decision on it.
#[derive(Clone, Debug)]
pub struct Player<'t> {
    trace: &'t Trace<'t>,
    session: String,
    world: Value<'static>,
    time: Option<Cow<'t, str>>,
    at: usize,
    events: usize,
    /// The calls proposed so far, and whether each may run.
    calls: Vec<(&'t TraceCall<'t>, bool)>,
    /// The codes that were asked for.
    codes: Vec<String>,
    phase: Phase,
}

/// Where a player stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Opening,
    /// No user step opens the first turn, so the trace's prompt does.
    FirstTurn,
    Step,
    /// A reply went out, with which the turn ends.
    Replied,
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
            time: trace.at.clone(),
            at: 0,
            events: 0,
            calls: Vec::new(),
            codes: Vec::new(),
            phase: Phase::Opening,
        }
    }

    /// The host's clock during the whole conversation, in the form that [`utc`](crate::event::utc) gives, where the trace
    /// does not say it.
    #[must_use]
    pub fn at(mut self, time: Option<&'t str>) -> Player<'t> {
        self.time = self.time.or(time.map(Cow::Borrowed));
        self
    }

    /// The session's id.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The next event; `None` after the last.
    pub fn next_event(&mut self) -> Option<Event<'t>> {
        let body = match self.phase {
            Phase::Opening => {
                let opens_itself =
                    self.trace.steps.iter().any(|step| matches!(step, TraceStep::User(..) | TraceStep::Code(_)));
                self.phase = if opens_itself { Phase::Step } else { Phase::FirstTurn };
                let world = WorldChange::Whole(std::mem::take(&mut self.world));
                return Some(self.event(self.opening()).with_world(world));
            }
            Phase::FirstTurn => {
                self.phase = Phase::Step;
                Body::turn(self.trace.prompt.clone())
            }
            Phase::Replied => {
                self.phase = Phase::Step;
                Body::TurnEnded
            }
            Phase::Step => self.step(),
            Phase::Closed => return None,
        };
        Some(self.event(body))
    }

    /// Tells what was decided on the event that [`Player::next_event`] gave last. Gives how many recorded results are
    /// left out because of it.
    pub fn decided(&mut self, decision: &Decision) -> usize {
        if decision.reply().is_some() && matches!(decision, Decision::Reply(_)) {
            self.phase = Phase::Replied;
        }
        let decided: &[CallDecision] = match decision {
            Decision::Call(call) => std::slice::from_ref(call),
            Decision::Calls { calls, .. } => calls,
            _ => &[],
        };
        let before = self.calls.len().saturating_sub(decided.len());
        let mut left_out: usize = 0;
        for ((call, runs), decided) in self.calls.iter_mut().skip(before).zip(decided) {
            *runs = matches!(decided.verdict, Verdict::Allow(_) | Verdict::Defer(_));
            let asked = if let Verdict::Ask(ask) = &decided.verdict { ask.request.as_ref() } else { None };
            self.codes.extend(asked.and_then(|asked| asked.code.as_ref()).map(|coded| coded.code.clone()));
            left_out = left_out.saturating_add(usize::from(!*runs && call.ends));
        }
        left_out
    }

    fn event(&mut self, body: Body<'t>) -> Event<'t> {
        let id = format!("e{}", self.events);
        self.events = self.events.saturating_add(1);
        let event = Event::new(id, self.session.clone(), body);
        if self.time.is_some() { event.with_time(self.time.clone()) } else { event }
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

    fn step(&mut self) -> Body<'t> {
        loop {
            let number = self.at;
            self.at = self.at.saturating_add(1);
            match self.trace.steps.get(number) {
                Some(TraceStep::User(typed, attachments)) => {
                    return Body::TurnStarted { typed: typed.clone(), attachments: attachments.clone() };
                }
                Some(TraceStep::Code(number)) => {
                    let code = number.checked_sub(1).and_then(|at| self.codes.get(at));
                    return Body::turn(code.cloned().map(Typed::new));
                }
                Some(TraceStep::Reply(Some(said))) => return Body::ReplyProposed(said.clone()),
                Some(TraceStep::Reply(None)) => return Body::TurnEnded,
                Some(TraceStep::Calls(calls, beside)) => return self.propose(calls, beside),
                Some(TraceStep::Result { call, outcome }) => {
                    if let Some((call, true)) = self.calls.get(*call) {
                        return Body::ToolFinished { call: call.id.clone(), outcome: outcome.clone() };
                    }
                }
                None => {
                    self.phase = Phase::Closed;
                    return Body::SessionClosed;
                }
            }
        }
    }

    fn propose(&mut self, calls: &'t [TraceCall<'t>], beside: &Beside<'t>) -> Body<'t> {
        self.calls.extend(calls.iter().map(|call| (call, false)));
        let call = |call: &'t TraceCall<'t>| Call {
            id: call.id.clone(),
            tool: crate::tool::canonical_name(&call.tool),
            args: call.args.clone(),
            cwd: None,
        };
        match (calls, beside) {
            ([one], Beside::Nothing) => Body::ToolProposed(call(one)),
            (many, beside) => Body::ModelTurn { calls: many.iter().map(call).collect(), text: beside.clone() },
        }
    }
}

#[cfg(test)]
mod tests;
