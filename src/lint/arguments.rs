//! The arguments of a tool as their schema describes them, for rules about what can be sent.
//!
//! References are replaced first. What several schemas say of one place holds together: a bound beside `anyOf`, or in a
//! branch of `allOf`, is a bound of each branch.

use super::Linted;
use crate::spec::ToolSpec;
use crate::tool::Effect;
use crate::value::Value;

/// True if a call of it changes something.
pub(super) fn writes(tool: &ToolSpec) -> bool {
    tool.effect != Effect::Read
}

/// The schema of a tool's arguments without references; `None` where only the host knows it.
pub(super) fn schema(linted: &Linted<'_>, tool: &ToolSpec) -> Option<Value<'static>> {
    let parameters = tool.parameters.as_ref()?;
    Some(crate::schema::without_references(&parameters.schema, &linted.spec.schema_sources()))
}

/// A type of which a place can have values, and the keywords that bound them.
#[derive(Clone, Copy)]
pub(super) struct Bounded {
    /// The word of the type.
    pub(super) ty: &'static str,
    /// True for a schema that says enough of such a value.
    pub(super) bounds: fn(&Value<'_>) -> bool,
}

/// The paths at which values of a type are not bounded, in the order of their names.
pub(super) fn unbounded(schema: &Value<'_>, bounded: Bounded) -> Vec<String> {
    let mut found = Vec::new();
    bounded.walk(schema, &[], Around { is_bounded: false, is_of_type: false }, &mut found);
    found
}

/// What schemas around say of the same place.
#[derive(Clone, Copy)]
struct Around {
    is_bounded: bool,
    is_of_type: bool,
}

impl Bounded {
    fn walk(self, schema: &Value<'_>, steps: &[String], around: Around, found: &mut Vec<String>) {
        let is_bounded = around.is_bounded || self.is_bounded(schema);
        let is_of_type = match schema.get("type") {
            Some(ty) => has_type(ty, self.ty),
            None => around.is_of_type,
        };
        let branches = list(schema, "anyOf").iter().chain(list(schema, "oneOf"));
        let mut is_split = false;
        for branch in branches {
            is_split = true;
            self.walk(branch, steps, Around { is_bounded, is_of_type }, found);
        }
        if is_of_type && !is_bounded && !is_split {
            add(steps, found);
        }
        for part in list(schema, "allOf") {
            self.walk(part, steps, Around { is_bounded: true, is_of_type: false }, found);
        }
        inside(schema, steps, |schema, steps| {
            self.walk(schema, steps, Around { is_bounded: false, is_of_type: false }, found);
        });
    }

    fn is_bounded(self, schema: &Value<'_>) -> bool {
        (self.bounds)(schema)
            || schema.get("enum").is_some()
            || schema.get("const").is_some()
            || list(schema, "allOf").iter().any(|part| self.is_bounded(part))
    }
}

/// Every schema and its path, those of branches with the path of what they are branches of.
pub(super) fn places<'v>(schema: &'v Value<'v>) -> Vec<(Vec<String>, &'v Value<'v>)> {
    let mut found = Vec::new();
    collect(schema, &[], &mut found);
    found
}

fn collect<'v>(schema: &'v Value<'v>, steps: &[String], found: &mut Vec<(Vec<String>, &'v Value<'v>)>) {
    found.push((steps.to_vec(), schema));
    for key in ["anyOf", "oneOf", "allOf"] {
        list(schema, key).iter().for_each(|branch| collect(branch, steps, found));
    }
    inside(schema, steps, |schema, steps| collect(schema, steps, found));
}

/// Calls `visit` with each schema of what is inside a value, and its path.
pub(super) fn inside<'v>(schema: &'v Value<'v>, steps: &[String], mut visit: impl FnMut(&'v Value<'v>, &[String])) {
    let mut at = |schema: &'v Value<'v>, step: &str| visit(schema, &[steps, &[step.to_owned()]].concat());
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(|properties| properties.iter()).for_each(|(name, schema)| at(schema, name));
    schema.get("items").into_iter().chain(list(schema, "prefixItems")).for_each(|schema| at(schema, "[]"));
    let patterns = schema.get("patternProperties").and_then(Value::as_object);
    let patterns = patterns.into_iter().flat_map(|patterns| patterns.iter()).map(|(_, schema)| schema);
    schema.get("additionalProperties").into_iter().chain(patterns).for_each(|schema| at(schema, "*"));
}

/// The schemas of a keyword that holds a list of them.
pub(super) fn list<'v>(schema: &'v Value<'v>, key: &str) -> &'v [Value<'v>] {
    match schema.get(key) {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

/// True if `type` names this one, alone or among others.
pub(super) fn has_type(ty: &Value<'_>, wanted: &str) -> bool {
    match ty {
        Value::Array(types) => types.iter().any(|ty| ty.as_str() == Some(wanted)),
        ty => ty.as_str() == Some(wanted),
    }
}

fn add(steps: &[String], found: &mut Vec<String>) {
    let path = text(steps);
    if !found.contains(&path) {
        found.push(path);
    }
}

/// A path as authors write it: `lines[].note`.
pub(super) fn text(steps: &[String]) -> String {
    let mut text = String::new();
    for step in steps {
        if step != "[]" && !text.is_empty() {
            text.push('.');
        }
        text.push_str(step);
    }
    text
}

/// True for a text that says what it is: a closed pattern, or a format that leaves no room for words.
pub(super) fn has_form(schema: &Value<'_>) -> bool {
    const CLOSED: [&str; 6] = ["date", "date-time", "time", "uuid", "ipv4", "ipv6"];
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let format = schema.get("format").and_then(Value::as_str);
    pattern.is_some_and(|pattern| pattern.starts_with('^') && pattern.ends_with('$') && !pattern.ends_with("\\$"))
        || format.is_some_and(|format| CLOSED.contains(&format))
}

/// Paths as a message lists them: the first few, and how many more there are.
pub(super) fn listed(paths: &[String]) -> String {
    const NAMED: usize = 6;
    let mut names: Vec<String> = paths.iter().take(NAMED).map(|path| format!("`{path}`")).collect();
    if let more @ 1.. = paths.len().saturating_sub(NAMED) {
        names.push(format!("{more} more"));
    }
    crate::text::joined(&names, "and")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(schema: &str) -> Vec<String> {
        let schema = crate::json::parse(schema.as_bytes(), &crate::json::Limits::default()).unwrap();
        let bounds = |schema: &Value<'_>| schema.get("maxLength").is_some();
        unbounded(&schema, Bounded { ty: "string", bounds })
    }

    #[test]
    fn a_bound_holds_for_every_branch_beside_it() {
        let cases: [(&str, &[&str]); 8] = [
            (r#"{"properties": {"a": {"type": "string"}, "b": {"type": "string", "maxLength": 5}}}"#, &["a"]),
            (r#"{"properties": {"a": {"type": ["string", "null"]}}}"#, &["a"]),
            (r#"{"properties": {"a": {"type": "array", "items": {"type": "string"}}}}"#, &["a[]"]),
            (r#"{"properties": {"a": {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}]}}}"#, &[]),
            (r#"{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}], "maxLength": 5}}}"#, &[]),
            (r#"{"properties": {"a": {"type": "string", "anyOf": [{"enum": ["x"]}, {"minLength": 5}]}}}"#, &["a"]),
            (r#"{"properties": {"a": {"type": "string", "allOf": [{"maxLength": 5}]}}}"#, &[]),
            (r#"{"additionalProperties": {"properties": {"b": {"type": "string"}}}}"#, &["*.b"]),
        ];
        for (schema, wanted) in cases {
            assert_eq!(texts(schema), wanted, "{schema}");
        }
    }
}
