//! The gates of a proposed call, in the order of section 5.
//!
//! Gates 2 to 5 stop at the first refusal. 6 to 9 are all evaluated; the strictest verdict wins and the first in this
//! order is shown. Counters and repeats are reserved only when the call is allowed. The calls of a batch are decided
//! one after another over what the earlier ones reserved.

use super::approvals::Question;
use super::controls::{drops_text, used_up};
use super::decide::{INDEX_FULL, Moment, TOO_LONG};
use super::declared;
use super::explain::{Judgement, Recorder, Said};
use super::found::{Found, Matched, asked};
use super::idempotency::{self, Claimed};
use super::judge::{finding_or_pass, judge};
use super::replying::Phase;
use super::rewrite::rewritten;
use super::spent::{Entry, Pending};
use super::{CallState, Change, MAX_REMEMBERED, ReplyChange, Session, Status, Values};
use crate::context::{Answer, Context, NOTHING_DECLARED};
use crate::decision::{Allow, Ask, CallDecision, Decision, Deny, Interim, Match, StepOutcome, VETO_STREAK, Verdict};
use crate::event::{Beside, Call};
use crate::expr::Evaluation;
use crate::hash::Hash128;
use crate::observed::Batch;
use crate::policy::{Policy, ToolPolicy};
use crate::schema::Bound;
use crate::spec::{By, DefaultVerdict, Mode};
use crate::text::capitalised;
use crate::value::Value;
use std::sync::Arc;

/// The code of a call after one whose tool ends the session.
const SESSION_ENDED: &str = "session_ended";

/// What the model is told of it.
const NO_MORE_CALLS: &str =
    "What was done last ends this conversation, so no tool can be called any more. Stop calling tools and answer.";

/// The code of a call in a turn that was refused.
const TURN_REFUSED: &str = "turn_refused";

/// The code of a call while a reply is awaited.
const IN_REDRIVE: &str = "in_redrive";

/// What the model is told of it.
const ONLY_A_REPLY: &str =
    "Only a reply to the user is awaited now, and no tool is called for it. Stop calling tools and reply.";

/// The code of a call after the engine has spoken.
const TURN_IS_OVER: &str = "turn_is_over";

/// What the model is told of it.
const NO_MORE_IN_TURN: &str =
    "This turn has ended with a reply to the user, so no tool can be called in it. Stop calling tools.";

/// What the model is told of it.
const NOTHING_IS_DONE: &str = "This turn was refused, so no tool can be called in it. Stop calling tools.";

/// A call to decide, with the host's answers where it was asked before.
pub(super) struct Proposal<'p, 'e> {
    pub(super) call: &'p Call<'e>,
    answers: Option<&'p [Answer]>,
}

impl<'p, 'e> Proposal<'p, 'e> {
    pub(super) fn new(call: &'p Call<'e>) -> Proposal<'p, 'e> {
        Proposal { call, answers: None }
    }

    pub(super) fn answered(call: &'p Call<'e>, answers: &'p [Answer]) -> Proposal<'p, 'e> {
        Proposal { call, answers: Some(answers) }
    }

    pub(super) fn is_answered(&self) -> bool {
        self.answers.is_some()
    }
}

/// What is known of a call that never got to the guards.
pub(super) fn state(call: &Call<'_>, status: Status) -> CallState {
    CallState::new(status, call.tool.as_ref().into())
}

/// A deny by a gate, whose name is its code.
pub(super) fn denied_by_gate(call: &Call<'_>, code: &'static str, correction: String) -> CallDecision {
    let matched = gate(code, StepOutcome::GuardDenied, correction);
    CallDecision { call: call.id.as_ref().into(), verdict: Verdict::Deny(Box::new(Deny::of(matched, Vec::new()))) }
}

pub(super) fn gate(code: &'static str, outcome: StepOutcome, correction: String) -> Match {
    let code: Arc<str> = code.into();
    let is_final = matches!(outcome, StepOutcome::EffectDenied | StepOutcome::ScopeDenied)
        || matches!(&*code, SESSION_ENDED | TURN_REFUSED | IN_REDRIVE | TURN_IS_OVER | VETO_STREAK);
    Match { guard: code.clone(), code, outcome, correction, public_reason: None, failure: None, is_final }
}

/// What the end of a call that may run will need.
pub(super) struct Kept {
    pub(super) entries: Vec<Entry>,
    pub(super) key: Option<(u128, u128)>,
}

/// The calls of one event, decided in order.
pub(super) struct Proposals<'p> {
    pub(super) policy: &'p Policy,
    pub(super) session: &'p Session,
    pub(super) moment: Moment<'p>,
    pub(super) changes: &'p mut Vec<Change>,
    pub(super) recorder: &'p mut Recorder,
    pub(super) batch: Batch,
    pub(super) has_siblings: bool,
    /// What the calls before this one have spent.
    pub(super) pending: Pending,
    /// The keys that they have claimed.
    pub(super) claimed: Claimed,
    /// The budget that one of them ended the run with.
    stopped: Option<Arc<str>>,
    /// How many calls in a row were refused, up to this one.
    pub(super) vetoes: u64,
    /// True if the model said something beside the calls.
    pub(super) has_text: bool,
    /// Which of them is decided, from 1.
    pub(super) place: u64,
    /// How many calls it adds to those that the session remembers.
    proposed: usize,
}

/// What the gates up to 5 make of a call: everything the guards judge.
pub(super) struct Ready<'r> {
    pub(super) name: &'r str,
    pub(super) tool: &'r ToolPolicy,
    pub(super) bound: Bound<'r>,
    pub(super) declared: &'r Value<'static>,
    pub(super) hashes: Vec<Option<u128>>,
    pub(super) repeat: Option<u128>,
    pub(super) cwd: Option<&'r str>,
}

impl<'p> Proposals<'p> {
    pub(super) fn new(
        policy: &'p Policy,
        session: &'p Session,
        moment: Moment<'p>,
        changes: &'p mut Vec<Change>,
        recorder: &'p mut Recorder,
    ) -> Self {
        Proposals {
            policy,
            session,
            moment,
            changes,
            recorder,
            batch: Batch::new(false),
            has_siblings: false,
            pending: Pending::new(false),
            claimed: Claimed::default(),
            stopped: session.stopped.clone(),
            vetoes: session.vetoes,
            has_text: false,
            place: 0,
            proposed: 0,
        }
    }

    /// The same of so many calls, which see each other, and of the text beside them.
    fn of_batch(self, calls: usize, has_text: bool) -> Self {
        let has_siblings = calls > 1;
        let (batch, pending) = (Batch::new(has_siblings), Pending::new(has_siblings));
        Proposals { batch, has_siblings, pending, has_text, ..self }
    }

    /// Decides the calls of a batch, in order.
    pub(super) fn decide_batch(self, calls: &[Call<'_>], text: &Beside<'_>) -> Decision {
        let has_text = text.says_something();
        let mut proposals = self.of_batch(calls.len(), has_text);
        let decided = calls.iter().map(|call| proposals.decide(&Proposal::new(call))).collect();
        let beside = drops_text(proposals.policy, calls, has_text).then(Interim::default);
        Decision::Calls { calls: decided, beside }
    }

    /// Decides a call and reserves what it needs.
    pub(super) fn decide(&mut self, proposal: &Proposal<'_, '_>) -> CallDecision {
        let call = proposal.call;
        self.recorder.begin();
        self.place = self.place.saturating_add(1);
        let id: Arc<str> = call.id.as_ref().into();
        let before = self.session.calls.get(call.id.as_ref());
        let resumes = before.is_some_and(|state| self.may_resume(state, proposal));
        let known = before.is_some() && proposal.answers.is_none() && !resumes;
        if known || !self.batch.take_id(&call.id) {
            let correction = format!(
                "The call id {} was used before. Propose the call again under a new id.",
                crate::text::quoted(&call.id)
            );
            self.recorder.hear(|| Judgement::repeated_id(&call.id));
            let mut denied = denied_by_gate(call, "duplicate_call_id", correction);
            self.count_veto(&mut denied.verdict);
            return denied;
        }
        if proposal.answers.is_none() && !resumes {
            let remembered = self.session.calls.len().saturating_add(self.proposed);
            if remembered >= MAX_REMEMBERED {
                return denied_by_gate(call, INDEX_FULL, TOO_LONG.to_owned());
            }
            self.proposed = self.proposed.saturating_add(1);
        }
        self.recorder.hear(|| Judgement::gate("duplicate_call_id", Said::Pass));
        let mut verdict = if self.session.has_ended {
            self.recorder.hear(|| Judgement::gate(SESSION_ENDED, Said::Fires));
            self.unprepared(call, &id, resumes, gate(SESSION_ENDED, StepOutcome::GuardDenied, NO_MORE_CALLS.to_owned()))
        } else if self.session.turn_is_refused {
            self.recorder.hear(|| Judgement::gate(TURN_REFUSED, Said::Fires));
            self.unprepared(
                call,
                &id,
                resumes,
                gate(TURN_REFUSED, StepOutcome::GuardDenied, NOTHING_IS_DONE.to_owned()),
            )
        } else if let Some((code, correction)) = self.out_of_turn() {
            self.recorder.hear(|| Judgement::gate(code, Said::Fires));
            self.unprepared(call, &id, resumes, gate(code, StepOutcome::GuardDenied, correction.to_owned()))
        } else if let Some(budget) = self.stopped.clone() {
            self.refused_by(budget, call, &id, resumes)
        } else if let Some(deny) = self.barred() {
            self.bar(deny, proposal, &id, resumes)
        } else {
            self.judge(proposal, &id, resumes)
        };
        self.count_veto(&mut verdict);
        if let Verdict::Deny(deny) = &verdict {
            self.correct(deny, &call.tool);
        }
        CallDecision { call: id, verdict }
    }

    /// Notes what a refused call was corrected by: `dim:kind:tool`.
    #[cold]
    fn correct(&mut self, deny: &Deny, tool: &str) {
        let code = &deny.first.guard;
        let known = self.policy.tool(tool).and_then(|known| known.kind_of(code));
        let tag = match known {
            Some((dimension, kind)) => format!("{}:{kind}:{tool}", dimension.name()),
            None if self.policy.counters.iter().any(|counter| counter.code == *code) => format!("run:budget:{tool}"),
            None => format!("run:{code}:{tool}"),
        };
        self.changes.push(Change::Reply(ReplyChange::Corrected(tag.into())));
    }

    /// Why no call is for this moment of the turn.
    fn out_of_turn(&self) -> Option<(&'static str, &'static str)> {
        match self.session.replying.phase {
            Phase::Open => None,
            Phase::Redriving => Some((IN_REDRIVE, ONLY_A_REPLY)),
            Phase::Over => Some((TURN_IS_OVER, NO_MORE_IN_TURN)),
        }
    }

    /// How many calls there were before, and how many with this one in its batch.
    pub(super) fn known_calls(&self) -> u64 {
        u64::try_from(self.session.calls.len().saturating_add(self.proposed)).unwrap_or(u64::MAX)
    }

    /// A call after a budget ended the run.
    fn refused_by(&mut self, budget: Arc<str>, call: &Call<'_>, id: &Arc<str>, resumes: bool) -> Verdict {
        self.recorder.hear(|| Judgement::stopped(&budget));
        self.unjudged(call, id, resumes, Status::Denied);
        let deny = Deny::of(super::budgets::ended(budget), Vec::new());
        Verdict::Deny(Box::new(deny.stopping(used_up(self.policy))))
    }

    pub(super) fn judge(&mut self, proposal: &Proposal<'_, '_>, id: &Arc<str>, resumes: bool) -> Verdict {
        let call = proposal.call;
        let Some(tool) = self.policy.tool(&call.tool) else {
            self.recorder.hear(|| Judgement::unknown_tool(self.policy, &call.tool));
            return self.unprepared(call, id, resumes, self.unknown_tool(call));
        };
        self.recorder.hear(|| Judgement::gate("unknown_tool", Said::Pass));
        let declared = declared::taken(tool, &call.args);
        let sent = declared.as_ref().and_then(|declared| declared.args.as_ref()).unwrap_or(&call.args);
        let rewritten = match rewritten(&tool.rewrites, sent) {
            Ok(rewritten) => rewritten,
            Err(correction) => {
                self.recorder.stopped_by(self.policy, tool, &call.tool, "invalid_rewrite");
                self.count_unfit(tool, &call.tool);
                let matched = gate("invalid_rewrite", StepOutcome::InvalidArguments, correction);
                return self.unprepared(call, id, resumes, matched);
            }
        };
        if !tool.rewrites.is_empty() {
            self.recorder.hear(|| Judgement::gate("invalid_rewrite", Said::Pass));
        }
        let prepared = prepare(tool, rewritten.as_ref().unwrap_or(sent)).or(rewritten);
        let args = prepared.as_ref().unwrap_or(sent);
        let bound = match declared::bind(tool, args, declared.as_ref()) {
            Ok(bound) => bound,
            Err(problems) => {
                self.recorder.stopped_by(self.policy, tool, &call.tool, "invalid_arguments");
                self.count_unfit(tool, &call.tool);
                let correction = crate::schema::correction(&problems);
                let matched = gate("invalid_arguments", StepOutcome::InvalidArguments, correction);
                return self.unprepared(call, id, resumes, matched);
            }
        };
        self.recorder.hear(|| Judgement::gate("invalid_arguments", Said::Pass));
        let keeps_repeats = self.policy.plan.keeps_repeats();
        let repeat = keeps_repeats.then(|| Hash128::new(&self.session.key).str(&call.tool).value(args).finish());
        let hashes = self.hashes(tool, &bound);
        let cwd = call.cwd.as_deref();
        let values = declared.as_ref().map_or(&NOTHING_DECLARED, |declared| &declared.values);
        let ready = Ready { name: &call.tool, tool, bound, declared: values, hashes, repeat, cwd };
        let mut found = self.find(&ready, proposal.answers);
        if let Some(heard) = found.heard.take() {
            self.recorder.hear_all(heard);
        }
        self.forget_lapsed(&found.entries);
        if proposal.answers.is_none() && !resumes {
            self.count_attempts(&found);
        }
        if !self.session.approvals.remembered.is_empty() {
            let refusal = self.remembered_refusal(&ready);
            refusal.into_iter().for_each(|refusal| found.matched().denies.push(refusal));
        }
        let question = Question { call, ready: &ready, resumes };
        let verdict = if resumes { self.resumed(&mut found, &question) } else { self.verdict(&mut found, &question) };
        let kept = Kept { entries: std::mem::take(&mut found.entries), key: found.key };
        self.reserve(call, id, (&ready, &kept), &verdict, found.is_destructive);
        with_args(verdict, prepared.or_else(|| declared.and_then(|declared| declared.args)))
    }

    /// What all that was found comes to.
    #[inline]
    pub(super) fn verdict(&mut self, found: &mut Found, question: &Question<'_, '_>) -> Verdict {
        let is_open = found.is_open();
        let observes = self.policy.mode == Mode::Observe;
        if !observes {
            self.stop(found);
        }
        let mut matched = found.take_matched();
        let audited = matched.as_mut().filter(|_| observes).map(|matched| std::mem::take(&mut matched.audited));
        let verdict = match matched {
            None => self.unopposed(found.lifted, Allow::default(), question),
            Some(matched) => self.conclude(matched, found.lifted, question),
        };
        if is_open {
            self.recorder.hear(|| Judgement::by_default(self.policy.default, &verdict));
        }
        if observes { observed(verdict, audited.unwrap_or_default()) } else { verdict }
    }

    fn unknown_tool(&self, call: &Call<'_>) -> Match {
        let near = crate::diagnostic::did_you_mean(&call.tool, self.policy.tool_names());
        let cure = near.map_or_else(|| "Use only the tools you were given.".to_owned(), |near| capitalised(&near));
        let correction = format!("There is no tool {}. {cure}", crate::text::quoted(&call.tool));
        gate("unknown_tool", StepOutcome::UnknownTool, correction)
    }

    /// A call that gates 3 to 5 stopped.
    fn unprepared(&mut self, call: &Call<'_>, id: &Arc<str>, resumes: bool, matched: Match) -> Verdict {
        let verdict = Verdict::Deny(Box::new(Deny::of(matched, Vec::new())));
        let verdict = if self.policy.mode == Mode::Observe { observed(verdict, Vec::new()) } else { verdict };
        let status = if matches!(verdict, Verdict::Allow(_)) { Status::Allowed } else { Status::Denied };
        self.unjudged(call, id, resumes, status);
        verdict
    }

    /// Notes a call that no guard judged. One that waits for a person goes on to wait, as it was asked about: nothing of
    /// what was approved is spent.
    pub(super) fn unjudged(&mut self, call: &Call<'_>, id: &Arc<str>, resumes: bool, status: Status) {
        if !resumes {
            let values = Values::of(self.policy, &self.session.key, &call.args);
            let state = CallState { values, ..state(call, status) };
            self.changes.push(Change::Proposed { call: id.clone(), state });
        }
    }

    /// Gates 6 to 9, all of them.
    fn find(&self, ready: &Ready<'_>, answers: Option<&[Answer]>) -> Found {
        let mut found = Found::new(self.recorder.listens());
        self.find_grants(ready, &mut found);
        let mut evaluation = Evaluation::new(self.context(ready, answers.unwrap_or_default()), &ready.tool.lets);
        let said = self.find_key(ready, &mut evaluation, &mut found);
        if let (idempotency::Said::Answered(repeat), true) = (said, found.denies() == 0) {
            found.matched().answer = Some(repeat);
            // Where the spec only observes the call runs again, and counts.
            if self.policy.mode == Mode::Enforce {
                found.hear_nothing_more(self.policy, ready);
                return found;
            }
        }
        found.is_destructive = ready.tool.destructive.holds(&mut evaluation);
        evaluation.context.is_destructive = found.is_destructive;
        self.find_budgets(ready, answers.is_some(), &mut evaluation, &mut found);
        self.find_guards(ready, answers, &mut evaluation, &mut found);
        found
    }

    fn find_grants(&self, ready: &Ready<'_>, found: &mut Found) {
        let effect = ready.tool.effect;
        found.hear(|| Judgement::effect(self.policy, effect));
        found.hear(|| Judgement::scopes(&ready.tool.scopes, &self.session.opened.scopes));
        if !self.policy.effects.contains(&effect) {
            let correction = format!(
                "`{}` has the effect `{}`, which is not granted here. Say that you cannot do it.",
                ready.name,
                effect.name()
            );
            found.matched().denies.push(gate("effect_denied", StepOutcome::EffectDenied, correction));
        }
        if let Some(scope) = ready.tool.scopes.iter().find(|scope| !self.session.opened.scopes.contains(scope)) {
            let correction = format!(
                "`{}` needs the scope `{scope}`, which is not granted here. Say that you cannot do it.",
                ready.name
            );
            found.matched().denies.push(gate("scope_denied", StepOutcome::ScopeDenied, correction));
        }
    }

    /// What may be read of a call.
    pub(super) fn context<'c>(&'c self, ready: &'c Ready<'_>, answers: &'c [Answer]) -> Context<'c> {
        Context {
            tool: ready.name,
            effect: ready.tool.effect,
            declared: ready.declared,
            hashes: &ready.hashes,
            cwd: ready.cwd,
            repeat: ready.repeat,
            answers,
            ..self.moment.context(self.session, &ready.bound, &self.batch)
        }
    }

    fn find_guards(
        &self,
        ready: &Ready<'_>,
        answers: Option<&[Answer]>,
        evaluation: &mut Evaluation<'_>,
        found: &mut Found,
    ) {
        // Who listens hears every guard, also those that a screen would spare.
        let passed = if found.heard.is_some() { 0 } else { passed_screens(ready) };
        let is_passed = |screen: u8| passed & (1 << screen) != 0;
        let left = ready.tool.guards.iter().filter(|planned| !planned.what.screen.is_some_and(is_passed));
        let before = found.denies();
        for guard in left.filter_map(|planned| planned.about(ready.name, ready.tool.effect)) {
            let objection = judge(guard, evaluation);
            found.hear(|| Judgement::guard(guard, evaluation, finding_or_pass(objection.as_ref()), answers.is_some()));
            if let Some(objection) = objection {
                found.add(guard, objection, answers.is_some());
            }
        }
        found.deny_lets(before, &ready.tool.lets, evaluation);
    }

    /// `deny > ask > allow > no opinion`. Questions are asked only where nothing denies without them.
    #[expect(clippy::boxed_local, reason = "taken apart in its place; moved out of the box it would be copied whole")]
    fn conclude(&mut self, matched: Box<Matched>, lifted: bool, question: &Question<'_, '_>) -> Verdict {
        let Matched { denies, asks, warnings, audited, queries, answer, stops, .. } = *matched;
        if let Some(repeat) = answer {
            return Verdict::Answer(repeat);
        }
        let mut denies = denies.into_iter();
        if let Some(first) = denies.next() {
            let deny = Deny::of(first, denies.collect());
            return Verdict::Deny(Box::new(if stops.is_some() { deny.stopping(used_up(self.policy)) } else { deny }));
        }
        if !queries.is_empty() {
            return Verdict::Need(queries);
        }
        if !asks.is_empty() {
            let (ask, by) = asked(asks);
            let allow = Verdict::Allow(Allow { warnings, audited, ..Allow::default() });
            return self.settle(question, ask, by, allow);
        }
        self.unopposed(lifted, Allow { warnings, audited, ..Allow::default() }, question)
    }

    /// What becomes of a call that nothing stands against.
    #[inline]
    fn unopposed(&mut self, lifted: bool, allow: Allow, question: &Question<'_, '_>) -> Verdict {
        match self.policy.default {
            _ if lifted => Verdict::Allow(allow),
            DefaultVerdict::Allow => Verdict::Allow(allow),
            DefaultVerdict::Defer => Verdict::Defer(allow),
            DefaultVerdict::Ask => self.settle(question, Ask::by_default(), By::Approver, Verdict::Allow(allow)),
            DefaultVerdict::Deny => {
                let correction = "No rule allows this call here. Say that you cannot do it.".to_owned();
                Verdict::Deny(Box::new(Deny::of(gate("default", StepOutcome::GuardDenied, correction), Vec::new())))
            }
        }
    }

    /// Ends the run, where a budget says so.
    fn stop(&mut self, found: &Found) {
        if let Some(budget) = found.stops() {
            self.stopped = Some(budget.clone());
            self.changes.push(Change::Stopped(budget.clone()));
        }
    }
}

/// The screens of the tool that the arguments pass, as bits.
fn passed_screens(ready: &Ready<'_>) -> u64 {
    let screens = ready.tool.screens.iter().enumerate();
    screens.filter(|(_, screen)| screen.passes(&ready.bound)).fold(0, |passed, (number, _)| passed | (1 << number))
}

/// Gate 4 and the first half of 5: declared conversions, then the schema's defaults; `None` where nothing changes.
pub(super) fn prepare(tool: &ToolPolicy, args: &Value<'_>) -> Option<Value<'static>> {
    let coerced = if tool.coerce { tool.args.coerce(args) } else { None };
    if !tool.args.has_defaults() {
        return coerced;
    }
    let filled = tool.args.with_defaults(coerced.as_ref().unwrap_or(args));
    filled.or(coerced)
}

pub(super) fn status(verdict: &Verdict) -> Status {
    match verdict {
        // What is left to the host's own prompt may run, so it counts as if it will.
        Verdict::Allow(_) | Verdict::Defer(_) => Status::Allowed,
        // The call that was approved may still come.
        Verdict::Deny(deny) if deny.first.outcome == StepOutcome::ApprovalStale => Status::Asked,
        Verdict::Deny(_) | Verdict::Answer(_) => Status::Denied,
        Verdict::Ask(_) => Status::Asked,
        Verdict::Need(_) => Status::Waiting,
    }
}

/// In `mode: observe` everything is allowed, and what would have been is said.
fn observed(verdict: Verdict, audited: Vec<Match>) -> Verdict {
    Verdict::Allow(match verdict {
        Verdict::Allow(allow) => Allow { audited, ..allow },
        would => Allow { audited, would: Some(Box::new(would)), ..Allow::default() },
    })
}

/// Whoever says the last word, what was judged is what runs.
fn with_args(verdict: Verdict, prepared: Option<Value<'static>>) -> Verdict {
    let Some(args) = prepared else { return verdict };
    let args = Some(Box::new(args));
    match verdict {
        Verdict::Allow(allow) => Verdict::Allow(Allow { args, ..allow }),
        Verdict::Ask(ask) => Verdict::Ask(Box::new(Ask { args, ..*ask })),
        Verdict::Defer(allow) => Verdict::Defer(Allow { args, ..allow }),
        none @ (Verdict::Deny(_) | Verdict::Answer(_) | Verdict::Need(_)) => none,
    }
}
