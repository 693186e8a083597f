//! The words of JSON Schema: which are compiled here, which only describe, which are left to the full checker.

use crate::diagnostic::nearest;

/// What stands under a keyword.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Schema,
    Map,
    List,
    Other,
}

/// What becomes of a keyword.
pub(super) enum Fate {
    /// Compiled here.
    Closed,
    /// Describes and never decides.
    Annotation,
    /// Left to the full checker.
    Full,
    /// Refused, with what to write instead if that is known.
    Refused(Option<String>),
}

/// The keywords that are compiled here exactly.
const CLOSED: [&str; 22] = [
    "type",
    "enum",
    "const",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "anyOf",
    "oneOf",
    "default",
];

/// Words that decide nothing.
const ANNOTATIONS: [&str; 9] =
    ["description", "title", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "$id"];

/// Keywords of 2020-12 that only the full checker knows.
const FULL: [&str; 17] = [
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "patternProperties",
    "prefixItems",
    "contains",
    "minContains",
    "maxContains",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// Formats that only the full checker knows.
pub(super) const FULL_FORMATS: [&str; 11] = [
    "hostname",
    "idn-hostname",
    "idn-email",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
    "duration",
];

/// Words of other dialects and older drafts, with what to write instead.
const ELSEWHERE: [(&str, &str); 8] = [
    ("definitions", "write `$defs`"),
    ("nullable", "write `type: [string, 'null']`"),
    ("example", "write `examples: […]`"),
    ("additionalItems", "write `prefixItems` and `items`"),
    ("dependencies", "write `dependentRequired` or `dependentSchemas`"),
    ("$anchor", "refer to `#/$defs/NAME`"),
    ("$dynamicRef", "write `$ref`"),
    ("$recursiveRef", "write `$ref`"),
];

pub(super) fn is_annotation(key: &str) -> bool {
    ANNOTATIONS.contains(&key)
}

/// What to do with a keyword.
pub(super) fn fate(key: &str) -> Fate {
    if CLOSED.contains(&key) {
        return Fate::Closed;
    }
    if is_annotation(key) {
        return Fate::Annotation;
    }
    if FULL.contains(&key) {
        return Fate::Full;
    }
    if let Some((_, help)) = ELSEWHERE.iter().find(|(word, _)| *word == key) {
        return Fate::Refused(Some(String::from(*help)));
    }
    let known = CLOSED.into_iter().chain(FULL).chain(ANNOTATIONS).chain(["$ref", "$defs"]);
    Fate::Refused(nearest(key, known).map(|near| format!("did you mean `{near}`?")))
}

/// What stands under a keyword: where references are looked for.
pub(super) fn shape(key: &str) -> Shape {
    match key {
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedProperties"
        | "unevaluatedItems" => Shape::Schema,
        "properties" | "patternProperties" | "dependentSchemas" => Shape::Map,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Shape::List,
        _ => Shape::Other,
    }
}

/// Keywords through which an object may declare members beside its `properties`; whether it is closed is then for the
/// full checker to say.
pub(super) const COMPOSING: [&str; 7] =
    ["allOf", "if", "then", "else", "dependentSchemas", "patternProperties", "unevaluatedProperties"];
