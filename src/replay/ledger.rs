//! A ledger back to its events, and the events back through a policy.
//!
//! [`Events`] joins the records of a run to the events they tell of. [`Rederiver`] decides each event again and compares
//! the records it would write, byte for byte. An event whose inputs are gone cannot be made again; what is recorded of
//! its calls is noted, so that later events stand on the right state, and a difference behind such a gap is no verdict.

use crate::canon::Digest;
use crate::context::Answer;
use crate::decision::{Decision, TurnRefusal};
use crate::event::{
    Attachment, Beside, Body, Call, Claims, Event, EventSalt, Opening, Outcome, Principal, Said, Unknown, WorldChange,
    approvals_of, attachments_of,
};
use crate::facts::Typed;
use crate::json::{Limits, parse};
use crate::ledger::{Chain, RecordKind, Salt};
use crate::policy::Policy;
use crate::session::{Session, Step, decide};
use crate::value::{Object, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The values file of a run: each reference with its salt and its bytes.
pub type StoredValues = BTreeMap<Digest, (Salt, Vec<u8>)>;

/// Why the inputs of an event are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lost {
    /// A secret that was not kept.
    Masked,
    /// A value that is no longer in the values file.
    Erased,
    /// An event that was refused: it did nothing, and of most no more is kept than their outline.
    Refused,
    /// An event that was never answered: a crash left only the first of its records.
    Unanswered,
    /// An event after such a gap whose decision came out differently, which proves nothing.
    BehindGap,
}

impl Lost {
    /// The stable word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Lost::Masked => "masked",
            Lost::Erased => "erased",
            Lost::Refused => "refused",
            Lost::Unanswered => "unanswered",
            Lost::BehindGap => "behind_gap",
        }
    }
}

/// A ledger that is no record of a session of this format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("record {seq}: {reason}; run `verify` first")]
pub struct BadLedger {
    /// The record.
    pub seq: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// One event of a ledger, with its records.
#[derive(Clone, Debug)]
pub struct LedgerEvent {
    /// The number of its first record.
    pub seq: u64,
    /// The hash of the record before it.
    pub prev: Digest,
    /// Its lines, line feeds included.
    pub lines: Vec<Vec<u8>>,
    /// The verdicts that are recorded, by call.
    pub verdicts: Vec<(String, String)>,
    /// The event, or why it cannot be made again.
    pub event: Result<Event<'static>, Lost>,
    /// True if a turn begins with it, which is known even where the text is not.
    pub begins_turn: bool,
    /// What was decided on that turn, where guards judged it.
    pub turn: Option<String>,
    /// What was decided on its reply, which is known even where the text is not.
    pub reply: Option<String>,
    /// The tools of its calls, which are known even where the arguments are not.
    pub tools: Vec<(String, String)>,
    /// The first code that each refused call was matched by.
    pub refused: Vec<(String, String)>,
    /// Of an event that was refused what is recorded of it.
    pub(super) outline: Option<Event<'static>>,
    /// True for the record of an event, or of bytes that were none, that was not acted on.
    pub(super) was_rejected: bool,
}

/// A record, read.
#[derive(Debug)]
struct Line {
    seq: u64,
    prev: Digest,
    kind: RecordKind,
    at: Option<String>,
    data: Object<'static>,
    bytes: Vec<u8>,
}

/// Joins records to events.
#[derive(Debug, Default)]
pub struct Events {
    session: String,
    open: Option<Open>,
    read: u64,
}

/// An event of which more records follow.
#[derive(Debug)]
struct Open {
    first: Line,
    calls: u64,
    lines: Vec<Line>,
}

impl Events {
    /// The next line of the run, without its line feed. Gives the event that is complete with it, behind one that is not
    /// and never will be; the file's own records give none of their own.
    ///
    /// # Errors
    /// The line is no record, or not one that can stand here.
    pub fn push(&mut self, line: &[u8], values: &StoredValues) -> Result<Vec<LedgerEvent>, BadLedger> {
        let line = read_line(line, self.read)?;
        self.read = line.seq.saturating_add(1);
        if let Some(mut open) = self.open.take_if(|_| line.goes_on()) {
            open.lines.push(line);
            if open.is_complete() {
                return Ok(vec![self.join(open, values)]);
            }
            self.open = Some(open);
            return Ok(Vec::new());
        }
        let mut told: Vec<LedgerEvent> = self.end(values).into_iter().collect();
        told.extend(self.begin(line, values));
        Ok(told)
    }

    /// The event whose last records are not there, now that no line follows that goes on with it.
    pub fn end(&mut self, values: &StoredValues) -> Option<LedgerEvent> {
        let open = self.open.take()?;
        Some(LedgerEvent { event: Err(Lost::Unanswered), ..self.join(open, values) })
    }

    /// An event's first line; complete if no more belong to it.
    fn begin(&mut self, line: Line, values: &StoredValues) -> Option<LedgerEvent> {
        let calls = match line.kind {
            RecordKind::SegmentSeal | RecordKind::DataErased | RecordKind::LogRecovered => return None,
            RecordKind::ModelTurn => number(&line.data, "calls").unwrap_or(0),
            RecordKind::QueryAnswer => 1,
            _ => 0,
        };
        let open = Open { first: line, calls, lines: Vec::new() };
        if open.is_complete() {
            return Some(self.join(open, values));
        }
        self.open = Some(open);
        None
    }

    fn join(&mut self, open: Open, values: &StoredValues) -> LedgerEvent {
        let all = || std::iter::once(&open.first).chain(&open.lines);
        let decisions = || all().filter(|line| line.kind == RecordKind::GuardDecision);
        let verdict = |line: &Line| Some((text(&line.data, "call")?, text(&line.data, "decision")?));
        let tool = |line: &Line| Some((text(&line.data, "call")?, text(&line.data, "tool")?));
        let refused = |line: &Line| {
            let Some(Value::Array(codes)) = line.data.get("matched") else { return None };
            let code = codes.first().and_then(Value::as_str)?;
            (text(&line.data, "decision")? == "deny").then_some((text(&line.data, "call")?, code.to_owned()))
        };
        let event = self.event(&open, values);
        LedgerEvent {
            seq: open.first.seq,
            prev: open.first.prev,
            verdicts: decisions().filter_map(verdict).collect(),
            tools: decisions().filter_map(tool).collect(),
            refused: decisions().filter_map(refused).collect(),
            begins_turn: open.first.kind == RecordKind::TurnOpen,
            turn: text(&open.first.data, "decision").filter(|_| open.first.kind == RecordKind::TurnOpen),
            reply: all()
                .find(|line| line.kind == RecordKind::ReplyDecision)
                .and_then(|line| text(&line.data, "decision")),
            outline: self.outline(&open.first, values),
            was_rejected: open.first.kind == RecordKind::EventRejected,
            event,
            lines: all().map(|line| line.bytes.clone()).collect(),
        }
    }

    fn event(&mut self, open: &Open, values: &StoredValues) -> Result<Event<'static>, Lost> {
        let data = &open.first.data;
        if let Some(session) = text(data, "session") {
            self.session = session;
        }
        let body = self.body(open, values)?;
        let envelope = data.get("event").and_then(Value::as_object).ok_or(Lost::Refused)?;
        let digest = text(envelope, "digest").and_then(|hex| hex.parse().ok()).ok_or(Lost::Refused)?;
        let salts = std::iter::once(&open.first).chain(&open.lines).flat_map(|line| salts(&line.data, values));
        Ok(Event {
            id: text(envelope, "id").unwrap_or_default().into(),
            session: self.session.clone().into(),
            agent: text(envelope, "agent").map(Cow::Owned),
            turn: number(envelope, "turn").and_then(|turn| u32::try_from(turn).ok()),
            at: open.first.at.clone().map(Cow::Owned),
            salt: EventSalt::Known(salts.collect()),
            digest,
            world: world(data, values)?,
            body,
        })
    }

    /// An event that was refused, as far as it is recorded: whole, where it is an answer of a person.
    fn outline(&self, line: &Line, values: &StoredValues) -> Option<Event<'static>> {
        let name = text(&line.data, "type").filter(|_| line.kind == RecordKind::EventRejected)?;
        let body = match optional(&line.data, "decisions", values).ok()? {
            Some(decisions) => Body::ApprovalDecided(approvals_of(&decisions)?),
            None => match text(&line.data, "remembered") {
                Some(remembered) => Body::ApprovalRevoked { remembered: remembered.into() },
                None => Body::outline(&name)?,
            },
        };
        let envelope = line.data.get("event").and_then(Value::as_object)?;
        Some(Event {
            id: text(envelope, "id")?.into(),
            session: self.session.clone().into(),
            agent: text(envelope, "agent").map(Cow::Owned),
            turn: number(envelope, "turn").and_then(|turn| u32::try_from(turn).ok()),
            at: line.at.clone().map(Cow::Owned),
            salt: EventSalt::Known(salts(&line.data, values).collect()),
            digest: text(envelope, "digest")?.parse().ok()?,
            world: world(&line.data, values).ok()?,
            body,
        })
    }

    fn body(&mut self, open: &Open, values: &StoredValues) -> Result<Body<'static>, Lost> {
        let data = &open.first.data;
        let call = || text(data, "call").unwrap_or_default();
        Ok(match open.first.kind {
            RecordKind::RunOpen => Body::SessionOpened(opening(data, values)?),
            RecordKind::TurnOpen => {
                Body::TurnStarted { typed: typed(data, values)?, attachments: attachments(data, values)? }
            }
            RecordKind::TurnClose => Body::TurnEnded,
            RecordKind::WorldChange => Body::WorldChanged,
            RecordKind::RunClose => Body::SessionClosed,
            RecordKind::GuardDecision => Body::ToolProposed(proposed(data, values)?),
            RecordKind::ModelTurn => {
                let calls: Result<Vec<_>, Lost> = open.lines.iter().map(|line| proposed(&line.data, values)).collect();
                let something = data.get("text").and_then(Value::as_bool).unwrap_or(false);
                let text = match optional(data, "said", values)? {
                    Some(Value::String(said)) => Beside::Text(said),
                    _ if something => Beside::Something,
                    _ => Beside::Nothing,
                };
                Body::ModelTurn { calls: calls?, text }
            }
            RecordKind::QueryAnswer => {
                Body::Answers { call: text(data, "call").map(Cow::Owned), answers: answers(data, values)? }
            }
            RecordKind::ReplyDecision if data.contains_key("streamed") => {
                Body::ReplyEnd { claims: claims(data, values)?, streamed: Some(said(data, values)?) }
            }
            RecordKind::ReplyDecision => {
                Body::ReplyProposed(Said { text: said(data, values)?, claims: claims(data, values)? })
            }
            RecordKind::ApprovalDeny if data.contains_key("remembered") => {
                Body::ApprovalRevoked { remembered: text(data, "remembered").unwrap_or_default().into() }
            }
            RecordKind::ApprovalGrant | RecordKind::ApprovalDeny => {
                let decisions = optional(data, "decisions", values)?.unwrap_or_default();
                Body::ApprovalDecided(approvals_of(&decisions).ok_or(Lost::Refused)?)
            }
            RecordKind::ToolStarted => Body::ToolStarted { call: call().into() },
            RecordKind::ToolOutcome => Body::ToolFinished { call: call().into(), outcome: outcome(data, values)? },
            _ => return Err(Lost::Refused),
        })
    }
}

impl Open {
    fn is_complete(&self) -> bool {
        u64::try_from(self.lines.len()).unwrap_or(u64::MAX) >= self.calls
    }
}

impl Line {
    /// True for a verdict that is not an event of its own, so that it belongs to the one before.
    fn goes_on(&self) -> bool {
        matches!(self.kind, RecordKind::GuardDecision | RecordKind::ReplyDecision) && !self.data.contains_key("event")
    }
}

fn read_line(bytes: &[u8], expected: u64) -> Result<Line, BadLedger> {
    let bad = |reason: &str| BadLedger { seq: expected, reason: reason.to_owned() };
    let limits = Limits { depth: Limits::DEEPEST, ..Limits::default() };
    let line = parse(bytes, &limits).map_err(|error| bad(&error.to_string()))?.into_owned();
    let Some(Value::Object(body)) = line.get("body") else { return Err(bad("it has no body")) };
    let kind = text(body, "kind")
        .and_then(|name| RecordKind::named(&name))
        .ok_or_else(|| bad("its kind is not known here"))?;
    let prev = text(body, "prev").and_then(|hex| hex.parse().ok()).ok_or_else(|| bad("it has no `prev`"))?;
    let Some(Value::Object(data)) = body.get("data") else { return Err(bad("it has no data")) };
    let mut bytes = bytes.to_vec();
    bytes.push(b'\n');
    let seq = number(body, "seq").ok_or_else(|| bad("it has no `seq`"))?;
    Ok(Line { seq, prev, kind, at: text(body, "at"), data: data.clone(), bytes })
}

fn text(object: &Object<'_>, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn number(object: &Object<'_>, key: &str) -> Option<u64> {
    object.get(key).and_then(Value::as_number).and_then(|number| number.to_u64())
}

/// The value a record holds or refers to.
fn foreign(field: &Value<'static>, values: &StoredValues) -> Result<Value<'static>, Lost> {
    let Value::Object(field) = field else { return Err(Lost::Refused) };
    match text(field, "ref").and_then(|hex| hex.parse::<Digest>().ok()) {
        Some(reference) => {
            let (_, bytes) = values.get(&reference).ok_or(Lost::Erased)?;
            parse(bytes, &Limits::default()).map(Value::into_owned).map_err(|_| Lost::Erased)
        }
        None if field.contains_key("masked") => Err(Lost::Masked),
        None => field.get("value").cloned().ok_or(Lost::Masked),
    }
}

fn optional(data: &Object<'static>, key: &str, values: &StoredValues) -> Result<Option<Value<'static>>, Lost> {
    data.get(key).map(|field| foreign(field, values)).transpose()
}

/// The salts of a record's references, in the order in which they were written.
fn salts<'d>(data: &'d Object<'static>, values: &'d StoredValues) -> impl Iterator<Item = Salt> + 'd {
    let references = data.iter().filter_map(|(_, field)| text(field.as_object()?, "ref")?.parse::<Digest>().ok());
    references.filter_map(|reference| values.get(&reference).map(|(salt, _)| *salt))
}

fn world(data: &Object<'static>, values: &StoredValues) -> Result<WorldChange<'static>, Lost> {
    Ok(match (optional(data, "world", values)?, optional(data, "worldPatch", values)?) {
        (Some(world), _) => WorldChange::Whole(world),
        (_, Some(patch)) => WorldChange::Patch(patch),
        _ => WorldChange::None,
    })
}

fn typed(data: &Object<'static>, values: &StoredValues) -> Result<Option<Typed<'static>>, Lost> {
    match optional(data, "text", values)? {
        Some(Value::String(text)) => Ok(Some(Typed::new(text))),
        Some(_) => Err(Lost::Refused),
        None => Ok(None),
    }
}

fn attachments(data: &Object<'static>, values: &StoredValues) -> Result<Vec<Attachment<'static>>, Lost> {
    match optional(data, "attachments", values)? {
        Some(value) => attachments_of(value).map_err(|_| Lost::Refused),
        None => Ok(Vec::new()),
    }
}

fn strings(value: Option<Value<'static>>) -> Option<Vec<Cow<'static, str>>> {
    let Some(Value::Array(items)) = value else { return None };
    Some(items.iter().filter_map(Value::as_str).map(|text| Cow::Owned(text.to_owned())).collect())
}

fn opening(data: &Object<'static>, values: &StoredValues) -> Result<Opening<'static>, Lost> {
    let principal = optional(data, "principal", values)?;
    let field = |key: &str| principal.as_ref().and_then(|principal| principal.get(key)).cloned();
    let limits = optional(data, "limits", values)?;
    let limits = limits.as_ref().and_then(Value::as_object).into_iter().flat_map(Object::iter);
    let limits = limits.filter_map(|(budget, max)| Some((Cow::Owned(budget.to_owned()), max.as_number()?)));
    Ok(Opening {
        tenant: text(data, "tenant").map(Cow::Owned),
        run: text(data, "run").map(Cow::Owned),
        nonce: text(data, "nonce").map(Cow::Owned),
        principal: Principal {
            id: field("id").and_then(|id| id.as_str().map(|id| Cow::Owned(id.to_owned()))),
            roles: strings(field("roles")).unwrap_or_default(),
            attributes: field("attributes"),
        },
        scopes: strings(optional(data, "scopes", values)?),
        capabilities: strings(data.get("capabilities").cloned()),
        limits: limits.collect(),
    })
}

fn proposed(data: &Object<'static>, values: &StoredValues) -> Result<Call<'static>, Lost> {
    Ok(Call {
        id: text(data, "call").unwrap_or_default().into(),
        tool: text(data, "tool").unwrap_or_default().into(),
        args: optional(data, "args", values)?.unwrap_or_default(),
        cwd: optional(data, "cwd", values)?.and_then(|cwd| cwd.as_str().map(|cwd| Cow::Owned(cwd.to_owned()))),
    })
}

fn answers(data: &Object<'static>, values: &StoredValues) -> Result<Vec<Answer>, Lost> {
    let Some(Value::Array(answers)) = optional(data, "answers", values)? else { return Ok(Vec::new()) };
    let one = |answer: &Value<'static>| {
        let query = answer.get("query").and_then(Value::as_str).unwrap_or_default().to_owned();
        Answer { query, value: answer.get("value").cloned() }
    };
    Ok(answers.iter().map(one).collect())
}

/// The text of a reply.
fn said(data: &Object<'static>, values: &StoredValues) -> Result<Cow<'static, str>, Lost> {
    match optional(data, "text", values)? {
        Some(Value::String(text)) => Ok(text),
        _ => Err(Lost::Refused),
    }
}

fn claims(data: &Object<'static>, values: &StoredValues) -> Result<Option<Claims<'static>>, Lost> {
    let claims = optional(data, "claims", values)?;
    claims.map(|claims| Claims::of(claims).map_err(|_| Lost::Refused)).transpose()
}

fn outcome(data: &Object<'static>, values: &StoredValues) -> Result<Outcome<'static>, Lost> {
    let effect = data.get("effect").and_then(Value::as_bool);
    Ok(match text(data, "outcome").as_deref() {
        Some("ok") => Outcome::Ok { result: optional(data, "result", values)?.unwrap_or_default(), effect },
        Some("failed") => Outcome::Failed { error: optional(data, "error", values)?.unwrap_or_default(), effect },
        Some("timed_out") => Outcome::Unknown(Unknown::TimedOut),
        Some("interrupted") => Outcome::Unknown(Unknown::Interrupted),
        _ => Outcome::Unknown(Unknown::Unreadable),
    })
}

/// What became of an event that was decided again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rederived {
    /// Every byte of its records came out the same.
    Same,
    /// A record came out differently.
    Differs {
        /// Its number.
        seq: u64,
        /// The line as it would be written now.
        derived: Vec<u8>,
    },
    /// Its inputs are gone.
    Lost(Lost),
}

/// Decides the events of a run again, under the policy they were decided by.
#[derive(Debug)]
pub struct Rederiver<'p> {
    policy: &'p Policy,
    session: Option<Session>,
    gap: bool,
}

impl<'p> Rederiver<'p> {
    /// Before the first event.
    #[must_use]
    pub fn new(policy: &'p Policy) -> Rederiver<'p> {
        Rederiver { policy, session: None, gap: false }
    }

    /// The session as it stands before the next event.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// Decides the next event.
    pub fn push(&mut self, told: &LedgerEvent) -> Rederived {
        match &told.event {
            Ok(event) => self.decide(told, event),
            Err(lost) => {
                self.skip(told, *lost);
                Rederived::Lost(*lost)
            }
        }
    }

    /// Decides an event that was refused, as far as it is recorded; a refusal is remembered.
    pub(super) fn push_refused(&mut self, told: &LedgerEvent) -> Option<Rederived> {
        let Some(outline) = &told.outline else {
            self.session.iter_mut().for_each(Session::pass_over);
            return None;
        };
        let session = self.session.as_mut()?;
        session.rechain(told.seq, told.prev);
        let step = decide(self.policy, session, outline);
        if !matches!(step.decision(), Decision::Refuse { .. } | Decision::Reject { .. }) {
            return Some(Rederived::Differs { seq: told.seq, derived: Vec::new() });
        }
        Some(self.commit(told, outline, step))
    }

    fn decide(&mut self, told: &LedgerEvent, event: &Event<'_>) -> Rederived {
        let result = match &mut self.session {
            None => match Session::open_recorded(self.policy, event) {
                Ok((session, step)) => {
                    self.session = Some(session);
                    Some(step)
                }
                Err(_) => None,
            },
            Some(session) => {
                session.rechain(told.seq, told.prev);
                Some(decide(self.policy, session, event))
            }
        };
        match result {
            Some(step) => self.commit(told, event, step),
            None => Rederived::Differs { seq: told.seq, derived: Vec::new() },
        }
    }

    /// Plays a step that was decided again, and compares what it would write.
    fn commit(&mut self, told: &LedgerEvent, event: &Event<'_>, step: Step) -> Rederived {
        let derived: Vec<Vec<u8>> = step
            .records()
            .map(|records| records.records.iter().map(|record| record.line().to_vec()).collect())
            .unwrap_or_default();
        if let Some(session) = &mut self.session {
            // Decided on this very version, so it cannot be stale.
            let _: Result<Arc<Decision>, _> = session.commit(step);
            session.retell(event);
        }
        self.compare(told, &derived)
    }

    fn compare(&self, told: &LedgerEvent, derived: &[Vec<u8>]) -> Rederived {
        let pairs = told.lines.iter().enumerate().map(|(number, line)| (number, line, derived.get(number)));
        let differs = pairs.into_iter().find(|(_, line, derived)| *derived != Some(*line));
        match differs {
            None if derived.len() == told.lines.len() => Rederived::Same,
            _ if self.gap => Rederived::Lost(Lost::BehindGap),
            Some((number, _, derived)) => {
                let seq = told.seq.saturating_add(u64::try_from(number).unwrap_or(u64::MAX));
                Rederived::Differs { seq, derived: derived.cloned().unwrap_or_default() }
            }
            None => Rederived::Differs { seq: told.seq, derived: Vec::new() },
        }
    }

    /// Notes what is recorded of an event that cannot be made again.
    fn skip(&mut self, told: &LedgerEvent, lost: Lost) {
        match lost {
            Lost::Refused => {
                self.push_refused(told);
                return;
            }
            Lost::Unanswered => return,
            Lost::Masked | Lost::Erased | Lost::BehindGap => {}
        }
        self.gap = true;
        if let Some(session) = &mut self.session {
            if told.begins_turn {
                session.note_turn(self.policy, told.turn.as_deref() == Some(TurnRefusal::WORD));
            }
            told.reply.iter().for_each(|decision| session.note_reply(decision));
            for (call, verdict) in &told.verdicts {
                let tool = told.tools.iter().find(|(known, _)| known == call).map_or("", |(_, tool)| tool);
                session.note(self.policy, call, tool, verdict == "allow" || verdict == "defer");
                let code = told.refused.iter().find(|(known, _)| known == call).map(|(_, code)| code.as_str());
                session.note_veto(self.policy, verdict, code);
            }
        }
    }

    /// The session behind the last event.
    pub(super) fn into_session(self) -> Option<Session> {
        self.session
    }

    /// The chain of the run so far.
    #[must_use]
    pub fn chain(&self) -> Option<&Chain> {
        self.session.as_ref().and_then(Session::chain)
    }
}
