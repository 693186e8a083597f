//! How good a policy is, in numbers: what it does to traces whose calls somebody has labelled.
//!
//! [`Labels`] are what a scored trace says of its calls beside what was called: which are the attack, which writes are the
//! right ones. No guard sees them: the trace is played without, each decision is noted as a [`Judged`], and [`Score`]
//! holds the two against each other. A call that is asked about counts as stopped, and as touched.

mod figures;
mod variant;

use crate::decision::{CallDecision, Decision, Verdict};
use crate::event::{Body, Call, Event};
use crate::json::{JsonError, Limits};
use crate::policy::Policy;
use crate::replay::bad;
use crate::tool::Effect;
use crate::value::{Object, Value};
use std::collections::BTreeMap;

pub use figures::{Attacks, Benign, Named, Score, Writes};
pub use variant::{TASK_SCOPE, Variant};

/// What the ids of rules begin with that every spec has.
const AUTOMATIC: &str = "auto/";

/// What a scored trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// What a user may ask for, done right.
    Benign,
    /// Somebody else's instructions are carried out in it.
    Attack,
    /// A real run, right or wrong.
    Observed,
}

/// What a scored trace says of one of its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CallLabels {
    step: usize,
    tool: String,
    /// It is the attack.
    harms: bool,
    /// It is part of what the user wanted.
    is_the_users: bool,
    /// It is one of the writes that the task calls for.
    matches: Option<bool>,
    reads: Option<bool>,
    /// Its host recorded no error.
    succeeded: bool,
}

/// The labels of one trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    task: String,
    sort: Sort,
    /// By the ids that the calls have when the trace is played.
    calls: BTreeMap<String, CallLabels>,
}

impl Labels {
    /// Reads the labels of a trace with `steps`.
    ///
    /// # Errors
    /// The trace does not say what it is, or a label has another type than it should.
    pub fn read(line: &[u8]) -> Result<Labels, JsonError> {
        let Value::Object(trace) = crate::json::parse(line, &Limits::default())? else {
            return Err(bad("a scored trace is an object"));
        };
        let Some(steps) = trace.get("steps").and_then(Value::as_array) else {
            return Err(bad("a scored trace has an array `steps`"));
        };
        let sort = match trace.get("kind").and_then(Value::as_str) {
            Some("benign") => Sort::Benign,
            Some("attack") => Sort::Attack,
            Some("observed") => Sort::Observed,
            _ => return Err(bad("a scored trace says its `kind`: `benign`, `attack` or `observed`")),
        };
        let mut calls = BTreeMap::new();
        for (number, step) in steps.iter().enumerate() {
            let Value::Object(step) = step else { return Err(bad("a step is an object")) };
            if matches!(step.get("type").and_then(Value::as_str), None | Some("call")) {
                calls.insert(super::call_id(number), call_labels(number, step)?);
            }
        }
        let task = trace.get("task_id").and_then(Value::as_str).unwrap_or("trace").to_owned();
        Ok(Labels { task, sort, calls })
    }

    /// The `task_id` of the trace.
    #[must_use]
    pub fn task(&self) -> &str {
        &self.task
    }
}

fn call_labels(step: usize, members: &Object<'_>) -> Result<CallLabels, JsonError> {
    let origin = word(step, members, "origin", &["user_task", "injection_task"])?;
    let effect = word(step, members, "effect", &["read", "write", "external", "egress_read"])?;
    Ok(CallLabels {
        step,
        tool: members.get("tool").and_then(Value::as_str).unwrap_or_default().to_owned(),
        harms: truth(step, members, "harm")?.unwrap_or(false),
        is_the_users: is_the_users(origin),
        matches: truth(step, members, "gt_match")?,
        reads: effect.map(|effect| effect == "read"),
        succeeded: matches!(members.get("error"), None | Some(Value::Null)),
    })
}

/// Whether a call of this `origin` is part of what the user wanted.
fn is_the_users(origin: Option<&str>) -> bool {
    origin != Some("injection_task")
}

fn truth(step: usize, members: &Object<'_>, label: &str) -> Result<Option<bool>, JsonError> {
    match members.get(label) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(truth)) => Ok(Some(*truth)),
        Some(other) => Err(bad(&format!("step {step}: `{label}` is true or false, not {}", other.kind()))),
    }
}

fn word<'m>(step: usize, members: &'m Object<'_>, label: &str, known: &[&str]) -> Result<Option<&'m str>, JsonError> {
    match members.get(label) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if known.contains(&&**text) => Ok(Some(text)),
        Some(_) => {
            let known: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
            Err(bad(&format!("step {step}: `{label}` is one of {}", known.join(", "))))
        }
    }
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It runs.
    Allowed,
    /// It does not.
    Denied,
    /// Somebody is asked first.
    Asked,
}

/// One decision on a call of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    call: String,
    fate: Fate,
    /// True if the policy says that the tool only reads.
    reads: bool,
    why: String,
}

impl Judged {
    /// What was decided on each call that an event proposes; an event that was refused proposes calls that do not run.
    #[must_use]
    pub fn on(policy: &Policy, event: &Event<'_>, decision: &Decision) -> Vec<Judged> {
        let calls: &[Call<'_>] = match &event.body {
            Body::ToolProposed(call) => std::slice::from_ref(call),
            Body::ModelTurn { calls, .. } => calls,
            _ => &[],
        };
        let decided: &[CallDecision] = match decision {
            Decision::Call(call) => std::slice::from_ref(call),
            Decision::Calls { calls, .. } => calls,
            Decision::Refuse { code, .. } | Decision::Reject { code, .. } => {
                return calls.iter().map(|call| Judged::refused(&call.id, code)).collect();
            }
            _ => &[],
        };
        calls.iter().zip(decided).map(|(call, decision)| Judged::of(policy, &call.tool, decision)).collect()
    }

    fn of(policy: &Policy, tool: &str, decision: &CallDecision) -> Judged {
        let (fate, why) = match &decision.verdict {
            Verdict::Allow(_) | Verdict::Defer(_) => (Fate::Allowed, passed(policy, tool, &decision.verdict)),
            Verdict::Deny(deny) => {
                let matched: Vec<&str> = deny.matches().map(|one| &*one.guard).collect();
                (Fate::Denied, format!("denied by {}: {}", told(&matched), deny.correction))
            }
            Verdict::Ask(ask) => (Fate::Asked, format!("`{}` asks the {}", ask.guard, ask.by)),
            Verdict::Answer(_) => (Fate::Allowed, "it repeats an earlier call and was answered from that".to_owned()),
            Verdict::Need(_) => (Fate::Asked, "a guard asks the host".to_owned()),
        };
        Judged { call: decision.call.to_string(), fate, reads: reads(policy, tool), why }
    }

    fn refused(call: &str, code: &str) -> Judged {
        let why = format!("the event was refused: `{code}`");
        Judged { call: call.to_owned(), fate: Fate::Denied, reads: false, why }
    }

    fn is_stopped(&self) -> bool {
        self.fate != Fate::Allowed
    }
}

/// Whether the policy says that a tool only reads.
fn reads(policy: &Policy, tool: &str) -> bool {
    policy.tool(tool).is_some_and(|tool| tool.effect == Effect::Read)
}

/// Why a call was allowed: who only watched it, and who looked and had nothing to object to. Rules that every spec has are
/// about every call, and are not told.
fn passed(policy: &Policy, tool: &str, verdict: &Verdict) -> String {
    let watched = verdict.matched();
    let rules = policy.rules_about(tool).unwrap_or_default();
    let silent: Vec<&str> =
        rules.into_iter().filter(|rule| !watched.contains(rule) && !rule.starts_with(AUTOMATIC)).collect();
    match (watched.as_slice(), silent.as_slice()) {
        ([], []) => format!("no rule is about `{tool}`"),
        ([], silent) => format!("{} had nothing to object to", told(silent)),
        (watched, []) => format!("{} objected and only watched", told(watched)),
        (watched, silent) => {
            format!("{} objected and only watched; {} had nothing to object to", told(watched), told(silent))
        }
    }
}

fn told(rules: &[&str]) -> String {
    let rules: Vec<String> = rules.iter().map(|rule| format!("`{rule}`")).collect();
    crate::text::joined(&rules, "and")
}

#[cfg(test)]
mod tests;
