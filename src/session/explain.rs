//! Why a decision is what it is: every gate, budget and guard that judged a call, what each read, what it answered, and
//! what would have passed.
//!
//! [`explain`] decides the event again with a [`Recorder`] that listens; [`decide`](super::decide) passes one that does
//! not. So there is one evaluation, and an explanation cannot tell of another. Nothing changes here.

use super::Session;
use super::decide::decide_heard;
use super::judge::is_skipped;
use crate::context::Finding;
use crate::decimal::Decimal;
use crate::decision::{CallDecision, Decision, Deny, Match, Verdict};
use crate::event::{Body, Call, Event};
use crate::expr::{Evaluation, Reading};
use crate::guards::Read;
use crate::guards::max_calls::Scope;
use crate::ledger::mask::Masker;
use crate::policy::{BoundGuard, Counted, Counter, Policy, ToolPolicy, Unit};
use crate::spec::{Action, DefaultVerdict, OnSpent, duration_text};
use crate::tool::Effect;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What sort of rule judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// A gate that every call passes.
    Gate,
    /// A count of calls.
    Budget,
    /// A guard of the spec, or an edge of its flow.
    Guard,
}

impl Sort {
    /// The stable word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Sort::Gate => "gate",
            Sort::Budget => "budget",
            Sort::Guard => "guard",
        }
    }
}

/// What a rule answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// Nothing to object to.
    Pass,
    /// It is broken; of a guard that allows: it applies.
    Fires,
    /// What it reads is missing, and so it fires.
    Missing,
    /// What it reads is missing, and so it has no opinion.
    Skips,
    /// It could not judge.
    Fails(&'static str),
    /// The host must answer first.
    Needs,
    /// A gate before it had stopped the call.
    NotAsked,
    /// A let that it reads has no value, which is a deny of its own.
    NotRun,
}

impl Said {
    /// The stable word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Said::Pass => "pass",
            Said::Fires => "fires",
            Said::Missing => "missing",
            Said::Skips => "skips",
            Said::Fails(_) => "guard_failure",
            Said::Needs => "needs",
            Said::NotAsked => "not_asked",
            Said::NotRun => "not_run",
        }
    }
}

/// One rule's judgement of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The guard's or budget's id, or the gate's name, which is its code.
    pub by: Arc<str>,
    /// What it is.
    pub sort: Sort,
    /// What its firing does.
    pub action: Action,
    /// What it answered.
    pub said: Said,
    /// What it read.
    pub reads: Vec<Read>,
    /// The nearest change of one thing it read with which it passes, where it did not and can say.
    pub flips: Option<String>,
}

impl Judgement {
    fn new(by: Arc<str>, sort: Sort, action: Action, said: Said) -> Judgement {
        Judgement { by, sort, action, said, reads: Vec::new(), flips: None }
    }

    pub(super) fn gate(code: &str, said: Said) -> Judgement {
        Judgement::new(code.into(), Sort::Gate, Action::Deny, said)
    }

    pub(super) fn reading(self, read: Read) -> Judgement {
        Judgement { reads: [self.reads, vec![read]].concat(), ..self }
    }

    pub(super) fn flipped_by(self, flips: Option<String>) -> Judgement {
        Judgement { flips, ..self }
    }

    pub(super) fn repeated_id(call: &str) -> Judgement {
        let flips = Some("a call id of its own".to_owned());
        let read = Read::words("call", crate::text::quoted(call));
        Judgement::gate("duplicate_call_id", Said::Fires).reading(read).flipped_by(flips)
    }

    pub(super) fn unknown_tool(policy: &Policy, tool: &str) -> Judgement {
        let near = crate::diagnostic::nearest(tool, policy.tool_names());
        let shown = crate::text::quoted(tool);
        let flips = near.map(|near| format!("`tool` {shown} → {}", crate::text::quoted(near)));
        Judgement::gate("unknown_tool", Said::Fires).reading(Read::words("tool", shown)).flipped_by(flips)
    }

    pub(super) fn effect(policy: &Policy, effect: Effect) -> Judgement {
        let granted: BTreeSet<&str> = policy.effects.iter().map(|effect| effect.name()).collect();
        let lacks = !policy.effects.contains(&effect);
        let flips = lacks.then(|| format!("a grant of the effect `{}`", effect.name()));
        Judgement::gate("effect_denied", if lacks { Said::Fires } else { Said::Pass })
            .reading(Read::words("effect", effect.name()))
            .reading(Read::words("granted", listed(granted)))
            .flipped_by(flips)
    }

    pub(super) fn scopes(needed: &[String], granted: &[String]) -> Judgement {
        let lacking: Vec<String> =
            needed.iter().filter(|scope| !granted.contains(scope)).map(|scope| format!("`{scope}`")).collect();
        let said = if lacking.is_empty() { Said::Pass } else { Said::Fires };
        let flips = (said == Said::Fires).then(|| format!("a grant of {}", crate::text::joined(&lacking, "and")));
        Judgement::gate("scope_denied", said)
            .reading(Read::words("scopes", listed(needed.iter().map(String::as_str))))
            .reading(Read::words("granted", listed(granted.iter().map(String::as_str))))
            .flipped_by(flips)
    }

    /// What becomes of a call that no rule denied.
    pub(super) fn by_default(default: DefaultVerdict, verdict: &Verdict) -> Judgement {
        let said = if matches!(verdict, Verdict::Allow(_)) { Said::Pass } else { Said::Fires };
        let flips = (said == Said::Fires).then(|| "a guard with `action: allow` that applies".to_owned());
        Judgement::gate("default", said).reading(Read::words("default", default.name())).flipped_by(flips)
    }

    fn of_budget(counter: &Counter, said: Said) -> Judgement {
        let action = match counter.action {
            OnSpent::Deny | OnSpent::Stop => Action::Deny,
            OnSpent::Ask => Action::Ask,
            OnSpent::Warn => Action::Warn,
            OnSpent::Audit => Action::Audit,
        };
        Judgement::new(counter.code.clone(), Sort::Budget, action, said)
    }

    /// A budget of which `used` is spent.
    pub(super) fn budget(counter: &Counter, used: Decimal, max: Decimal, has_room: bool) -> Judgement {
        let scope = match (counter.window, counter.scope) {
            (Some(window), _) => duration_text(window),
            (None, Scope::Turn) => "this turn".to_owned(),
            (None, Scope::Session) => "this session".to_owned(),
        };
        let left = max.checked_sub(&used).filter(|left| !left.is_negative()).unwrap_or_default();
        let flips = match counter.unit {
            _ if has_room || max.is_zero() => None,
            Unit::Amount => Some(format!("an amount of at most {left}")),
            Unit::Calls | Unit::Attempts => Some(fewer(used, max, &scope)),
        };
        let counts = match counter.unit {
            Unit::Amount => "the sum",
            Unit::Attempts => "attempts",
            Unit::Calls if counter.failed => "failed calls",
            Unit::Calls => "calls",
        };
        let counted = match &counter.counted {
            Counted::Calls { of } => of.clone(),
            Counted::Tools { names, .. } => format!(" of {names}"),
        };
        let read = Read::words(format!("{counts}{counted} in {scope}"), format!("{used} of {max}"));
        let said = if has_room { Said::Pass } else { Said::Fires };
        Judgement::of_budget(counter, said).reading(read).flipped_by(flips)
    }

    /// A budget whose condition does not hold of the call.
    pub(super) fn budget_passes(counter: &Counter) -> Judgement {
        Judgement::of_budget(counter, Said::Pass).reading(Read::words("when", "false"))
    }

    /// A budget that cannot tell.
    pub(super) fn budget_fails(counter: &Counter, failure: Option<&'static str>) -> Judgement {
        Judgement::of_budget(counter, Said::Fails(failure.unwrap_or("missing")))
    }

    /// A budget that reads a let without a value.
    pub(super) fn budget_not_run(counter: &Counter) -> Judgement {
        Judgement::of_budget(counter, Said::NotRun)
    }

    pub(super) fn budget_not_asked(counter: &Counter) -> Judgement {
        Judgement::of_budget(counter, Said::NotAsked)
    }

    /// A budget that ended the run before.
    pub(super) fn stopped(budget: &Arc<str>) -> Judgement {
        Judgement::new(budget.clone(), Sort::Budget, Action::Deny, Said::Fires)
            .reading(Read::words("the run", "has ended"))
    }

    /// What the key of a call says.
    pub(super) fn key(passes: bool, state: &'static str) -> Judgement {
        Judgement::gate("idempotency", if passes { Said::Pass } else { Said::Fires }).reading(Read::words("key", state))
    }

    /// A let without a value, of which its own text is told.
    pub(super) fn no_let(matched: &Match) -> Judgement {
        Judgement::new(matched.guard.clone(), Sort::Guard, Action::Deny, Said::Missing)
    }

    /// A guard and what its check found.
    pub(super) fn guard(
        guard: &BoundGuard,
        evaluation: &mut Evaluation<'_>,
        finding: &Finding,
        answered: bool,
    ) -> Judgement {
        let said = match finding {
            Finding::Pass => Said::Pass,
            finding if is_skipped(guard, finding) => Said::Skips,
            Finding::NoLet(_) => Said::NotRun,
            Finding::Fires => Said::Fires,
            Finding::Missing => Said::Missing,
            Finding::Fails(failure) => Said::Fails(failure.code()),
            Finding::Needs(_) if answered => Said::Fails("no_answer"),
            Finding::Needs(_) => Said::Needs,
        };
        let kind = guard.question.kind();
        let written = guard.question.program();
        let programs = guard.when.iter().chain(&guard.each).chain(&guard.each_when).chain(written);
        let mut reads: Vec<Read> = programs.flat_map(|program| program.reads(evaluation)).map(read).collect();
        reads.extend(kind.map(|check| check.reads(&evaluation.context)).unwrap_or_default());
        let objects = matches!(said, Said::Fires | Said::Missing) && guard.action != Action::Allow;
        let flips = match (kind.filter(|_| objects), written.filter(|_| objects && guard.each.is_none())) {
            (_, Some(program)) => program.flip(evaluation),
            (Some(check), None) => check.flips(&evaluation.context),
            (None, None) => None,
        };
        Judgement { reads, flips, ..Judgement::new(guard.code.clone(), Sort::Guard, guard.action, said) }
    }

    pub(super) fn guard_not_asked(guard: &BoundGuard) -> Judgement {
        Judgement::new(guard.code.clone(), Sort::Guard, guard.action, Said::NotAsked)
    }

    /// Covers secrets; a change that would show one is not told.
    fn cover(&mut self, masker: &Masker) {
        let covered = self.reads.iter_mut().filter_map(|read| read.cover(masker).then_some(())).count();
        if covered > 0 {
            self.flips = None;
        }
    }
}

/// Hears what every rule says of the calls of one event, or does not listen.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    calls: Option<Vec<Vec<Judgement>>>,
}

impl Recorder {
    fn listening() -> Recorder {
        Recorder { calls: Some(Vec::new()) }
    }

    /// True if anybody listens: what is told otherwise is not even made.
    pub(super) fn listens(&self) -> bool {
        self.calls.is_some()
    }

    /// The next call begins.
    pub(super) fn begin(&mut self) {
        if let Some(calls) = &mut self.calls {
            calls.push(Vec::new());
        }
    }

    /// A judgement of the call at hand.
    pub(super) fn hear(&mut self, judgement: impl FnOnce() -> Judgement) {
        if let Some(heard) = self.calls.as_mut().and_then(|calls| calls.last_mut()) {
            heard.push(judgement());
        }
    }

    /// Judgements of the call at hand that were collected elsewhere.
    pub(super) fn hear_all(&mut self, judgements: Vec<Judgement>) {
        if let Some(heard) = self.calls.as_mut().and_then(|calls| calls.last_mut()) {
            heard.extend(judgements);
        }
    }
}

impl Recorder {
    /// Gate 4 or 5 stopped the call: nothing behind it was asked.
    pub(super) fn stopped_by(&mut self, policy: &Policy, tool: &ToolPolicy, name: &str, code: &str) {
        if !self.listens() {
            return;
        }
        self.hear(|| Judgement::gate(code, Said::Fires));
        for code in ["effect_denied", "scope_denied"] {
            self.hear(|| Judgement::gate(code, Said::NotAsked));
        }
        self.hear_all(not_asked(policy, tool, name));
    }
}

/// The budgets and guards about a call that another gate decided before.
pub(super) fn not_asked(policy: &Policy, tool: &ToolPolicy, name: &str) -> Vec<Judgement> {
    let budgets = policy.counters_of(tool, name).map(|(_, counter)| Judgement::budget_not_asked(counter));
    let guards = tool.guards.iter().filter_map(|planned| planned.about(name, tool.effect));
    budgets.chain(guards.map(Judgement::guard_not_asked)).collect()
}

/// How many calls fewer would have left room for one.
fn fewer(used: Decimal, max: Decimal, scope: &str) -> String {
    let over = used.checked_sub(&max).and_then(|over| over.to_u64()).unwrap_or_default();
    match over.saturating_add(1) {
        1 => format!("one call fewer in {scope}"),
        more => format!("{more} calls fewer in {scope}"),
    }
}

/// One call of an event, explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallExplanation {
    /// The tool's canonical name.
    pub tool: String,
    /// The verdict.
    pub decided: CallDecision,
    /// What a denied model was told, or would be by a spec that does not only observe; `None` too where the arguments
    /// hold a secret, which it may repeat.
    pub told: Option<String>,
    /// Every rule that judged it, in the order of the gates.
    pub judgements: Vec<Judgement>,
}

/// What an event's decision is, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The decision.
    pub decision: Arc<Decision>,
    /// Its calls; none for an event that proposes none.
    pub calls: Vec<CallExplanation>,
    /// The guards that judged a call's result, or whether a turn may begin.
    pub result: Vec<Judgement>,
}

/// Explains what would be decided on an event. Pure, as [`decide`](super::decide) is, and the same evaluation.
///
/// ```
/// use flyball::event::{Body, Event, Opening};
/// use flyball::json::{Limits, parse};
/// use flyball::session::{Session, explain};
/// use flyball::source::Sources;
///
/// let text = "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {pay: {effect: external}}\n\
///     guards: {preTool: [{id: cap, tools: [pay], kind: argRange, with: {arg: amount, max: 500}}]}\n";
/// let spec = flyball::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap();
/// let policy = flyball::policy::compile(&spec).unwrap();
/// let opening = Event::new("e1", "s1", Body::SessionOpened(Opening::default()));
/// let (mut session, step) = Session::open(&policy, &opening).unwrap();
/// session.commit(step).unwrap();
///
/// let args = parse(br#"{"amount": 620}"#, &Limits::default()).unwrap();
/// let explanation = explain(&policy, &session, &Event::call("e2", "s1", "c1", "pay", args));
/// let cap = explanation.calls[0].judgements.iter().find(|judgement| &*judgement.by == "cap").unwrap();
/// assert_eq!((cap.reads[0].what.as_str(), cap.reads[0].value.as_str()), ("amount", "620"));
/// assert_eq!(cap.flips.as_deref(), Some("`amount` 620 → 500"));
/// ```
#[must_use]
pub fn explain(policy: &Policy, session: &Session, event: &Event<'_>) -> Explanation {
    let mut recorder = Recorder::listening();
    let step = decide_heard(policy, session, event, &mut recorder);
    let decided: &[CallDecision] = match &*step.decision {
        Decision::Call(call) => std::slice::from_ref(call),
        Decision::Calls { calls, .. } => calls,
        _ => &[],
    };
    let mut heard = recorder.calls.unwrap_or_default().into_iter();
    let explained = |decided: &CallDecision| {
        let mut judgements = heard.next().unwrap_or_else(|| refused(decided));
        judgements.iter_mut().for_each(|judgement| judgement.cover(&policy.masker));
        let proposed = proposed(session, event, &decided.call);
        let secret = proposed.as_ref().is_some_and(|call| policy.masker.mask(&call.args).is_some());
        let told = denying(&decided.verdict).filter(|_| !secret).map(|deny| deny.correction.clone());
        let tool = proposed.map(|call| call.tool.to_string()).unwrap_or_default();
        CallExplanation { tool, decided: decided.clone(), told, judgements }
    };
    let calls = decided.iter().map(explained).collect();
    let mut result = heard.next().unwrap_or_default();
    result.iter_mut().for_each(|judgement| judgement.cover(&policy.masker));
    Explanation { decision: step.decision, calls, result }
}

/// The deny, also of a spec that only observes.
fn denying(verdict: &Verdict) -> Option<&Deny> {
    match verdict {
        Verdict::Deny(deny) => Some(deny),
        Verdict::Allow(allow) => denying(allow.would.as_deref()?),
        Verdict::Answer(_) | Verdict::Ask(_) | Verdict::Defer(_) | Verdict::Need(_) => None,
    }
}

fn read((what, value): Reading) -> Read {
    match value {
        Ok(value) => Read::of(what, &value),
        Err(why) => Read::words(what, why),
    }
}

/// `a, b`, or `none`.
fn listed<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}

/// A call that the state of the session denied before any rule saw it.
fn refused(decided: &CallDecision) -> Vec<Judgement> {
    decided.verdict.denied_by().map(|code| Judgement::gate(code, Said::Fires)).into_iter().collect()
}

/// The call as it was proposed; of one that waited for answers, then.
fn proposed<'s>(session: &'s Session, event: &'s Event<'_>, call: &'s str) -> Option<Cow<'s, Call<'s>>> {
    let named = |calls: &'s [Call<'_>]| calls.iter().find(|known| known.id == call).map(Cow::Borrowed);
    match &event.body {
        Body::ToolProposed(proposed) => named(std::slice::from_ref(proposed)),
        Body::ModelTurn { calls, .. } => named(calls),
        _ => session.waiting_call(call).map(Cow::Owned),
    }
}

#[cfg(test)]
mod tests;
