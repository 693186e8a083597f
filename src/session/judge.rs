//! What one guard says of one call or one result: whether it applies, what it is asked, and the words where it fires.
//!
//! The words are made where the guard fires, so that they can name the element of a `forEach` that broke it.

use crate::context::{Failure, Finding, LetId};
use crate::decision::{Match, StepOutcome};
use crate::expr::{Evaluation, Fault, Lets, Program};
use crate::guards::condition;
use crate::policy::{BoundGuard, Question};
use crate::spec::{Action, OnMissing};
use std::ops::ControlFlow;
use std::sync::Arc;

/// What a guard finds that does not pass, with its words where it fires and has some.
pub(super) struct Objection {
    pub(super) finding: Finding,
    pub(super) matched: Option<Match>,
}

impl Objection {
    fn wordless(fault: Fault) -> Objection {
        Objection { finding: condition::finding_of(fault), matched: None }
    }
}

/// What a guard objects to. Most guards apply to every call and to all of it, and pass.
#[inline]
pub(super) fn judge(guard: &BoundGuard, evaluation: &mut Evaluation<'_>) -> Option<Objection> {
    if guard.when.is_none() && guard.each.is_none() {
        return ask(guard, evaluation);
    }
    judge_where_it_applies(guard, evaluation)
}

/// What a guard finds, whether it objects or not.
pub(super) fn finding_or_pass(objection: Option<&Objection>) -> &Finding {
    objection.map_or(&Finding::Pass, |objection| &objection.finding)
}

#[inline(never)]
fn judge_where_it_applies(guard: &BoundGuard, evaluation: &mut Evaluation<'_>) -> Option<Objection> {
    match guard.when.as_ref().map(|when| when.test(evaluation)) {
        Some(Ok(false)) => return None,
        Some(Err(fault)) => return Some(Objection::wordless(fault)),
        Some(Ok(true)) | None => {}
    }
    match &guard.each {
        None => ask(guard, evaluation),
        Some(over) => for_each(guard, over, evaluation),
    }
}

/// The same of a guard that judges every element of something.
fn for_each(guard: &BoundGuard, over: &Program, evaluation: &mut Evaluation<'_>) -> Option<Objection> {
    let found = evaluation.each(over, |evaluation| match of_element(guard, evaluation) {
        // An element that lacks something says nothing of the others.
        Some(objection) if !is_skipped(guard, &objection.finding) => ControlFlow::Break(objection),
        _ => ControlFlow::Continue(()),
    });
    found.unwrap_or_else(|fault| Some(Objection::wordless(fault)))
}

fn of_element(guard: &BoundGuard, evaluation: &mut Evaluation<'_>) -> Option<Objection> {
    match guard.each_when.as_ref().map(|when| when.test(evaluation)) {
        Some(Ok(false)) => None,
        Some(Err(fault)) => Some(Objection::wordless(fault)),
        Some(Ok(true)) | None => ask(guard, evaluation),
    }
}

/// True if the guard has no opinion, because something that it reads is missing.
pub(super) fn is_skipped(guard: &BoundGuard, finding: &Finding) -> bool {
    let lacks = matches!(finding, Finding::Missing | Finding::NoLet(_) | Finding::Fails(Failure::Missing(_)));
    lacks && guard.missing == OnMissing::Skip
}

/// Asked of every guard that applies, so it stands where they are gone through.
#[inline(always)]
fn ask(guard: &BoundGuard, evaluation: &mut Evaluation<'_>) -> Option<Objection> {
    let finding = match &guard.question {
        Question::Nothing => Finding::Fires,
        Question::Kind(check) => check.check(evaluation),
        Question::Holds(check) => holds(check, evaluation),
    };
    if matches!(finding, Finding::Pass) {
        // It holds nothing, so there is nothing to look for and drop.
        std::mem::forget(finding);
        return None;
    }
    Some(objection(guard, finding, evaluation))
}

#[cold]
#[inline(never)]
fn objection(guard: &BoundGuard, finding: Finding, evaluation: &mut Evaluation<'_>) -> Objection {
    let fires = matches!(finding, Finding::Fires | Finding::Missing) && !is_skipped(guard, &finding);
    let matched = (fires && guard.action != Action::Allow).then(|| matched(guard, evaluation));
    Objection { finding, matched }
}

fn holds(check: &Program, evaluation: &mut Evaluation<'_>) -> Finding {
    match check.test(evaluation) {
        Ok(true) => Finding::Pass,
        Ok(false) => Finding::Fires,
        Err(fault) => condition::finding_of(fault),
    }
}

fn matched(guard: &BoundGuard, evaluation: &mut Evaluation<'_>) -> Match {
    let kind = guard.question.kind();
    let generated = || kind.map(|check| check.correction(&evaluation.context)).unwrap_or_default();
    let correction = match &guard.correction {
        Some(correction) => correction.show(evaluation),
        None => generated(),
    };
    Match {
        guard: guard.code.clone(),
        code: guard.code.clone(),
        outcome: StepOutcome::GuardDenied,
        correction,
        public_reason: guard.public_reason.as_ref().map(|reason| reason.show(evaluation).into()),
        failure: None,
        is_final: kind.map_or(matches!(guard.question, Question::Nothing), |check| check.is_final()),
    }
}

/// The deny of a let that has no value: once, whichever guards read it.
pub(super) fn no_let(lets: &Lets, id: LetId, evaluation: &mut Evaluation<'_>) -> Match {
    let code: Arc<str> = format!("let/{}", lets.name(id)).into();
    Match {
        guard: code.clone(),
        code,
        outcome: StepOutcome::GuardDenied,
        correction: lets.missing(id, evaluation).unwrap_or_default(),
        public_reason: None,
        failure: None,
        is_final: false,
    }
}

/// The match of a guard that cannot judge.
pub(super) fn failure_of(guard: &BoundGuard, failure: &Failure, correction: &str) -> Match {
    Match {
        guard: guard.code.clone(),
        code: "guard_failure".into(),
        outcome: StepOutcome::GuardDenied,
        correction: correction.to_owned(),
        public_reason: None,
        failure: Some(failure.code()),
        is_final: true,
    }
}
