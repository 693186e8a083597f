//! What is wrong with a call's arguments, in words a model can act on at once.
//!
//! Every message names the path, what the schema wants and what was sent. What was sent is quoted with everything
//! invisible spelled out and cut short, so that no argument can write into the model's context unseen.

use std::fmt::Write;

use super::{ObjectRules, TypeSet};
use crate::diagnostic::nearest;
use crate::value::Value;

/// One thing that is wrong with the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgProblem {
    /// The argument, like `options.bcc[2]`; empty for the arguments as a whole.
    pub path: String,
    /// The keyword that failed, in snake case: `type`, `required`, `unknown`, `max_length`; `schema` for a keyword
    /// outside the closed set.
    pub code: &'static str,
    /// What to do differently.
    pub message: String,
}

/// How many problems of one call are kept: a hostile array must not become as many messages.
pub(super) const MOST: usize = 100;

/// The longest word that is compared with others for a likely meaning.
const LONGEST_WORD: usize = 64;

/// How many problems a correction tells in full.
const TOLD: usize = 3;

/// The text a model gets: the first three problems and a count of the rest.
///
/// ```
/// use flyball::schema::{ArgProblem, correction};
///
/// let problem = |name: &str| ArgProblem { path: name.into(), code: "required", message: format!("`{name}` is missing") };
/// let problems = ["a", "b", "c", "d"].map(problem);
/// assert_eq!(correction(&problems[..1]), "Invalid arguments: `a` is missing.");
/// assert_eq!(correction(&problems), "Invalid arguments: `a` is missing; `b` is missing; `c` is missing; and 1 more.");
/// ```
#[must_use]
pub fn correction(problems: &[ArgProblem]) -> String {
    let told: Vec<&str> = problems.iter().take(TOLD).map(|problem| problem.message.as_str()).collect();
    let rest = match problems.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("Invalid arguments: {}{rest}.", told.join("; "))
}

/// A failed keyword, borrowed from the schema; made on the way, put into words only when somebody reads it.
pub(super) enum Failure<'s> {
    Type(TypeSet),
    Choice(&'s [Value<'static>]),
    Missing(&'s str),
    Unknown(&'s str, &'s ObjectRules),
    MinLength(u64),
    MaxLength(u64),
    Pattern(&'s str),
    Format(super::Format),
    Minimum(&'s crate::decimal::Decimal),
    Maximum(&'s crate::decimal::Decimal),
    Above(&'s crate::decimal::Decimal),
    Below(&'s crate::decimal::Decimal),
    MultipleOf(&'s crate::decimal::Decimal),
    MinItems(u64),
    MaxItems(u64),
    Unique(usize, usize),
    AnyOf(TypeSet),
    OneOf(usize),
}

impl Failure<'_> {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Failure::Type(_) => "type",
            Failure::Choice(_) => "enum",
            Failure::Missing(_) => "required",
            Failure::Unknown(..) => "unknown",
            Failure::MinLength(_) => "min_length",
            Failure::MaxLength(_) => "max_length",
            Failure::Pattern(_) => "pattern",
            Failure::Format(_) => "format",
            Failure::Minimum(_) => "minimum",
            Failure::Maximum(_) => "maximum",
            Failure::Above(_) => "exclusive_minimum",
            Failure::Below(_) => "exclusive_maximum",
            Failure::MultipleOf(_) => "multiple_of",
            Failure::MinItems(_) => "min_items",
            Failure::MaxItems(_) => "max_items",
            Failure::Unique(..) => "unique_items",
            Failure::AnyOf(_) => "any_of",
            Failure::OneOf(_) => "one_of",
        }
    }

    /// The message about the value at `path`.
    pub(super) fn message(&self, path: &str, value: &Value<'_>) -> String {
        let name = if path.is_empty() { String::from("the arguments") } else { format!("`{}`", escaped(path)) };
        let sent = quoted(value);
        match self {
            Failure::Type(types) => format!("{name} must be {types}, not {sent}{}", unquote_hint(*types, value)),
            Failure::Choice(choices) => {
                format!("{name} must be {}, not {sent}{}", listed(choices), meant(choices, value))
            }
            Failure::Missing(key) => format!("`{}` is missing", escaped(&under(path, key))),
            Failure::Unknown(key, rules) => unknown(path, key, rules),
            Failure::MinLength(min) => format!("{name} must have at least {}, not {sent}", count(*min, "character")),
            Failure::MaxLength(max) => {
                format!("{name} must have at most {}, not {}", count(*max, "character"), long(value))
            }
            Failure::Pattern(pattern) => format!("{name} must match the pattern `{}`, not {sent}", escaped(pattern)),
            Failure::Format(format) => format!("{name} must be {}, not {sent}", format.describe()),
            Failure::Minimum(min) => format!("{name} must be {min} or more, not {sent}"),
            Failure::Maximum(max) => format!("{name} must be {max} or less, not {sent}"),
            Failure::Above(min) => format!("{name} must be more than {min}, not {sent}"),
            Failure::Below(max) => format!("{name} must be less than {max}, not {sent}"),
            Failure::MultipleOf(step) => format!("{name} must be a multiple of {step}, not {sent}"),
            Failure::MinItems(min) => format!("{name} must have at least {}, not {sent}", count(*min, "item")),
            Failure::MaxItems(max) => format!("{name} must have at most {}, not {sent}", count(*max, "item")),
            Failure::Unique(first, second) => {
                format!("{name} must not repeat an item; items {first} and {second} are equal")
            }
            Failure::AnyOf(types) => {
                format!("{name} must be {types} in one of the forms that the schema allows, not {sent}")
            }
            Failure::OneOf(0) => format!("{name} has none of the forms that the schema allows: {sent}"),
            Failure::OneOf(fits) => {
                format!("{name} must have exactly one of the forms that the schema allows; {sent} has {fits}")
            }
        }
    }
}

/// The path of a member.
pub(super) fn under(path: &str, key: &str) -> String {
    if path.is_empty() { key.into() } else { format!("{path}.{key}") }
}

fn count(n: u64, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn unknown(path: &str, key: &str, rules: &ObjectRules) -> String {
    let names = || rules.names();
    let help = match likely(key, names()) {
        Some(near) => format!("; did you mean `{}`?", under(path, near)),
        None => match names().map(|name| format!("`{}`", under(path, name))).collect::<Vec<_>>() {
            all if all.is_empty() => String::from("; none is allowed here"),
            all if all.len() <= 12 => format!("; allowed: {}", all.join(", ")),
            _ => String::new(),
        },
    };
    format!("unknown argument `{}`{help}", escaped(&under(path, key)))
}

/// What a word probably meant.
fn likely<'c>(word: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    if word.len() <= LONGEST_WORD { nearest(word, candidates) } else { None }
}

/// The values to choose from, as many as fit a sentence.
fn listed(choices: &[Value<'static>]) -> String {
    const SEEN: usize = 12;
    let shown: Vec<String> = choices.iter().take(SEEN).map(literal).collect();
    match (shown.as_slice(), choices.len().saturating_sub(SEEN)) {
        ([only], _) => only.clone(),
        (_, 0) => format!("one of {}", shown.join(", ")),
        (_, more) => format!("one of {} and {more} others", shown.join(", ")),
    }
}

fn meant(choices: &[Value<'static>], value: &Value<'_>) -> String {
    let near = value.as_str().and_then(|text| likely(text, choices.iter().filter_map(|choice| choice.as_str())));
    near.map(|near| format!("; did you mean {}?", quoted_text(near))).unwrap_or_default()
}

/// Says that the quotes are what is wrong, if they are.
fn unquote_hint(types: TypeSet, value: &Value<'_>) -> &'static str {
    let bare = value.as_str().is_some_and(|text| match text {
        "true" | "false" => types.meets(TypeSet::BOOLEAN),
        "null" => types.meets(TypeSet::NULL),
        _ if text.starts_with('{') => types.meets(TypeSet::OBJECT),
        _ if text.starts_with('[') => types.meets(TypeSet::ARRAY),
        _ => {
            types.meets(TypeSet::NUMBER)
                && crate::decimal::Decimal::parse_json(text).is_ok_and(|n| types.accepts(&Value::Number(n)))
        }
    });
    if bare { "; send it without quotes" } else { "" }
}

fn long(value: &Value<'_>) -> String {
    let length = value.as_str().map_or(0, |text| text.chars().count());
    format!("{length}: {}", quoted(value))
}

/// A value as a correction shows it.
#[must_use]
pub fn quoted(value: &Value<'_>) -> String {
    match value {
        Value::Null => String::from("null"),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string {}", quoted_text(text)),
        Value::Array(items) if items.is_empty() => String::from("an empty array"),
        Value::Array(items) => format!("an array of {}", count(u64::try_from(items.len()).unwrap_or(u64::MAX), "item")),
        Value::Object(object) if object.is_empty() => String::from("an empty object"),
        Value::Object(_) => String::from("an object"),
    }
}

/// A value as it stands in a list of choices.
fn literal(value: &Value<'_>) -> String {
    match value {
        Value::String(text) => quoted_text(text),
        Value::Number(number) => number.to_string(),
        other => quoted(other),
    }
}

fn quoted_text(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// At most this many characters of a text are shown.
const SHOWN: usize = 80;

/// The text with quotes, controls and whatever cannot be seen spelled out, cut to 80 characters.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(SHOWN));
    let mut chars = text.chars();
    for c in chars.by_ref().take(SHOWN) {
        match c {
            '\'' | '`' => out.push(c),
            _ if blank(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            _ => out.extend(c.escape_debug()),
        }
    }
    if chars.next().is_some() {
        out.push('…');
    }
    out
}

/// Letters by category that draw nothing.
fn blank(c: char) -> bool {
    matches!(c, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled_out() {
        assert_eq!(escaped("a\u{200b}b\n\u{202e}\u{3164}\u{7}"), r"a\u{200b}b\n\u{202e}\u{3164}\u{7}");
        assert_eq!(escaped("it's \"é\" 日本"), "it's \\\"é\\\" 日本");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let cut = escaped(&"é".repeat(100));
        assert_eq!(cut.chars().count(), 81);
        assert!(cut.ends_with('…'));
        assert_eq!(escaped(&"é".repeat(80)).chars().count(), 80);
    }
}
