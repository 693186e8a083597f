//! The question about a call, as a person reads it: the label of its tool, or its name and arguments.
//!
//! What stands in it comes from a model and from whoever wrote to it, so every value is quoted and cut, and what is
//! sensitive is not there at all.

use crate::expr::Evaluation;
use crate::policy::{ToolPolicy, Wording};
use crate::text::{joined, quoted, shown};
use crate::value::Value;

/// What stands for a sensitive value.
const HIDDEN: &str = "[hidden]";

/// The most arguments that a question shows.
const MAX_SHOWN: usize = 32;

/// What is asked about a call: "refunding 40 for "A7"", or "`refund` with amount 40, order_id "A7"".
pub(super) fn question_label(tool: &ToolPolicy, evaluation: &mut Evaluation<'_>) -> String {
    let wording = &tool.wording;
    let (name, args) = (evaluation.context.tool, evaluation.context.args.args());
    let mut text = match &wording.label {
        Some(label) => label.show(evaluation),
        None => {
            let listed = listed(wording, args);
            let with = if listed.is_empty() { "" } else { " with " };
            format!("{}{with}{listed}", if is_plain(name) { format!("`{name}`") } else { quoted(name) })
        }
    };
    if !wording.shows_declared {
        let declared = listed(wording, evaluation.context.declared);
        if !declared.is_empty() {
            text.push_str(&format!(" ({declared})"));
        }
    }
    text
}

/// The members of an object in their order, each with its value.
fn listed(wording: &Wording, members: &Value<'_>) -> String {
    let Some(members) = members.as_object() else { return String::new() };
    let one = |(key, value): (&str, &Value<'_>)| {
        let key_shown = if is_plain(key) { key.to_owned() } else { quoted(key) };
        let value = if wording.hides(key) { HIDDEN.to_owned() } else { shown(value) };
        format!("{key_shown} {value}")
    };
    let mut all: Vec<String> = members.iter().take(MAX_SHOWN).map(one).collect();
    let more = members.len().saturating_sub(all.len());
    if more == 0 {
        return all.join(", ");
    }
    all.push(format!("{more} more"));
    joined(&all, "and")
}

/// True for a name that can stand in a sentence as it is.
fn is_plain(name: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    !name.is_empty() && name.len() <= crate::text::SHOWN_CHARACTERS && name.bytes().all(is_one)
}

#[cfg(test)]
mod tests;
