//! Malformed calls and what the model is told.

use super::{schema, value};
use crate::schema::{ArgSchema, correction};

fn mail() -> ArgSchema {
    schema(
        r#"{"type":"object","required":["to","body"],"properties":{
            "to":{"type":"array","items":{"type":"string","format":"email"},"minItems":1},
            "body":{"type":"string","maxLength":20},
            "priority":{"enum":["low","high"]},
            "amount":{"type":"number","minimum":0,"maximum":500,"multipleOf":0.01},
            "copies":{"type":"integer"},
            "options":{"type":"object","properties":{"bcc":{"type":"array","items":{"type":"string"}}}}}}"#,
    )
}

#[track_caller]
fn told(args: &str, want: &str) {
    let problems = mail().bind(&value(args)).expect_err(args);
    assert_eq!(correction(&problems), format!("Invalid arguments: {want}."));
}

#[test]
fn ten_kinds_of_malformed_call_are_named_with_path_and_cure() {
    told(r#"{"to":"a@b.example","body":"hi"}"#, r#"`to` must be an array, not the string "a@b.example""#);
    told(r#"{"to":["a@b.example"]}"#, "`body` is missing");
    told(r#"{"to":[],"body":"hi"}"#, "`to` must have at least 1 item, not an empty array");
    told(r#"{"to":["a@b.example","b"],"body":"hi"}"#, r#"`to[1]` must be an email address, not the string "b""#);
    told(r#"{"to":["a@b.example"],"body":"hi","copies":1.5}"#, "`copies` must be an integer, not the number 1.5");
    told(r#"{"to":["a@b.example"],"body":"hi","amount":501}"#, "`amount` must be 500 or less, not the number 501");
    told(
        r#"{"to":["a@b.example"],"body":"hi","priority":"hig"}"#,
        r#"`priority` must be one of "low", "high", not the string "hig"; did you mean "high"?"#,
    );
    told(
        r#"{"to":["a@b.example"],"body":"hi","options":{"bc":[]}}"#,
        "unknown argument `options.bc`; did you mean `options.bcc`?",
    );
    told(
        r#"{"to":["a@b.example"],"body":"hi","options":{"bcc":["a",null]}}"#,
        "`options.bcc[1]` must be a string, not null",
    );
    told(
        r#"{"to":["a@b.example"],"body":"123456789012345678901"}"#,
        r#"`body` must have at most 20 characters, not 21: the string "123456789012345678901""#,
    );
    told(
        r#"{"to":["a@b.example"],"body":"hi","amount":"5"}"#,
        r#"`amount` must be a number, not the string "5"; send it without quotes"#,
    );
    told(
        r#"{"to":["a@b.example"],"body":"hi","amount":0.001}"#,
        "`amount` must be a multiple of 0.01, not the number 0.001",
    );
    told("[]", "the arguments must be an object, not an empty array");
}

#[test]
fn the_first_three_problems_are_told_and_the_rest_counted() {
    told(
        r#"{"amount":-1,"copies":null,"priority":1,"zz":1}"#,
        "`amount` must be 0 or more, not the number -1; `body` is missing; `copies` must be an integer, not null; and 3 more",
    );
}

#[test]
fn an_argument_cannot_write_into_the_correction_unseen() {
    let args = format!(r#"{{"body":"hi","to":"\u202e\n`{}"}}"#, "x".repeat(200));
    let message = &mail().bind(&value(&args)).unwrap_err()[0].message;
    assert!(message.contains(r"\u{202e}\n`xxx") && message.ends_with("…\""), "{message}");
    let problem = &mail().bind(&value(r#"{"to":["a@b.example"],"body":"hi","a\u200b":1}"#)).unwrap_err()[0];
    assert!(problem.message.contains(r"`a\u{200b}`"), "{}", problem.message);
}

#[test]
fn a_flood_of_problems_is_bounded() {
    let nulls = vec!["null"; 5_000].join(",");
    let args = format!(r#"{{"to":[{nulls}],"body":"hi","{}":1}}"#, "x".repeat(100_000));
    let problems = mail().bind(&value(&args)).map(|_| ()).unwrap_err();
    assert_eq!(problems.len(), 100);
    assert!(correction(&problems).ends_with("; and 97 more."));
}

#[test]
fn a13_absent_null_and_the_word_null_are_three_things() {
    let schema = schema(r#"{"properties":{"region":{"type":["string","null"]},"limit":{"type":["integer","null"]}}}"#);
    let region = schema.slot("region").unwrap();
    for (args, want) in [
        (r#"{"region":"eu"}"#, Some(r#""eu""#)),
        ("{}", None),
        (r#"{"region":null}"#, Some("null")),
        (r#"{"region":"null","limit":null}"#, Some(r#""null""#)),
    ] {
        let args = value(args);
        let want = want.map(value);
        assert_eq!(schema.bind(&args).unwrap().get(region), want.as_ref());
    }
    let problems = schema.bind(&value(r#"{"region":"eu","limit":"null"}"#)).map(|_| ()).unwrap_err();
    assert_eq!(
        problems[0].message,
        r#"`limit` must be null or an integer, not the string "null"; send it without quotes"#
    );
}

#[test]
fn a13_an_optional_field_is_not_a_nullable_one() {
    let schema = schema(r#"{"properties":{"region":{"type":"string"}}}"#);
    assert!(schema.bind(&value("{}")).is_ok());
    assert!(schema.bind(&value(r#"{"region":null}"#)).is_err());
}

#[test]
fn a15_every_element_every_level_every_declared_name() {
    let schema = schema(
        r#"{"required":["to","body"],"properties":{"to":{"type":"array","items":{"type":"string"}},"body":{"type":"string"},
            "options":{"type":"object","properties":{"bcc":{"type":"array","items":{"type":"string"}}}}}}"#,
    );
    for fine in [
        r#"{"to":["a@shop.example","b@else.example"],"body":"hi"}"#,
        r#"{"to":["a@shop.example"],"body":"hi","options":{"bcc":["x@else.example"]}}"#,
        r#"{"to":[],"body":"hi"}"#,
    ] {
        assert!(schema.bind(&value(fine)).is_ok(), "{fine}");
    }
    let message = |args: &str| schema.bind(&value(args)).unwrap_err()[0].message.clone();
    assert_eq!(
        message(r#"{"to":["a@shop.example"],"body":"hi","cc":["x@else.example"]}"#),
        "unknown argument `cc`; allowed: `body`, `options`, `to`"
    );
    assert!(
        message(r#"{"to":["a@shop.example"],"body":"hi","options":"{\"bcc\":[\"x@else.example\"]}"}"#)
            .contains("an object")
    );
    assert_eq!(
        message(r#"{"to":"a@shop.example","body":"hi"}"#),
        r#"`to` must be an array, not the string "a@shop.example""#
    );
}

#[test]
fn any_object_passes_a_tool_that_only_its_host_knows() {
    let any = ArgSchema::any();
    assert!(any.bind(&value(r#"{"what":["ever",{"deep":null}]}"#)).is_ok());
    assert!(any.bind(&value("[]")).is_err());
    assert_eq!(any.paths().len(), 0);
}

#[test]
fn more_slots_than_are_kept_inline_work_the_same() {
    let names: Vec<String> = (0..40).map(|n| format!("p{n:02}")).collect();
    let properties: Vec<String> = names.iter().map(|name| format!(r#""{name}":{{"type":"integer"}}"#)).collect();
    let schema = schema(&format!(r#"{{"properties":{{{}}}}}"#, properties.join(",")));
    let members: Vec<String> = names.iter().enumerate().map(|(n, name)| format!(r#""{name}":{n}"#)).collect();
    let text = format!("{{{}}}", members.join(","));
    let args = value(&text);
    let bound = schema.bind(&args).unwrap();
    for name in &names {
        assert_eq!(bound.get(schema.slot(name).unwrap()), args.get(name));
    }
}
