//! Whether a turn may begin: what the guards under `onInput` find before any model is called; and what the model is told
//! where it does.
//!
//! They read the world, counters, who is speaking, and kinds and sizes of what came in; of what was typed nothing is
//! here to read (law 2). A guard that cannot judge refuses the turn (law 4).

use super::Session;
use super::decide::Moment;
use super::explain::{Judgement, Recorder};
use super::judge::{Objection, failure_of, finding_or_pass, is_skipped, judge, no_let};
use super::tail::Brought;
use crate::context::{Context, Failure, Finding};
use crate::decision::{Decision, Match, TurnDecision, TurnRefusal};
use crate::event::{Attachment, attachments_value};
use crate::expr::Evaluation;
use crate::facts::Facts;
use crate::observed::Batch;
use crate::policy::{Policy, ReplyOnly, TurnPolicy};
use crate::render::tail::Upload;
use crate::schema::Bound;
use crate::spec::{Action, Mode};
use crate::value::{Object, Value};
use std::collections::BTreeSet;

/// A turn that begins, and what came in with its message.
pub(super) struct Beginning<'a> {
    pub(super) policy: &'a Policy,
    pub(super) session: &'a Session,
    pub(super) moment: Moment<'a>,
    pub(super) attachments: &'a [Attachment<'a>],
}

impl Beginning<'_> {
    /// Asks of the moment at which the turn begins: the change of the world that its event brings is in.
    fn ask<T>(&self, ask: impl FnOnce(&mut Evaluation<'_>) -> T) -> T {
        let input = Value::from(Object::of([("attachments", attachments_value(self.attachments))]));
        // Not even what was typed in earlier turns may be asked for.
        let (bound, batch, facts) = (Bound::none(), Batch::default(), Facts::default());
        let context = Context {
            input: Some(&input),
            facts: &facts,
            turn: self.session.turn.saturating_add(1),
            ..self.moment.context(self.session, &bound, &batch)
        };
        ask(&mut Evaluation::new(context, &self.policy.turn.lets))
    }

    /// What all guards together say, and of a turn that begins what the model is shown.
    pub(super) fn judge(&self, recorder: &mut Recorder) -> Decision {
        recorder.begin();
        let turn = &self.policy.turn;
        let is_asked =
            !turn.guards.is_empty() || !turn.directives.is_empty() || matches!(turn.reply_only, ReplyOnly::When(_));
        let (mut decision, said) = match is_asked {
            true => self.ask(|evaluation| self.asked(evaluation, recorder)),
            false => (TurnDecision::default(), Vec::new()),
        };
        if decision.refused.is_none() {
            decision.reply_only |= matches!(turn.reply_only, ReplyOnly::Always);
            let uploads = self.attachments.iter().map(|one| Upload { kind: &one.kind, size: one.size }).collect();
            let brought = Brought { uploads, directives: said };
            decision.prompt_tail = self.session.tail_at(self.policy, self.moment, true, brought);
        }
        if decision == TurnDecision::default() { Decision::Proceed } else { Decision::Turn(Box::new(decision)) }
    }

    /// What is asked of the moment: guards first; where none refuses, what the model is told on this turn.
    fn asked(&self, evaluation: &mut Evaluation<'_>, recorder: &mut Recorder) -> (TurnDecision, Vec<String>) {
        let (turn, words) = (&self.policy.turn, self.policy.words.texts.refused());
        let (denies, audited) = found(turn, words, evaluation, recorder);
        let refusal = refusal(denies, words);
        let (refused, would) = match self.policy.mode {
            Mode::Enforce => (refusal, None),
            Mode::Observe => (None, refusal),
        };
        let mut decision = TurnDecision { refused, audited, would, ..TurnDecision::default() };
        let mut said = Vec::new();
        if decision.refused.is_none() {
            for directive in &turn.directives {
                // A condition that nobody can judge does not hold: a directive permits and forbids nothing.
                if directive.when.as_ref().is_none_or(|when| when.test(evaluation) == Ok(true)) {
                    decision.directives.push(directive.id.clone());
                    said.push(directive.say.show(evaluation));
                }
            }
            decision.reply_only =
                if let ReplyOnly::When(when) = &turn.reply_only { when.test(evaluation) != Ok(false) } else { false };
        }
        (decision, said)
    }
}

/// What the guards find: those that refuse, lets without a value before the others, and those that only watch.
fn found(
    turn: &TurnPolicy,
    words: &str,
    evaluation: &mut Evaluation<'_>,
    recorder: &mut Recorder,
) -> (Vec<Match>, Vec<Match>) {
    let (mut lets, mut denies, mut audited) = (BTreeSet::new(), Vec::new(), Vec::new());
    for guard in &turn.guards {
        let objection = judge(guard, evaluation);
        recorder.hear(|| Judgement::guard(guard, evaluation, finding_or_pass(objection.as_ref()), true));
        let Some(Objection { finding, matched }) = objection else { continue };
        let watches = matches!(guard.action, Action::Audit | Action::Allow);
        let matched = match finding {
            Finding::Pass => continue,
            finding if is_skipped(guard, &finding) => continue,
            Finding::NoLet(id) => {
                if !watches {
                    lets.insert(id);
                }
                continue;
            }
            Finding::Fires | Finding::Missing => match matched {
                Some(matched) => matched,
                None => continue,
            },
            Finding::Fails(failure) => failure_of(guard, &failure, words),
            // Nothing is asked of a host before a turn begins.
            Finding::Needs(_) => failure_of(guard, &Failure::NoAnswer("not asked".into()), words),
        };
        if watches { audited.push(matched) } else { denies.push(matched) }
    }
    let missing: Vec<Match> = lets.into_iter().map(|id| no_let(&turn.lets, id, evaluation)).collect();
    missing.iter().for_each(|matched| recorder.hear(|| Judgement::no_let(matched)));
    (missing.into_iter().chain(denies).collect(), audited)
}

/// The first rule is shown, in its own words for a person where it has some.
fn refusal(denies: Vec<Match>, words: &str) -> Option<TurnRefusal> {
    let mut denies = denies.into_iter();
    let first = denies.next()?;
    let own = first.public_reason.as_deref().unwrap_or(&first.correction);
    let reply = if own.is_empty() { words } else { own }.to_owned();
    Some(TurnRefusal { first, also: denies.collect(), reply })
}
