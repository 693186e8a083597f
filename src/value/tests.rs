//! What `value` promises, as behaviour.

#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use super::*;
use crate::decimal::tests::decimals;
use crate::json::{Limits, parse};
use proptest::collection::vec;
use proptest::prelude::*;

/// Text with everything that order and escapes care about.
pub(crate) fn texts() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => proptest::char::range('a', 'c'),
        2 => proptest::char::range('\0', '\u{7f}'),
        1 => Just('"'),
        1 => Just('\\'),
        1 => proptest::char::range('\u{80}', '\u{d7ff}'),
        1 => proptest::char::range('\u{e000}', '\u{ffff}'),
        1 => proptest::char::range('\u{10000}', '\u{10ffff}'),
    ];
    vec(character, 0..12).prop_map(|characters| characters.into_iter().collect())
}

/// Values whose scalars are strings, booleans, null and the given numbers.
pub(crate) fn values_with(numbers: impl Strategy<Value = Decimal> + 'static) -> impl Strategy<Value = Value<'static>> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        numbers.prop_map(Value::from),
        texts().prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 60, 12, |inner| {
        let members = vec((texts(), inner.clone()), 0..12).prop_map(|members| {
            let mut object = Object::new();
            for (key, value) in members {
                object.insert(Cow::Owned(key), value);
            }
            Value::Object(object)
        });
        prop_oneof![vec(inner, 0..6).prop_map(Value::Array), members]
    })
}

/// Any value.
pub(crate) fn values() -> impl Strategy<Value = Value<'static>> {
    values_with(decimals())
}

fn json(text: &str) -> Value<'_> {
    parse(text.as_bytes(), &Limits::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn a_value_is_four_words() {
    assert!(size_of::<Value<'_>>() <= 32);
}

#[test]
fn merge_patch_does_what_rfc_7396_says() {
    let cases = [
        (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
        (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
        (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
        (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
        (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
        (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
        (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
        (r#"{"a":"foo"}"#, "null", "null"),
        (r#"{"a":"foo"}"#, r#""bar""#, r#""bar""#),
        (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
        ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
        ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
    ];
    for (target, patch, want) in cases {
        let mut value = json(target);
        value.merge_patch(&json(patch));
        assert_eq!(value, json(want), "{target} with {patch}");
    }
}

#[test]
fn an_object_keeps_its_members_sorted_and_unique() {
    let mut object = Object::with_capacity(2);
    for (position, key) in ["b", "\u{fb33}", "a", "\u{1f600}", "", "é"].into_iter().enumerate() {
        assert_eq!(object.insert(key.into(), Value::from(position as i64)), None);
    }
    let keys: Vec<&str> = object.iter().map(|(key, _)| key).collect();
    assert_eq!(keys, ["", "a", "b", "é", "\u{1f600}", "\u{fb33}"]);
    assert_eq!(object.insert("a".into(), Value::Null), Some(Value::from(2)));
    assert!(object.contains_key("a") && !object.contains_key("c"));
    assert_eq!(object.get("a"), Some(&Value::Null));
    *object.get_mut("a").unwrap() = Value::from(true);
    assert_eq!(object.remove("a"), Some(Value::from(true)));
    assert_eq!((object.remove("a"), object.len(), object.is_empty()), (None, 5, false));
}

#[test]
fn members_that_repeat_a_key_make_no_object() {
    let member = |key: &'static str| (Cow::Borrowed(key), Value::Null);
    assert_eq!(Object::from_members(vec![member("b"), member("a"), member("b")]), Err(DuplicateKey("b".into())));
    assert_eq!(Object::from_members(vec![member("a"), member("a")]), Err(DuplicateKey("a".into())));
    assert_eq!(Object::from_members(vec![member("b"), member("a")]).unwrap().len(), 2);
}

#[test]
fn accessors_answer_for_their_kind_only() {
    let value = json(r#"{"s":"x","n":1.5,"b":true,"a":[[]],"z":null}"#);
    assert_eq!(value.get("s").unwrap().as_str(), Some("x"));
    assert_eq!(value.get("n").unwrap().as_number(), Some("1.5".parse().unwrap()));
    assert_eq!(value.get("b").unwrap().as_bool(), Some(true));
    assert_eq!(value.get("a").unwrap().as_array().map(<[_]>::len), Some(1));
    assert!(value.get("z").unwrap().is_null() && value.get("missing").is_none() && value.as_str().is_none());
    assert_eq!((value.depth(), value.get("s").unwrap().depth()), (3, 0));
    let kinds: Vec<_> = value.as_object().unwrap().iter().map(|(_, value)| value.kind()).collect();
    assert_eq!(kinds, ["an array", "a boolean", "a number", "a string", "null"]);
    assert_eq!(value.kind(), "an object");
}

#[test]
fn yaml_output_keeps_whole_numbers_and_short_fractions() {
    let value =
        json(r#"{"big":18446744073709551615,"cap":500.00,"fee":0.35,"low":-7,"none":null,"some":["1.0",true]}"#);
    let yaml = serde_yaml::to_string(&value).unwrap();
    assert_eq!(yaml, "big: 18446744073709551615\ncap: 500\nfee: 0.35\nlow: -7\nnone: null\nsome:\n- '1.0'\n- true\n");
}

proptest! {
    #[test]
    fn keys_sort_by_utf16_code_units(left in texts(), right in texts()) {
        let want = left.encode_utf16().cmp(right.encode_utf16());
        prop_assert_eq!(compare_keys(&left, &right), want);
    }

    #[test]
    fn an_owned_copy_is_equal(value in values()) {
        prop_assert_eq!(&value.to_owned_value(), &value);
        prop_assert_eq!(&value.clone().into_owned(), &value);
    }

    #[test]
    fn members_in_any_order_make_one_object(object in values(), seed: u64) {
        if let Value::Object(object) = object {
            let mut members = object.clone().into_members();
            let count = members.len().max(1);
            members.rotate_left(seed as usize % count);
            prop_assert_eq!(Object::from_members(members).unwrap(), object.clone());
            for (key, value) in object.iter() {
                prop_assert_eq!(object.get(key), Some(value));
            }
        }
    }

    #[test]
    fn a_patch_applied_twice_changes_nothing_more(mut target in values(), patch in values()) {
        target.merge_patch(&patch);
        let once = target.clone();
        target.merge_patch(&patch);
        prop_assert_eq!(target, once);
    }
}
