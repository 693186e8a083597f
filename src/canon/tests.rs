//! What `canon` promises, as behaviour.

use super::*;
use crate::json::{Limits, parse};
use crate::value::tests::{texts, values, values_with};
use proptest::prelude::*;

const SAFE: i64 = (1 << 53) - 1;

fn text(value: &Value<'_>) -> String {
    to_text(value)
}

fn json(text: &str) -> Value<'_> {
    parse(text.as_bytes(), &Limits::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn the_order_of_keys_is_the_one_of_rfc_8785() {
    let value = json(
        r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",
            "\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#,
    );
    let names: Vec<&str> = value.as_object().unwrap().iter().filter_map(|(_, value)| value.as_str()).collect();
    let want = ["Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign"];
    assert_eq!(names[..5], want);
    assert_eq!(names[5..], ["Emoji: Grinning Face", "Hebrew Letter Dalet With Dagesh"]);
}

#[test]
fn escapes_are_the_ones_of_rfc_8785() {
    let value = json(r#""\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"\/\b\f\t\u007f\u001F""#);
    assert_eq!(text(&value), "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\\b\\f\\t\u{7f}\\u001f\"");
}

#[test]
fn numbers_that_are_equal_have_one_digest() {
    let digests: Vec<Digest> = ["[1]", "[1.0]", "[1e0]", "[ 10E-1 ]"].map(|text| digest(&json(text))).to_vec();
    assert!(digests.iter().all(|other| *other == Digest::of(b"[1]")));
    assert_ne!(digest(&json("[9007199254740993]")), digest(&json("[9007199254740992]")));
    assert_eq!(text(&json("[1e21, 1e-7, 0.10]")), "[1000000000000000000000,0.0000001,0.1]");
}

#[test]
fn a_digest_is_64_lower_case_hex_digits() {
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(Digest::of(b"").to_string(), empty);
    assert_eq!(empty.parse::<Digest>(), Ok(Digest::of(b"")));
    assert_eq!(Digest::of_parts(&[b"a", b"bc"]), Digest::of(b"abc"));
    assert_eq!(Digest::ZERO.to_string(), "0".repeat(64));
    for bad in
        [&empty.to_uppercase(), &"0".repeat(63), &format!("{empty}0"), &format!("{empty}00"), &"g".repeat(64), ""]
    {
        assert_eq!(bad.parse::<Digest>(), Err(BadDigest), "{bad}");
    }
}

#[test]
fn a_typed_record_has_the_bytes_of_its_value() {
    let mut out = Vec::new();
    let mut object = ObjectWriter::new(&mut out);
    object.value("args", &json(r#"{"b":1,"a":[]}"#)).bool("ok", true).optional("skipped", None::<&str>, write_string);
    object.number("turn", 3_u64).field("who", |out| write_array(["a", "b"], out, write_string));
    object.finish();
    assert_eq!(out, to_vec(&json(r#"{"turn":3,"args":{"a":[],"b":1},"ok":true,"who":["a","b"]}"#)));
    let mut empty = Vec::new();
    ObjectWriter::new(&mut empty).finish();
    assert_eq!(empty, b"{}");
}

#[test]
#[should_panic(expected = "`a` is out of order")]
fn a_typed_record_with_unsorted_fields_stops_the_test_run() {
    ObjectWriter::new(&mut Vec::new()).bool("b", true).bool("a", true);
}

proptest! {
    #[test]
    fn bytes_are_those_of_the_rfc_8785_library(value in values_with((-SAFE..=SAFE).prop_map(Decimal::from))) {
        let oracle = serde_json_canonicalizer::to_vec(&value).unwrap();
        prop_assert_eq!(text(&value), String::from_utf8(oracle).unwrap());
    }

    #[test]
    fn canonical_bytes_read_back_as_the_value(value in values()) {
        let bytes = to_vec(&value);
        let again = parse(&bytes, &Limits::default()).unwrap();
        prop_assert_eq!(&again, &value);
        prop_assert_eq!(to_vec(&again), bytes);
    }

    #[test]
    fn equal_values_and_equal_bytes_are_the_same_thing(left in values(), right in values()) {
        prop_assert_eq!(left == right, to_vec(&left) == to_vec(&right));
    }

    #[test]
    fn a_plain_run_ends_at_the_first_byte_to_escape(text in texts(), padding in 0_usize..40) {
        let text = format!("{}{text}", "é ".repeat(padding));
        let want = text.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\').unwrap_or(text.len());
        prop_assert_eq!(plain_run(text.as_bytes()), want);
    }

    #[test]
    fn any_bytes_have_an_exact_plain_run(bytes: Vec<u8>) {
        let want = bytes.iter().position(|byte| *byte < 0x20 || *byte == b'"' || *byte == b'\\').unwrap_or(bytes.len());
        prop_assert_eq!(plain_run(&bytes), want);
    }

    #[test]
    fn hex_reads_back(bytes: [u8; 32]) {
        prop_assert_eq!(Digest(bytes).to_string().parse(), Ok(Digest(bytes)));
    }
}
