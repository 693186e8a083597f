//! The request of each model's interface, held to what its published schema asks for.

use super::policy;
use crate::disk::{load, text_of};
use flyball::canon::to_text;
use flyball::render::Api;
use serde_json::{Value, json};

/// A request as the host would send it.
fn request(api: Api, path: &str) -> Value {
    let loaded = load(path);
    let prompt = loaded.policy.as_ref().unwrap().prompt();
    let mut request: Value =
        serde_json::from_str(&to_text(&prompt.request(api, Some("## State\n- x")).unwrap())).unwrap();
    let members = request.as_object_mut().unwrap();
    members.insert("model".into(), json!("any"));
    if api == Api::Anthropic {
        members.insert("max_tokens".into(), json!(1024));
    }
    request
}

fn validator(name: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(&text_of(&format!("tests/prompt/{name}.json"))).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

const APIS: [(Api, &str); 2] = [(Api::OpenAi, "openai"), (Api::Anthropic, "anthropic")];

#[test]
fn the_request_of_every_example_is_one_that_the_interface_takes() {
    for (api, name) in APIS {
        let validator = validator(name);
        for path in crate::disk::files("specs", ".yaml") {
            let request = request(api, &path);
            let errors: Vec<String> = validator.iter_errors(&request).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{name} {path}: {errors:#?}");
        }
    }
}

#[test]
fn what_an_interface_does_not_take_is_seen() {
    for (api, name) in APIS {
        let (validator, good) = (validator(name), request(api, "specs/refunds.yaml"));
        for (pointer, bad) in [
            ("/model", json!(1)),
            ("/messages/0/role", json!("robot")),
            ("/messages/0/content", json!(5)),
            ("/tools/0", json!({"name": "x"})),
            (if api == Api::OpenAi { "/tools/0/function/name" } else { "/tools/0/name" }, json!("crm/get")),
        ] {
            let mut wrong = good.clone();
            *wrong.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = bad;
            assert!(!validator.is_valid(&wrong), "{name} {pointer}");
        }
    }
}

#[test]
fn the_trunk_is_a_block_of_its_own_that_may_be_cached() {
    let request = request(Api::Anthropic, "specs/refunds.yaml");
    let system = request["system"].as_array().unwrap();
    let loaded = load("specs/refunds.yaml");
    let prompt = loaded.policy.as_ref().unwrap().prompt();
    assert_eq!(system[0]["text"], prompt.trunk());
    assert_eq!(system[0]["cache_control"]["type"], "ephemeral");
    assert_eq!(system[1]["text"], prompt.own());
}

#[test]
fn a_tool_of_a_server_has_the_spelling_that_reads_back() {
    let spec = |name: &str| {
        format!("agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {{{name}: {{effect: read}}}}\n")
    };
    let named = policy(&spec("crm/find")).prompt().request(Api::OpenAi, None).unwrap();
    assert!(to_text(&named).contains(r#""name":"mcp__crm__find""#), "{}", to_text(&named));
    let long = policy(&spec(&format!("crm/{}", "x".repeat(70))));
    let error = long.prompt().request(Api::OpenAi, None).unwrap_err();
    assert!(error.to_string().contains("at most 64"), "{error}");
    assert!(long.prompt().request(Api::Anthropic, None).is_ok());
    let odd = policy(&spec("'find.it'"));
    assert!(odd.prompt().request(Api::Anthropic, None).is_err());
}

#[test]
fn a_schema_says_that_it_is_closed() {
    let policy = policy(
        "agentspec: 1\nid: desk\npersona: You are the desk.\ntools:\n  \
         send: {parameters: {properties: {a: {type: object, properties: {b: {type: string}}}, c: {type: array, items: {type: object, properties: {}}}, \
         d: {type: object, additionalProperties: true, properties: {}}, e: {type: object}}}}\n  bare: {effect: read}\n",
    );
    let tools = policy.prompt().tools();
    assert_eq!(
        to_text(tools[0].parameters()),
        r#"{"additionalProperties":false,"properties":{"a":{"additionalProperties":false,"properties":{"b":{"type":"string"}},"type":"object"},"c":{"items":{"additionalProperties":false,"properties":{},"type":"object"},"type":"array"},"d":{"additionalProperties":true,"properties":{},"type":"object"},"e":{"type":"object"}},"type":"object"}"#
    );
    assert_eq!(to_text(tools[1].parameters()), r#"{"type":"object"}"#);
}
