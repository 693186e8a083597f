//! Values inside texts for a model or a person: quoted, escaped, cut. What a tool call carries can then neither
//! break out of a sentence nor hide in it.

use crate::value::Value;
use std::borrow::Borrow;
use std::fmt::Write as _;

/// The most characters of a value that a text shows.
pub const SHOWN_CHARACTERS: usize = 80;

/// Characters that print as nothing or steer what is around them: Unicode's format characters, fillers and
/// variation selectors.
const INVISIBLE: &[(u32, u32)] = &[
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x0600, 0x0605),
    (0x061C, 0x061C),
    (0x06DD, 0x06DD),
    (0x070F, 0x070F),
    (0x0890, 0x0891),
    (0x08E2, 0x08E2),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0x110BD, 0x110BD),
    (0x110CD, 0x110CD),
    (0x13430, 0x1343F),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
];

/// True for a character that cannot be seen.
#[must_use]
pub fn is_invisible(character: char) -> bool {
    let code = u32::from(character);
    code >= 0xAD && INVISIBLE.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

/// True if a text shows nothing: empty, white space, controls and invisible characters only.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|character| character.is_whitespace() || character.is_control() || is_invisible(character))
}

/// A text in double quotes, at most [`SHOWN_CHARACTERS`] long, with what cannot be seen as `\u{…}`.
///
/// ```
/// assert_eq!(flyball::text::quoted("a\u{202e}b\n"), r#""a\u{202e}b\u{a}""#);
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN_CHARACTERS {
            out.push('…');
            break;
        }
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            _ if character.is_control() || is_invisible(character) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

/// A value as a text shows it: strings quoted, numbers and booleans bare, the rest by its kind and size.
#[must_use]
pub fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(members) => format!("an object with {} members", members.len()),
    }
}

/// The text with its first letter large.
#[must_use]
pub fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    let Some(first) = characters.next() else { return String::new() };
    let mut out = String::with_capacity(text.len());
    out.extend(first.to_uppercase());
    out.push_str(characters.as_str());
    out
}

/// Sentences as one text.
#[must_use]
pub(crate) fn spaced(mut sentences: Vec<String>) -> String {
    match sentences.len() {
        1 => sentences.pop().unwrap_or_default(),
        _ => sentences.join(" "),
    }
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub fn joined(words: &[impl Borrow<str>], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.borrow().to_owned(),
        [most @ .., end] => format!("{} {last} {}", most.join(", "), end.borrow()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_on_a_character_boundary() {
        let text = format!("{}é…", "a".repeat(79));
        assert_eq!(quoted(&text), format!("\"{}é…\"", "a".repeat(79)));
        let emoji = "🦀".repeat(81);
        assert_eq!(quoted(&emoji), format!("\"{}…\"", "🦀".repeat(80)));
    }

    #[test]
    fn blank_is_what_shows_nothing() {
        for text in ["", "  ", "\u{200b}\u{feff}", "\t\u{3164}"] {
            assert!(is_blank(text), "{text:?}");
        }
        assert!(!is_blank(" a "));
        assert!(!is_blank("日本"));
    }
}
