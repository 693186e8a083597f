//! The JSON Schema (2020-12) of specs and contracts, made from the decoder's own tables so that the two cannot
//! disagree. It is for editors: what needs two keys or two files to judge is `flyball lint`'s.

use flyball::decode::{Field, Shape, Type};
use flyball::guards::{About, KINDS};
use flyball::spec::shapes::GUARD;
use serde_json::{Map, Value, json};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The schema of documents of a shape, whose first key is the version of the format.
pub(crate) fn of_document(shape: &'static Shape, first_key: &str) -> Value {
    let mut definitions = Map::new();
    let mut schema = map_schema(shape, &mut definitions);
    set(&mut schema, ["properties", first_key, "const"], json!(1));
    set(&mut schema, ["$schema"], json!(DIALECT));
    set(&mut schema, ["$defs"], Value::Object(definitions));
    schema
}

fn set<const N: usize>(schema: &mut Value, path: [&str; N], value: Value) {
    let mut at = schema;
    for key in path {
        let Value::Object(object) = at else { return };
        at = object.entry(key).or_insert_with(|| json!({}));
    }
    *at = value;
}

/// The schema of a shape; the shapes inside go to the definitions.
fn map_schema(shape: &Shape, definitions: &mut Map<String, Value>) -> Value {
    let mut properties = Map::new();
    for field in shape.fields {
        let mut schema = type_schema(&field.ty, definitions);
        set(&mut schema, ["description"], json!(field.doc));
        properties.insert(field.key.to_owned(), schema);
    }
    let required: Vec<&str> = required(shape).map(|field| field.key).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn required(shape: &Shape) -> impl Iterator<Item = &'static Field> {
    shape.fields.iter().filter(|field| field.required)
}

fn type_schema(ty: &Type, definitions: &mut Map<String, Value>) -> Value {
    match ty {
        Type::Text => json!({ "type": "string" }),
        Type::Expression => json!({ "type": ["string", "boolean", "number"] }),
        Type::Id => json!({ "type": "string", "pattern": "^[a-z0-9-]{1,64}$" }),
        Type::Bool => json!({ "type": "boolean" }),
        Type::Count => json!({ "type": "integer", "minimum": 0 }),
        Type::CountFromOne => json!({ "type": "integer", "minimum": 1 }),
        Type::Number => json!({ "type": "number" }),
        Type::Amount => json!({ "type": "number", "minimum": 0 }),
        Type::Any => json!({}),
        Type::Word(words) => json!({ "enum": words }),
        Type::List(item) => json!({ "type": "array", "items": type_schema(item, definitions) }),
        Type::OneOrMany(item) => {
            let item = type_schema(item, definitions);
            json!({ "anyOf": [item.clone(), { "type": "array", "items": item }] })
        }
        Type::Map(item) => json!({ "type": "object", "additionalProperties": type_schema(item, definitions) }),
        Type::Shape(shape) => reference(shape, definitions),
        Type::Either(forms) => {
            let forms: Vec<Value> = forms.iter().map(|form| type_schema(form, definitions)).collect();
            json!({ "anyOf": forms })
        }
    }
}

/// A reference to a shape among the definitions, where it is put at its first use.
fn reference(shape: &Shape, definitions: &mut Map<String, Value>) -> Value {
    let name = definition_name(shape);
    if !definitions.contains_key(&name) {
        let mut schema = map_schema(shape, definitions);
        if shape.name == GUARD.name {
            guard_rules(&mut schema, definitions);
        }
        definitions.insert(name.clone(), schema);
    }
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// ``a flow edge`` becomes `flow-edge`, `` `grants` `` becomes `grants`.
fn definition_name(shape: &Shape) -> String {
    let name = shape.name.replace('`', "");
    let name = name.strip_prefix("a ").or_else(|| name.strip_prefix("the ")).unwrap_or(&name);
    name.replace(' ', "-")
}

/// What the kind says of a guard's other keys.
fn guard_rules(schema: &mut Value, definitions: &mut Map<String, Value>) {
    let kinds: Vec<Value> = KINDS.iter().map(|kind| kind_rule(kind.about(), definitions)).collect();
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.about().name).collect();
    set(schema, ["properties", "kind", "enum"], json!(names));
    set(schema, ["dependentRequired"], json!({ "with": ["kind"] }));
    let own_words = json!({
        "if": { "not": { "anyOf": [
            { "required": ["kind"] },
            { "required": ["action"], "properties": { "action": { "enum": ["audit", "allow"] } } },
        ] } },
        "then": { "required": ["prose", "correction"] },
    });
    let lifts = json!({
        "if": { "required": ["action"], "properties": { "action": { "const": "allow" } } },
        "then": { "not": { "required": ["kind"] } },
    });
    let rules: Vec<Value> = kinds.into_iter().chain([own_words, lifts]).collect();
    set(schema, ["allOf"], json!(rules));
}

fn kind_rule(about: &About, definitions: &mut Map<String, Value>) -> Value {
    let with = reference(about.parameters, definitions);
    let needs: &[&str] = if required(about.parameters).next().is_some() { &["with"] } else { &[] };
    json!({
        "if": { "required": ["kind"], "properties": { "kind": { "const": about.name } } },
        "then": { "properties": { "with": with }, "required": needs },
    })
}
