//! What other interfaces say of a tool, as a spec can say it: what has another spelling here is rewritten, and what is
//! refused is left out, each told in words.

use super::Effect;
use crate::report::plain;
use crate::yaml;
use flyball::decode::Type;
use flyball::diagnostic::Diagnostic;
use flyball::policy;
use flyball::source::Sources;
use flyball::spec::parse;
use flyball::spec::shapes::TOOL;
use flyball::value::{Object, Value};

/// The most that one tool is tried with something left out.
const MAX_TRIES: usize = 2000;

static OF_TOOLS: Type = Type::Map(&Type::Shape(&TOOL));

/// A tool as an entry of `tools`, with what was left out, or why it cannot be one.
pub(super) fn entry(name: &str, mut tool: Object<'static>, effect: &Effect) -> Result<String, String> {
    let bare = Object::of([("effect", Value::from(effect.word))]);
    let problem_of_name = if name.contains('*') {
        Some("a name has no `*`".to_owned())
    } else {
        distance(name, &bare).1.into_iter().next()
    };
    if let Some(problem) = problem_of_name {
        return Err(problem);
    }
    let mut notes = Vec::new();
    for key in ["parameters", "returns"] {
        if let Some(schema) = tool.get_mut(key) {
            *schema = rewritten(schema);
        }
    }
    leave_out(name, &mut tool, &mut notes)?;
    let text = written(name, &tool)?;
    let effect_line = format!("  effect: {}", effect.word);
    let line = |line: &str| match line {
        "" => "\n".to_owned(),
        line if line == effect_line => format!("  {line}  # review: {}\n", effect.why),
        line => format!("  {line}\n"),
    };
    let notes = notes.iter().map(|note| format!("  # review: {}\n", plain(note)));
    Ok(notes.chain(text.lines().map(line)).collect())
}

fn written(name: &str, tool: &Object<'static>) -> Result<String, String> {
    let mut tools = Object::new();
    tools.insert(name.to_owned().into(), Value::Object(tool.clone()));
    yaml::to_text(&Value::Object(tools), &OF_TOOLS).map_err(|error| error.to_string())
}

/// How far a spec is from loading: the steps that are left, and the problems of the first of them.
type Distance = (usize, Vec<String>);

/// The distance of a spec with this tool alone.
fn distance(name: &str, tool: &Object<'static>) -> Distance {
    let text = match written(name, tool) {
        Ok(text) => text,
        Err(problem) => return (3, vec![problem]),
    };
    let lines: String = text.lines().map(|line| format!("  {line}\n")).collect();
    distance_of(&format!("agentspec: 1\nid: tool\npersona: x\ntools:\n{lines}"))
}

fn distance_of(spec: &str) -> Distance {
    let parsed = parse(&Sources::new("specs/tool.yaml", spec));
    let errors = |found: Vec<Diagnostic>| found.into_iter().filter(Diagnostic::is_error).map(|found| found.message);
    match parsed.spec.as_ref().map(policy::compile) {
        Some(Ok(_)) => (0, Vec::new()),
        Some(Err(found)) => (1, errors(found).collect()),
        None => {
            let missing = parsed.missing.into_iter().map(|file| format!("`{file}` is another file"));
            (2, errors(parsed.diagnostics).chain(missing).collect())
        }
    }
}

/// What keeps a spec from loading, as far as it is known.
pub(crate) fn problem_of(spec: &str) -> Option<String> {
    distance_of(spec).1.into_iter().next()
}

fn is_less(left: &Distance, right: &Distance) -> bool {
    (left.0, left.1.len()) < (right.0, right.1.len())
}

/// Leaves out, one by one, the smallest parts without which there is less wrong.
fn leave_out(name: &str, tool: &mut Object<'static>, notes: &mut Vec<String>) -> Result<(), String> {
    let mut now = distance(name, tool);
    let mut tries = 0_usize;
    while let Some(problem) = now.1.first().cloned() {
        let mut places = Vec::new();
        places_in(&Value::Object(tool.clone()), &mut Vec::new(), &mut places);
        let better = places.into_iter().filter(|place| place != &["effect"]).find_map(|place| {
            tries = tries.saturating_add(1);
            let mut less = tool.clone();
            let is_tried = tries <= MAX_TRIES && take_out(&mut less, &place);
            let left = is_tried.then(|| distance(name, &less)).filter(|left| is_less(left, &now))?;
            Some((place, less, left))
        });
        let (place, less, left) = better.ok_or_else(|| problem.clone())?;
        let gone = now.1.iter().find(|told| !left.1.contains(told)).unwrap_or(&problem);
        notes.push(format!("`{}` is left out: {gone}", place.join("/")));
        (*tool, now) = (less, left);
    }
    Ok(())
}

/// The ways to every member, the innermost first.
fn places_in(value: &Value<'static>, way: &mut Vec<String>, places: &mut Vec<Vec<String>>) {
    let members: Vec<(String, &Value<'static>)> = match value {
        Value::Object(object) => object.iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(at, value)| (at.to_string(), value)).collect(),
        _ => return,
    };
    for (key, member) in members {
        way.push(key);
        places_in(member, way, places);
        if matches!(value, Value::Object(_)) {
            places.push(way.clone());
        }
        way.pop();
    }
}

fn take_out(object: &mut Object<'static>, way: &[String]) -> bool {
    let Some((last, way)) = way.split_last() else { return false };
    let Some((first, way)) = way.split_first() else { return object.remove(last).is_some() };
    let within = way.iter().try_fold(object.get_mut(first), |value, key| match value {
        Some(Value::Object(object)) => Some(object.get_mut(key)),
        Some(Value::Array(items)) => Some(key.parse().ok().and_then(|at: usize| items.get_mut(at))),
        _ => None,
    });
    match within {
        Some(Some(Value::Object(object))) => object.remove(last).is_some(),
        _ => false,
    }
}

/// A schema in the words of this format, where an older draft or OpenAPI has others for the same.
fn rewritten(schema: &Value<'_>) -> Value<'static> {
    let Value::Object(object) = schema else { return schema.to_owned_value() };
    let mut out = Object::new();
    for (key, value) in object.iter() {
        let (key, value) = match (key, value) {
            ("$schema", _) => continue,
            ("definitions" | "$defs", Value::Object(schemas)) => {
                let mut all = out.remove("$defs").and_then(|earlier| earlier.as_object().cloned()).unwrap_or_default();
                schemas.iter().for_each(|(name, schema)| _ = all.insert(name.to_owned().into(), rewritten(schema)));
                ("$defs", Value::Object(all))
            }
            ("properties" | "patternProperties" | "dependentSchemas", Value::Object(schemas)) => {
                let mut all = Object::new();
                schemas.iter().for_each(|(name, schema)| _ = all.insert(name.to_owned().into(), rewritten(schema)));
                (key, Value::Object(all))
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(schemas)) => {
                (key, Value::Array(schemas.iter().map(rewritten).collect()))
            }
            ("enum" | "const" | "default" | "examples" | "required", value) => (key, value.to_owned_value()),
            ("example", value) => ("examples", Value::Array(vec![value.to_owned_value()])),
            ("$ref", Value::String(way)) => {
                let own = way.strip_prefix("#/definitions/").map(|name| format!("#/$defs/{name}"));
                (key, Value::from(own.unwrap_or_else(|| way.to_string())))
            }
            (key, value) => (key, rewritten(value)),
        };
        out.insert(key.to_owned().into(), value);
    }
    with_null(&mut out);
    with_open_bounds(&mut out);
    Value::Object(out)
}

/// `nullable: true` is one more type.
fn with_null(schema: &mut Object<'static>) {
    let is_nullable = schema.get("nullable").and_then(Value::as_bool);
    let word = schema.get("type").and_then(Value::as_str).map(str::to_owned);
    if let (Some(true), Some(word)) = (is_nullable, &word) {
        schema.insert("type".into(), Value::Array(vec![Value::from(word.clone()), Value::from("null")]));
    }
    if is_nullable == Some(false) || word.is_some() {
        schema.remove("nullable");
    }
}

/// `exclusiveMinimum: true` beside `minimum` is a bound of its own since draft 6.
fn with_open_bounds(schema: &mut Object<'static>) {
    for (open, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        match schema.get(open).and_then(Value::as_bool) {
            Some(true) if schema.contains_key(bound) => {
                let at = schema.remove(bound).unwrap_or(Value::Null);
                schema.insert(open.into(), at);
            }
            Some(false) => _ = schema.remove(open),
            _ => {}
        }
    }
}
