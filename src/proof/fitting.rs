//! What the schema of a tool asks of its arguments, as a condition.
//!
//! Types, ranges, lists and patterns are said of terms; whatever else a schema says is a fact, known by its text.

use super::domain::Domain;
use super::formula::{Formula, Space};
use super::reading::allowed;
use crate::decimal::Decimal;
use crate::schema::{ArgSchema, without_references};
use crate::spec::{Spec, ToolSpec};
use crate::value::Value;

/// Makes the terms of arguments known: where several schemas have one, a step is known only if they agree.
pub(crate) fn seed(space: &mut Space, schemas: &[&ArgSchema]) {
    let step = |schema: &ArgSchema, path: &str| {
        schema.slot(path).and_then(|slot| schema.possible(slot)).and_then(|possible| possible.step)
    };
    for path in schemas.iter().flat_map(|schema| schema.paths()) {
        let mut steps = schemas.iter().map(|schema| step(schema, path));
        let first: Option<Decimal> = steps.next().flatten();
        let common = first.filter(|first| steps.all(|other| other == Some(*first)));
        space.term(&format!("args.{path}"), || (Domain::ALL, common));
    }
}

/// What the schema of a tool asks of the arguments that it or another one declares.
pub(crate) fn fit(space: &mut Space, spec: &Spec, written: &ToolSpec, args: &ArgSchema, other: &ArgSchema) -> Formula {
    let mut conditions = Vec::new();
    for path in args.paths() {
        let Some(slot) = args.slot(path) else { continue };
        let term = space.term(&format!("args.{path}"), || (Domain::ALL, None));
        let allowed = allowed(args, slot);
        if let Some(pattern) = args.possible(slot).and_then(|possible| possible.pattern) {
            let fact = space.fact(&format!("matches(args.{path}, {:?})", pattern.as_str()));
            let is_text = Formula::within(term, Domain::any_text());
            conditions.push(is_text.not().or(Formula::Holds(fact, true)));
        }
        conditions.push(Formula::within(term, allowed));
    }
    for path in other.paths().filter(|path| args.slot(path).is_none() && args.refuses(path)) {
        let term = space.term(&format!("args.{path}"), || (Domain::ALL, None));
        conditions.push(Formula::within(term, Domain::missing()));
    }
    let mut rest = args.closed_places().into_iter().map(|place| format!("schema {place} is closed")).collect();
    if let Some(parameters) = &written.parameters {
        let schema = without_references(&parameters.schema, &spec.schema_sources());
        Unread { args, found: &mut rest }.read(&schema, "");
    }
    conditions.extend(rest.iter().map(|text| Formula::Holds(space.fact(text), true)));
    Formula::all(conditions)
}

/// What a schema says beside what terms and patterns tell: each place as a fact.
struct Unread<'u> {
    args: &'u ArgSchema,
    found: &'u mut Vec<String>,
}

impl Unread<'_> {
    fn read(&mut self, schema: &Value<'_>, path: &str) {
        let Some(members) = schema.as_object() else {
            if *schema == Value::Bool(false) {
                self.found.push(format!("schema {path} false"));
            }
            return;
        };
        let is_patterned = members.contains_key("patternProperties");
        let is_told = |key: &str, value: &Value<'_>| {
            self.is_told(path, key, value) && !(is_patterned && key == "additionalProperties")
        };
        for (key, value) in members.iter().filter(|(key, value)| !is_told(key, value)).collect::<Vec<_>>() {
            self.found.push(format!("schema {path} {key} {}", crate::canon::to_text(value)));
        }
        let properties = members.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flat_map(|all| all.iter()) {
            self.read(property, &if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") });
        }
    }

    fn is_told(&self, path: &str, key: &str, value: &Value<'_>) -> bool {
        let is_scalar = |value: &Value<'_>| !matches!(value, Value::Array(_) | Value::Object(_));
        let slot = self.args.slot(path);
        match key {
            "$comment" | "$defs" | "$schema" | "default" | "description" | "examples" | "properties" | "title" => true,
            // Of types terms know no difference between whole numbers and others, lists and maps.
            "type" if path.is_empty() => true,
            "type" => slot.is_some() && matches!(value.as_str(), Some("string" | "number" | "boolean" | "null")),
            "required" => path.is_empty() && value.as_array().unwrap_or_default().iter().all(|name| self.asks(name)),
            // Whether others are let in is told of every place.
            "additionalProperties" => matches!(value, Value::Bool(_)),
            "const" => slot.is_some() && is_scalar(value),
            "enum" => slot.is_some() && value.as_array().unwrap_or_default().iter().all(is_scalar),
            "exclusiveMaximum" | "exclusiveMinimum" | "maximum" | "minimum" | "pattern" => slot.is_some(),
            _ => false,
        }
    }

    /// True if the term of an argument says that it must be there.
    fn asks(&self, name: &Value<'_>) -> bool {
        let slot = name.as_str().and_then(|name| self.args.slot(name));
        slot.and_then(|slot| self.args.possible(slot)).is_some_and(|possible| possible.required)
    }
}
