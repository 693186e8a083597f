//! What `json` promises, as behaviour.

use super::*;
use crate::canon;
use crate::value::tests::values;
use proptest::prelude::*;

fn read(text: &str) -> Result<Value<'_>, JsonError> {
    parse(text.as_bytes(), &Limits::default())
}

fn skip(bytes: &[u8]) -> Result<(), JsonError> {
    let mut reader = Reader::new(bytes, Limits::default())?;
    reader.skip()?;
    reader.finish()
}

/// Input, code, byte.
const REFUSED: &[(&str, JsonCode, usize)] = {
    use JsonCode::{BadJson, BadNumber, BadText, DuplicateKey};
    &[
        ("", BadJson, 0),
        ("  ", BadJson, 2),
        ("tru", BadJson, 0),
        ("nul", BadJson, 0),
        ("True", BadJson, 0),
        ("undefined", BadJson, 0),
        ("'a'", BadJson, 0),
        ("[1,]", BadJson, 3),
        ("[1 2]", BadJson, 3),
        ("[1", BadJson, 2),
        ("]", BadJson, 0),
        ("{\"a\":1,}", BadJson, 7),
        ("{\"a\" 1}", BadJson, 5),
        ("{a:1}", BadJson, 1),
        ("{\"a\":}", BadJson, 5),
        ("{\"a\"}", BadJson, 4),
        ("{1:2}", BadJson, 1),
        ("[1}", BadJson, 2),
        ("1 2", BadJson, 2),
        ("{} {}", BadJson, 3),
        ("[] // no comments", BadJson, 3),
        ("/* */ 1", BadJson, 0),
        ("\u{feff}{}", BadJson, 0),
        ("\u{a0}1", BadJson, 0),
        ("01", BadJson, 0),
        ("[-01]", BadJson, 1),
        ("+1", BadJson, 0),
        (".5", BadJson, 0),
        ("1.", BadJson, 0),
        ("1e", BadJson, 0),
        ("-", BadJson, 0),
        ("0x10", BadJson, 1),
        ("1_000", BadJson, 1),
        ("\"never closed", BadJson, 0),
        ("[\"never closed\\\"", BadJson, 1),
        ("\"tab\tin\"", BadJson, 4),
        ("\"line\nin\"", BadJson, 5),
        ("\"nul\u{0}in\"", BadJson, 4),
        ("\"\\x41\"", BadJson, 1),
        ("\"\\u12g4\"", BadJson, 1),
        ("\"\\u12", BadJson, 1),
        ("\"\\", BadJson, 1),
        ("\"\\u12é4\"", BadJson, 1),
        ("\"\\ud83d alone\"", BadText, 1),
        ("\"ab\\ude00\"", BadText, 3),
        ("\"\\ud83d\\ud83d\"", BadText, 1),
        ("\"\\ud83d\\u0041\"", BadText, 1),
        ("{\"\\udc00\":1}", BadText, 2),
        ("NaN", BadNumber, 0),
        ("[Infinity]", BadNumber, 1),
        ("[-Infinity]", BadNumber, 1),
        ("-0", BadNumber, 0),
        ("[-0.0]", BadNumber, 1),
        ("1e401", BadNumber, 0),
        ("[1,12345678901234567890123456789012345]", BadNumber, 3),
        ("{\"a\":1,\"a\":1}", DuplicateKey, 7),
        ("{\"a\":1,\"b\":2,\"\\u0061\":1}", DuplicateKey, 13),
        ("[{\"b\":{\"x\":1,\"y\":2,\"x\":3}}]", DuplicateKey, 19),
        ("{\"b\":[{}],\"a\":1,\"b\":[{}]}", DuplicateKey, 16),
    ]
};

#[test]
fn every_refusal_has_its_code_and_its_byte() {
    for (text, code, offset) in REFUSED {
        let error = read(text).unwrap_err();
        assert_eq!((error.code, error.offset), (*code, *offset), "{text}: {error}");
        assert_eq!(skip(text.as_bytes()).unwrap_err(), error, "skipping {text}");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_refused_where_they_stand() {
    let latin1 = b"{\"tool\":\"write_note\",\"args\":{\"text\":\"caf\xe9 \xff\"}}";
    let surrogate = b"\"\xed\xa0\xbd\"";
    let cut = b"\"\xf0\x9f\x98";
    for (bytes, offset) in [(&latin1[..], 40), (&surrogate[..], 1), (&cut[..], 1)] {
        let error = parse(bytes, &Limits::default()).unwrap_err();
        assert_eq!((error.code, error.offset), (JsonCode::BadText, offset), "{error}");
    }
    let note = read(r#"{"tool":"write_note","args":{"text":"日本語\\\"引用"}}"#).unwrap();
    assert_eq!(note.get("args").unwrap().get("text").unwrap().as_str(), Some("日本語\\\"引用"));
}

#[test]
fn depth_is_bounded_and_costs_no_stack() {
    for depth in [64, 65, 100_000] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let got = read(&text);
        assert_eq!(
            got.as_ref().map(Value::depth).map_err(|error| error.code),
            if depth <= 64 { Ok(depth) } else { Err(JsonCode::TooDeep) }
        );
        assert_eq!(skip(text.as_bytes()).is_ok(), depth <= 64);
    }
    let objects = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    let error = read(&objects).unwrap_err();
    assert_eq!((error.code, error.offset), (JsonCode::TooDeep, 5 * 64));
    let deepest = Limits { depth: usize::MAX, ..Limits::default() };
    assert_eq!(parse(objects.as_bytes(), &deepest).unwrap_err().offset, 5 * Limits::DEEPEST);
    // Depth counts what is open, not what was.
    assert!(read(&format!("[{}[]]", "[],".repeat(1000))).is_ok());
}

#[test]
fn size_is_bounded_before_anything_is_read() {
    let limits = Limits { bytes: 10, ..Limits::default() };
    assert!(parse(b"\"12345678\"", &limits).is_ok());
    let error = parse(b"\"123456789\xff\"", &limits).unwrap_err();
    assert_eq!(error.code, JsonCode::TooLarge);
    assert_eq!(Limits::default(), Limits { bytes: 33_554_432, depth: 64 });
}

#[test]
fn a_large_text_is_seen_whole() {
    for size in [60_000, 131_072, 1_048_576, 8_388_608] {
        let text = format!("{{\"text\":\"{} FORBIDDEN-MARK\"}}", "A".repeat(size));
        let value = read(&text).unwrap();
        assert!(value.get("text").unwrap().as_str().unwrap().ends_with(" FORBIDDEN-MARK"));
    }
}

#[test]
fn text_is_borrowed_unless_it_has_an_escape() {
    let value = read(r#"{"plain":"café 😀","escaped":"caf\u00e9 \ud83d\ude00\n\/"}"#).unwrap();
    assert!(matches!(value.get("plain"), Some(Value::String(Cow::Borrowed("café 😀")))));
    assert!(matches!(value.get("escaped"), Some(Value::String(Cow::Owned(text))) if text == "café 😀\n/"));
}

#[test]
fn members_are_sorted_whatever_order_they_came_in() {
    let value = read(r#"{"b":1,"a":{"d":[],"c":null}}"#).unwrap();
    assert_eq!(canon::to_text(&value), r#"{"a":{"c":null,"d":[]},"b":1}"#);
}

#[test]
fn an_object_of_many_keys_is_read_and_its_repeat_found() {
    let members = |count: usize| (0..count).map(|n| format!("\"key{n}\":{n}")).collect::<Vec<_>>().join(",");
    assert!(skip(format!("{{{}}}", members(5000)).as_bytes()).is_ok());
    for repeated in [0, 10, 20, 4999] {
        let text = format!("{{{},\"key{repeated}\":0}}", members(5000));
        let error = read(&text).unwrap_err();
        assert_eq!((error.code, error.offset), (JsonCode::DuplicateKey, members(5000).len() + 2));
        assert_eq!(skip(text.as_bytes()).unwrap_err(), error);
    }
}

#[test]
fn a_typed_reader_refuses_what_it_did_not_ask_for() {
    let typed = |text: &str| {
        let mut reader = Reader::new(text.as_bytes(), Limits::default())?;
        let mut id = None;
        reader.object(|reader, key| match key.as_ref() {
            "id" => {
                id = Some(reader.string()?);
                Ok(())
            }
            "tags" => reader.array(|reader| reader.string().map(drop)),
            "n" => reader.null_or(Reader::number).map(drop),
            _ => Err(reader.unknown_member(&key, &["id", "tags", "n"])),
        })?;
        id.map(drop).ok_or_else(|| reader.missing_member("id"))
    };
    let error = |text: &str| typed(text).unwrap_err().to_string();
    assert!(typed(r#"{"id":"x","tags":["a"],"n":null}"#).is_ok() && typed(r#"{"n":1.5,"id":""}"#).is_ok());
    assert_eq!(error(r#"{"id":7}"#), "expected a string, found a number at byte 6");
    assert_eq!(error(r#"{"id":"x","id":"y"}"#), "the key `id` stands twice in one object at byte 10");
    assert_eq!(error(r#"{"tag":[],"id":""}"#), "unknown member `tag` at byte 1; did you mean `tags`?");
    assert_eq!(error(r#"{"tags":[]}"#), "missing member `id` at byte 11");
    assert_eq!(error(r#"["id"]"#), "expected an object, found an array at byte 0");
    assert_eq!(
        error(r#"{"id":"a","n":1e999}"#),
        "the exponent of the number is outside -400 to 400 at byte 14; send it as a string"
    );
    assert_eq!(
        error("{\"id\":\"a\u{1}\"}"),
        "raw control character U+0001 in a string at byte 8; escape it as `\\u0001`"
    );
    assert_eq!(error("{"), "expected a key in double quotes, found the end of the input at byte 1");
}

#[test]
fn raw_bytes_are_exactly_those_of_the_value() {
    let mut reader = Reader::new(br#" [ {"a": [1, "]"]} , 2.50 ] "#, Limits::default()).unwrap();
    let mut parts = Vec::new();
    reader
        .array(|reader| {
            parts.push(reader.clone().raw_value()?);
            let (value, bytes) = reader.value_and_bytes()?;
            assert_eq!(Ok(value), parse(bytes, &Limits::default()));
            parts.push(bytes);
            Ok(())
        })
        .unwrap();
    assert_eq!(reader.finish(), Ok(()));
    assert_eq!(parts, [&br#"{"a": [1, "]"]}"#[..], br#"{"a": [1, "]"]}"#, b"2.50", b"2.50"]);
}

#[test]
fn codes_are_spelled_as_the_wire_spells_them() {
    let codes = [JsonCode::BadJson, JsonCode::TooLarge, JsonCode::TooDeep, JsonCode::BadText, JsonCode::DuplicateKey];
    let more = [JsonCode::BadNumber, JsonCode::UnknownMember, JsonCode::MissingMember];
    let want = "bad_json too_large too_deep bad_text duplicate_key bad_number unknown_member missing_member";
    assert_eq!(codes.iter().chain(&more).map(|code| code.as_str()).collect::<Vec<_>>().join(" "), want);
}

/// What `parse`, `skip` and the oracle say about the same bytes.
fn agree(bytes: &[u8]) -> Result<(), TestCaseError> {
    let ours = parse(bytes, &Limits::default());
    prop_assert_eq!(ours.as_ref().map(drop).map_err(Clone::clone), skip(bytes));
    // The oracle checks grammar only, so it accepts more: duplicate keys, -0, any digits, lone surrogates.
    let oracle = serde_json::from_slice::<serde::de::IgnoredAny>(bytes);
    match ours {
        Ok(value) => {
            prop_assert!(oracle.is_ok());
            let canonical = canon::to_vec(&value);
            let again = parse(&canonical, &Limits::default());
            prop_assert_eq!(again, Ok(value));
        }
        Err(error) => {
            prop_assert!(error.offset <= bytes.len());
            prop_assert!(error.code != JsonCode::BadJson || oracle.is_err());
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        agree(&bytes)?;
    }

    #[test]
    fn any_json_like_text_is_read_or_refused(text in r#"([\[\]{}:, ]|"|"a"|"\\u[0-9a-d]{4}|\\|1|-|0|\.|e5|true|null){0,40}"#) {
        agree(text.as_bytes())?;
    }

    #[test]
    fn changed_json_is_read_or_refused(value in values(), changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..4)) {
        let mut bytes = canon::to_vec(&value);
        for (place, byte, how) in changes {
            let at = place.index(bytes.len().max(1)).min(bytes.len());
            match how {
                0 => bytes.insert(at, byte),
                1 if at < bytes.len() => bytes[at] = byte,
                _ => bytes.truncate(at),
            }
        }
        agree(&bytes)?;
    }

    #[test]
    fn escaped_text_reads_as_the_text(text in crate::value::tests::texts()) {
        let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        let quoted = format!("\"{escaped}\"");
        prop_assert_eq!(read(&quoted), Ok(Value::from(text.as_str())));
    }
}
