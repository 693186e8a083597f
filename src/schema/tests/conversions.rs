//! Faithful conversions and defaults.

use super::{schema, schema_of_x, value};

/// What `x` becomes, as text.
fn coerced(x: &str, text: &str) -> Option<String> {
    let args = format!(r#"{{"x":{text}}}"#);
    let args = value(&args);
    schema_of_x(x).coerce(&args).map(|new| crate::canon::to_text(new.get("x").unwrap()))
}

#[test]
fn a11_only_faithful_numbers_are_converted() {
    let integer = r#"{"type":"integer"}"#;
    assert_eq!(coerced(integer, r#""4000""#).as_deref(), Some("4000"));
    assert_eq!(coerced(integer, r#""-1""#).as_deref(), Some("-1"));
    for text in [
        "9e3", " 9000", "9000 ", "0x2328", "1,000", "1_000", "007", "+5", "-0", "", "9000.0", "1.5", "NaN", "null",
        "\u{0661}",
    ] {
        assert_eq!(coerced(integer, &format!("\"{text}\"")), None, "{text}");
    }
    assert_eq!(coerced(integer, "true"), None);
    assert_eq!(coerced(r#"{"type":"number"}"#, r#""12.5""#).as_deref(), Some("12.5"));
    assert_eq!(coerced(r#"{"type":"number"}"#, r#""12.50""#), None);
}

#[test]
fn a_string_stays_one_where_a_string_is_allowed() {
    assert_eq!(coerced(r#"{"type":["string","integer"]}"#, r#""5""#), None);
    assert_eq!(coerced("{}", r#""5""#), None);
    assert_eq!(coerced(r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#, r#""5""#).as_deref(), Some("5"));
    assert_eq!(coerced(r#"{"enum":[1,2]}"#, r#""2""#).as_deref(), Some("2"));
}

#[test]
fn booleans_are_two_words() {
    let boolean = r#"{"type":"boolean"}"#;
    assert_eq!(coerced(boolean, r#""true""#).as_deref(), Some("true"));
    assert_eq!(coerced(boolean, r#""false""#).as_deref(), Some("false"));
    for text in [r#""True""#, r#""yes""#, r#""1""#, "1"] {
        assert_eq!(coerced(boolean, text), None, "{text}");
    }
}

#[test]
fn a15_a_json_text_becomes_the_object_that_guard_and_tool_both_get() {
    let options = r#"{"type":"object","properties":{"bcc":{"type":"array","items":{"type":"integer"}}}}"#;
    assert_eq!(coerced(options, r#""{\"bcc\":[1,\"2\"]}""#).as_deref(), Some(r#"{"bcc":[1,2]}"#));
    assert_eq!(coerced(options, r#"{"bcc":"[1]"}"#).as_deref(), Some(r#"{"bcc":[1]}"#));
    for text in [r#""{\"bcc\":1,\"bcc\":2}""#, r#""{""#, r#""[1]""#, r#""null""#] {
        assert_eq!(coerced(options, text), None, "{text}");
    }
}

#[test]
fn nothing_changes_where_nothing_is_a_string() {
    let schema = schema(r#"{"properties":{"a":{"type":"integer"},"b":{"type":"array","items":{"type":"number"}}}}"#);
    assert!(schema.coerce(&value(r#"{"a":1,"b":[1.5]}"#)).is_none());
    assert_eq!(
        schema.coerce(&value(r#"{"a":"1","b":[1.5,"2"],"c":"3"}"#)),
        Some(value(r#"{"a":1,"b":[1.5,2],"c":"3"}"#))
    );
}

#[test]
fn defaults_fill_what_is_absent_and_never_replace_null() {
    let schema = schema(
        r#"{"properties":{"a":{"type":["integer","null"],"default":5},"o":{"type":"object","properties":{"k":{"default":"v"}}},
            "l":{"type":"array","items":{"type":"object","properties":{"n":{"default":0}}}}}}"#,
    );
    let filled = |args: &str| schema.with_defaults(&value(args)).map(|new| crate::canon::to_text(&new));
    assert_eq!(filled("{}").as_deref(), Some(r#"{"a":5}"#));
    assert_eq!(filled(r#"{"a":null}"#), None);
    assert_eq!(filled(r#"{"a":1,"o":{}}"#).as_deref(), Some(r#"{"a":1,"o":{"k":"v"}}"#));
    assert_eq!(filled(r#"{"a":1,"l":[{},{"n":1}]}"#).as_deref(), Some(r#"{"a":1,"l":[{"n":0},{"n":1}]}"#));
    assert_eq!(filled(r#"{"a":1,"o":{"k":2}}"#), None);
    assert_eq!(filled("[]"), None);
}

#[test]
fn a_default_inside_a_nullable_object_is_filled_when_the_object_is_there() {
    let schema = schema_of_x(r#"{"anyOf":[{"type":"object","properties":{"k":{"default":1}}},{"type":"null"}]}"#);
    assert_eq!(schema.with_defaults(&value(r#"{"x":{}}"#)), Some(value(r#"{"x":{"k":1}}"#)));
    assert_eq!(schema.with_defaults(&value(r#"{"x":null}"#)), None);
}
