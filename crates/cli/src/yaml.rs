//! A value as YAML that reads back to the same value, exactly, and without a warning.
//!
//! serde_yaml writes it, our reader reads that, and what the two disagree on is mended in the text: a number that
//! came out as the nearest `f64`, an unquoted text that other readers take for something else.

use crate::error::CliError;
use flyball::decode::{Decoder, Type};
use flyball::diagnostic::{Diagnostic, Edit};
use flyball::source::{FileId, Sources};
use flyball::value::Value;
use flyball::yaml::{Data, Node};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// The YAML of a value, the keys of known maps in the order of their documentation.
pub(crate) fn to_text(value: &Value<'_>, ty: &Type) -> Result<String, CliError> {
    let written = serde_yaml::to_string(&Ordered { value, ty }).map_err(|error| CliError::Yaml(error.to_string()))?;
    let mended = mend(written, value);
    match read(&mended) {
        (Some(back), diagnostics) if back == *value && diagnostics.is_empty() => Ok(mended),
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

/// The tree of a text, and what the reader says of it.
fn tree(text: &str) -> (Option<Node>, Vec<Diagnostic>) {
    let sources = Sources::new("effective.yaml", text);
    let mut diagnostics = Vec::new();
    (flyball::yaml::read(FileId(0), &sources, &mut diagnostics), diagnostics)
}

fn read(text: &str) -> (Option<Value<'static>>, Vec<Diagnostic>) {
    let sources = Sources::default();
    let (node, mut diagnostics) = tree(text);
    let mut decoder = Decoder::new(&sources);
    let value = node.and_then(|node| decoder.value(&node));
    diagnostics.append(&mut decoder.diagnostics);
    (value, diagnostics)
}

/// Takes the reader's own edits, and writes every number with all its digits.
fn mend(mut text: String, value: &Value<'_>) -> String {
    let (node, diagnostics) = tree(&text);
    let mut edits: Vec<Edit> = diagnostics.into_iter().filter_map(|diagnostic| diagnostic.edit).collect();
    if let Some(node) = &node {
        numbers(node, value, &mut edits);
    }
    edits.sort();
    edits.dedup();
    for edit in edits.iter().rev() {
        let range = edit.span.start as usize..edit.span.end as usize;
        if text.get(range.clone()).is_some() {
            text.replace_range(range, &edit.text);
        }
    }
    text
}

fn numbers(node: &Node, value: &Value<'_>, edits: &mut Vec<Edit>) {
    match (&node.data, value) {
        (data, Value::Number(number)) => {
            let exact = number.to_string();
            if !matches!(data, Data::Number(written) if written.as_str() == exact) {
                edits.push(Edit { span: node.span, text: exact });
            }
        }
        (Data::List(nodes), Value::Array(items)) => {
            nodes.iter().zip(items).for_each(|(node, item)| numbers(node, item, edits));
        }
        (Data::Map(entries), Value::Object(object)) => {
            for entry in entries {
                if let Some(value) = object.get(&entry.key) {
                    numbers(&entry.value, value, edits);
                }
            }
        }
        _ => {}
    }
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
            let text = written(&format!("{{\"n\": [{number}]}}"));
            assert!(!text.contains(['e', '\'']), "{number} is written {text}");
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
    fn empty_lists_and_maps_are_written_too() {
        assert_eq!(written(r#"{"a": [], "b": {}, "c": null}"#), "a: []\nb: {}\nc: null\n");
    }
}
