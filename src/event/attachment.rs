//! What comes with a message: of each its kind and its size, and nothing of what it holds.

use super::read::{MAX_NAME, filled, name, whole};
use crate::json::{JsonCode, JsonError, Reader};
use crate::value::{Object, Value};
use std::borrow::Cow;

/// What came with a message, as far as a rule may know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attachment<'a> {
    /// What it is, in the host's words: a media type, an extension.
    pub kind: Cow<'a, str>,
    /// How large it is, in bytes.
    pub size: u64,
}

/// The most things that come with one message.
const MAX_ATTACHMENTS: usize = 1024;

/// Reads the list of an event.
pub(super) fn read<'a>(reader: &mut Reader<'a>) -> Result<Vec<Attachment<'a>>, JsonError> {
    let mut attachments = Vec::new();
    reader.array(|reader| {
        if attachments.len() == MAX_ATTACHMENTS {
            return Err(reader.error(JsonCode::TooLarge, format!("more than {MAX_ATTACHMENTS} attachments")));
        }
        let (mut kind, mut size) = (None, None);
        reader.object(|reader, key| {
            match key.as_ref() {
                "kind" => kind = Some(filled(name(reader)?, "kind")?),
                "size" => size = Some(whole(reader, "size")?),
                key => return Err(reader.unknown_member(key, &["kind", "size"])),
            }
            Ok(())
        })?;
        let kind = kind.ok_or_else(|| reader.missing_member("kind"))?;
        attachments.push(Attachment { kind, size: size.ok_or_else(|| reader.missing_member("size"))? });
        Ok(())
    })?;
    Ok(attachments)
}

/// Kinds and sizes, as the wire and the records have them.
pub(crate) fn attachments_value<'v>(attachments: &'v [Attachment<'_>]) -> Value<'v> {
    let one = |attachment: &'v Attachment<'_>| {
        let size = Value::Number(attachment.size.into());
        Value::from(Object::of([("kind", Value::from(attachment.kind.as_ref())), ("size", size)]))
    };
    Value::Array(attachments.iter().map(one).collect())
}

/// The list that a trace or a record holds, or why it is none.
pub(crate) fn attachments_of(value: Value<'_>) -> Result<Vec<Attachment<'_>>, String> {
    let Value::Array(items) = value else { return Err("`attachments` is a list".into()) };
    if items.len() > MAX_ATTACHMENTS {
        return Err(format!("more than {MAX_ATTACHMENTS} attachments"));
    }
    items.into_iter().map(attachment_of).collect()
}

fn attachment_of(value: Value<'_>) -> Result<Attachment<'_>, String> {
    let wrong = || "an attachment is `{kind, size}`: a text, and a whole number from 0".to_owned();
    let Value::Object(mut members) = value else { return Err(wrong()) };
    let size = members.remove("size").and_then(|size| size.as_number()?.to_u64());
    match (members.remove("kind"), size) {
        (Some(Value::String(kind)), Some(size)) if (1..=MAX_NAME).contains(&kind.len()) && members.is_empty() => {
            Ok(Attachment { kind, size })
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{Body, read};

    fn line(attachments: &str) -> String {
        format!(r#"{{"v":"flyball/1","type":"turnStarted","id":"e","session":"s","attachments":{attachments}}}"#)
    }

    #[test]
    fn kinds_and_sizes_are_read_by_the_wire_and_by_traces_alike() {
        let written = r#"[{"kind":"image/png","size":20},{"size":0,"kind":"é"}]"#;
        let line = line(written);
        let Body::TurnStarted { attachments, .. } = read(line.as_bytes()).unwrap().body else { panic!("no turn") };
        let value = crate::json::parse(written.as_bytes(), &crate::json::Limits::default()).unwrap();
        assert_eq!(attachments_of(value).unwrap(), attachments);
        assert_eq!(attachments_of(attachments_value(&attachments)).unwrap(), attachments);
        assert_eq!((&*attachments[0].kind, attachments[0].size, attachments.len()), ("image/png", 20, 2));
    }

    #[test]
    fn anything_else_is_refused_by_both() {
        let long = format!(r#"[{{"kind":"{}","size":1}}]"#, "k".repeat(MAX_NAME + 1));
        let many = format!("[{}]", vec![r#"{"kind":"k","size":1}"#; MAX_ATTACHMENTS + 1].join(","));
        for (written, code) in [
            ("7", "bad_json"),
            ("[7]", "bad_json"),
            (r#"[{"kind":"k"}]"#, "missing_member"),
            (r#"[{"size":1}]"#, "missing_member"),
            (r#"[{"kind":"","size":1}]"#, "missing_member"),
            (r#"[{"kind":"k","size":-1}]"#, "bad_number"),
            (r#"[{"kind":"k","size":1.5}]"#, "bad_number"),
            (r#"[{"kind":"k","size":1e30}]"#, "bad_number"),
            (r#"[{"kind":"k","size":"1"}]"#, "bad_json"),
            (r#"[{"kind":7,"size":1}]"#, "bad_json"),
            (r#"[{"kind":"k","size":1,"name":"a.png"}]"#, "unknown_member"),
            (long.as_str(), "too_large"),
            (many.as_str(), "too_large"),
        ] {
            assert_eq!(read(line(written).as_bytes()).unwrap_err().code, code, "{written}");
            let value = crate::json::parse(written.as_bytes(), &crate::json::Limits::default()).unwrap();
            assert!(attachments_of(value).is_err(), "{written}");
        }
    }
}
