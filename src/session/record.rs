//! The records of one event: everything that decided, so that the decision can be made again from them.
//!
//! A record holds what the host said and the codes that were matched; corrections and the rest follow from the policy
//! and are not written. Nothing is read here but the event, the decision and the session.

use super::Session;
use crate::canon::{Digest, ObjectWriter, write_array, write_string};
use crate::context::Answer;
use crate::decision::{CallDecision, Decision, Deny, Interim, ReplyDecision, ReplyVerdict, TurnDecision, Verdict};
use crate::event::{
    Approval, Attachment, Beside, Body, Call, Claims, Event, EventSalt, Opening, Outcome, Rejection, WorldChange,
    attachments_value,
};
use crate::facts::Typed;
use crate::ledger::{Chain, Durability, Record, RecordKind, StoredValue, Values};
use crate::policy::Policy;
use crate::spec::TextWithCalls;
use crate::tool::Effect;
use crate::value::{Object, Value};

/// What is written of one event, and where the chain stands behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// The records, in order.
    pub records: Vec<Record>,
    /// The values that do not stand in them.
    pub values: Vec<StoredValue>,
    /// The chain behind them.
    pub chain: Chain,
}

impl Records {
    /// How durable they must be before the answer goes out: as the strictest of them.
    #[must_use]
    pub fn durability(&self) -> Durability {
        self.records.iter().map(Record::durability).max().unwrap_or(Durability::Async)
    }
}

/// Writes the records of one event.
struct Writer<'w> {
    policy: &'w Policy,
    event: &'w Event<'w>,
    /// The event's digest as its records hold it.
    digest: Digest,
    chain: Chain,
    values: Values<'w>,
    records: Vec<Record>,
}

/// The records of an event and the decision on it.
pub(super) fn records(
    policy: &Policy,
    session: &Session,
    chain: &Chain,
    event: &Event<'_>,
    decision: &Decision,
) -> Records {
    let values = Values::new(&policy.masker, policy.keep_secrets, session.salts(event), &event.id);
    let digest = salted_digest(session, event);
    let mut writer = Writer { policy, event, digest, chain: chain.clone(), values, records: Vec::new() };
    match decision {
        Decision::Refuse { code, .. } | Decision::Reject { code, .. } => writer.refused(code),
        _ => writer.accepted(session, decision),
    }
    Records { records: writer.records, values: writer.values.into_stored(), chain: writer.chain }
}

/// The record of bytes that are no event.
pub(super) fn rejection(chain: &Chain, rejection: &Rejection) -> Records {
    let mut chain = chain.clone();
    let record = chain.append(None, RecordKind::EventRejected, Durability::Group, |out| {
        let mut data = ObjectWriter::new(out);
        data.string("code", rejection.code).number("length", u64::try_from(rejection.length).unwrap_or(u64::MAX));
        data.field("sha256", |out| rejection.digest.write_json(out));
        data.finish();
    });
    Records { records: vec![record], values: Vec::new(), chain }
}

impl Writer<'_> {
    fn add(&mut self, kind: RecordKind, durability: Durability, data: impl FnOnce(&mut Vec<u8>, &mut Values<'_>)) {
        let values = &mut self.values;
        let record = self.chain.append(self.event.at.as_deref(), kind, durability, |out| data(out, values));
        self.records.push(record);
    }

    /// An event that was understood and refused: what it was, and why. Of an answer of a person all is kept: whether it is
    /// refused depends on what it says, and it must be refused again when the session is made of its records.
    fn refused(&mut self, code: &str) {
        let (event, digest) = (self.event, self.digest);
        self.add(RecordKind::EventRejected, Durability::Group, |out, values| {
            let approvals = if let Body::ApprovalDecided(approvals) = &event.body { Some(approvals) } else { None };
            let revoked =
                if let Body::ApprovalRevoked { remembered } = &event.body { Some(&**remembered) } else { None };
            let mut data = ObjectWriter::new(out);
            data.string("code", code);
            data.optional("decisions", approvals, |approvals, out| values.write(&decisions(approvals), out));
            data.field("event", |out| write_event(event, &digest, out));
            data.optional("remembered", revoked, write_string).string("type", event.body.name());
            if approvals.is_some() || revoked.is_some() {
                write_world(&mut data, event, values);
            }
            data.finish();
        });
    }

    fn accepted(&mut self, session: &Session, decision: &Decision) {
        let event = self.event;
        match (&event.body, decision) {
            (Body::SessionOpened(opening), _) => self.opened(opening),
            (Body::TurnStarted { typed, attachments }, _) => self.turn_opened(typed.as_ref(), attachments, decision),
            (Body::TurnEnded, _) => self.plain(RecordKind::TurnClose, Durability::Group),
            (Body::WorldChanged, _) => self.plain(RecordKind::WorldChange, Durability::Group),
            (Body::SessionClosed, _) => self.plain(RecordKind::RunClose, Durability::Sync),
            (Body::ToolProposed(call), Decision::Call(decided)) => self.decided(call, decided, true),
            (Body::ModelTurn { calls, text }, Decision::Calls { calls: decided, beside }) => {
                self.model_turn(calls.len(), text, beside.as_ref());
                calls.iter().zip(decided).for_each(|(call, decided)| self.decided(call, decided, false));
            }
            (Body::ReplyProposed(said), Decision::Reply(decided)) => {
                self.replied(&said.text, said.claims.as_ref(), decided, true);
            }
            (Body::ReplyEnd { claims, streamed }, Decision::Reply(decided)) => {
                let text = streamed.as_deref().unwrap_or_else(|| session.streamed());
                self.replied(text, claims.as_ref(), decided, true);
            }
            (Body::Answers { call: None, answers }, Decision::Reply(decided)) => {
                self.answered(None, answers);
                if let Some(said) = session.waiting_reply() {
                    self.replied(&said.text, said.claims.as_ref(), decided, false);
                }
            }
            (Body::Answers { call: Some(call), answers }, Decision::Call(decided)) => {
                self.answered(Some(call), answers);
                if let Some(call) = session.waiting_call(call) {
                    self.decided(&call, decided, false);
                }
            }
            (Body::ApprovalDecided(approvals), _) => self.approved(approvals),
            (Body::ApprovalRevoked { remembered }, _) => self.revoked(remembered),
            (Body::ToolStarted { call }, _) => self.started(call),
            (Body::ToolFinished { call, outcome }, _) => self.ended(call, outcome),
            // A proposal is answered by a verdict per call, nothing else by one.
            (Body::ToolProposed(_) | Body::ModelTurn { .. } | Body::Answers { .. }, _) => {}
            (Body::ReplyProposed(_) | Body::ReplyEnd { .. }, _) => {}
            // Of a piece nothing is written: the whole will be.
            (Body::ReplyDelta { .. }, _) => {}
        }
    }

    fn opened(&mut self, opening: &Opening<'_>) {
        let (event, digest, policy) = (self.event, self.digest, self.policy);
        self.add(RecordKind::RunOpen, Durability::Sync, |out, values| {
            let text = |text: &str, out: &mut Vec<u8>| write_string(text, out);
            let mut data = ObjectWriter::new(out);
            data.string("alg", "sha-256");
            data.optional("capabilities", opening.capabilities.as_ref(), |words, out| {
                write_array(words, out, |word, out| write_string(word, out));
            });
            data.string("core", crate::ledger::CORE_VERSION);
            data.field("event", |out| write_event(event, &digest, out));
            data.optional("limits", limits(opening), |limits, out| values.write(&limits, out));
            data.optional("nonce", opening.nonce.as_deref(), text).field("policy", |out| policy.digest.write_json(out));
            data.optional("principal", principal(opening), |principal, out| values.write(&principal, out));
            data.optional("run", opening.run.as_deref(), text);
            data.optional("scopes", scopes(opening), |scopes, out| values.write(&scopes, out));
            data.string("session", &event.session).field("sources", |out| policy.sources_digest.write_json(out));
            data.optional("tenant", opening.tenant.as_deref(), text);
            write_world(&mut data, event, values);
            data.finish();
        });
    }

    fn plain(&mut self, kind: RecordKind, durability: Durability) {
        let (event, digest) = (self.event, self.digest);
        self.add(kind, durability, |out, values| {
            let mut data = ObjectWriter::new(out);
            data.field("event", |out| write_event(event, &digest, out));
            write_world(&mut data, event, values);
            data.finish();
        });
    }

    fn turn_opened(&mut self, typed: Option<&Typed<'_>>, attachments: &[Attachment<'_>], decision: &Decision) {
        let (event, digest) = (self.event, self.digest);
        let turn = if let Decision::Turn(turn) = decision { Some(&**turn) } else { None };
        // Where no guard judges turns there is nothing decided.
        let decided = (!self.policy.turn.guards.is_empty()).then(|| turn.map_or("proceed", TurnDecision::name));
        let first = turn.and_then(|turn| turn.refused.as_ref()).map(|refused| &refused.first);
        let matched = turn.map(TurnDecision::matched).filter(|_| decided.is_some());
        let would = turn.filter(|turn| turn.would.is_some()).map(|_| "would_refuse");
        self.add(RecordKind::TurnOpen, Durability::Group, |out, values| {
            let mut data = ObjectWriter::new(out);
            data.optional("attachments", (!attachments.is_empty()).then_some(attachments), |attachments, out| {
                values.write(&attachments_value(attachments), out);
            });
            let consents = turn.map(|turn| &turn.consents).filter(|consents| !consents.is_empty());
            data.optional("consents", consents, |consents, out| {
                write_array(consents, out, |call, out| write_string(call, out));
            });
            data.optional("decision", decided, write_string);
            let directives = turn.map(|turn| &turn.directives).filter(|directives| !directives.is_empty());
            data.optional("directives", directives, |directives, out| {
                write_array(directives, out, |id, out| write_string(id, out));
            });
            data.field("event", |out| write_event(event, &digest, out));
            data.optional("failure", first.and_then(|first| first.failure), write_string);
            data.optional("matched", matched, |matched, out| {
                write_array(&matched, out, |code, out| write_string(code, out))
            });
            data.optional("outcome", first, |first, out| write_string(first.outcome.name(), out));
            data.optional("replyOnly", turn.filter(|turn| turn.reply_only).map(|_| true), crate::canon::write_bool);
            data.optional("text", typed, |typed, out| values.write(&Value::from(typed.for_record()), out));
            write_world(&mut data, event, values);
            data.optional("would", would, write_string);
            data.finish();
        });
    }

    /// What was said beside calls is kept where guards judged it; elsewhere only that there was something.
    fn model_turn(&mut self, calls: usize, beside: &Beside<'_>, judged: Option<&Interim>) {
        let (event, digest) = (self.event, self.digest);
        let is_checked = judged.is_some() && self.policy.bounds.text_with_calls == TextWithCalls::Check;
        let is_shown = judged.is_some_and(|judged| judged.shown.is_some());
        self.add(RecordKind::ModelTurn, Durability::Group, |out, values| {
            let mut data = ObjectWriter::new(out);
            data.number("calls", u64::try_from(calls).unwrap_or(u64::MAX))
                .field("event", |out| write_event(event, &digest, out));
            let checked = beside.text().filter(|_| is_checked);
            data.optional("said", checked, |text, out| match is_shown {
                true => values.write(&Value::from(text), out),
                false => values.write_apart(&Value::from(text), out),
            });
            data.optional("text", beside.says_something().then_some(true), crate::canon::write_bool);
            write_world(&mut data, event, values);
            data.finish();
        });
    }

    /// One verdict; `alone` where the event is this call and nothing else.
    fn decided(&mut self, call: &Call<'_>, decided: &CallDecision, alone: bool) {
        let (event, digest) = (self.event, self.digest);
        let durability = durability(self.policy, &call.tool, &decided.verdict);
        self.add(RecordKind::GuardDecision, durability, |out, values| {
            let mut data = ObjectWriter::new(out);
            // The intent names the approval that it spends: one record, one run.
            let approval = if let Verdict::Allow(allow) = &decided.verdict { allow.approval.as_deref() } else { None };
            let asked = if let Verdict::Ask(ask) = &decided.verdict { ask.request.as_ref() } else { None };
            data.optional("approval", approval, |digest, out| digest.write_json(out));
            data.field("args", |out| values.write(&call.args, out)).string("call", &call.id);
            data.optional("cwd", call.cwd.as_deref().map(Value::from), |cwd, out| values.write(&cwd, out));
            let denied = if let Verdict::Deny(deny) = &decided.verdict { Some(&**deny) } else { None };
            let deny = denied.map(|deny| &deny.first);
            let repeat = if let Verdict::Answer(repeat) = &decided.verdict { Some(&*repeat.of) } else { None };
            data.string("decision", decided.verdict.name());
            data.optional("event", alone.then_some(event), |event, out| write_event(event, &digest, out));
            data.optional("failure", deny.and_then(|deny| deny.failure), write_string);
            let matched = decided.verdict.matched();
            data.optional("matched", (!matched.is_empty()).then_some(matched), |matched, out| {
                write_array(matched, out, write_string);
            });
            data.optional("of", repeat, write_string);
            data.optional("outcome", deny, |deny, out| write_string(deny.outcome.name(), out));
            data.optional("request", asked, |asked, out| asked.digest.write_json(out));
            data.optional("stop", denied.and_then(Deny::stop_reason), write_string).string("tool", &call.tool);
            if alone {
                write_world(&mut data, event, values);
            }
            data.optional("would", would(&decided.verdict), write_string);
            data.finish();
        });
    }

    fn answered(&mut self, call: Option<&str>, answers: &[Answer]) {
        let (event, digest) = (self.event, self.digest);
        self.add(RecordKind::QueryAnswer, Durability::Group, |out, values| {
            let mut data = ObjectWriter::new(out);
            data.field("answers", |out| values.write(&answers_value(answers), out)).optional(
                "call",
                call,
                write_string,
            );
            data.field("event", |out| write_event(event, &digest, out));
            data.finish();
        });
    }

    /// What became of a reply; `alone` where the event is this reply and nothing else. Of a text that is not shown nothing
    /// stands in the line but the digest of it.
    fn replied(&mut self, text: &str, claims: Option<&Claims<'_>>, decided: &ReplyDecision, alone: bool) {
        let (event, digest) = (self.event, self.digest);
        let streams = matches!(event.body, Body::ReplyEnd { .. });
        let is_shown = matches!(&decided.verdict, ReplyVerdict::Deliver { salvaged: false, .. });
        self.add(RecordKind::ReplyDecision, Durability::Group, |out, values| {
            let turn = decided.turn.as_deref();
            let mut data = ObjectWriter::new(out);
            data.optional("claims", claims, |claims, out| values.write(claims.value(), out));
            data.optional("corrections", turn.map(|turn| &turn.corrections), |tags, out| {
                write_array(tags, out, |tag, out| write_string(tag, out));
            });
            data.string("decision", decided.verdict.name());
            data.optional("event", alone.then_some(event), |event, out| write_event(event, &digest, out));
            data.optional("exhausted", turn.map(|turn| turn.exhausted), crate::canon::write_bool);
            data.optional("failure", decided.violations.iter().find_map(|one| one.failure), write_string);
            let matched = decided.matched();
            data.optional("matched", (!matched.is_empty()).then_some(matched), |matched, out| {
                write_array(&matched, out, |code, out| write_string(code, out));
            });
            data.optional("notRun", (!decided.not_run.is_empty()).then_some(&decided.not_run), |codes, out| {
                write_array(codes, out, |code, out| write_string(code, out));
            });
            let record = turn.map(|turn| &turn.record).filter(|record| !record.is_empty());
            data.optional("record", record, |record, out| {
                write_array(record, out, |line, out| {
                    let mut object = ObjectWriter::new(out);
                    object.string("call", &line.call).string("outcome", line.end.name()).string("tool", &line.tool);
                    object.finish();
                });
            });
            data.optional("streamed", streams.then_some(true), crate::canon::write_bool);
            data.field("text", |out| match is_shown {
                true => values.write(&Value::from(text), out),
                false => values.write_apart(&Value::from(text), out),
            });
            write_world(&mut data, event, values);
            let would = decided.would.map(|word| if word == "redrive" { "would_redrive" } else { "would_abstain" });
            data.optional("would", would, write_string);
            data.finish();
        });
    }

    /// What people answered; a grant must be durable before a call runs on it.
    fn approved(&mut self, approvals: &[Approval<'_>]) {
        let (event, digest) = (self.event, self.digest);
        let is_grant = approvals.iter().any(|approval| approval.granted);
        let kind = if is_grant { RecordKind::ApprovalGrant } else { RecordKind::ApprovalDeny };
        self.add(kind, Durability::Sync, |out, values| {
            let mut data = ObjectWriter::new(out);
            data.field("decisions", |out| values.write(&decisions(approvals), out));
            data.field("event", |out| write_event(event, &digest, out));
            write_world(&mut data, event, values);
            data.finish();
        });
    }

    fn revoked(&mut self, remembered: &str) {
        let (event, digest) = (self.event, self.digest);
        self.add(RecordKind::ApprovalDeny, Durability::Sync, |out, _| {
            let mut data = ObjectWriter::new(out);
            data.field("event", |out| write_event(event, &digest, out)).string("remembered", remembered);
            data.finish();
        });
    }

    fn started(&mut self, call: &str) {
        let (event, digest) = (self.event, self.digest);
        self.add(RecordKind::ToolStarted, Durability::Group, |out, _| {
            let mut data = ObjectWriter::new(out);
            data.string("call", call).field("event", |out| write_event(event, &digest, out));
            data.finish();
        });
    }

    fn ended(&mut self, call: &str, outcome: &Outcome<'_>) {
        let (event, digest) = (self.event, self.digest);
        self.add(RecordKind::ToolOutcome, Durability::Group, |out, values| {
            let mut data = ObjectWriter::new(out);
            data.string("call", call);
            let (word, result, error, effect) = match outcome {
                Outcome::Ok { result, effect } => ("ok", Some(result), None, *effect),
                Outcome::Failed { error, effect } => ("failed", None, Some(error), *effect),
                Outcome::Unknown(unknown) => (unknown.name(), None, None, None),
            };
            data.optional("effect", effect, crate::canon::write_bool);
            data.optional("error", error, |error, out| values.write(error, out));
            data.field("event", |out| write_event(event, &digest, out)).string("outcome", word);
            data.optional("result", result, |result, out| values.write(result, out));
            write_world(&mut data, event, values);
            data.finish();
        });
    }
}

/// An allow of an effect beyond reading is the intent, without which the call may not run.
fn durability(policy: &Policy, tool: &str, verdict: &Verdict) -> Durability {
    let effect = policy.tool(tool).map_or(Effect::External, |tool| tool.effect);
    match verdict {
        Verdict::Allow(_) | Verdict::Defer(_) if effect == Effect::Read => Durability::Async,
        Verdict::Allow(_) | Verdict::Defer(_) => Durability::Sync,
        Verdict::Deny(_) | Verdict::Answer(_) | Verdict::Ask(_) | Verdict::Need(_) => Durability::Group,
    }
}

/// `would_deny`, `would_ask` …, where the spec only observes.
fn would(verdict: &Verdict) -> Option<&'static str> {
    let Verdict::Allow(allow) = verdict else { return None };
    Some(match allow.would.as_deref()? {
        Verdict::Deny(_) => "would_deny",
        Verdict::Answer(_) => "would_answer",
        Verdict::Ask(_) => "would_ask",
        Verdict::Need(_) => "would_need",
        Verdict::Defer(_) => "would_defer",
        Verdict::Allow(_) => return None,
    })
}

/// The digest of an event's bytes as a record holds it: salted, for most of what it is taken over stands beside it, and
/// a plain digest would let anybody guess a value that was masked or erased.
pub(super) fn salted_digest(session: &Session, event: &Event<'_>) -> Digest {
    match &event.salt {
        EventSalt::Known(_) => event.digest,
        EventSalt::OfRun | EventSalt::Host(_) | EventSalt::Drawn(_) => {
            session.salts(event).of_event(&event.id).reference(&event.digest.0)
        }
    }
}

/// What of an event's envelope decides, and the digest of its bytes.
fn write_event(event: &Event<'_>, digest: &Digest, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::new(out);
    object.optional("agent", event.agent.as_deref(), write_string);
    object.field("digest", |out| digest.write_json(out)).string("id", &event.id);
    object.optional("turn", event.turn, |turn, out| {
        crate::decimal::Decimal::from(turn).write_text(out);
    });
    object.finish();
}

fn write_world(data: &mut ObjectWriter<'_>, event: &Event<'_>, values: &mut Values<'_>) {
    match &event.world {
        WorldChange::None => {}
        WorldChange::Whole(world) => _ = data.field("world", |out| values.write(world, out)),
        WorldChange::Patch(patch) => _ = data.field("worldPatch", |out| values.write(patch, out)),
    }
}

fn principal<'o>(opening: &'o Opening<'_>) -> Option<Value<'o>> {
    let principal = &opening.principal;
    let roles = || Value::Array(principal.roles.iter().map(|role| Value::from(role.as_ref())).collect());
    let object = Object::of_some([
        ("id", principal.id.as_deref().map(Value::from)),
        ("roles", (!principal.roles.is_empty()).then(roles)),
        ("attributes", principal.attributes.clone()),
    ]);
    (!object.is_empty()).then(|| object.into())
}

fn limits(opening: &Opening<'_>) -> Option<Value<'static>> {
    let mut limits = Object::new();
    for (budget, max) in &opening.limits {
        limits.insert(budget.as_ref().to_owned().into(), Value::Number(*max));
    }
    (!limits.is_empty()).then(|| limits.into())
}

fn scopes<'o>(opening: &'o Opening<'_>) -> Option<Value<'o>> {
    let scopes = opening.scopes.as_ref()?;
    Some(Value::Array(scopes.iter().map(|scope| Value::from(scope.as_ref())).collect()))
}

fn decisions(approvals: &[Approval<'_>]) -> Value<'static> {
    Value::Array(approvals.iter().map(Approval::to_value).collect())
}

fn answers_value(answers: &[Answer]) -> Value<'_> {
    let one = |answer: &Answer| {
        let failure = answer.value.is_none().then_some(Value::Bool(true));
        Object::of_some([
            ("failure", failure),
            ("query", Some(Value::from(answer.query.clone()))),
            ("value", answer.value.clone()),
        ])
        .into()
    };
    Value::Array(answers.iter().map(one).collect())
}
