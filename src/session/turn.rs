//! Whether a turn may begin: what the guards under `onInput` find before any model is called.
//!
//! They read the world, counters, who is speaking, and kinds and sizes of what came in; of what was typed nothing is
//! here to read (law 2). A guard that cannot judge refuses the turn (law 4).

use super::Session;
use super::decide::Moment;
use super::explain::{Judgement, Recorder};
use super::judge::{Objection, failure_of, finding_or_pass, is_skipped, judge, no_let};
use crate::context::{Context, Failure, Finding};
use crate::decision::{Decision, Match, TurnDecision, TurnRefusal};
use crate::event::{Attachment, attachments_value};
use crate::expr::Evaluation;
use crate::facts::Facts;
use crate::observed::{Batch, View};
use crate::policy::{Policy, TurnPolicy};
use crate::schema::Bound;
use crate::spec::{Action, Mode};
use crate::tool::Effect;
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
            tool: "",
            effect: Effect::Read,
            is_destructive: false,
            args: &bound,
            result: None,
            input: Some(&input),
            hashes: &[],
            world: self.moment.world,
            world_is_stale: self.moment.world_is_stale,
            session: &self.session.facts,
            now: self.moment.now,
            cwd: None,
            observed: View { observed: &self.session.observed, batch: &batch },
            facts: &facts,
            turn: self.session.turn.saturating_add(1),
            repeat: None,
            key: &self.session.key,
            answers: &[],
        };
        ask(&mut Evaluation::new(context, &self.policy.turn.lets))
    }

    /// What all guards together say.
    pub(super) fn judge(&self, recorder: &mut Recorder) -> Decision {
        recorder.begin();
        let turn = &self.policy.turn;
        if turn.guards.is_empty() {
            return Decision::Proceed;
        }
        let words = refused_words(self.policy);
        let (denies, audited) = self.ask(|evaluation| found(turn, words, evaluation, recorder));
        let refusal = refusal(denies, words);
        if refusal.is_none() && audited.is_empty() {
            return Decision::Proceed;
        }
        let (refused, would) = match self.policy.mode {
            Mode::Enforce => (refusal, None),
            Mode::Observe => (None, refusal),
        };
        Decision::Turn(Box::new(TurnDecision { refused, audited, would }))
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

/// What the person gets where a guard could not judge.
fn refused_words(_: &Policy) -> &str {
    "I cannot help with this right now."
}
