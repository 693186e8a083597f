//! `$ref`: where it may lead and where not.

use super::value;
use crate::schema::{ArgSchema, SchemaProblem, SchemaSources};
use crate::value::Value;
use std::collections::BTreeMap;

fn files() -> BTreeMap<String, Value<'static>> {
    let files = [
        (
            "schemas/refund.json",
            r##"{"type":"object","properties":{"amount":{"$ref":"#/$defs/money"},"id":{"$ref":"schemas/parts/id.json"}},"$defs":{"money":{"type":"number"}}}"##,
        ),
        ("schemas/parts/id.json", r#"{"type":"string","pattern":"^[A-Z]$"}"#),
        ("schemas/broken.json", r#"{"type":"object","properties":{"a":{"maxLenght":1}}}"#),
        ("schemas/loop.json", r##"{"type":"object","properties":{"a":{"$ref":"#"}}}"##),
        ("schemas/ping.json", r#"{"type":"object","properties":{"a":{"$ref":"schemas/pong.json"}}}"#),
        ("schemas/pong.json", r#"{"type":"object","properties":{"a":{"$ref":"schemas/ping.json"}}}"#),
    ];
    files.into_iter().map(|(path, text)| (path.to_owned(), value(text).into_owned())).collect()
}

fn compile(text: &str) -> Result<ArgSchema, Vec<SchemaProblem>> {
    let spec = value(
        r##"{"orderId":{"type":"string","pattern":"^ORD-[0-9]{6}$"},"tree":{"properties":{"kids":{"items":{"$ref":"#/$defs/tree"}}}},"bad":{"properties":{"q":{"type":"strin"}}}}"##,
    );
    let contract = value(
        r##"{"orderId":{"type":"integer"},"day":{"$ref":"#/$defs/date"},"date":{"type":"string","format":"date"}}"##,
    );
    let defs = [spec, contract].map(|value| value.as_object().unwrap().to_owned_object());
    ArgSchema::compile(&value(text), &SchemaSources { defs: &defs, files: &files() })
}

#[track_caller]
fn accepts(schema: &str, yes: &str, no: &str) {
    let compiled = compile(schema).unwrap_or_else(|problems| panic!("{schema}: {problems:?}"));
    assert!(compiled.bind(&value(yes)).is_ok(), "{yes}");
    assert!(compiled.bind(&value(no)).is_err(), "{no}");
}

#[track_caller]
fn refuses(schema: &str, message: &str) {
    let problems = compile(schema).expect_err(schema);
    assert_eq!(problems[0].message, message);
}

#[test]
fn definitions_are_found_in_the_schema_then_the_spec_then_the_contract() {
    accepts(r##"{"properties":{"id":{"$ref":"#/$defs/orderId"}}}"##, r#"{"id":"ORD-000001"}"#, r#"{"id":1}"#);
    accepts(
        r##"{"properties":{"id":{"$ref":"#/$defs/orderId"}},"$defs":{"orderId":{"type":"boolean"}}}"##,
        r#"{"id":true}"#,
        r#"{"id":1}"#,
    );
    accepts(r##"{"properties":{"d":{"$ref":"#/$defs/day"}}}"##, r#"{"d":"2031-03-04"}"#, r#"{"d":"x"}"#);
}

#[test]
fn a_file_brings_its_own_definitions_and_files() {
    let refund = r#"{"$ref":"schemas/refund.json"}"#;
    accepts(refund, r#"{"amount":1,"id":"A"}"#, r#"{"amount":1,"id":"a"}"#);
    assert!(compile(refund).unwrap().slot("amount").is_some());
    accepts(r#"{"properties":{"a":{"$ref":"schemas/refund.json#/$defs/money"}}}"#, r#"{"a":1}"#, r#"{"a":"1"}"#);
}

#[test]
fn keywords_beside_a_reference_hold_too() {
    accepts(
        r##"{"properties":{"id":{"$ref":"#/$defs/orderId","description":"d","enum":["ORD-000001"]}}}"##,
        r#"{"id":"ORD-000001"}"#,
        r#"{"id":"ORD-000002"}"#,
    );
    refuses(
        r##"{"properties":{"id":{"$ref":"#/$defs/orderId","pattern":"x"}}}"##,
        "`pattern` stands both beside `$ref: #/$defs/orderId` and in it",
    );
}

#[test]
fn what_leads_nowhere_or_outside_is_refused() {
    for path in ["https://example.com/a.json", "file:///etc/passwd", "/etc/passwd", "schemas/none.json"] {
        refuses(&format!(r#"{{"$ref":"{path}"}}"#), &format!("there is no file `{path}` in the workspace"));
    }
    refuses(r##"{"properties":{"id":{"$ref":"#/$defs/orderid"}}}"##, "there is no `$defs` entry `orderid`");
    refuses(
        r##"{"properties":{"id":{"$ref":"#/properties/x"}}}"##,
        "`#/properties/x` names something other than a definition",
    );
    refuses(r#"{"$ref":5}"#, "`$ref` must be a string");
}

#[test]
fn recursion_is_refused_wherever_it_closes() {
    for schema in [
        r##"{"properties":{"t":{"$ref":"#/$defs/tree"}}}"##,
        r##"{"properties":{"t":{"$ref":"#"}}}"##,
        r#"{"$ref":"schemas/loop.json"}"#,
        r#"{"$ref":"schemas/ping.json"}"#,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
    ] {
        let problems = compile(schema).expect_err(schema);
        assert!(problems[0].message.contains("refers to itself"), "{schema}: {problems:?}");
        assert!(problems[0].help.is_some());
    }
}

#[test]
fn references_that_multiply_are_stopped() {
    let level = |n: u32| {
        format!(
            r##""l{n}":{{"properties":{{"a":{{"$ref":"#/$defs/l{m}"}},"b":{{"$ref":"#/$defs/l{m}"}}}}}}"##,
            m = n + 1
        )
    };
    let levels: Vec<String> = (0..30).map(level).collect();
    let schema = format!(r##"{{"$ref":"#/$defs/l0","$defs":{{{},"l30":{{}}}}}}"##, levels.join(","));
    let problems = compile(&schema).unwrap_err();
    assert!(
        problems.len() < 20_000 && problems.iter().any(|problem| problem.message.contains("more than 10000")),
        "{}",
        problems.len()
    );
}

#[test]
fn definitions_that_double_on_their_way_down_are_told_once() {
    let level = |at: usize| {
        let next = format!(r##"{{"$ref": "#/$defs/d{}"}}"##, at + 1);
        format!(r#""d{at}": {{"type": "object", "properties": {{"a": {next}, "b": {next}}}}}"#)
    };
    let levels: Vec<String> = (0..40).map(level).collect();
    let defs = format!(r#"{}, "d40": {{"type": "string"}}"#, levels.join(", "));
    let schema =
        format!(r##"{{"type": "object", "properties": {{"x": {{"$ref": "#/$defs/d0"}}}}, "$defs": {{{defs}}}}}"##);
    let problems = compile(&schema).unwrap_err();
    assert_eq!(problems.len(), 1, "{}", problems.len());
    assert!(problems[0].message.starts_with("the schema is nested too deeply (at `/"), "{}", problems[0].message);
    assert_eq!(problems[0].path, ["properties", "x"]);
}

#[test]
fn a_problem_behind_a_reference_is_shown_at_the_reference() {
    let problems =
        compile(r##"{"properties":{"x":{"$ref":"#/$defs/bad"},"y":{"$ref":"schemas/broken.json"}}}"##).unwrap_err();
    assert_eq!(problems[0].path, ["properties", "x"]);
    assert_eq!(problems[0].message, "there is no type `strin` (at `/properties/q/type` of `#/$defs/bad`)");
    assert_eq!(problems[1].path, ["properties", "y"]);
}
