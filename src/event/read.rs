//! Gate 1: from bytes to an event, or a rejection with its code. Members may come in any order; unknown ones are
//! refused outside `ext`.
//!
//! A finished call whose *result* cannot be read is no rejection but an outcome, `unreadable`: the call ran, and what
//! it did is unknown. The envelope must then stand before it and be readable on its own, so hosts put `result` last.

mod salvage;

use super::approval::{self, Approval};
use super::attachment::{self, Attachment};
use super::reply::Claims;
use super::{Beside, Body, Call, Event, EventSalt, Opening, Outcome, Principal, Said, Unknown, WIRE, WorldChange};
use crate::canon::Digest;
use crate::context::Answer;
use crate::decimal::Decimal;
use crate::facts::Typed;
use crate::json::{JsonCode, JsonError, Limits, Reader};
use crate::tool::canonical_name;
use crate::value::{Kind, Object, Value};
use salvage::{rejection, unreadable_result};
use std::borrow::Cow;

/// Why an input is refused. Nothing changed; a host treats it as a deny.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Rejection {
    /// The stable code.
    pub code: &'static str,
    /// What is wrong, where, and what to do.
    pub message: String,
    /// The event's id, as far as it could be read.
    pub id: Option<Box<str>>,
    /// The session, as far as it could be read.
    pub session: Option<Box<str>>,
    /// How many bytes were refused.
    pub length: usize,
    /// SHA-256 of them.
    pub digest: Digest,
}

/// Reads one event.
///
/// # Errors
/// Anything that is not exactly one event of the wire, within 32 MiB and 64 levels.
///
/// ```
/// use flyball::event::read;
///
/// let line = br#"{"v":"flyball/1","type":"toolProposed","id":"e2","session":"s1","call":"c1","tool":"refund","args":{"amount":20}}"#;
/// assert_eq!(read(line).unwrap().body.name(), "toolProposed");
///
/// let line = br#"{"v":"flyball/1","type":"toolProposed","id":"e2","session":"s1","call":"c1","tool":"refund","args":{"amount":20,"amount":9000}}"#;
/// assert_eq!(read(line).unwrap_err().code, "duplicate_key");
/// ```
pub fn read(bytes: &[u8]) -> Result<Event<'_>, Rejection> {
    let mut raw = Raw::default();
    let outcome = raw.read(bytes).and_then(|reader| raw.envelope(&reader));
    let error = match outcome {
        Ok(envelope) => match raw.body(&envelope) {
            Ok(body) => return Ok(envelope.event(bytes, raw.world, body)),
            Err(error) => error,
        },
        Err(error) => error,
    };
    match unreadable_result(bytes, &error) {
        Some(event) => Ok(event),
        None => Err(rejection(bytes, &error)),
    }
}

/// The members of every type of event, as far as they are there.
#[derive(Debug, Default)]
struct Raw<'a> {
    seen: u64,
    worlds: u8,
    version: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
    id: Option<Cow<'a, str>>,
    session: Option<Cow<'a, str>>,
    agent: Option<Cow<'a, str>>,
    at: Option<Cow<'a, str>>,
    salt: EventSalt<'a>,
    turn: Option<u32>,
    world: WorldChange<'a>,
    opening: Opening<'a>,
    call: Option<Cow<'a, str>>,
    tool: Option<Cow<'a, str>>,
    server: Option<Cow<'a, str>>,
    args: Option<Value<'a>>,
    cwd: Option<Cow<'a, str>>,
    calls: Option<Vec<Call<'a>>>,
    result: Option<Value<'a>>,
    error: Option<Value<'a>>,
    outcome: Option<Unknown>,
    effect: Option<bool>,
    answers: Option<Vec<Answer>>,
    text: Option<Cow<'a, str>>,
    claims: Option<Claims<'a>>,
    attachments: Vec<Attachment<'a>>,
    approval: approval::Partial<'a>,
    approvals: Option<Vec<Approval<'a>>>,
    remembered: Option<Cow<'a, str>>,
}

/// The members that every event may carry.
const ENVELOPE: &[&str] = &["v", "type", "id", "session", "agent", "turn", "at", "salt", "ext"];

/// Every member beside the envelope; its place here is its bit in [`Raw::seen`].
const MEMBERS: &[&str] = &[
    "tenant",
    "run",
    "nonce",
    "root",
    "parent",
    "principal",
    "scopes",
    "limits",
    "world",
    "text",
    "attachments",
    "worldPatch",
    "calls",
    "usage",
    "batch",
    "call",
    "tool",
    "server",
    "args",
    "cwd",
    "result",
    "error",
    "outcome",
    "effect",
    "answers",
    "digest",
    "granted",
    "approver",
    "edit",
    "remember",
    "decisions",
    "remembered",
    "claims",
    "capabilities",
];

/// The members of each type beside the envelope.
const TYPES: &[(&str, &[&str])] = &[
    (
        "sessionOpened",
        &["tenant", "run", "nonce", "root", "parent", "principal", "scopes", "capabilities", "limits", "world"],
    ),
    ("turnStarted", &["text", "attachments", "world", "worldPatch"]),
    ("modelTurn", &["text", "calls", "usage", "batch", "world", "worldPatch"]),
    ("toolProposed", &["call", "tool", "server", "args", "cwd", "world", "worldPatch"]),
    ("toolStarted", &["call"]),
    ("toolFinished", &["call", "result", "error", "outcome", "effect", "usage", "world", "worldPatch"]),
    ("replyProposed", &["text", "claims", "world", "worldPatch"]),
    ("replyDelta", &["text"]),
    ("replyEnd", &["claims", "world", "worldPatch"]),
    ("answers", &["call", "answers"]),
    (
        "approvalDecided",
        &["call", "digest", "granted", "approver", "edit", "remember", "decisions", "world", "worldPatch"],
    ),
    ("approvalRevoked", &["remembered"]),
    ("worldChanged", &["world", "worldPatch"]),
    ("turnEnded", &[]),
    ("sessionClosed", &[]),
];

/// What every event has, checked.
struct Envelope<'a> {
    kind: &'static str,
    id: Cow<'a, str>,
    session: Cow<'a, str>,
    agent: Option<Cow<'a, str>>,
    turn: Option<u32>,
    at: Option<Cow<'a, str>>,
    salt: EventSalt<'a>,
    end: usize,
}

impl<'a> Envelope<'a> {
    fn event(self, bytes: &[u8], world: WorldChange<'a>, body: Body<'a>) -> Event<'a> {
        let Envelope { id, session, agent, turn, at, salt, .. } = self;
        Event { id, session, agent, turn, at, salt, digest: Digest::of(bytes), world, body }
    }
}

fn fail<T>(code: JsonCode, offset: usize, message: String) -> Result<T, JsonError> {
    Err(JsonError::new(code, offset, message))
}

impl<'a> Raw<'a> {
    fn read(&mut self, bytes: &'a [u8]) -> Result<Reader<'a>, JsonError> {
        let mut reader = Reader::new(bytes, Limits::default())?;
        reader.object(|reader, key| self.member(reader, &key))?;
        reader.finish()?;
        Ok(reader)
    }

    fn member(&mut self, reader: &mut Reader<'a>, key: &str) -> Result<(), JsonError> {
        match key {
            "v" => self.version = Some(name(reader)?),
            "type" => self.kind = Some(name(reader)?),
            "id" => self.id = Some(name(reader)?),
            "session" => self.session = Some(name(reader)?),
            "agent" => self.agent = Some(name(reader)?),
            "at" => self.at = Some(time(reader)?),
            "salt" => self.salt = EventSalt::Host(name(reader)?),
            "turn" => self.turn = Some(whole(reader, "turn")?),
            "ext" => reader.skip()?,
            _ => return self.own_member(reader, key),
        }
        Ok(())
    }

    /// A member that only some types of events have.
    fn own_member(&mut self, reader: &mut Reader<'a>, key: &str) -> Result<(), JsonError> {
        let Some(place) = MEMBERS.iter().position(|known| *known == key) else {
            let all: Vec<&str> = ENVELOPE.iter().chain(self.own_members()).copied().collect();
            return Err(reader.unknown_member(key, &all));
        };
        self.seen |= 1 << place;
        match key {
            "world" => {
                self.worlds = self.worlds.saturating_add(1);
                self.world = WorldChange::Whole(object(reader, "world")?);
            }
            "worldPatch" => {
                self.worlds = self.worlds.saturating_add(1);
                self.world = WorldChange::Patch(object(reader, "worldPatch")?);
            }
            "tenant" => self.opening.tenant = Some(name(reader)?),
            "run" => self.opening.run = Some(name(reader)?),
            "nonce" => self.opening.nonce = Some(name(reader)?),
            "principal" => self.opening.principal = principal(reader)?,
            "scopes" => self.opening.scopes = Some(strings(reader)?),
            "capabilities" => self.opening.capabilities = Some(capabilities(reader)?),
            "limits" => self.opening.limits = limits(reader)?,
            "call" => self.call = Some(name(reader)?),
            "tool" => self.tool = Some(name(reader)?),
            "server" => self.server = Some(filled(name(reader)?, "server")?),
            "args" => self.args = Some(reader.value()?),
            "cwd" => self.cwd = Some(filled(reader.string()?, "cwd")?),
            "calls" => self.calls = Some(calls(reader)?),
            "result" => self.result = Some(reader.value()?),
            "error" => self.error = Some(reader.value()?),
            "effect" => self.effect = Some(reader.bool()?),
            "outcome" => self.outcome = Some(unknown(reader)?),
            "answers" => self.answers = Some(answers(reader)?),
            "attachments" => self.attachments = attachment::read(reader)?,
            "digest" | "granted" | "approver" | "edit" | "remember" => self.approval.member(reader, key)?,
            "decisions" => self.approvals = Some(approval::list(reader)?),
            "remembered" => self.remembered = Some(filled(name(reader)?, "remembered")?),
            "text" => self.text = Some(reader.string()?),
            "claims" => self.claims = Some(Claims::read(reader)?),
            // What no rule reads: checked to be well-formed, and dropped.
            _ => reader.skip()?,
        }
        Ok(())
    }

    /// The members beside the envelope that may be there, as far as the type is known yet.
    fn own_members(&self) -> &'static [&'static str] {
        let known = TYPES.iter().find(|(kind, _)| self.kind.as_deref() == Some(*kind));
        known.map_or(MEMBERS, |(_, members)| members)
    }

    /// The members beside the envelope that are there.
    fn members(&self) -> impl Iterator<Item = &'static str> + use<> {
        let seen = self.seen;
        MEMBERS.iter().enumerate().filter(move |(place, _)| seen & (1 << place) != 0).map(|(_, member)| *member)
    }

    fn envelope(&mut self, reader: &Reader<'a>) -> Result<Envelope<'a>, JsonError> {
        let missing = |key: &str| reader.missing_member(key);
        let version = self.version.take().ok_or_else(|| missing("v"))?;
        if version != WIRE {
            return fail(JsonCode::BadJson, 0, format!("`v` is `{version}`, and this program speaks `{WIRE}`"));
        }
        let named = self.kind.take().ok_or_else(|| missing("type"))?;
        let Some((kind, members)) = TYPES.iter().find(|(kind, _)| *kind == named) else {
            let near = crate::diagnostic::did_you_mean(&named, TYPES.iter().map(|(kind, _)| *kind));
            let error = JsonError::new(JsonCode::UnknownMember, 0, format!("`{named}` is no type of event"));
            return Err(near.into_iter().fold(error, JsonError::help));
        };
        if let Some(stray) = self.members().find(|member| !members.contains(member)) {
            return fail(JsonCode::UnknownMember, 0, format!("a `{kind}` has no member `{stray}`"));
        }
        if self.worlds > 1 {
            return fail(JsonCode::BadJson, 0, "`world` and `worldPatch` in one event: send one of them".into());
        }
        let id = filled(self.id.take().ok_or_else(|| missing("id"))?, "id")?;
        let session = filled(self.session.take().ok_or_else(|| missing("session"))?, "session")?;
        Ok(Envelope {
            kind,
            id,
            session,
            agent: self.agent.take(),
            turn: self.turn,
            at: self.at.take(),
            salt: std::mem::take(&mut self.salt),
            end: reader.offset(),
        })
    }

    fn body(&mut self, envelope: &Envelope<'a>) -> Result<Body<'a>, JsonError> {
        let missing =
            |key: &str| JsonError::new(JsonCode::MissingMember, envelope.end, format!("missing member `{key}`"));
        let call = self.call.take().map(|call| filled(call, "call")).transpose()?;
        let about = call.clone();
        let call = |key| call.clone().ok_or_else(|| missing(key));
        Ok(match envelope.kind {
            "sessionOpened" => Body::SessionOpened(std::mem::take(&mut self.opening)),
            "turnStarted" => {
                let typed = self.text.take().map(Typed::new);
                Body::TurnStarted { typed, attachments: std::mem::take(&mut self.attachments) }
            }
            "modelTurn" => {
                let calls = self.calls.take().ok_or_else(|| missing("calls"))?;
                Body::ModelTurn { calls, text: self.text.take().map(Beside::of).unwrap_or_default() }
            }
            "toolProposed" => {
                let tool = filled(self.tool.take().ok_or_else(|| missing("tool"))?, "tool")?;
                let args = self.args.take().unwrap_or(Value::Object(Object::new()));
                let tool = full_name(self.server.take(), tool);
                Body::ToolProposed(Call { id: call("call")?, tool, args, cwd: self.cwd.take() })
            }
            "toolStarted" => Body::ToolStarted { call: call("call")? },
            "toolFinished" => Body::ToolFinished { call: call("call")?, outcome: self.outcome(envelope.end)? },
            "replyProposed" => {
                let text = self.text.take().ok_or_else(|| missing("text"))?;
                Body::ReplyProposed(Said { text, claims: self.claims.take() })
            }
            "replyDelta" => Body::ReplyDelta { text: self.text.take().ok_or_else(|| missing("text"))? },
            "replyEnd" => Body::ReplyEnd { claims: self.claims.take(), streamed: None },
            "answers" => Body::Answers { call: about, answers: self.answers.take().ok_or_else(|| missing("answers"))? },
            "approvalDecided" => {
                let (list, one) = (self.approvals.take(), std::mem::take(&mut self.approval));
                Body::ApprovalDecided(approval::decided(list, one, call("call").ok(), envelope.end)?)
            }
            "approvalRevoked" => {
                Body::ApprovalRevoked { remembered: self.remembered.take().ok_or_else(|| missing("remembered"))? }
            }
            "worldChanged" if self.world == WorldChange::None => return Err(missing("worldPatch")),
            "worldChanged" => Body::WorldChanged,
            "turnEnded" => Body::TurnEnded,
            _ => Body::SessionClosed,
        })
    }

    fn outcome(&mut self, end: usize) -> Result<Outcome<'a>, JsonError> {
        let (result, error) = (self.result.take(), self.error.take());
        if self.effect.is_some() && error.is_none() && result.is_none() {
            return fail(
                JsonCode::UnknownMember,
                end,
                "`effect` says whether a call took effect; it goes with `result` or `error`".into(),
            );
        }
        match (result, error, self.outcome) {
            (Some(result), None, None) => Ok(Outcome::Ok { result, effect: self.effect }),
            (None, Some(error), None) => Ok(Outcome::Failed { error, effect: self.effect }),
            (None, None, Some(unknown)) => Ok(Outcome::Unknown(unknown)),
            (None, None, None) => {
                fail(JsonCode::MissingMember, end, "missing member `result`, `error` or `outcome`".into())
            }
            _ => fail(JsonCode::BadJson, end, "a call ends with `result`, `error` or `outcome`, one of them".into()),
        }
    }
}

/// A key without which nothing may be decided.
pub(super) fn filled<'a>(text: Cow<'a, str>, key: &str) -> Result<Cow<'a, str>, JsonError> {
    if text.is_empty() { fail(JsonCode::MissingMember, 0, format!("`{key}` is empty")) } else { Ok(text) }
}

fn full_name<'a>(server: Option<Cow<'a, str>>, tool: Cow<'a, str>) -> Cow<'a, str> {
    match server {
        Some(server) => Cow::Owned(format!("{server}/{tool}")),
        None => match canonical_name(&tool) {
            Cow::Borrowed(_) => tool,
            Cow::Owned(name) => Cow::Owned(name),
        },
    }
}

fn object<'a>(reader: &mut Reader<'a>, key: &str) -> Result<Value<'a>, JsonError> {
    if reader.kind()? == Kind::Object {
        return reader.value();
    }
    Err(reader.error(JsonCode::BadJson, format!("`{key}` must be an object")))
}

pub(super) fn whole<N: TryFrom<u64>>(reader: &mut Reader<'_>, key: &str) -> Result<N, JsonError> {
    let number = reader.number()?;
    let found = number.to_u64().and_then(|found| N::try_from(found).ok());
    found.ok_or_else(|| reader.error(JsonCode::BadNumber, format!("`{key}` is {number}, not a whole number from 0")))
}

/// The most bytes of a name: an id, a tool, a session.
pub(super) const MAX_NAME: usize = 512;

/// A name of the envelope or of a call. Names stand in every record, so they are short.
pub(super) fn name<'a>(reader: &mut Reader<'a>) -> Result<Cow<'a, str>, JsonError> {
    let text = reader.string()?;
    if text.len() > MAX_NAME {
        return Err(reader.error(JsonCode::TooLarge, format!("a name of {} bytes, more than {MAX_NAME}", text.len())));
    }
    Ok(text)
}

/// A time as the records write it: RFC 3339 in UTC with six digits of a second. `None` where the text is no such time.
///
/// ```
/// use flyball::event::utc;
///
/// assert_eq!(utc("2031-03-04T09:00:00Z".into()).as_deref(), Some("2031-03-04T09:00:00.000000Z"));
/// assert_eq!(utc("2031-03-04T09:00:00-05:00".into()), None);
/// ```
#[must_use]
pub fn utc(text: Cow<'_, str>) -> Option<Cow<'_, str>> {
    let sound = crate::schema::Format::DateTime.matches(&text) && text.as_bytes().get(10) == Some(&b'T');
    let (seconds, fraction) = text.strip_suffix('Z').and_then(|text| text.split_at_checked(19)).filter(|_| sound)?;
    if text.len() == 27 {
        return Some(text);
    }
    let digits: String = fraction.chars().skip(1).chain(std::iter::repeat('0')).take(6).collect();
    Some(format!("{seconds}.{digits}Z").into())
}

fn time<'a>(reader: &mut Reader<'a>) -> Result<Cow<'a, str>, JsonError> {
    let text = reader.string()?;
    let shown = crate::text::quoted(&text);
    utc(text).ok_or_else(|| {
        reader.error(JsonCode::BadText, format!("`at` is {shown}, not a time like `2031-03-04T09:00:00Z`"))
    })
}

fn strings<'a>(reader: &mut Reader<'a>) -> Result<Vec<Cow<'a, str>>, JsonError> {
    let mut strings = Vec::new();
    reader.array(|reader| {
        strings.push(reader.string()?);
        Ok(())
    })?;
    Ok(strings)
}

/// What a host can do: words that are known, for a host that misspells one relies on what it has not got.
fn capabilities<'a>(reader: &mut Reader<'a>) -> Result<Vec<Cow<'a, str>>, JsonError> {
    let words = strings(reader)?;
    match words.iter().find(|word| !Opening::CAPABILITIES.contains(&word.as_ref())) {
        Some(unknown) => {
            let known = Opening::CAPABILITIES.join("`, `");
            let message = format!("{} is no capability; known is `{known}`", crate::text::quoted(unknown));
            Err(reader.error(JsonCode::BadJson, message))
        }
        None => Ok(words),
    }
}

fn principal<'a>(reader: &mut Reader<'a>) -> Result<Principal<'a>, JsonError> {
    let mut principal = Principal::default();
    reader.object(|reader, key| {
        match key.as_ref() {
            "id" => principal.id = Some(reader.string()?),
            "roles" => principal.roles = strings(reader)?,
            "attributes" => principal.attributes = Some(object(reader, "attributes")?),
            key => return Err(reader.unknown_member(key, &["id", "roles", "attributes"])),
        }
        Ok(())
    })?;
    Ok(principal)
}

fn limits<'a>(reader: &mut Reader<'a>) -> Result<Vec<(Cow<'a, str>, Decimal)>, JsonError> {
    let mut limits = Vec::new();
    reader.object(|reader, key| {
        let max = reader.number()?;
        if max.is_negative() {
            return Err(reader.error(JsonCode::BadNumber, format!("the limit `{key}` is {max}, not a number from 0")));
        }
        limits.push((key, max));
        Ok(())
    })?;
    Ok(limits)
}

fn calls<'a>(reader: &mut Reader<'a>) -> Result<Vec<Call<'a>>, JsonError> {
    let mut calls = Vec::new();
    reader.array(|reader| {
        let (mut id, mut tool, mut server, mut args, mut cwd) = (None, None, None, None, None);
        reader.object(|reader, key| {
            match key.as_ref() {
                "id" => id = Some(filled(name(reader)?, "id")?),
                "tool" => tool = Some(filled(name(reader)?, "tool")?),
                "server" => server = Some(filled(name(reader)?, "server")?),
                "args" => args = Some(reader.value()?),
                "cwd" => cwd = Some(filled(reader.string()?, "cwd")?),
                key => return Err(reader.unknown_member(key, &["id", "tool", "server", "args", "cwd"])),
            }
            Ok(())
        })?;
        let id = id.ok_or_else(|| reader.missing_member("id"))?;
        let tool = full_name(server, tool.ok_or_else(|| reader.missing_member("tool"))?);
        calls.push(Call { id, tool, args: args.unwrap_or(Value::Object(Object::new())), cwd });
        Ok(())
    })?;
    Ok(calls)
}

fn unknown(reader: &mut Reader<'_>) -> Result<Unknown, JsonError> {
    let word = reader.string()?;
    let known = Unknown::WORDS.iter().find(|(known, _)| *known == word).map(|(_, unknown)| *unknown);
    known.ok_or_else(|| {
        reader.error(JsonCode::BadJson, format!("`outcome` is `{word}`, not `timed_out` or `interrupted`"))
    })
}

fn answers(reader: &mut Reader<'_>) -> Result<Vec<Answer>, JsonError> {
    let mut answers = Vec::new();
    reader.array(|reader| {
        let (mut query, mut value, mut failed) = (None, None, false);
        reader.object(|reader, key| {
            match key.as_ref() {
                "query" => query = Some(name(reader)?.into_owned()),
                "value" => value = Some(reader.value()?.into_owned()),
                "failure" => {
                    failed = true;
                    reader.skip()?;
                }
                key => return Err(reader.unknown_member(key, &["query", "value", "failure"])),
            }
            Ok(())
        })?;
        if value.is_some() == failed {
            return Err(reader.error(JsonCode::BadJson, "an answer has a `value` or a `failure`"));
        }
        answers.push(Answer { query: query.ok_or_else(|| reader.missing_member("query"))?, value });
        Ok(())
    })?;
    Ok(answers)
}
