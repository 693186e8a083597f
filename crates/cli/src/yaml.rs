//! A value as YAML that reads back to the same value, exactly, and without a warning.
//!
//! serde_yaml writes it. What it would not write exactly (a number that is no whole 64 bits, a text with a line
//! separator of Unicode, the key `<<`) goes out as a mark that is then replaced; an unquoted text that other readers take for
//! something else gets the quotes our reader asks for. Reading it back has the last word.

use crate::error::CliError;
use flyball::decode::{Decoder, Type};
use flyball::diagnostic::{Diagnostic, Edit};
use flyball::source::{FileId, Sources};
use flyball::value::{Object, Value};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// A name for the reader; it is never shown.
const FILE: &str = "effective.yaml";

/// The YAML of a value, the keys of known maps in the order of their documentation.
pub(crate) fn to_text(value: &Value<'_>, ty: &Type) -> Result<String, CliError> {
    let mut marks = Marks::absent_from(value);
    let marked = marks.mark(value);
    let written = serde_yaml::to_string(&Ordered { value: &marked, ty });
    let written = written.map_err(|error| CliError::Yaml(error.to_string()))?;
    let text = marks.replace(&quote_ambiguous(written));
    match read(&text) {
        (Some(back), diagnostics) if back == *value && diagnostics.is_empty() => Ok(text),
        (_, diagnostics) => {
            let first = diagnostics.into_iter().next().map(|diagnostic| diagnostic.message);
            Err(CliError::Yaml(first.unwrap_or_else(|| "it would read back as another value".into())))
        }
    }
}

/// A value whose place in a spec says in which order its keys stand.
struct Ordered<'v> {
    value: &'v Value<'v>,
    ty: &'v Type,
}

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.value, self.ty) {
            (Value::Array(items), Type::List(ty) | Type::OneOrMany(ty)) => {
                serializer.collect_seq(items.iter().map(|value| Ordered { value, ty }))
            }
            (Value::Object(object), Type::Map(ty)) => {
                serializer.collect_map(object.iter().map(|(key, value)| (key, Ordered { value, ty })))
            }
            (Value::Object(object), Type::Shape(shape)) => {
                let mut map = serializer.serialize_map(Some(object.len()))?;
                for field in shape.fields {
                    if let Some(value) = object.get(field.key) {
                        map.serialize_entry(field.key, &Ordered { value, ty: &field.ty })?;
                    }
                }
                for (key, value) in object.iter().filter(|(key, _)| shape.fields.iter().all(|field| field.key != *key))
                {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
            (value, _) => value.serialize(serializer),
        }
    }
}

/// Words that stand for scalars until the text is written.
struct Marks {
    word: String,
    scalars: Vec<String>,
}

impl Marks {
    fn absent_from(value: &Value<'_>) -> Marks {
        let text = flyball::canon::to_text(value);
        let mut word = String::from("mark");
        while text.contains(&word) {
            word.push('x');
        }
        Marks { word, scalars: Vec::new() }
    }

    fn mark(&mut self, value: &Value<'_>) -> Value<'static> {
        match value {
            Value::Number(number) if number.to_i64().is_none() && number.to_u64().is_none() => {
                self.add(number.to_string()).into()
            }
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => Value::Array(items.iter().map(|item| self.mark(item)).collect()),
            Value::Object(object) => {
                let mut marked = Object::new();
                for (key, value) in object.iter() {
                    let key = self.text(key);
                    let value = self.mark(value);
                    marked.insert(key.into(), value);
                }
                marked.into()
            }
            scalar => scalar.to_owned_value(),
        }
    }

    fn text(&mut self, text: &str) -> String {
        if text == "<<" || text.contains(['\u{2028}', '\u{2029}']) { self.add(escaped(text)) } else { text.to_owned() }
    }

    fn add(&mut self, scalar: String) -> String {
        let mark = format!("{}{}z", self.word, self.scalars.len());
        self.scalars.push(scalar);
        mark
    }

    fn replace(&self, text: &str) -> String {
        let mut parts = text.split(&self.word);
        let mut replaced = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (number, rest) = part.split_once('z').unwrap_or_default();
            let scalar = number.parse().ok().and_then(|number: usize| self.scalars.get(number));
            replaced.push_str(scalar.map_or("", String::as_str));
            replaced.push_str(rest);
        }
        replaced
    }
}

/// Takes the edits that the reader proposes.
fn quote_ambiguous(mut text: String) -> String {
    let sources = Sources::new(FILE, text.as_str());
    let mut diagnostics = Vec::new();
    flyball::yaml::read(FileId(0), &sources, &mut diagnostics);
    let mut edits: Vec<Edit> = diagnostics.into_iter().filter_map(|diagnostic| diagnostic.edit).collect();
    edits.sort();
    for edit in edits.iter().rev() {
        let range = edit.span.start as usize..edit.span.end as usize;
        if text.get(range.clone()).is_some() {
            text.replace_range(range, &edit.text);
        }
    }
    text
}

fn read(text: &str) -> (Option<Value<'static>>, Vec<Diagnostic>) {
    let sources = Sources::new(FILE, text);
    let mut decoder = Decoder::new(&sources);
    let value = decoder.read(FileId(0)).and_then(|node| decoder.value(&node));
    (value, decoder.diagnostics)
}

/// A text in double quotes: a JSON string, with the line separators of Unicode escaped too.
fn escaped(text: &str) -> String {
    let json = flyball::canon::to_text(&Value::from(text));
    json.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

#[cfg(test)]
mod tests {
    use super::*;
    use flyball::json::{Limits, parse};

    fn written(json: &str) -> String {
        let value = parse(json.as_bytes(), &Limits::default()).unwrap();
        to_text(&value, &Type::Any).unwrap_or_else(|error| panic!("{json}: {error}"))
    }

    #[test]
    fn numbers_keep_every_digit() {
        let numbers = [
            "0",
            "-1",
            "0.1",
            "500",
            "9007199254740993",
            "1e-30",
            "-12.5",
            "1e33",
            "1e400",
            "1e-400",
            "18446744073709551616",
            "0.1234567890123456789012345678901234",
            "9999999999999999999999999999999999",
        ];
        for number in numbers {
            let text = written(&format!("[{number}]"));
            assert!(text.bytes().all(|byte| byte.is_ascii_digit() || b"-. \n".contains(&byte)), "{number} is {text}");
        }
        assert_eq!(written("0.1"), "0.1\n");
    }

    #[test]
    fn texts_that_look_like_something_else_are_quoted() {
        for text in [
            "no",
            "Yes",
            "y",
            "012",
            "1_000",
            "12:30",
            "2031-03-04",
            "null",
            "true",
            "1.5",
            "0x1f",
            "~",
            "",
            "- a",
            "a: b",
            "a #b",
            "#a",
            "{a}",
            "[a]",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "`a`",
            "'a'",
            "\\\"a\\\"",
            " a",
            "a ",
            "a\\nb",
            "a\\n",
            "\\n",
            "a\\n\\n",
            " a\\nb",
            "a\\tb",
            "\\u0000",
            "\\u0085",
            "\\u2028",
            "\\ufeff",
            "a\\rb",
            "?",
            "? a",
            "-",
            "--- a",
            "...",
            "<<",
            "=",
            "a,b",
            ".inf",
            ".nan",
            "é",
            "\\ud83d\\ude00",
            "a \\n b",
            "\\u007f",
            "|",
            ">",
            "+1",
            "a:",
            ":a",
        ] {
            written(&format!("{{\"{text}\": \"{text}\", \"list\": [\"{text}\", {{\"{text}\": \"{text}\"}}]}}"));
        }
    }

    #[test]
    fn a_text_with_a_line_separator_is_escaped() {
        assert_eq!(written("{\"a\": [\"b\\u2028c\\nd\", \"\\u2029\"]}"), "a:\n- \"b\\u2028c\\nd\"\n- \"\\u2029\"\n");
    }

    #[test]
    fn empty_lists_and_maps_are_written_too() {
        assert_eq!(written(r#"{"a": [], "b": {}, "c": null}"#), "a: []\nb: {}\nc: null\n");
    }
}
