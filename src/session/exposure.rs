//! What the model has read in this session: text that outsiders can write, and private data.
//!
//! Only what it sees counts: a result that is withheld is not read, the error of a call whose results are all untrusted
//! is.

use super::Change;
use crate::event::Outcome;
use crate::observed::words::leaves;
use crate::path::Path;
use crate::policy::{Policy, ToolPolicy};
use crate::value::Value;

/// Notes what of an outcome that the model sees is untrusted text or private, where some guard asks.
pub(super) fn note(policy: &Policy, tool: Option<&ToolPolicy>, outcome: &Outcome<'_>, changes: &mut Vec<Change>) {
    let Some(tool) = tool.filter(|_| policy.plan.keeps_exposure()) else { return };
    let (untrusted, private) = match outcome {
        Outcome::Ok { result, .. } => (
            tool.untrusted.iter().any(|path| reaches(path, result, is_text)),
            tool.private.iter().any(|path| reaches(path, result, |_| true)),
        ),
        Outcome::Failed { error, .. } => {
            let of_outsiders = tool.untrusted.iter().any(Path::is_whole);
            (of_outsiders && reaches(&Path::default(), error, is_text), false)
        }
        Outcome::Unknown(_) => (false, false),
    };
    if untrusted || private {
        changes.push(Change::Exposed { untrusted, private });
    }
}

fn is_text(value: &Value<'_>) -> bool {
    value.as_str().is_some_and(|text| !crate::text::is_blank(text))
}

/// True if there is such a scalar at a path or below.
fn reaches(path: &Path, result: &Value<'_>, is_one: impl Fn(&Value<'_>) -> bool) -> bool {
    let mut found = false;
    path.each(result, |value| leaves(value, &mut |leaf| found |= is_one(leaf)));
    found
}
