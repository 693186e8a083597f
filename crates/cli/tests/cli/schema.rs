//! `flyball schema`: what it says of specs agrees with what the reader says.

use crate::support::{fixtures, flyball};
use flyball::decode::{Shape, Type};
use serde_json::{Value, json};

fn schema(arguments: &[&str]) -> Value {
    let run = flyball(&[&["schema"], arguments].concat());
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    serde_json::from_str(&run.stdout).unwrap()
}

fn fixture(path: &str) -> Value {
    serde_yaml::from_str(&std::fs::read_to_string(fixtures().join(path)).unwrap()).unwrap()
}

#[test]
fn specs_and_contracts_are_valid_and_not_each_other() {
    let (spec, contract) = (schema(&[]), schema(&["--contract"]));
    jsonschema::meta::validate(&spec).unwrap();
    jsonschema::meta::validate(&contract).unwrap();
    let (spec, contract) = (jsonschema::validator_for(&spec).unwrap(), jsonschema::validator_for(&contract).unwrap());
    for path in ["specs/refunds.yaml", "specs/exact.yaml"] {
        let value = fixture(path);
        assert!(
            spec.is_valid(&value),
            "{path}: {:?}",
            spec.iter_errors(&value).map(|error| error.to_string()).collect::<Vec<_>>()
        );
        assert!(!contract.is_valid(&value), "{path}");
    }
    assert!(contract.is_valid(&fixture("contracts/shop.yaml")));
}

#[test]
fn what_the_reader_refuses_by_its_shape_is_invalid() {
    let spec = jsonschema::validator_for(&schema(&[])).unwrap();
    let with = |pointer: &str, key: &str, value: Value| {
        let mut changed = fixture("specs/refunds.yaml");
        let place = changed.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
        if value.is_null() {
            place.remove(key)
        } else {
            place.insert(key.to_owned(), value)
        };
        changed
    };
    assert!(spec.is_valid(&with("", "default", json!("deny"))));
    let guard = "/guards/preTool/0";
    let refused = [
        ("", "unknown", json!(1)),
        ("", "agentspec", json!(2)),
        ("", "persona", Value::Null),
        ("", "id", json!("Refunds Desk")),
        ("", "default", json!("maybe")),
        ("/tools/refund", "efect", json!("read")),
        ("/tools/refund", "effect", json!("reed")),
        (guard, "kind", json!("argRnge")),
        (guard, "with", Value::Null),
        ("/guards/preTool/0/with", "mx", json!(3)),
        ("/guards/preTool/0/with", "max", json!("3")),
        (guard, "action", json!("allow")),
        (guard, "kind", Value::Null),
        ("/guards/preTool/2", "correction", Value::Null),
        ("/budgets/0", "max", json!(-1)),
    ];
    for (pointer, key, value) in refused {
        assert!(!spec.is_valid(&with(pointer, key, value.clone())), "{pointer}/{key}: {value}");
    }
}

#[test]
fn every_key_of_the_decoder_is_in_the_schema_with_its_documentation() {
    fn keys(shape: &Shape, wanted: &mut Vec<(&'static str, &'static str)>) {
        for field in shape.fields {
            wanted.push((field.key, field.doc));
            inner(&field.ty, wanted);
        }
    }
    fn inner(ty: &Type, wanted: &mut Vec<(&'static str, &'static str)>) {
        match ty {
            Type::Shape(shape) => keys(shape, wanted),
            Type::List(ty) | Type::OneOrMany(ty) | Type::Map(ty) => inner(ty, wanted),
            Type::Either(forms) => forms.iter().for_each(|form| inner(form, wanted)),
            _ => {}
        }
    }
    fn described(value: &Value, found: &mut Vec<(String, String)>) {
        match value {
            Value::Object(object) => {
                for (key, schema) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
                    if let Some(doc) = schema.get("description").and_then(Value::as_str) {
                        found.push((key.clone(), doc.to_owned()));
                    }
                }
                object.values().for_each(|value| described(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| described(value, found)),
            _ => {}
        }
    }
    let mut wanted = Vec::new();
    keys(&flyball::spec::shapes::SPEC, &mut wanted);
    flyball::guards::KINDS.iter().for_each(|kind| keys(kind.about().parameters, &mut wanted));
    let mut found = Vec::new();
    described(&schema(&[]), &mut found);
    for (key, doc) in wanted {
        assert!(found.iter().any(|(name, text)| name == key && text == doc), "`{key}` is missing: {doc}");
    }
}
