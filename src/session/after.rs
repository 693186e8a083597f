//! What is asked of a result: whether it says itself that the call failed, and what the guards under `postTool` find.

use super::decide::Moment;
use super::explain::{Judgement, Recorder};
use super::judge::{Objection, failure_of, finding_or_pass, is_skipped, judge, no_let};
use super::{CallState, Session};
use crate::context::{Context, Failure, Finding};
use crate::decision::{Deny, Judged, Match, Rewritten};
use crate::expr::{Evaluation, Fault, Program};
use crate::guards::condition::finding_of;
use crate::observed::Batch;
use crate::policy::{BoundGuard, Policy, ToolPolicy};
use crate::schema::Bound;
use crate::spec::{Action, Mode};
use crate::value::Value;
use std::collections::BTreeSet;

/// What a result is taken for.
#[derive(Clone, Copy, Eq, PartialEq)]
pub(super) enum TakenFor {
    Success,
    /// It says itself that the call failed, or nobody can tell. Guards describe successes, so one that cannot judge this
    /// has no opinion of it.
    Error,
}

/// A call that came back, and what is asked of its result.
pub(super) struct After<'a> {
    pub(super) policy: &'a Policy,
    pub(super) session: &'a Session,
    pub(super) moment: Moment<'a>,
    pub(super) state: &'a CallState,
    pub(super) result: &'a Value<'a>,
}

impl After<'_> {
    /// Asks of the result, with what the call ran with.
    fn ask<T>(&self, ask: impl FnOnce(&ToolPolicy, &mut Evaluation<'_>) -> T) -> Option<T> {
        let tool = self.policy.tool(&self.state.tool)?;
        let bound = match self.state.args() {
            Some(args) => tool.args.bind(args).ok()?,
            None => Bound::none(),
        };
        let batch = Batch::default();
        let context = Context {
            tool: &self.state.tool,
            effect: tool.effect,
            result: Some(self.result),
            cwd: self.state.cwd(),
            ..self.moment.context(self.session, &bound, &batch)
        };
        Some(ask(tool, &mut Evaluation::new(context, &tool.lets_after)))
    }

    /// Whether the result itself says that the call failed; `None` where nobody can tell.
    pub(super) fn says_failed(&self) -> Option<bool> {
        let asked = self.ask(|tool, evaluation| match &tool.error_when {
            Some(error_when) => error_when.test(evaluation).ok(),
            None => Some(false),
        });
        asked.unwrap_or(Some(false))
    }

    /// Whether a condition on the call and its result holds; `None` where nobody can tell.
    pub(super) fn holds(&self, condition: &Program) -> Option<bool> {
        self.ask(|_, evaluation| condition.test(evaluation).ok()).flatten()
    }

    pub(super) fn judge(&self, taken_for: TakenFor, recorder: &mut Recorder) -> Judged {
        recorder.begin();
        let judged = self.ask(|tool, evaluation| judged(tool, (&self.state.tool, taken_for), evaluation, recorder));
        let (mut judged, denies) = judged.unwrap_or_default();
        let mut denies = denies.into_iter();
        let deny = denies.next().map(|first| Deny::of(first, denies.collect()));
        match self.policy.mode {
            Mode::Observe => Judged { would: deny, rewritten: None, ..judged },
            Mode::Enforce => {
                judged.rewritten = judged.rewritten.filter(|_| deny.is_none());
                Judged { withheld: deny, ..judged }
            }
        }
    }
}

/// What the guards say, and those that withhold.
fn judged(
    tool: &ToolPolicy,
    (name, taken_for): (&str, TakenFor),
    evaluation: &mut Evaluation<'_>,
    recorder: &mut Recorder,
) -> (Judged, Vec<Match>) {
    let (mut said, mut lets, mut denies) = (Judged::default(), BTreeSet::new(), Vec::new());
    for guard in tool.after.iter().filter_map(|planned| planned.about(name, tool.effect)) {
        let objection = judge(guard, evaluation);
        recorder.hear(|| Judgement::guard(guard, evaluation, finding_or_pass(objection.as_ref()), true));
        let Some(Objection { finding, matched }) = objection else { continue };
        let failed = |failure: &Failure| failure_of(guard, failure, UNJUDGED);
        let (matched, is_failure) = match finding {
            Finding::Pass => continue,
            finding if is_skipped(guard, &finding) => continue,
            finding if taken_for == TakenFor::Error && !matches!(finding, Finding::Fires) => continue,
            Finding::NoLet(id) => {
                if guard.action != Action::Audit {
                    lets.insert(id);
                }
                continue;
            }
            Finding::Fires | Finding::Missing => match matched {
                Some(matched) => (matched, false),
                None => continue,
            },
            Finding::Fails(failure) => (failed(&failure), true),
            // Nothing is asked of a host once a call has ended.
            Finding::Needs(_) => (failed(&Failure::NoAnswer("not asked".into())), true),
        };
        match guard.action {
            Action::Audit | Action::Allow => said.audited.push(matched),
            Action::Warn if !is_failure => match redacted(guard, evaluation, said.rewritten.as_ref()) {
                Redacted::Nothing => said.warnings.push(matched),
                Redacted::To(result) => {
                    let by = said.rewritten.take().map(|before| before.by).unwrap_or_default();
                    let by = by.into_iter().chain([guard.code.clone()]).collect();
                    said.rewritten = Some(Rewritten { result, by });
                    // Its own words of the kind are for a result that is withheld.
                    said.warnings.extend(guard.correction.is_some().then_some(matched));
                }
                Redacted::Failed(failure) => denies.push(failed(&failure)),
            },
            Action::Warn | Action::Ask | Action::Deny => denies.push(matched),
        }
    }
    let missing: Vec<Match> = lets.into_iter().map(|id| no_let(&tool.lets_after, id, evaluation)).collect();
    missing.iter().for_each(|matched| recorder.hear(|| Judgement::no_let(matched)));
    (said, missing.into_iter().chain(denies).collect())
}

/// What a guard that fired makes of a result.
enum Redacted {
    /// It takes nothing out.
    Nothing,
    To(Value<'static>),
    /// It cannot say what is to stand there instead.
    Failed(Failure),
}

fn redacted(guard: &BoundGuard, evaluation: &mut Evaluation<'_>, before: Option<&Rewritten>) -> Redacted {
    let Some(original) = evaluation.context.result else { return Redacted::Nothing };
    let mut result = before.map_or_else(|| original.to_owned_value(), |before| before.result.clone());
    if let Some(result) = guard.question.kind().and_then(|check| check.rewritten(&result)) {
        return Redacted::To(result);
    }
    if guard.redact.is_empty() {
        return Redacted::Nothing;
    }
    for (path, with) in &guard.redact {
        match with.json(evaluation) {
            Ok(with) => _ = path.replace(&mut result, &with),
            Err(fault) => return Redacted::Failed(failure_in(fault)),
        }
    }
    super::copies::align(original, &mut result);
    Redacted::To(result)
}

/// Why an expression has no value, as the failure of its guard.
fn failure_in(fault: Fault) -> Failure {
    match finding_of(fault) {
        Finding::Fails(failure) => failure,
        _ => Failure::Missing("a let is missing".into()),
    }
}

/// What the model gets where a guard could not judge a result.
const UNJUDGED: &str = "A guard is unavailable, so the result is withheld. The call ran; do not repeat it.";
