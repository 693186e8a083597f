//! Whether a reply goes out: what changes it, what judges it, and what is said where none passes.
//!
//! The order of section 5: mutators, then every check, then another reply as often as the spec lets one be asked for, then
//! the last one of the turn that passes, then what the engine says itself. Nothing here starts a call, and while a reply
//! is awaited none may (law 5). What the engine says is made of what hosts reported, never of what a model claims.

use super::Session;
use super::decide::Moment;
use super::explain::{Judgement, Recorder};
use super::found::Found;
use super::judge::{finding_or_pass, judge};
use super::replying::{OpenViolation, Phase, ReplyChange};
use super::step::Change;
use super::telling::Telling;
use crate::acts::{Act, Claim, CoreOutcome};
use crate::context::{Answer, Context, Finding, Query, Reply};
use crate::decision::{
    Decision, Interim, Match, ObservedCall, RecordLine, ReplyDecision, ReplyVerdict, StepOutcome, TurnResult,
};
use crate::event::{Beside, Claims, Said, said_value};
use crate::expr::Evaluation;
use crate::grounds::Grounds;
use crate::hash::Hash128;
use crate::observed::Batch;
use crate::policy::Policy;
use crate::schema::Bound;
use crate::spec::{Action, Mode, TextWithCalls};
use crate::text::is_blank;
use crate::value::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// The code of a blank reply.
const EMPTY_REPLY: &str = "empty_reply";

/// The kind that judges one; where no guard of it objects, the engine does.
const BLANK_KIND: &str = "emptyReply";

/// The code of a reply that asks, in a turn that must end without a question.
const TERMINAL: &str = "controls/terminal";

/// The most reasons that one redrive names.
const MAX_REASONS: usize = 16;

/// What the model is told of a guard that could not judge its reply.
const UNJUDGED: &str = "A guard is unavailable, so this reply cannot be checked. Say only what was done.";

/// What the model is told where it said nothing.
const NO_REPLY: &str =
    "You have not replied to the user. Reply now, in the user's language, and say what was done. Do not call a tool.";

/// A reply to decide.
pub(super) struct Replies<'a> {
    pub(super) policy: &'a Policy,
    pub(super) session: &'a Session,
    pub(super) moment: Moment<'a>,
    pub(super) changes: &'a mut Vec<Change>,
    pub(super) recorder: &'a mut Recorder,
}

/// What was found of one text.
struct Judged {
    /// The text as the mutators leave it.
    text: String,
    /// What stands against it, with the kind of each guard.
    violations: Vec<(Match, &'static str)>,
    audited: Vec<Match>,
    queries: Vec<Query>,
    /// Guards that did not judge it.
    not_run: Vec<Arc<str>>,
    /// What was changed in it, as corrections name it.
    mended: Vec<&'static str>,
}

/// Which guards judge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    All,
    /// Those that judge text beside calls.
    Interim,
    /// Those that can judge a text of which more is to come.
    Parts,
    /// Those about a text that shows nothing.
    Blank,
}

impl Replies<'_> {
    /// A reply was proposed, or the host's answers about it came.
    pub(super) fn decide(&mut self, said: &Said<'_>, answers: Option<&[Answer]>) -> Decision {
        self.recorder.begin();
        if let Some(refused) = self.refused() {
            return refused;
        }
        let kept = &self.session.replying;
        if is_blank(&said.text) && !kept.is_forced && kept.phase == Phase::Open && self.enforces() {
            self.correct("forced-terminal");
            self.push(ReplyChange::Redriven { refused: 0, forced: true });
            let verdict = ReplyVerdict::Redrive { instruction: NO_REPLY.to_owned(), forced: true };
            return self.decision(verdict, Vec::new(), Vec::new());
        }
        let acts = self.session.acts(self.policy);
        let mut judged = self.judge(&said.text, &acts, said.claims.as_ref(), answers, Asked::All);
        if judged.violations.is_empty() && !judged.queries.is_empty() {
            self.push(ReplyChange::Waits(Arc::new(Said {
                text: said.text.clone().into_owned().into(),
                claims: said.claims.clone().map(Claims::into_owned),
            })));
            return self.decision(ReplyVerdict::Need(judged.queries), Vec::new(), judged.audited);
        }
        self.correct_mended(&judged);
        let not_run = std::mem::take(&mut judged.not_run);
        amended(self.conclude(judged, &said.text, &acts), |reply| reply.not_run = not_run)
    }

    /// True if a guard that judges parts objects to the part of a reply that is known.
    pub(super) fn objects_to_part(policy: &Policy, session: &Session, moment: Moment<'_>, so_far: &str) -> bool {
        let (mut changes, mut recorder) = (Vec::new(), Recorder::default());
        let mut replies = Replies { policy, session, moment, changes: &mut changes, recorder: &mut recorder };
        let acts = session.acts(policy);
        !replies.judge(so_far, &acts, None, None, Asked::Parts).violations.is_empty()
    }

    /// Why no reply is judged now.
    fn refused(&self) -> Option<Decision> {
        let (code, message) = if self.session.turn_is_refused {
            ("turn_refused", "the turn was refused, and its reply is out")
        } else if self.session.replying.phase == Phase::Over {
            ("turn_is_over", "the turn has ended with the reply that stands; begin another")
        } else {
            return None;
        };
        Some(Decision::Refuse { code, message: message.to_owned() })
    }

    fn enforces(&self) -> bool {
        self.policy.mode == Mode::Enforce
    }

    fn push(&mut self, change: ReplyChange) {
        self.changes.push(Change::Reply(change));
    }

    fn correct(&mut self, tag: &str) {
        self.push(ReplyChange::Corrected(tag.into()));
    }

    /// Names what was changed in a text that is shown as it was changed.
    fn correct_mended(&mut self, judged: &Judged) {
        for kind in judged.mended.iter().filter(|_| self.policy.mode == Mode::Enforce) {
            self.correct(&format!("mutate:{kind}"));
        }
    }

    /// What all that was found comes to.
    fn conclude(&mut self, judged: Judged, proposed: &str, acts: &[Act]) -> Decision {
        let Judged { text, violations, audited, .. } = judged;
        if !self.enforces() {
            let would = (!violations.is_empty()).then(|| if self.may_redrive() { "redrive" } else { "abstain" });
            let violations = violations.into_iter().map(|(one, _)| one).collect();
            let decision = self.deliver(proposed.to_owned(), false, violations, audited, acts);
            return amended(decision, |reply| reply.would = would);
        }
        if violations.is_empty() {
            return self.deliver(text, false, Vec::new(), audited, acts);
        }
        let kinds: Vec<&'static str> = violations.iter().map(|(_, kind)| *kind).collect();
        let violations: Vec<Match> = violations.into_iter().map(|(one, _)| one).collect();
        if self.may_redrive() {
            for kind in kinds {
                self.correct(&format!("redrive:{kind}"));
            }
            let refused = text_hash(self.session, proposed);
            self.push(ReplyChange::Redriven { refused, forced: false });
            let verdict = ReplyVerdict::Redrive { instruction: instruction(&violations), forced: false };
            return self.decision(verdict, violations, audited);
        }
        if let Some(salvaged) = self.salvaged(proposed, acts) {
            self.correct("exhaustion-salvage");
            return self.deliver(salvaged, true, violations, audited, acts);
        }
        self.correct("exhaustion-terminal");
        let lines = self.telling().lines(acts);
        let text = self.telling().abstention(acts, &lines);
        self.push(ReplyChange::Abstained);
        let turn = self.turn_result(acts, lines, true);
        let verdict = ReplyVerdict::Abstain { text };
        let turn = Some(Box::new(turn));
        Decision::Reply(Box::new(ReplyDecision { turn, ..ReplyDecision::new(verdict, violations, audited) }))
    }

    /// What the engine says itself.
    fn telling(&self) -> Telling<'_> {
        Telling { policy: self.policy, session: self.session, now: self.moment.now }
    }

    fn may_redrive(&self) -> bool {
        self.session.replying.redrives < self.policy.bounds.redrives
    }

    /// The last text of this turn that passed, where it is another one and still does.
    fn salvaged(&mut self, proposed: &str, acts: &[Act]) -> Option<String> {
        let passed = self.session.replying.passed.clone().filter(|passed| &**passed != proposed)?;
        let judged = self.judge(&passed, acts, None, None, Asked::All);
        (judged.violations.is_empty() && judged.queries.is_empty()).then_some(judged.text)
    }

    fn deliver(
        &mut self,
        text: String,
        salvaged: bool,
        violations: Vec<Match>,
        audited: Vec<Match>,
        acts: &[Act],
    ) -> Decision {
        let lines = self.telling().lines(acts);
        let full = self.telling().with_below(&text, &lines);
        self.push(ReplyChange::Delivered(text.into()));
        let turn = Some(Box::new(self.turn_result(acts, lines, false)));
        let verdict = ReplyVerdict::Deliver { text: full, salvaged };
        Decision::Reply(Box::new(ReplyDecision { turn, ..ReplyDecision::new(verdict, violations, audited) }))
    }

    fn decision(&self, verdict: ReplyVerdict, violations: Vec<Match>, audited: Vec<Match>) -> Decision {
        Decision::Reply(Box::new(ReplyDecision::new(verdict, violations, audited)))
    }

    /// The host's answers about the reply that waits for them.
    pub(super) fn answered(&mut self, answers: &[Answer]) -> Decision {
        let Some(waiting) = self.session.replying.waiting.clone() else {
            let message = "no reply waits for answers; those about a call name it".to_owned();
            return Decision::Reject { code: "unknown_call", message };
        };
        self.push(ReplyChange::Answered);
        self.decide(&waiting, Some(answers))
    }

    /// What was decided on the calls of a model turn, with what becomes of the text beside them where that is judged.
    pub(super) fn with_interim(&mut self, decided: Decision, text: &Beside<'_>) -> Decision {
        let is_checked = self.policy.bounds.text_with_calls == TextWithCalls::Check;
        match (decided, text.text().filter(|_| is_checked)) {
            (Decision::Calls { calls, .. }, Some(text)) => Decision::Calls { calls, beside: Some(self.interim(text)) },
            (decided, _) => decided,
        }
    }

    /// Text beside calls: shown as the guards that judge it leave it, or not at all.
    fn interim(&mut self, text: &str) -> Interim {
        let acts = self.session.acts(self.policy);
        let judged = self.judge(text, &acts, None, None, Asked::Interim);
        self.correct_mended(&judged);
        let passes = judged.violations.is_empty() && judged.queries.is_empty();
        if passes && self.enforces() {
            self.push(ReplyChange::Passed(text.into()));
        }
        Interim {
            shown: if self.enforces() { passes.then_some(judged.text) } else { Some(text.to_owned()) },
            violations: judged.violations.into_iter().map(|(one, _)| one).collect(),
            audited: judged.audited,
        }
    }

    /// Changes a text and asks every guard of it.
    fn judge(
        &mut self,
        text: &str,
        acts: &[Act],
        claims: Option<&Claims<'_>>,
        answers: Option<&[Answer]>,
        asked: Asked,
    ) -> Judged {
        let listed = claims.map(|claims| claims.iter().map(|claim| self.claim(claim)).collect::<Vec<_>>());
        let stage = Stage { acts, claims: listed.as_deref(), sent: claims, is_interim: asked == Asked::Interim };
        let mut judged = Judged {
            text: text.to_owned(),
            violations: Vec::new(),
            audited: Vec::new(),
            queries: Vec::new(),
            not_run: Vec::new(),
            mended: Vec::new(),
        };
        if asked != Asked::Parts {
            self.mend(&mut judged, &stage, answers.unwrap_or(&[]));
        }
        if asked != Asked::Parts && is_blank(&judged.text) {
            self.ask_guards(&mut judged, &stage, answers, Asked::Blank);
            if judged.violations.is_empty() {
                judged.violations.push((blank(), BLANK_KIND));
            }
            let others = self.policy.reply.guards.iter().filter(|guard| guard.kind != BLANK_KIND);
            judged.not_run = others.map(|guard| guard.code.clone()).collect();
            return judged;
        }
        self.ask_guards(&mut judged, &stage, answers, asked);
        if asked == Asked::All {
            self.ask_turn(&mut judged, &stage);
        }
        judged
    }

    /// Lets every mutator change the text, in their order.
    fn mend(&mut self, judged: &mut Judged, stage: &Stage<'_>, answers: &[Answer]) {
        for guard in &self.policy.reply.mutators {
            let before = std::mem::take(&mut judged.text);
            let mended = self.with_reply(&before, stage, answers, |evaluation| {
                match guard.when.as_ref().map(|when| when.test(evaluation)) {
                    Some(Ok(false)) => return Ok(None),
                    Some(Err(fault)) => return Err(crate::guards::condition::finding_of(fault)),
                    Some(Ok(true)) | None => {}
                }
                guard.question.kind().map_or(Ok(None), |kind| kind.mended(&before, evaluation))
            });
            judged.text = before;
            match mended {
                Ok(Some(text)) => {
                    judged.mended.push(guard.kind);
                    judged.text = text;
                }
                Ok(None) => {}
                Err(finding) => {
                    let mut found = Found::new(false);
                    found.add(guard, super::judge::Objection { finding, matched: None }, true);
                    self.take(judged, found, &|_| guard.kind);
                }
            }
        }
    }

    fn ask_guards(&mut self, judged: &mut Judged, stage: &Stage<'_>, answers: Option<&[Answer]>, asked: Asked) {
        let guards = self.policy.reply.guards.iter().filter(|guard| match asked {
            Asked::All => true,
            Asked::Interim => guard.is_interim,
            Asked::Parts => {
                guard.action == Action::Deny && guard.question.kind().is_some_and(|kind| kind.window().is_some())
            }
            Asked::Blank => guard.kind == BLANK_KIND,
        });
        let guards: Vec<_> = guards.collect();
        if guards.is_empty() {
            return;
        }
        let text = std::mem::take(&mut judged.text);
        let mut found = Found::new(self.recorder.listens());
        self.with_reply(&text, stage, answers.unwrap_or(&[]), |evaluation| {
            for guard in &guards {
                let objection = judge(guard, evaluation);
                let is_answered = answers.is_some();
                found.hear(|| Judgement::guard(guard, evaluation, finding_or_pass(objection.as_ref()), is_answered));
                if let Some(objection) = objection {
                    if matches!(objection.finding, Finding::Needs(_)) {
                        judged.not_run.push(guard.code.clone());
                    }
                    found.add(guard, objection, is_answered);
                }
            }
            found.deny_lets(0, &self.policy.reply.lets, evaluation);
        });
        if let Some(heard) = found.heard.take() {
            self.recorder.hear_all(heard);
        }
        judged.text = text;
        let kind_of =
            |code: &str| guards.iter().find(|guard| &*guard.code == code).map_or("custom", |guard| guard.kind);
        self.take(judged, found, &kind_of);
    }

    /// Takes over what guards found.
    fn take(&self, judged: &mut Judged, mut found: Found, kind_of: &dyn Fn(&str) -> &'static str) {
        let Some(matched) = found.take_matched() else { return };
        for mut one in matched.denies {
            if one.failure.is_some() {
                one.correction = UNJUDGED.to_owned();
            }
            let kind = kind_of(&one.guard);
            judged.violations.push((one, kind));
        }
        judged.audited.extend(matched.audited);
        judged.queries.extend(matched.queries);
    }

    /// What the turn itself asks of its reply: results that must be taken up, calls that are owed, no question.
    fn ask_turn(&self, judged: &mut Judged, stage: &Stage<'_>) {
        let kept = &self.session.replying;
        if !kept.open.is_empty() {
            let is_new = !kept.refused.contains(&text_hash(self.session, &judged.text));
            let open = kept.open.iter().filter(|one| !(one.told && is_new || stage.admits(one)));
            judged.violations.extend(open.map(|one| (taken_up(one), one.kind)));
        }
        if kept.reply_only && judged.text.contains(['?', '？', '؟']) {
            let correction = "This turn ends with a reply, not with a question: say what you know, and ask nothing.";
            judged.violations.push((by_engine(TERMINAL, correction), "terminal"));
        }
    }

    /// Asks something of a text.
    fn with_reply<T>(
        &self,
        text: &str,
        stage: &Stage<'_>,
        answers: &[Answer],
        ask: impl FnOnce(&mut Evaluation<'_>) -> T,
    ) -> T {
        let value = said_value(text, stage.sent);
        let grounds = self.grounds();
        let reply = Reply {
            text,
            value: &value,
            claims: stage.claims,
            acts: stage.acts,
            grounds: &grounds,
            question_typed: self.session.replying.question_typed,
            is_interim: stage.is_interim,
        };
        let (bound, batch) = (Bound::none(), Batch::default());
        let context = Context { reply: Some(&reply), answers, ..self.moment.context(self.session, &bound, &batch) };
        ask(&mut Evaluation::new(context, &self.policy.reply.lets))
    }

    /// What the reply may name: what came up before, and what its own event brings of the world.
    fn grounds(&self) -> Cow<'_, Grounds> {
        let brought = self.changes.iter().filter_map(|change| match change {
            Change::Grounded(gathered) => Some(gathered),
            _ => None,
        });
        let mut grounds = Cow::Borrowed(&self.session.grounds);
        brought.for_each(|gathered| grounds.to_mut().keep(gathered));
        grounds
    }

    /// A claim, with its word's meaning.
    fn claim<'c>(&self, claim: &'c Value<'c>) -> Claim<'c> {
        let text = |key| claim.get(key).and_then(Value::as_str);
        let word = text("outcome");
        Claim {
            op: text("op").unwrap_or_default(),
            target: claim.get("target").filter(|target| !target.is_null()),
            outcome: word.and_then(|word| self.outcome(word)),
            word,
            amount: claim.get("amount").and_then(Value::as_number),
        }
    }

    fn outcome(&self, word: &str) -> Option<CoreOutcome> {
        let of_domain = self.policy.outcomes.iter().find(|(known, _)| **known == *word).map(|(_, outcome)| *outcome);
        let core = || CoreOutcome::WORDS.iter().find(|(known, _)| *known == word).map(|(_, outcome)| *outcome);
        of_domain.or_else(core)
    }

    fn turn_result(&self, acts: &[Act], record: Vec<RecordLine>, exhausted: bool) -> TurnResult {
        let earlier = self.session.replying.corrections.iter().cloned();
        let now = self.changes.iter().filter_map(|change| match change {
            Change::Reply(ReplyChange::Corrected(tag)) => Some(tag.clone()),
            _ => None,
        });
        let observed =
            acts.iter().map(|act| ObservedCall { call: act.call.clone(), tool: act.tool.clone(), end: act.end });
        TurnResult {
            corrections: earlier.chain(now).collect(),
            exhausted,
            observed: observed.collect(),
            record,
            head: None,
        }
    }
}

/// What a text is judged in.
struct Stage<'s> {
    acts: &'s [Act],
    claims: Option<&'s [Claim<'s>]>,
    sent: Option<&'s Claims<'s>>,
    is_interim: bool,
}

impl Stage<'_> {
    /// True if a claim says of what is open that it did not simply succeed.
    fn admits(&self, open: &OpenViolation) -> bool {
        let short = |tool: &str| tool.rsplit_once('/').map_or(tool.to_owned(), |(_, tool)| tool.to_owned());
        let about = open.owes.as_deref().unwrap_or(&open.tool);
        let mut claims = self.claims.unwrap_or_default().iter();
        claims.any(|claim| {
            let is_about = claim.op == about || claim.op == short(about);
            is_about && claim.outcome.is_some_and(|outcome| outcome != CoreOutcome::Success)
        })
    }
}

fn amended(decision: Decision, amend: impl FnOnce(&mut ReplyDecision)) -> Decision {
    match decision {
        Decision::Reply(mut reply) => {
            amend(&mut reply);
            Decision::Reply(reply)
        }
        other => other,
    }
}

/// The hash of a text as far as two replies are one: white space is not looked at.
fn text_hash(session: &Session, text: &str) -> u128 {
    text.split_whitespace().fold(Hash128::new(&session.key), Hash128::str).finish()
}

fn by_engine(code: &str, correction: &str) -> Match {
    Match {
        guard: code.into(),
        code: code.into(),
        outcome: StepOutcome::GuardDenied,
        correction: correction.to_owned(),
        public_reason: None,
        failure: None,
        is_final: false,
    }
}

fn blank() -> Match {
    by_engine(EMPTY_REPLY, "The reply is empty. Tell the user what was done and what comes next.")
}

fn taken_up(open: &OpenViolation) -> Match {
    by_engine(&open.code, &open.correction)
}

/// What the model is told: one reason for each thing that stands against its reply.
fn instruction(violations: &[Match]) -> String {
    let mut out = String::from("Revise your last reply to the user:\n");
    let mut reasons: Vec<&str> = Vec::new();
    for reason in violations.iter().map(|one| one.correction.trim_end()) {
        // Two rules may say the same.
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    for reason in reasons.iter().take(MAX_REASONS) {
        out.push_str("- ");
        out.push_str(reason);
        out.push('\n');
    }
    match reasons.len().saturating_sub(MAX_REASONS) {
        0 => {}
        1 => out.push_str("- 1 more rule is not met.\n"),
        more => out.push_str(&format!("- {more} more rules are not met.\n")),
    }
    out.push_str("Reply now in the user's language. Do not call a tool.");
    out
}
