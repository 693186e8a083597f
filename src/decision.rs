//! What Flyball answers: one decision an event, and its line on the wire.

mod approval;
mod host;
mod reply;
mod result;
mod turn;

use crate::canon::{Digest, ObjectWriter, write_array, write_string};
use crate::context::{Query, Question};
use crate::event::{Rejection, WIRE};
use crate::value::Value;
use std::sync::Arc;

pub use approval::{Accepted, Ask, Asked, Coded};
pub use reply::{ObservedCall, RecordLine, ReplyDecision, ReplyVerdict, TurnResult};
pub use result::{Interim, Judged, Owed, Rewritten};
pub use turn::{TurnDecision, TurnRefusal};

/// The answer to one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The host goes on.
    Proceed,
    /// What the host says happened is noted.
    Accept,
    /// The result is kept from the model: nobody can say what it holds.
    Withhold {
        /// The stable reason.
        code: &'static str,
        /// What the model gets in its place.
        message: String,
    },
    /// A result is noted, and guards have something to say of it.
    Judged(Box<Judged>),
    /// A turn begins, and there is something to say of it: guards refuse or watch it, or the host gets a tail with
    /// directives, `replyOnly`, or the calls to which the message is a consent.
    Turn(Box<TurnDecision>),
    /// What becomes of a reply.
    Reply(Box<ReplyDecision>),
    /// A piece of a streamed reply is noted, and nothing of it is shown yet.
    Hold,
    /// This much of a streamed reply is shown now.
    Release(String),
    /// The event is understood and not acted on.
    Refuse {
        /// The stable reason.
        code: &'static str,
        /// The reason in words.
        message: String,
    },
    /// The event is refused as it stands; nothing changed. A host treats it as a deny.
    Reject {
        /// The stable reason.
        code: &'static str,
        /// What is wrong and what to do.
        message: String,
    },
    /// The verdict on one call.
    Call(CallDecision),
    /// What somebody answered about calls that wait is taken.
    Accepted(Vec<Accepted>),
    /// The verdicts on the calls of a batch.
    Calls {
        /// One for each call, in order.
        calls: Vec<CallDecision>,
        /// What becomes of what the model said beside them; `None` where that is not for us to say.
        beside: Option<Interim>,
    },
}

/// The verdict on one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallDecision {
    /// The call.
    pub call: Arc<str>,
    /// The verdict.
    pub verdict: Verdict,
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Allow(Allow),
    /// It does not run; the correction is its result.
    Deny(Box<Deny>),
    /// It repeats a call that succeeded and does not run again: here is that call's result.
    Answer(Repeat),
    /// Somebody is asked first.
    Ask(Box<Ask>),
    /// No opinion: the host's own prompt decides. What it holds is for the case that the call runs.
    Defer(Allow),
    /// The host must answer first.
    Need(Vec<Query>),
}

impl Verdict {
    /// The most rules a record names; the rest follow from the policy.
    pub const MAX_MATCHED: usize = 256;

    /// The wire's word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Allow(_) => "allow",
            Verdict::Deny(_) => "deny",
            Verdict::Answer(_) => "answer",
            Verdict::Ask(_) => "ask",
            Verdict::Defer(_) => "defer",
            Verdict::Need(_) => "need",
        }
    }

    /// The rules that were matched, as a record names them: of a deny the shown one first, and at most
    /// [`Verdict::MAX_MATCHED`].
    #[must_use]
    pub fn matched(&self) -> Vec<&str> {
        let mut matched = match self {
            Verdict::Deny(deny) => deny.matches().map(|one| &*one.guard).collect(),
            Verdict::Allow(allow) | Verdict::Defer(allow) => {
                let would = allow.would.as_deref().map(Verdict::matched).unwrap_or_default();
                let said = allow.warnings.iter().chain(&allow.audited);
                would.into_iter().chain(said.map(|one| &*one.guard)).collect()
            }
            Verdict::Ask(ask) => std::iter::once(&*ask.guard).chain(ask.also.iter().map(|one| &*one.guard)).collect(),
            Verdict::Need(queries) => queries.iter().map(|query| query.id.as_str()).collect(),
            Verdict::Answer(_) => Vec::new(),
        };
        matched.truncate(Self::MAX_MATCHED);
        matched
    }

    /// What goes with the call where it runs, at once or after the host's own prompt.
    fn running(&self) -> Option<&Allow> {
        if let Verdict::Allow(allow) | Verdict::Defer(allow) = self { Some(allow) } else { None }
    }

    /// The code of a deny.
    #[must_use]
    pub fn denied_by(&self) -> Option<&str> {
        if let Verdict::Deny(deny) = self { Some(&deny.first.code) } else { None }
    }

    /// The arguments that were judged, where they are not those that were sent: what runs, whoever says the last word.
    #[must_use]
    pub fn args(&self) -> Option<&Value<'static>> {
        match self {
            Verdict::Allow(allow) | Verdict::Defer(allow) => allow.args.as_deref(),
            Verdict::Ask(ask) => ask.args.as_deref(),
            Verdict::Deny(_) | Verdict::Answer(_) | Verdict::Need(_) => None,
        }
    }
}

/// The answer to a repeat of a call that succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// The call that it repeats.
    pub of: Arc<str>,
    /// That call's result.
    pub result: Arc<Value<'static>>,
}

/// A call that runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allow {
    /// The arguments to run with, where they are not those that were sent.
    pub args: Option<Box<Value<'static>>>,
    /// What the model is told with the result: guards that fired and warn.
    pub warnings: Vec<Match>,
    /// Guards that fired and only watch.
    pub audited: Vec<Match>,
    /// What would have been decided, where the spec only observes.
    pub would: Option<Box<Verdict>>,
    /// The approval that it runs on, which this call spends.
    pub approval: Option<Box<Digest>>,
}

/// A rule that was matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The guard's or budget's id, or the gate's name.
    pub guard: Arc<str>,
    /// The same, or `guard_failure` where the guard could not judge.
    pub code: Arc<str>,
    /// The step's outcome.
    pub outcome: StepOutcome,
    /// What to do instead, for the model.
    pub correction: String,
    /// The sentence a person may see.
    pub public_reason: Option<Arc<str>>,
    /// Why the guard could not judge, for the record; the model does not see it.
    pub failure: Option<&'static str>,
    /// True if nothing the model does makes the call possible: its text then stands alone.
    pub is_final: bool,
}

/// How a proposed call ended that did not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOutcome {
    /// The tool is not declared.
    UnknownTool,
    /// The arguments do not satisfy the tool's schema.
    InvalidArguments,
    /// The tool's effect is not granted.
    EffectDenied,
    /// A scope it needs is not granted.
    ScopeDenied,
    /// A guard, or the state of the session.
    GuardDenied,
    /// A budget is spent.
    BudgetDenied,
    /// A person refused it, or did not answer in time.
    ApprovalDenied,
    /// It is not the call that was approved.
    ApprovalStale,
}

impl StepOutcome {
    /// The stable word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            StepOutcome::UnknownTool => "unknown_tool",
            StepOutcome::InvalidArguments => "invalid_arguments",
            StepOutcome::EffectDenied => "effect_denied",
            StepOutcome::ScopeDenied => "scope_denied",
            StepOutcome::GuardDenied => "guard_denied",
            StepOutcome::BudgetDenied => "budget_denied",
            StepOutcome::ApprovalDenied => "approval_denied",
            StepOutcome::ApprovalStale => "approval_stale",
        }
    }
}

/// A call that does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deny {
    /// The first rule that was matched, with its own correction.
    pub first: Match,
    /// Every other one.
    pub also: Vec<Match>,
    /// The text for the model.
    pub correction: String,
    /// Why the run stops with it, if it does.
    pub stop: Option<Stop>,
}

/// That the run stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// Why: a stable word.
    pub reason: &'static str,
    /// What the host says where the model has said nothing.
    pub reply: Arc<str>,
}

/// Why a run stops whose budget is used up.
pub const MAX_TOOL_CALLS: &str = "max_tool_calls";

/// Why a turn stops in which too many calls in a row were refused; the code of its later calls too.
pub const VETO_STREAK: &str = "veto_streak";

/// How many corrections the model sees.
const SHOWN_CORRECTIONS: usize = 3;

impl Deny {
    /// The deny of the rules that were matched, in the order in which they are shown.
    #[must_use]
    pub fn of(first: Match, also: Vec<Match>) -> Deny {
        let correction = told(&first, &also);
        Deny { first, also, correction, stop: None }
    }

    /// The same deny, with which the run stops.
    #[must_use]
    pub fn stopping(self, stop: Stop) -> Deny {
        Deny { stop: Some(stop), ..self }
    }

    /// Why the run stops with it, if it does.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&'static str> {
        self.stop.as_ref().map(|stop| stop.reason)
    }

    /// The rules that were matched, the shown one first.
    pub fn matches(&self) -> impl Iterator<Item = &Match> {
        std::iter::once(&self.first).chain(&self.also)
    }

    /// What the host returns to the model as the tool's result.
    #[must_use]
    pub fn output(&self) -> String {
        let mut out = Vec::new();
        self.write_output(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    fn write_output(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::new(out);
        object.string("code", &self.first.code).string("correction", &self.correction);
        object.string("guard", &self.first.guard).bool("ok", false).string("source", "governance");
        object.finish();
    }
}

/// What the model is told, as something it can do: up to three corrections and a count of the rest; but where one of
/// them is final, what would mend the others helps nothing, and it stands alone.
fn told(first: &Match, also: &[Match]) -> String {
    if also.is_empty() {
        return first.correction.clone();
    }
    if let Some(last) = std::iter::once(first).chain(also).find(|one| one.is_final) {
        return last.correction.clone();
    }
    let others = also.iter().take(SHOWN_CORRECTIONS.saturating_sub(1));
    let shown: Vec<&str> = std::iter::once(first).chain(others).map(|one| &*one.correction).collect();
    let more = also.len().saturating_add(1).saturating_sub(shown.len());
    match more {
        0 => shown.join(" "),
        1 => format!("{} (1 more rule is not met.)", shown.join(" ")),
        more => format!("{} ({more} more rules are not met.)", shown.join(" ")),
    }
}

/// A decision with the names of the event it answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// The event's id, as far as it could be read.
    pub id: Option<String>,
    /// The session, as far as it could be read.
    pub session: Option<String>,
    /// The decision.
    pub decision: Arc<Decision>,
}

impl Answered {
    /// The answer to bytes that are no event.
    #[must_use]
    pub fn rejected(rejection: Rejection) -> Answered {
        let Rejection { code, message, id, session, .. } = rejection;
        let decision = Arc::new(Decision::Reject { code, message });
        Answered { id: id.map(String::from), session: session.map(String::from), decision }
    }

    /// The answer as one line of the wire, without its line end.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut out = Vec::with_capacity(128);
        self.write(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// Appends the line.
    pub fn write(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::new(out);
        let text = |text: &String, out: &mut Vec<u8>| write_string(text, out);
        match &*self.decision {
            Decision::Proceed => self.plain(&mut object, "proceed", None),
            Decision::Accept => self.plain(&mut object, "accept", None),
            Decision::Withhold { code, message } => self.plain(&mut object, "withhold", Some((code, message))),
            Decision::Judged(judged) => judged.write(&mut object, |object| self.id(object), |object| self.end(object)),
            Decision::Accepted(accepted) => {
                approval::write(accepted, &mut object, |object| self.id(object), |object| self.end(object))
            }
            Decision::Turn(turn) => turn.write(&mut object, |object| self.id(object), |object| self.end(object)),
            Decision::Refuse { code, message } => self.plain(&mut object, "refuse", Some((code, message))),
            Decision::Reject { code, message } => self.plain(&mut object, "reject", Some((code, message))),
            Decision::Call(call) => write_call(
                &mut object,
                call,
                |object| {
                    object.optional("id", self.id.as_ref(), text);
                },
                |object, stop| {
                    object.optional("session", self.session.as_ref(), text).optional("stop", stop, write_string);
                    object.string("v", WIRE);
                },
            ),
            Decision::Reply(reply) => reply.write(
                &mut object,
                |object| self.id(object),
                |object, said| {
                    object.optional("session", self.session.as_ref(), text);
                    said(object);
                    object.string("v", WIRE);
                },
            ),
            Decision::Hold => self.plain(&mut object, "hold", None),
            Decision::Release(released) => {
                object.string("decision", "release");
                self.id(&mut object);
                object.optional("session", self.session.as_ref(), text).string("text", released).string("v", WIRE);
            }
            Decision::Calls { calls, beside } => self.calls(&mut object, calls, beside.as_ref()),
        }
        object.finish();
    }

    /// The verdicts of a batch, and what becomes of the text beside it.
    fn calls<'o>(&'o self, object: &mut ObjectWriter<'o>, calls: &'o [CallDecision], beside: Option<&'o Interim>) {
        let text = |text: &String, out: &mut Vec<u8>| write_string(text, out);
        matches_member(object, "audited", beside.map(|beside| &beside.audited));
        object.field("calls", |out| {
            write_array(calls, out, |call, out| {
                let mut object = ObjectWriter::new(out);
                write_call(&mut object, call, |_| {}, |object, stop| _ = object.optional("stop", stop, write_string));
                object.finish();
            })
        });
        object.string("decision", "calls").optional("id", self.id.as_ref(), text);
        object.optional("session", self.session.as_ref(), text);
        let shown = beside.and_then(|beside| beside.shown.as_ref());
        object.optional("shown", shown, text);
        let word = beside.map(|beside| if beside.shown.is_some() { "show" } else { "drop" });
        object.optional("text", word, write_string).string("v", WIRE);
        matches_member(object, "violations", beside.map(|beside| &beside.violations));
    }

    fn id<'o>(&'o self, object: &mut ObjectWriter<'o>) {
        object.optional("id", self.id.as_ref(), |id, out| write_string(id, out));
    }

    fn end<'o>(&'o self, object: &mut ObjectWriter<'o>) {
        object.optional("session", self.session.as_ref(), |session, out| write_string(session, out)).string("v", WIRE);
    }

    fn plain<'o>(&'o self, object: &mut ObjectWriter<'o>, word: &'o str, why: Option<(&'o &'static str, &'o String)>) {
        let text = |text: &String, out: &mut Vec<u8>| write_string(text, out);
        object.optional("code", why, |(code, _), out| write_string(code, out)).string("decision", word);
        object
            .optional("id", self.id.as_ref(), text)
            .optional("message", why, |(_, message), out| write_string(message, out));
        object.optional("session", self.session.as_ref(), text).string("v", WIRE);
    }
}

/// Writes a call's verdict in key order; `middle` stands where `id` does, `end` behind everything else.
fn write_call<'o>(
    object: &mut ObjectWriter<'o>,
    call: &'o CallDecision,
    middle: impl FnOnce(&mut ObjectWriter<'o>),
    end: impl FnOnce(&mut ObjectWriter<'o>, Option<&'static str>),
) {
    let deny = if let Verdict::Deny(deny) = &call.verdict { Some(&**deny) } else { None };
    let first = deny.map(|deny| &deny.first);
    let allow = call.verdict.running();
    let ask = if let Verdict::Ask(ask) = &call.verdict { Some(&**ask) } else { None };
    let repeat = if let Verdict::Answer(repeat) = &call.verdict { Some(repeat) } else { None };
    let need = if let Verdict::Need(queries) = &call.verdict { Some(queries) } else { None };
    let also = deny.map(|deny| &deny.also).or(ask.map(|ask| &ask.also));
    matches_member(object, "also", also);
    let approval = allow.and_then(|allow| allow.approval.as_deref());
    object.optional("approval", approval, |digest, out| digest.write_json(out));
    object.optional("args", call.verdict.args(), crate::canon::write);
    matches_member(object, "audited", allow.map(|allow| &allow.audited));
    object.optional("by", ask, |ask, out| write_string(ask.by, out)).string("call", &call.call);
    object.optional("code", first, |first, out| write_string(&first.code, out));
    object.optional("correction", deny, |deny, out| write_string(&deny.correction, out));
    object.string("decision", call.verdict.name());
    object.optional("failure", first.and_then(|first| first.failure).or(ask.and_then(|ask| ask.failure)), write_string);
    object.optional("guard", first.map(|first| &first.guard).or(ask.map(|ask| &ask.guard)), |guard, out| {
        write_string(guard, out)
    });
    middle(object);
    object.optional("of", repeat, |repeat, out| write_string(&repeat.of, out));
    object.optional("outcome", first, |first, out| write_string(first.outcome.name(), out));
    object.optional("output", deny, |deny, out| deny.write_output(out));
    object.optional("publicReason", first.and_then(|first| first.public_reason.as_deref()), write_string);
    object.optional("queries", need, |queries, out| write_array(queries, out, write_query));
    object.optional("reply", deny.and_then(|deny| deny.stop.as_ref()), |stop, out| write_string(&stop.reply, out));
    object.optional("request", ask.and_then(|ask| ask.request.as_ref()), approval::write_request);
    object.optional("result", repeat, |repeat, out| crate::canon::write(&repeat.result, out));
    let stop = deny.and_then(Deny::stop_reason);
    end_with_would(object, call, allow, |object| end(object, stop));
}

/// `session` and `v` come before `would`.
fn end_with_would<'o>(
    object: &mut ObjectWriter<'o>,
    call: &'o CallDecision,
    allow: Option<&'o Allow>,
    end: impl FnOnce(&mut ObjectWriter<'o>),
) {
    end(object);
    matches_member(object, "warnings", allow.map(|allow| &allow.warnings));
    object.optional("would", allow.and_then(|allow| allow.would.as_deref()), |would, out| {
        let mut object = ObjectWriter::new(out);
        let inner = CallDecision { call: call.call.clone(), verdict: would.clone() };
        write_call_alone(&mut object, &inner);
        object.finish();
    });
}

/// A verdict inside another: the same members, written into a buffer of its own.
fn write_call_alone(object: &mut ObjectWriter<'_>, call: &CallDecision) {
    let deny = if let Verdict::Deny(deny) = &call.verdict { Some(&**deny) } else { None };
    let ask = if let Verdict::Ask(ask) = &call.verdict { Some(&**ask) } else { None };
    let failure = deny.and_then(|deny| deny.first.failure).or(ask.and_then(|ask| ask.failure));
    let guard = deny.map(|deny| &deny.first.guard).or(ask.map(|ask| &ask.guard));
    object.optional("by", ask, |ask, out| write_string(ask.by, out));
    object.optional("code", deny, |deny, out| write_string(&deny.first.code, out));
    object.optional("correction", deny, |deny, out| write_string(&deny.correction, out));
    object.string("decision", call.verdict.name()).optional("failure", failure, write_string);
    object.optional("guard", guard, |guard, out| write_string(guard, out));
    object.optional("stop", deny.and_then(Deny::stop_reason), write_string);
}

/// The guards that matched, left out where there is none.
fn matches_member<'o>(object: &mut ObjectWriter<'o>, key: &'static str, matches: Option<&'o Vec<Match>>) {
    object.optional(key, matches.filter(|matches| !matches.is_empty()), |matches, out| {
        write_array(matches, out, write_match);
    });
}

fn write_match(one: &Match, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::new(out);
    object.string("code", &one.code).string("correction", &one.correction);
    object.optional("failure", one.failure, write_string);
    object.string("guard", &one.guard);
    object.finish();
}

fn write_query(query: &Query, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::new(out);
    let call = if let Question::Reconcile { call } = &query.question { Some(call) } else { None };
    let name = if let Question::Command { name } = &query.question { Some(name) } else { None };
    let paths = if let Question::ResolvePaths { paths } = &query.question { Some(paths) } else { None };
    let judge =
        if let Question::Judge { question, evidence } = &query.question { Some((question, evidence)) } else { None };
    let text = |text: &String, out: &mut Vec<u8>| write_string(text, out);
    object.string("ask", query.question.name()).optional("call", call, text).optional("command", name, text);
    object.optional("evidence", judge.map(|(_, evidence)| evidence), crate::canon::write);
    object.string("id", &query.id);
    object.optional("paths", paths, |paths, out| write_array(paths, out, |path, out| write_string(path, out)));
    object.optional("question", judge.map(|(question, _)| question), text);
    object.finish();
}

#[cfg(test)]
mod tests;
