//! A call that was to change nothing: its result must prove that, or the call counts for what it may have done.
//!
//! A tool's word is taken for this one thing: that a simulation took no place among the destructive actions of its turn.

use super::{CallState, Change};
use crate::acts::End;
use crate::decision::{Match, StepOutcome};
use crate::value::Value;
use std::sync::Arc;

/// The code of the warning that comes with a result which proves nothing.
const UNPROVEN: &str = "unproven_simulation";

/// Members of a result that say whether something changed.
const PROOFS: [&str; 2] = ["changed", "tookEffect"];

/// What the success of a call comes to, where it changed nothing or was to change nothing; `effect` is what the host knows
/// of that. What stands against a simulation is a warning that a reply must take up.
pub(super) fn settle(
    (call, state): (&str, &CallState),
    (result, effect): (&Value<'_>, Option<bool>),
    changes: &mut Vec<Change>,
) -> Option<Match> {
    let simulates = is_one(state);
    let is_proven = effect.map_or_else(|| simulates && proves(result), |took| !took);
    if is_proven {
        changes.push(Change::Spared(call.into()));
    }
    (simulates && !is_proven).then(|| unproven(&state.tool))
}

/// True if a call is to change nothing.
pub(super) fn is_one(state: &CallState) -> bool {
    state.held.as_ref().is_some_and(|held| held.simulates)
}

/// What became of such a call, where only its result tells.
pub(super) fn end(result: &Value<'_>) -> End {
    if proves(result) { End::NoEffect } else { End::Unknown }
}

/// True if a result says that nothing changed, and nowhere that something did.
fn proves(result: &Value<'_>) -> bool {
    let mut said = PROOFS.iter().filter_map(|key| result.get(key)).peekable();
    said.peek().is_some() && said.all(|one| *one == Value::Bool(false))
}

fn unproven(tool: &str) -> Match {
    let code: Arc<str> = UNPROVEN.into();
    let correction = format!(
        "`{tool}` was called to simulate, and its result does not prove that nothing changed. Say in your reply that it may have taken effect; do not call it again in this turn."
    );
    Match {
        guard: code.clone(),
        code,
        outcome: StepOutcome::GuardDenied,
        correction,
        public_reason: None,
        failure: None,
        is_final: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    #[test]
    fn only_a_result_that_says_so_at_its_top_proves_that_nothing_changed() {
        let cases = [
            (r#"{"changed":false}"#, true),
            (r#"{"tookEffect":false,"id":1}"#, true),
            (r#"{"changed":false,"tookEffect":false}"#, true),
            (r#"{"changed":false,"tookEffect":true}"#, false),
            (r#"{"changed":true}"#, false),
            (r#"{"changed":"false"}"#, false),
            (r#"{"changed":null}"#, false),
            (r#"{"result":{"changed":false}}"#, false),
            (r#"[{"changed":false}]"#, false),
            (r#""changed: false""#, false),
            ("{}", false),
            ("null", false),
        ];
        for (result, wanted) in cases {
            assert_eq!(proves(&parse(result.as_bytes(), &Limits::default()).unwrap()), wanted, "{result}");
        }
    }
}
