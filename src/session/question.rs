//! The question about a call, as a person reads it: the label of its tool, or its name and arguments.
//!
//! What stands in it comes from a model and from whoever wrote to it, so every value is quoted and cut, and what is
//! sensitive is not there at all.

use super::Request;
use crate::expr::Evaluation;
use crate::policy::{Policy, QuestionView, ToolPolicy};
use crate::text::{joined, quoted, shown};
use crate::value::{Object, Value};

/// What stands for a sensitive value.
const HIDDEN: &str = "[hidden]";

/// The most arguments that a question shows.
const MAX_SHOWN: usize = 32;

/// What is asked about a call: "refunding 40 for "A7"", or "`refund` with amount 40, order_id "A7"".
pub(super) fn question_label(tool: &ToolPolicy, evaluation: &mut Evaluation<'_>) -> String {
    let view = &tool.question;
    let (name, args) = (evaluation.context.tool, evaluation.context.args.args());
    let mut text = match &view.label {
        Some(label) => label.show(evaluation),
        None => {
            let listed = listed(view, args);
            let with = if listed.is_empty() { "" } else { " with " };
            format!("{}{with}{listed}", if is_plain(name) { format!("`{name}`") } else { quoted(name) })
        }
    };
    if !view.shows_declared {
        let declared = listed(view, evaluation.context.declared);
        if !declared.is_empty() {
            text.push_str(&format!(" ({declared})"));
        }
    }
    text
}

/// The members of an object in their order, each with its value.
fn listed(view: &QuestionView, members: &Value<'_>) -> String {
    let Some(members) = members.as_object() else { return String::new() };
    let one = |(key, value): (&str, &Value<'_>)| {
        let key_shown = if is_plain(key) { key.to_owned() } else { quoted(key) };
        let value = if view.hides(key) { HIDDEN.to_owned() } else { shown(value) };
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

/// The arguments of a request for who is to answer it: whole, but for what is sensitive, which the question does not show
/// either. Of an argument with a sensitive part the size is there.
#[must_use]
pub fn shown_arguments(policy: &Policy, request: &Request) -> Value<'static> {
    let tool = policy.tool(&request.tool);
    let Some((view, members)) = tool.map(|tool| &tool.question).zip(request.args.as_object()) else {
        return HIDDEN.into();
    };
    with_each(members, |key, value| match value {
        _ if view.hides(key) => HIDDEN.into(),
        _ if view.hides_parts(key) => shown(value).into(),
        value => uncovered(view, value),
    })
}

/// A value without the members that no question shows, however deep they stand.
fn uncovered(view: &QuestionView, value: &Value<'_>) -> Value<'static> {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(|item| uncovered(view, item)).collect()),
        Value::Object(members) => with_each(members, |key, value| match view.hides(key) {
            true => HIDDEN.into(),
            false => uncovered(view, value),
        }),
        value => value.to_owned_value(),
    }
}

/// The object with another value for each member.
fn with_each(members: &Object<'_>, other: impl Fn(&str, &Value<'_>) -> Value<'static>) -> Value<'static> {
    let mut all = Object::with_capacity(members.len());
    for (key, value) in members.iter() {
        all.insert(key.to_owned().into(), other(key, value));
    }
    all.into()
}

/// True for a name that can stand in a sentence as it is.
fn is_plain(name: &str) -> bool {
    let is_one = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    !name.is_empty() && name.len() <= crate::text::SHOWN_CHARACTERS && name.bytes().all(is_one)
}

#[cfg(test)]
mod tests;
