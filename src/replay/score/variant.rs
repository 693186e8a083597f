//! The two ways in which a scored trace may be played other than it was recorded: what a host that narrows the tools of a
//! task would leave of it, and an attack that strikes as soon as its text was read.
//!
//! Both read labels, so neither is a defence: they say what a host, or an attacker, could make of the same policy. A call keeps
//! the id it has in the recording.

use super::{CallLabels, Fate, Judged, Labels, is_the_users};
use crate::json::JsonError;
use crate::policy::Policy;
use crate::replay::{Trace, bad};
use crate::value::{Object, Value};
use std::collections::BTreeSet;

/// The code of a call whose tool the host does not offer for this task.
pub const TASK_SCOPE: &str = "task-scope";

/// How a scored trace is played.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// The host offers only the tools that the user's own part of the trace calls. No host knows these beforehand, so this
    /// is an upper bound.
    pub task_scope: bool,
    /// The calls of an injection follow the result that carried its text, and not what the user wanted.
    pub where_injected: bool,
}

impl Variant {
    /// Reads a trace as it is to be played.
    ///
    /// # Errors
    /// As [`Trace::read`]; or the calls of an injection are to follow its text, and the trace does not say which step
    /// carried that.
    pub fn read<'a>(self, line: &'a [u8]) -> Result<Trace<'a>, JsonError> {
        Trace::read_in(line, |trace, steps| self.arrange(trace, steps))
    }

    fn arrange<'a>(self, trace: &Object<'a>, steps: Vec<Value<'a>>) -> Result<Vec<(usize, Value<'a>)>, JsonError> {
        let tools: BTreeSet<String> = steps.iter().filter(|step| is_of_task(step)).filter_map(tool).collect();
        let mut steps: Vec<(usize, Value<'a>)> = steps.into_iter().enumerate().collect();
        if self.where_injected {
            steps = struck_early(trace, steps)?;
        }
        if self.task_scope {
            steps.retain(|(_, step)| tool(step).is_none_or(|tool| tools.contains(&tool)));
        }
        Ok(steps)
    }

    /// What the host did to the calls of a trace that no policy gets to see.
    #[must_use]
    pub fn withheld(self, policy: &Policy, labels: &Labels) -> Vec<Judged> {
        if !self.task_scope {
            return Vec::new();
        }
        let of_task = |call: &&CallLabels| call.is_the_users;
        let tools: BTreeSet<&str> = labels.calls.values().filter(of_task).map(|call| call.tool.as_str()).collect();
        let outside = labels.calls.iter().filter(|(_, call)| !tools.contains(call.tool.as_str()));
        let why = |call: &CallLabels| {
            format!("denied by `{TASK_SCOPE}`: the host does not offer `{}` for this task", call.tool)
        };
        let judged = outside.map(|(id, call)| Judged {
            call: id.clone(),
            fate: Fate::Denied,
            reads: super::reads(policy, &call.tool),
            why: why(call),
        });
        judged.collect()
    }
}

/// The tool of a step that is a call.
fn tool(step: &Value<'_>) -> Option<String> {
    let is_call = matches!(step.get("type").and_then(Value::as_str), None | Some("call"));
    let tool = step.get("tool").and_then(Value::as_str);
    tool.filter(|_| is_call).map(str::to_owned)
}

fn is_of_task(step: &Value<'_>) -> bool {
    is_the_users(step.get("origin").and_then(Value::as_str))
}

/// The steps of an attack with the calls of the injection right behind the step that carried its text.
fn struck_early<'a>(trace: &Object<'a>, steps: Vec<(usize, Value<'a>)>) -> Result<Vec<(usize, Value<'a>)>, JsonError> {
    let (mut users, injected): (Vec<_>, Vec<_>) = steps.into_iter().partition(|(_, step)| is_of_task(step));
    if injected.is_empty() {
        return Ok(users);
    }
    let seen = trace.get("injection_first_seen_step").and_then(Value::as_number).and_then(|seen| seen.to_u64());
    let seen = seen
        .and_then(|seen| usize::try_from(seen).ok())
        .ok_or_else(|| bad("a trace with calls of an injection says its `injection_first_seen_step`"))?;
    let before = users.iter().take_while(|(number, _)| *number <= seen).count();
    let after = users.split_off(before);
    users.extend(injected);
    users.extend(after);
    Ok(users)
}
