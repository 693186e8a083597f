//! Each keyword in both directions, and schemas that are refused.

use super::{refused, schema, schema_of_x, value};

/// `x` must accept every value of the first list and refuse every value of the second with this code.
#[track_caller]
fn case(x: &str, code: &str, yes: &[&str], no: &[&str]) {
    let schema = schema_of_x(x);
    assert!(schema.beyond_closed_set().is_empty(), "{x}");
    let slot = schema.slot("x").unwrap();
    for text in yes {
        let text = format!(r#"{{"x":{text}}}"#);
        let args = value(&text);
        let bound = schema.bind(&args).unwrap_or_else(|problems| panic!("{x} refuses {text}: {problems:?}"));
        assert_eq!(bound.get(slot), args.get("x"));
    }
    for text in no {
        let args = format!(r#"{{"x":{text}}}"#);
        let problems = schema.bind(&value(&args)).expect_err(&format!("{x} accepts {text}"));
        assert!(problems.iter().any(|problem| problem.code == code), "{x}: {text}: {problems:?}");
    }
}

#[test]
fn type_is_exact_and_null_is_a_type() {
    case(r#"{"type":"string"}"#, "type", &[r#""""#, r#""null""#], &["null", "1", "true", "[]", "{}"]);
    case(r#"{"type":"integer"}"#, "type", &["1", "1.0", "-1", "1e2"], &["1.5", r#""1""#, "true", "null"]);
    case(r#"{"type":"number"}"#, "type", &["1", "1.5"], &[r#""1.5""#, "null", "false"]);
    case(r#"{"type":"boolean"}"#, "type", &["true", "false"], &["0", r#""true""#, "null"]);
    case(r#"{"type":"null"}"#, "type", &["null"], &["0", r#""null""#]);
    case(r#"{"type":["integer","null"]}"#, "type", &["1", "null"], &["1.5", r#""x""#]);
    case(r#"{"type":"array"}"#, "type", &["[]"], &["{}"]);
    case(r#"{"type":"object"}"#, "type", &["{}", r#"{"any":1}"#], &["[]"]);
}

#[test]
fn enum_and_const_compare_values_not_texts() {
    case(r#"{"enum":["a","b"]}"#, "enum", &[r#""a""#], &[r#""A""#, r#""""#, "1", "null"]);
    case(r#"{"enum":[1,null,[1,{"k":2}]]}"#, "enum", &["1", "1.0", "null", r#"[1.0,{"k":2}]"#], &["2", "[1]"]);
    case(r#"{"const":"a"}"#, "enum", &[r#""a""#], &[r#""b""#]);
    case(r#"{"const":1.5,"type":"number"}"#, "enum", &["1.50"], &["1"]);
}

#[test]
fn string_limits_count_characters() {
    case(
        r#"{"minLength":2}"#,
        "min_length",
        &[r#""ab""#, r#""éé""#, r#""😀😀""#, "1"],
        &[r#""a""#, r#""é""#, r#""😀""#],
    );
    case(r#"{"maxLength":2}"#, "max_length", &[r#""""#, r#""ab""#, r#""😀😀""#], &[r#""abc""#, r#""ééé""#]);
    case(r#"{"minLength":2.0}"#, "min_length", &[r#""ab""#], &[r#""a""#]);
    case(
        r#"{"pattern":"^ORD-[0-9]{2}$"}"#,
        "pattern",
        &[r#""ORD-01""#, "5"],
        &[r#""ORD-1""#, r#""xORD-01""#, r#""ORD-01\n""#],
    );
    case(r#"{"pattern":"b"}"#, "pattern", &[r#""abc""#], &[r#""ac""#]);
    case(r#"{"format":"date"}"#, "format", &[r#""2031-03-04""#, "5"], &[r#""4 March""#]);
}

#[test]
fn number_limits_are_exact() {
    case(r#"{"minimum":0.1}"#, "minimum", &["0.1", "0.10", "1", r#""a""#], &["0.09999999999999999999"]);
    case(r#"{"maximum":9007199254740992}"#, "maximum", &["9007199254740992"], &["9007199254740993"]);
    case(r#"{"exclusiveMinimum":0}"#, "exclusive_minimum", &["0.00000000000000000001"], &["0", "-1"]);
    case(r#"{"exclusiveMaximum":1}"#, "exclusive_maximum", &["0.99999999999999999999"], &["1", "2"]);
    case(r#"{"multipleOf":0.01}"#, "multiple_of", &["1.10", "19.99", "0", "-0.03"], &["0.001", "1.005"]);
}

#[test]
fn array_keywords_look_at_every_item() {
    case(r#"{"minItems":1}"#, "min_items", &["[1]", "{}"], &["[]"]);
    case(r#"{"maxItems":1}"#, "max_items", &["[]", "[1]"], &["[1,2]"]);
    case(
        r#"{"uniqueItems":true}"#,
        "unique_items",
        &["[]", r#"[1,"1",true]"#],
        &["[1,2,1.0]", r#"[{"a":1,"b":2},{"b":2,"a":1}]"#],
    );
    case(r#"{"uniqueItems":false}"#, "unique_items", &["[1,1]"], &[]);
    case(r#"{"items":{"type":"integer"}}"#, "type", &["[]", "[1,2]", r#""a""#], &["[1,2,\"3\"]", "[null]"]);
}

#[test]
fn an_object_with_properties_is_closed_at_every_level() {
    let inner = r#"{"properties":{"a":{"type":"integer"}}}"#;
    case(inner, "unknown", &["{}", r#"{"a":1}"#, "5"], &[r#"{"b":1}"#, r#"{"a":1,"b":null}"#]);
    case(&format!(r#"{{"items":{inner}}}"#), "unknown", &[r#"[{"a":1}]"#], &[r#"[{"a":1},{"c":1}]"#]);
    case(r#"{"properties":{"a":{}},"additionalProperties":true}"#, "unknown", &[r#"{"b":1}"#], &[]);
    case(r#"{"additionalProperties":false}"#, "unknown", &["{}"], &[r#"{"b":1}"#]);
    case(r#"{"additionalProperties":{"type":"integer"}}"#, "type", &[r#"{"b":1}"#], &[r#"{"b":"1"}"#]);
    case(
        r#"{"properties":{"a":{}},"additionalProperties":{"type":"integer"}}"#,
        "type",
        &[r#"{"a":"x","b":1}"#],
        &[r#"{"b":"1"}"#],
    );
}

#[test]
fn required_members_must_be_there_and_may_be_null() {
    let x = r#"{"required":["a","z"],"properties":{"a":{},"m":{},"z":{}}}"#;
    case(x, "required", &[r#"{"a":null,"z":1}"#, r#"{"a":1,"m":1,"z":1}"#], &["{}", r#"{"a":1}"#, r#"{"m":1,"z":1}"#]);
    case(r#"{"required":["k"]}"#, "required", &[r#"{"k":1}"#, "[]"], &[r#"{"j":1}"#]);
}

#[test]
fn any_of_wants_one_form_and_one_of_exactly_one() {
    case(r#"{"anyOf":[{"type":"string","maxLength":2},{"type":"null"}]}"#, "type", &[r#""ab""#, "null"], &["1"]);
    case(r#"{"anyOf":[{"type":"string","maxLength":2},{"type":"null"}]}"#, "max_length", &[], &[r#""abc""#]);
    case(r#"{"anyOf":[{"maximum":1},{"minimum":5}]}"#, "any_of", &["1", "5"], &["3"]);
    case(r#"{"oneOf":[{"multipleOf":2},{"multipleOf":3}]}"#, "one_of", &["2", "3"], &["6", "1"]);
    case(r#"{"oneOf":[{"type":"integer"},{"type":"string"}]}"#, "type", &["1", r#""a""#], &["1.5", "null"]);
}

#[test]
fn a_schema_may_be_true_or_false() {
    case("true", "type", &["1", "null", "{}"], &[]);
    case("false", "type", &[], &["1", "null"]);
    case("{}", "type", &["1", "null"], &[]);
}

#[test]
fn annotations_decide_nothing() {
    case(r#"{"title":"t","description":"d","examples":[1],"$comment":"c","default":"a"}"#, "type", &["1"], &[]);
    schema(
        r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"https://example.com/a","$defs":{},"type":"object"}"#,
    );
}

#[test]
fn a_misspelt_word_is_refused_with_the_right_one() {
    for (x, message, help) in [
        (r#"{"maxLenght":3}"#, "unknown keyword `maxLenght`", Some("did you mean `maxLength`?")),
        (r#"{"nullable":true}"#, "unknown keyword `nullable`", Some("write `type: [string, 'null']`")),
        (r#"{"colour":3}"#, "unknown keyword `colour`", None),
        (r#"{"type":"strin"}"#, "there is no type `strin`", Some("did you mean `string`?")),
        (r#"{"type":"int"}"#, "there is no type `int`", Some("did you mean `integer`?")),
        (r#"{"format":"datetime"}"#, "there is no format `datetime`", Some("did you mean `date-time`?")),
        (
            r#"{"required":["amont"],"properties":{"amount":{}}}"#,
            "`amont` is required but not among the properties",
            Some("did you mean `amount`?"),
        ),
    ] {
        let problems = refused(&format!(r#"{{"properties":{{"x":{x}}}}}"#));
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!((problems[0].message.as_str(), problems[0].help.as_deref()), (message, help));
        assert_eq!(problems[0].path[..2], ["properties", "x"]);
    }
}

#[test]
fn a_keyword_with_a_wrong_value_is_refused_where_it_stands() {
    for x in [
        r#"{"type":1}"#,
        r#"{"type":[]}"#,
        r#"{"enum":[]}"#,
        r#"{"enum":"a"}"#,
        r#"{"required":"a"}"#,
        r#"{"properties":[]}"#,
        r#"{"items":1}"#,
        r#"{"minItems":-1}"#,
        r#"{"minLength":"3"}"#,
        r#"{"maxLength":1.5}"#,
        r#"{"uniqueItems":"yes"}"#,
        r#"{"minimum":"0"}"#,
        r#"{"multipleOf":0}"#,
        r#"{"multipleOf":-1}"#,
        r#"{"pattern":"(?=x)"}"#,
        r#"{"pattern":1}"#,
        r#"{"anyOf":[]}"#,
        r#"{"oneOf":{}}"#,
        r#"{"exclusiveMinimum":true}"#,
        r#"{"format":1}"#,
        r#"{"additionalProperties":1}"#,
    ] {
        let problems = refused(&format!(r#"{{"properties":{{"x":{x}}}}}"#));
        assert_eq!(problems.len(), 1, "{x}: {problems:?}");
        assert_eq!(problems[0].path.len(), 3, "{x}: {problems:?}");
    }
}

#[test]
fn what_no_value_can_satisfy_is_refused() {
    for x in [
        r#"{"minLength":3,"maxLength":2}"#,
        r#"{"minItems":3,"maxItems":2}"#,
        r#"{"minimum":3,"maximum":2}"#,
        r#"{"type":"string","enum":[1,2]}"#,
        r#"{"type":"integer","const":"a"}"#,
    ] {
        assert_eq!(refused(&format!(r#"{{"properties":{{"x":{x}}}}}"#)).len(), 1, "{x}");
    }
    assert_eq!(refused(r#"{"type":"string"}"#).len(), 1);
    assert_eq!(refused("5").len(), 1);
}

#[test]
fn a_default_must_satisfy_its_own_schema() {
    let problems = refused(r#"{"properties":{"x":{"type":"integer","default":"5"}}}"#);
    assert_eq!(problems[0].path, ["properties", "x", "default"]);
    assert_eq!(
        problems[0].help.as_deref(),
        Some("`default` must be an integer, not the string \"5\"; send it without quotes")
    );
    assert!(schema_of_x(r#"{"type":"integer","default":5}"#).has_defaults());
    assert!(!schema_of_x(r#"{"type":"integer"}"#).has_defaults());
}

#[test]
fn all_problems_come_at_once() {
    let problems = refused(
        r#"{"properties":{"a":{"type":"strin"},"b":{"maxLenght":1},"c":{"items":{"minimum":"0"}}},"requird":[]}"#,
    );
    let paths: Vec<String> = problems.iter().map(|problem| problem.path.join("/")).collect();
    assert_eq!(paths, ["properties/a/type", "properties/b/maxLenght", "properties/c/items/minimum", "requird"]);
}

#[test]
fn a_branch_that_would_refuse_the_objects_own_members_is_refused() {
    let text = r#"{"properties":{"a":{},"k":{}},"anyOf":[{"properties":{"k":{"const":1}}},{"required":["a"]}]}"#;
    assert_eq!(refused(text)[0].path, ["anyOf", "0"]);
    let open = text.replace(r#"{"const":1}}"#, r#"{"const":1}},"additionalProperties":true,"required":["k"]"#);
    let schema = schema(&open);
    assert!(schema.bind(&value(r#"{"k":1}"#)).is_ok());
    assert!(schema.bind(&value(r#"{"k":2}"#)).is_err());
    assert!(schema.bind(&value(r#"{"a":1,"k":2}"#)).is_ok());
}

#[cfg(feature = "full-json-schema")]
mod beyond {
    use super::*;

    #[test]
    fn other_keywords_are_checked_in_addition() {
        for (x, yes, no) in [
            (r#"{"allOf":[{"minimum":1},{"maximum":3}]}"#, "2", "4"),
            (r#"{"not":{"const":1}}"#, "2", "1"),
            (r#"{"if":{"const":1},"then":false}"#, "2", "1"),
            (
                r#"{"patternProperties":{"^a":{"type":"integer"}},"additionalProperties":false}"#,
                r#"{"ab":1}"#,
                r#"{"b":1}"#,
            ),
            (r#"{"properties":{"b":{}},"patternProperties":{"^a":{}}}"#, r#"{"ab":1,"b":1}"#, r#"{"c":1}"#),
            (r#"{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}"#, r#"["a",1]"#, r#"["a","b"]"#),
            (r#"{"contains":{"const":1}}"#, "[2,1]", "[2]"),
            (r#"{"minProperties":1}"#, r#"{"a":1}"#, "{}"),
            (r#"{"format":"hostname"}"#, r#""a.example""#, r#""-a""#),
            (r#"{"oneOf":[{"not":{"const":1}},{"type":"integer"}]}"#, "1", "2"),
        ] {
            let schema = schema_of_x(x);
            assert!(!schema.beyond_closed_set().is_empty(), "{x}");
            assert!(schema.bind(&value(&format!(r#"{{"x":{yes}}}"#))).is_ok(), "{x}: {yes}");
            let args = format!(r#"{{"x":{no}}}"#);
            let problems = schema.bind(&value(&args)).expect_err(x);
            assert!(
                problems.iter().all(|problem| problem.code == "schema" && problem.message.starts_with("`x")),
                "{problems:?}"
            );
        }
    }

    #[test]
    fn an_object_stays_closed_beside_and_inside_other_keywords() {
        let composed = schema(r#"{"properties":{"a":{}},"allOf":[{"properties":{"b":{"properties":{"c":{}}}}}]}"#);
        assert_eq!(composed.beyond_closed_set(), ["allOf"]);
        assert!(composed.bind(&value(r#"{"a":1,"b":{"c":1}}"#)).is_ok());
        assert!(composed.bind(&value(r#"{"a":1,"d":1}"#)).is_err());
        assert!(composed.bind(&value(r#"{"b":{"d":1}}"#)).is_err());
        assert!(composed.slot("a").is_some());
    }

    #[test]
    fn the_closed_keywords_stay_exact_beside_others() {
        let schema = schema_of_x(r#"{"maximum":9007199254740992,"not":{"const":1}}"#);
        assert!(schema.bind(&value(r#"{"x":9007199254740993}"#)).is_err());
        assert!(schema.bind(&value(r#"{"x":9007199254740992}"#)).is_ok());
    }

    #[test]
    fn a_pattern_there_is_linear_too() {
        assert!(!refused(r#"{"allOf":[{"pattern":"(?=x)y"}]}"#).is_empty());
        assert!(!refused(r#"{"allOf":[{"type":"strin"}]}"#).is_empty());
    }
}

#[cfg(not(feature = "full-json-schema"))]
#[test]
fn without_the_full_checker_other_keywords_are_refused() {
    let problems = refused(r#"{"properties":{"x":{"not":{"const":1}}}}"#);
    assert_eq!(problems[0].message, "`not` is outside the keywords that this build checks");
}
