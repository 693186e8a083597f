//! Gate 10: what was asked of a person, what they answered, and which call that lets run.
//!
//! A request is bound to the exact call by a digest over all that matters of it. An answer names that digest; a grant lets
//! one call run once, and the record of that call is what spends it. Nothing here is a yes by default: what is unknown,
//! late, expired or different from what was shown lets nothing run.

use super::call::{Proposal, Proposals, Ready, gate};
use super::found::Found;
use super::question::question_label;
use super::{CallState, Change, Session, Status};
use crate::canon::{Digest, ObjectWriter, write_array, write_string};
use crate::consent::Code;
use crate::context::NOTHING_DECLARED;
use crate::decision::{Allow, Ask, Asked, Coded, Match, StepOutcome, Verdict};
use crate::event::Call;
use crate::expr::Evaluation;
use crate::facts::Typed;
use crate::hash::Hash128;
use crate::policy::{Policy, ToolPolicy};
use crate::spec::By;
use crate::time::{Duration, Timestamp};
use crate::value::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A call that waits, or waited, for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The call.
    pub call: Arc<str>,
    /// Its tool.
    pub tool: Arc<str>,
    /// The arguments as they were proposed.
    pub args: Value<'static>,
    /// Who is asked.
    pub by: By,
    /// What the answer must name.
    pub digest: Digest,
    /// What is asked, in words.
    pub label: String,
    /// Why it is asked, in words.
    pub reasons: Vec<String>,
    /// The last moment at which it can be answered; `None`: it never could, for the host has no clock.
    pub not_after: Option<Timestamp>,
    /// The turn in which it was asked.
    pub turn: u32,
    /// Where it stands.
    pub state: RequestState,
    /// The arguments as the tool would receive them.
    pub(super) prepared: Value<'static>,
    /// What is declared beside them.
    pub(super) declared: Value<'static>,
    /// The directory it would run in.
    pub(super) cwd: Option<Arc<str>>,
    /// All of that, and the tool, as one hash.
    pub(super) canonical: u128,
    pub(super) place: Place,
    /// The turn in which the user consented by a text.
    pub(super) consented: Option<u32>,
    /// What the user may answer with.
    pub(super) code: Option<Code>,
}

/// Where the ledger stood when it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) seq: u64,
    pub(super) head: Digest,
}

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestState {
    /// Nobody answered.
    Open,
    /// It was granted, and nothing ran yet.
    Granted,
    /// It was refused.
    Refused,
    /// The same call was asked about anew.
    Superseded,
    /// A call ran on it, or can never again.
    Spent,
}

impl RequestState {
    /// The stable word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            RequestState::Open => "open",
            RequestState::Granted => "granted",
            RequestState::Refused => "refused",
            RequestState::Superseded => "superseded",
            RequestState::Spent => "spent",
        }
    }
}

impl Request {
    /// True if nobody can answer it any more at a time; without one nobody can.
    #[must_use]
    pub fn is_expired(&self, now: Option<Timestamp>) -> bool {
        match (self.not_after, now) {
            (Some(last), Some(now)) => now > last,
            _ => true,
        }
    }

    /// What its digest is taken over.
    pub(super) fn about<'a>(&'a self, tool: &'a ToolPolicy) -> About<'a> {
        About {
            tool,
            name: &self.tool,
            args: &self.prepared,
            declared: &self.declared,
            cwd: self.cwd.as_deref(),
            call: &self.call,
        }
    }
}

/// An answer that stands for later calls too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remembered {
    /// By which it is revoked.
    pub id: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// The arguments that must be equal; `None`: all of them.
    pub args: Option<Vec<String>>,
    /// What those were.
    pub(super) equal: u128,
    /// Who was asked: a yes stands where nobody stricter has to be.
    pub by: By,
    /// Whether such calls may run.
    pub granted: bool,
    /// Until when; `None`: as long as the session.
    pub until: Option<Timestamp>,
    /// Who answered.
    pub approver: Option<String>,
}

impl Remembered {
    fn holds(&self, now: Option<Timestamp>) -> bool {
        match (self.until, now) {
            (None, _) => true,
            (Some(until), Some(now)) => now <= until,
            // Without a clock a grant has lapsed, and a refusal has not.
            (Some(_), None) => !self.granted,
        }
    }
}

/// What was asked and answered in a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Approvals {
    pub(super) requests: BTreeMap<Arc<str>, Request>,
    pub(super) remembered: Vec<Remembered>,
}

impl Approvals {
    /// A request that is waited for, of a call that is proposed again.
    pub(super) fn waits_for(&self, call: &str) -> bool {
        self.requests.get(call).is_some_and(|request| {
            matches!(request.state, RequestState::Open | RequestState::Granted | RequestState::Refused)
        })
    }

    pub(super) fn open(&self) -> impl Iterator<Item = &Request> {
        self.requests.values().filter(|request| request.state == RequestState::Open)
    }
}

impl Session {
    /// The questions that a message answers with a yes, by call: one whose code it is, whole; or the only open one, where it
    /// is a word that the spec accepts and the question was put since the message before. Nothing else of it is asked.
    pub(super) fn consents(&self, policy: &Policy, typed: &Typed<'_>, now: Option<Timestamp>) -> Vec<Arc<str>> {
        let open = self.approvals.open().filter(|request| request.by == By::User && !request.is_expired(now));
        let open: Vec<&Request> = open.collect();
        let accepted = &policy.approvals.user;
        let is_word = || !accepted.words.is_empty() && typed.is_word(&accepted.words);
        match open.as_slice() {
            [only] if only.turn == self.turn && is_word() => vec![only.call.clone()],
            all => {
                let coded = all.iter().filter(|request| request.code.is_some_and(|code| typed.is_code(&code)));
                coded.map(|request| request.call.clone()).collect()
            }
        }
    }

    /// The questions that the user can still answer by a text, each in the words of the contract: they stand under every
    /// reply until they are answered or run out.
    #[must_use]
    pub fn open_questions(&self, policy: &Policy) -> Vec<String> {
        self.questions_at(policy, self.clock)
    }

    /// The same at a time.
    pub(super) fn questions_at(&self, policy: &Policy, now: Option<Timestamp>) -> Vec<String> {
        let open = self.approvals.open().filter(|request| !request.is_expired(now));
        let coded = open.filter_map(|request| Some((request, request.code?.to_string())));
        coded.map(|(request, code)| policy.engine_texts().consent_question(&request.label, &code)).collect()
    }

    /// Every request of the session, by call.
    pub fn requests(&self) -> impl Iterator<Item = &Request> {
        self.approvals.requests.values()
    }

    /// The answers that stand for later calls too.
    #[must_use]
    pub fn remembered(&self) -> &[Remembered] {
        &self.approvals.remembered
    }

    /// The host's clock, as far as events brought it.
    #[must_use]
    pub fn clock(&self) -> Option<Timestamp> {
        self.clock
    }
}

/// A grant that lets a call run, which spends it where it is one of a single request.
struct Standing {
    digest: Digest,
    request: Option<Arc<str>>,
}

/// A call about which somebody asks.
pub(super) struct Question<'q, 'r> {
    pub(super) call: &'q Call<'q>,
    pub(super) ready: &'q Ready<'r>,
    /// True if the call was asked about before and is proposed again.
    pub(super) resumes: bool,
}

impl Proposals<'_> {
    /// True if a call is one that was asked about and is proposed again, or of which the host then answers what guards
    /// asked.
    #[cold]
    pub(super) fn may_resume(&self, state: &CallState, proposal: &Proposal<'_, '_>) -> bool {
        let (call, status) = (proposal.call, if proposal.is_answered() { Status::Waiting } else { Status::Asked });
        let waits = state.status == status && self.session.approvals.waits_for(&call.id);
        waits && !self.is_over_here(&call.id)
    }

    /// The verdict on a call that is proposed again after it was asked about.
    #[cold]
    pub(super) fn resumed(&mut self, found: &mut Found, question: &Question<'_, '_>) -> Verdict {
        let refused = self.refused_at_resume(question);
        // Shown first: a call that is not the one that was approved spends nothing, whatever else is against it.
        refused.into_iter().for_each(|refused| found.matched().denies.insert(0, refused));
        let verdict = self.verdict(found, question);
        self.close_resumed(question, &verdict);
        verdict
    }

    /// What becomes of a call about which somebody asks: it runs on a grant, is denied on a refusal, or waits.
    #[cold]
    #[inline(never)]
    pub(super) fn settle(&mut self, question: &Question<'_, '_>, ask: Ask, by: By, allow: Verdict) -> Verdict {
        match self.standing(question, by) {
            Some(Standing { digest, request }) => {
                self.changes.extend(request.map(|call| Change::RequestMoved { call, state: RequestState::Spent }));
                approved(allow, digest)
            }
            None => Verdict::Ask(Box::new(self.ask(question, ask, by))),
        }
    }

    fn standing(&self, question: &Question<'_, '_>, by: By) -> Option<Standing> {
        let approvals = &self.session.approvals;
        let own = approvals.requests.get(&*question.call.id).filter(|own| {
            // That it is the same call is asked before anything else at a resume.
            question.resumes && own.state == RequestState::Granted && own.by >= by
        });
        let canonical = self.canonical(question.ready);
        let consented = || {
            approvals.requests.values().find(|request| {
                request.consented == Some(self.session.turn)
                    && request.state == RequestState::Open
                    && request.by >= by
                    && request.canonical == canonical
                    && !request.is_expired(self.moment.now)
                    && !self.is_over_here(&request.call)
            })
        };
        if let Some(request) = own.or_else(consented) {
            return Some(Standing { digest: request.digest, request: Some(request.call.clone()) });
        }
        let granted = self.remembered(question.ready).find(|one| one.granted && one.by >= by)?;
        let digest = Digest::of(granted.id.as_bytes());
        Some(Standing { digest, request: None })
    }

    /// True if a call before this one in the same batch has spent a request, or taken its place.
    pub(super) fn is_over_here(&self, call: &str) -> bool {
        let over = [RequestState::Spent, RequestState::Superseded];
        let moved = |change: &Change| match change {
            Change::RequestMoved { call: moved, state } => &**moved == call && over.contains(state),
            _ => false,
        };
        self.changes.iter().any(moved)
    }

    /// Why a call that is proposed again after it was asked about does not run: it was refused, it came too late, or it is
    /// not the one that was approved. All that its digest is taken over is what is there now.
    pub(super) fn refused_at_resume(&self, question: &Question<'_, '_>) -> Option<Match> {
        let request = self.session.approvals.requests.get(&*question.call.id).filter(|_| question.resumes)?;
        let denied = |code, outcome, correction: &str| Some(gate(code, outcome, correction.to_owned()));
        match request.state {
            RequestState::Refused => denied("approval_denied", StepOutcome::ApprovalDenied, WAS_REFUSED),
            _ if request.is_expired(self.moment.now) => {
                denied("approval_denied", StepOutcome::ApprovalDenied, HAS_EXPIRED)
            }
            RequestState::Granted => {
                let about = question.ready.about(&question.call.id);
                let now = self.digest(&about, request.by, &request.place, request.not_after);
                if now == request.digest {
                    return None;
                }
                denied("approval_stale", StepOutcome::ApprovalStale, IS_STALE)
            }
            // It is asked about once more, as it is now.
            RequestState::Open | RequestState::Superseded | RequestState::Spent => None,
        }
    }

    /// A request whose call was decided, other than by asking again, is done with: it lets nothing run any more.
    pub(super) fn close_resumed(&mut self, question: &Question<'_, '_>, verdict: &Verdict) {
        let is_over = match verdict {
            Verdict::Deny(deny) => deny.first.outcome != StepOutcome::ApprovalStale,
            Verdict::Ask(_) | Verdict::Need(_) => false,
            Verdict::Allow(_) | Verdict::Defer(_) | Verdict::Answer(_) => true,
        };
        if question.resumes && is_over && !self.is_over_here(&question.call.id) {
            let call = question.call.id.as_ref().into();
            self.changes.push(Change::RequestMoved { call, state: RequestState::Spent });
        }
    }

    /// A refusal that is remembered for such calls: it stands until it is withdrawn.
    pub(super) fn remembered_refusal(&self, ready: &Ready<'_>) -> Option<Match> {
        let refused = self.remembered(ready).find(|one| !one.granted)?;
        let matched = gate("approval_denied", StepOutcome::ApprovalDenied, WAS_REFUSED.to_owned());
        Some(Match { guard: format!("remembered/{}", refused.id).into(), ..matched })
    }

    fn remembered<'s>(&'s self, ready: &'s Ready<'_>) -> impl Iterator<Item = &'s Remembered> {
        let now = self.moment.now;
        let all = self.session.approvals.remembered.iter();
        all.filter(move |one| &*one.tool == ready.name && one.holds(now)).filter(|one| {
            let about = ready.about("").for_answer(one.granted);
            equal(self.session, &about, one.args.as_deref()) == one.equal
        })
    }

    fn canonical(&self, ready: &Ready<'_>) -> u128 {
        equal(self.session, &ready.about(""), None)
    }

    /// Asks: a new request, which takes the place of an older one about the same call.
    fn ask(&mut self, question: &Question<'_, '_>, ask: Ask, by: By) -> Ask {
        if self.policy.mode == crate::spec::Mode::Observe {
            return ask;
        }
        let (ready, call) = (question.ready, question.call);
        let canonical = self.canonical(ready);
        let same = self.session.approvals.requests.get(&*call.id).filter(|same| {
            question.resumes && same.state == RequestState::Open && same.canonical == canonical && same.by == by
        });
        if let Some(same) = same {
            return Ask { request: Some(self.shown(same)), ..ask };
        }
        let older =
            self.session.approvals.open().filter(|older| older.canonical == canonical && *older.call != *call.id);
        let older: Vec<Arc<str>> = older.map(|older| older.call.clone()).collect();
        let moved = older.into_iter().map(|call| Change::RequestMoved { call, state: RequestState::Superseded });
        self.changes.extend(moved);
        let place = self.place_in_ledger();
        let not_after = self.moment.now.and_then(|now| now.checked_add(ttl(self.policy, by)));
        let digest = self.digest(&ready.about(&call.id), by, &place, not_after);
        let request = Request {
            call: call.id.as_ref().into(),
            tool: ready.name.into(),
            args: call.args.to_owned_value(),
            by,
            digest,
            label: self.label(ready),
            reasons: reasons(&ask),
            not_after,
            turn: self.session.turn,
            state: RequestState::Open,
            prepared: ready.bound.args().to_owned_value(),
            declared: ready.declared.clone(),
            cwd: ready.cwd.map(Arc::from),
            canonical,
            place,
            consented: None,
            // Only who is in the conversation can type it.
            code: (by == By::User && self.policy.approvals.user.code)
                .then(|| Code::mint(&self.session.entropy, &digest))
                .flatten(),
        };
        let asked = self.shown(&request);
        self.changes.push(Change::Asked(Box::new(request)));
        Ask { request: Some(asked), ..ask }
    }

    /// What a person is shown of a request.
    fn shown(&self, request: &Request) -> Asked {
        let coded = |code: Code| Coded {
            code: code.to_string(),
            question: self.policy.engine_texts().consent_question(&request.label, &code.to_string()),
        };
        Asked {
            digest: request.digest,
            label: request.label.clone(),
            reasons: request.reasons.clone(),
            not_after: request.not_after,
            code: request.code.map(coded),
        }
    }

    /// What is asked about, in words.
    fn label(&self, ready: &Ready<'_>) -> String {
        let mut evaluation = Evaluation::new(self.context(ready, &[]), &ready.tool.lets);
        question_label(ready.tool, &mut evaluation)
    }

    fn place_in_ledger(&self) -> Place {
        match &self.session.chain {
            Some(chain) => Place { seq: chain.len(), head: chain.head() },
            // Without a ledger the calls before this one are what tells two places apart.
            None => Place { seq: self.known_calls(), head: Digest::ZERO },
        }
    }

    /// The digest of what is asked: of two calls that differ in anything that matters there are two.
    pub(super) fn digest(&self, about: &About<'_>, by: By, place: &Place, not_after: Option<Timestamp>) -> Digest {
        let cards = self.policy.prompt().tools();
        let card = cards.iter().find(|card| card.name() == about.name);
        let schema = card.map(|card| crate::canon::digest(card.parameters()));
        let mut out = Vec::with_capacity(512);
        let mut object = ObjectWriter::new(&mut out);
        object.value("args", about.args).string("by", by.name()).string("call", about.call);
        object.optional("cwd", about.cwd, write_string);
        if about.declared.as_object().is_some_and(|declared| !declared.is_empty()) {
            object.value("declared", about.declared);
        }
        object.string("effect", about.tool.effect.name()).field("head", |out| place.head.write_json(out));
        object.string("nonce", &String::from_utf8_lossy(&self.session.nonce));
        object.optional("notAfter", not_after.map(|time| time.to_string()), |time, out| write_string(&time, out));
        object.field("policy", |out| self.policy.digest().write_json(out));
        object.optional("schema", schema, |schema, out| schema.write_json(out));
        object.field("scopes", |out| write_array(&about.tool.scopes, out, |scope, out| write_string(scope, out)));
        object.number("seq", place.seq).string("session", &self.session.id).string("t", "approval/1");
        object.string("tool", about.name);
        object.finish();
        Digest::of(&out)
    }
}

/// What a digest is taken over, besides the session and its place.
#[derive(Clone, Copy)]
pub(super) struct About<'a> {
    pub(super) tool: &'a ToolPolicy,
    pub(super) name: &'a str,
    pub(super) args: &'a Value<'a>,
    pub(super) declared: &'a Value<'static>,
    /// The directory the call would run in.
    pub(super) cwd: Option<&'a str>,
    pub(super) call: &'a str,
}

impl About<'_> {
    /// What counts where an answer stands for later calls: a refusal stands whatever is declared, and wherever it would
    /// run.
    pub(super) fn for_answer(self, granted: bool) -> Self {
        if granted { self } else { About { declared: &NOTHING_DECLARED, cwd: None, ..self } }
    }
}

impl Ready<'_> {
    pub(super) fn about<'a>(&'a self, call: &'a str) -> About<'a> {
        let args = self.bound.args();
        About { tool: self.tool, name: self.name, args, declared: self.declared, cwd: self.cwd, call }
    }
}

/// What makes two calls one, as a hash: the tool, the directory, and the values of some arguments, or of all with what is
/// declared beside them.
pub(super) fn equal(session: &Session, about: &About<'_>, names: Option<&[String]>) -> u128 {
    let cwd = about.cwd.map_or(Value::Null, Value::from);
    let hash = Hash128::new(&session.key).str(about.name).value(&cwd);
    match names {
        None => hash.value(about.args).value(about.declared).finish(),
        Some(names) => {
            let null = Value::Null;
            let values = names.iter().map(|name| about.args.get(name).unwrap_or(&null));
            names.iter().zip(values).fold(hash, |hash, (name, value)| hash.str(name).value(value)).finish()
        }
    }
}

/// How long a question can be answered.
fn ttl(policy: &Policy, by: By) -> Duration {
    match by {
        By::User => policy.approvals.user.ttl,
        By::Approver => policy.approvals.approver_ttl,
    }
}

/// Why it is asked, as a person may read it: the reasons that guards have for people, else what the rule is.
fn reasons(ask: &Ask) -> Vec<String> {
    if !ask.reasons.is_empty() {
        return ask.reasons.clone();
    }
    vec![match &*ask.guard {
        "default" => "No rule decides about such a call.".to_owned(),
        crate::spec::REQUIRE => "Every call with this effect is approved first.".to_owned(),
        "auto/confirmFirst" => "It cannot be undone.".to_owned(),
        guard => format!("The rule `{guard}` asks before such a call runs."),
    }]
}

/// The call runs, on this approval.
fn approved(allow: Verdict, digest: Digest) -> Verdict {
    match allow {
        Verdict::Allow(allow) => Verdict::Allow(Allow { approval: Some(Box::new(digest)), ..allow }),
        other => other,
    }
}

const WAS_REFUSED: &str =
    "This call was refused by a person. Do not propose it again; say so, and what is left undone.";
const HAS_EXPIRED: &str =
    "Nobody answered about this call in time, so it has not run. Say so; if it is still wanted, propose it anew.";
const IS_STALE: &str =
    "This is not the call that was approved, so it has not run. Propose it exactly as it was approved, or anew.";
