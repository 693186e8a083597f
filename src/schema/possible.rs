//! What arguments can be at all, and one that is: for whoever reasons about calls without seeing one.
//!
//! [`ArgSchema::possible`] never says less than the schema allows. [`ArgSchema::example`] may fail where the schema can be
//! satisfied; what it gives is bound by its caller before anyone relies on it.

use super::{ArgSchema, Format, ListRules, Node, NumberRules, ObjectRules, Slot, TextRules, TypeSet};
use crate::decimal::Decimal;
use crate::value::{Object, Value};
use regex_syntax::hir::{Class, Hir, HirKind};
use std::collections::BTreeMap;

/// What the value of a slot can be.
#[derive(Clone, Debug)]
pub(crate) struct Possible<'s> {
    pub(crate) types: TypeSet,
    /// True if it is never absent.
    pub(crate) required: bool,
    /// The values, where they are listed.
    pub(crate) choices: Option<&'s [Value<'static>]>,
    pub(crate) min: Option<Decimal>,
    pub(crate) max: Option<Decimal>,
    pub(crate) above: Option<Decimal>,
    pub(crate) below: Option<Decimal>,
    /// What its numbers are multiples of.
    pub(crate) step: Option<Decimal>,
    /// The pattern that its texts match.
    pub(crate) pattern: Option<&'s regex::Regex>,
}

impl ArgSchema {
    /// What the value of a slot can be.
    pub(crate) fn possible(&self, slot: Slot) -> Option<Possible<'_>> {
        let (node, required) = find(&self.root, slot, true)?;
        let numbers = node.number.as_deref();
        let whole = node.types.meets(TypeSet::INTEGER) && !TypeSet::NUMBER.within(node.types);
        let bound = |of: fn(&NumberRules) -> Option<Decimal>| numbers.and_then(of);
        Some(Possible {
            types: node.types,
            required,
            choices: node.choices.as_ref().map(|choices| choices.values.as_slice()),
            min: bound(|rules| rules.min),
            max: bound(|rules| rules.max),
            above: bound(|rules| rules.above),
            below: bound(|rules| rules.below),
            step: bound(|rules| rules.multiple_of)
                .filter(|step| !whole || step.is_integer())
                .or(whole.then_some(Decimal::ONE)),
            pattern: node.text.as_ref().and_then(|text| text.pattern.as_ref()).map(|pattern| &pattern.regex),
        })
    }

    /// True if nothing can stand at a path that the schema does not declare.
    pub(crate) fn refuses(&self, path: &str) -> bool {
        let mut node = &self.root;
        for name in path.split('.') {
            let Some(object) = &node.object else { return !node.types.meets(TypeSet::OBJECT) };
            match object.properties.iter().find(|property| property.name == name) {
                Some(property) => node = &property.node,
                None => return matches!(object.additional, super::Additional::Closed),
            }
        }
        false
    }

    /// The paths of the objects, the arguments' own being empty, that no member can stand in beside the declared ones.
    pub(crate) fn closed_places(&self) -> Vec<String> {
        let mut places = Vec::new();
        each_object(&self.root, "", &mut |path, object| {
            if matches!(object.additional, super::Additional::Closed) {
                places.push(path.to_owned());
            }
        });
        places
    }

    /// What is taken for each argument that is absent, by its path.
    pub(crate) fn defaults(&self) -> Vec<(String, Value<'static>)> {
        let mut defaults = Vec::new();
        each_object(&self.root, "", &mut |path, object| {
            for property in &object.properties {
                let path = within(path, &property.name);
                defaults.extend(property.node.default.clone().map(|default| (path, default)));
            }
        });
        defaults
    }

    /// A text that the schema of a slot allows, most likely.
    pub(crate) fn example_text(&self, slot: Slot) -> Option<String> {
        let (node, _) = find(&self.root, slot, true)?;
        node.types.meets(TypeSet::STRING).then(|| text(node.text.as_deref()))
    }

    /// Arguments with these values at these paths (`None`: absent), and else no more than is asked for.
    pub(crate) fn example(&self, wanted: &BTreeMap<String, Option<Value<'static>>>) -> Value<'static> {
        example(&self.root, "", wanted).unwrap_or_else(|| Object::new().into())
    }
}

fn within(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Goes through the objects of a schema, also of those in lists, which stand at `path[]`.
fn each_object(node: &Node, path: &str, see: &mut impl FnMut(&str, &super::ObjectRules)) {
    if let Some(object) = &node.object {
        see(path, object);
        object.properties.iter().for_each(|property| each_object(&property.node, &within(path, &property.name), see));
    }
    if let Some(items) = node.list.as_ref().and_then(|list| list.items.as_ref()) {
        each_object(items, &format!("{path}[]"), see);
    }
}

/// The schema of a slot, and whether it is always there.
fn find(node: &Node, slot: Slot, required: bool) -> Option<(&Node, bool)> {
    if node.slot == Some(slot) {
        return Some((node, required));
    }
    let object = node.object.as_ref()?;
    let is_object = node.types.within(TypeSet::OBJECT);
    object.properties.iter().find_map(|property| find(&property.node, slot, required && property.required && is_object))
}

/// A value that the schema allows, most likely: with what is wanted at each path, and else no more than it asks for.
fn example(node: &Node, path: &str, wanted: &BTreeMap<String, Option<Value<'static>>>) -> Option<Value<'static>> {
    if let Some(value) = wanted.get(path) {
        return value.clone();
    }
    let is_inside = |known: &String| known.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
    let is_asked_inside = path.is_empty() || wanted.iter().any(|(known, value)| value.is_some() && is_inside(known));
    if !is_asked_inside {
        if let Some(choices) = &node.choices {
            return choices.values.first().cloned();
        }
        if let Some(form) = node.forms().next() {
            return example(form, path, &BTreeMap::new());
        }
    }
    let types = node.types;
    if types.meets(TypeSet::OBJECT) && (is_asked_inside || types.within(TypeSet::OBJECT)) {
        return Some(members(node.object.as_deref(), path, wanted).into());
    }
    if types.meets(TypeSet::STRING) {
        return Some(Value::from(text(node.text.as_deref())));
    }
    if types.meets(TypeSet::NUMBER) {
        return Some(Value::Number(number(node.number.as_deref())));
    }
    if types.meets(TypeSet::BOOLEAN) {
        return Some(Value::Bool(true));
    }
    if types.meets(TypeSet::ARRAY) {
        return Some(Value::Array(items(node.list.as_deref())));
    }
    types.meets(TypeSet::NULL).then_some(Value::Null)
}

fn members(
    rules: Option<&ObjectRules>,
    path: &str,
    wanted: &BTreeMap<String, Option<Value<'static>>>,
) -> Object<'static> {
    let mut object = Object::new();
    let Some(rules) = rules else { return object };
    for property in &rules.properties {
        let inner = if path.is_empty() { property.name.clone() } else { format!("{path}.{}", property.name) };
        let is_below = |known: &String| known.strip_prefix(&inner).is_some_and(|rest| rest.starts_with('.'));
        let is_wanted = wanted.iter().any(|(known, value)| value.is_some() && (*known == inner || is_below(known)));
        if (property.required || is_wanted)
            && let Some(value) = example(&property.node, &inner, wanted)
        {
            object.insert(property.name.clone().into(), value);
        }
    }
    for name in &rules.also_required {
        object.insert(name.clone().into(), Value::from("a"));
    }
    object
}

fn items(rules: Option<&ListRules>) -> Vec<Value<'static>> {
    let Some(rules) = rules else { return Vec::new() };
    let least = rules.min.unwrap_or(0).clamp(1, 16);
    let item = rules.items.as_ref().and_then(|node| example(node, "[]", &BTreeMap::new()));
    let item = item.unwrap_or_else(|| Value::from("a"));
    let count = if rules.max == Some(0) { 0 } else { least };
    (0..count).map(|_| item.clone()).collect()
}

fn number(rules: Option<&NumberRules>) -> Decimal {
    let one = Decimal::ONE;
    let Some(rules) = rules else { return one };
    let step = rules.multiple_of.unwrap_or(one);
    let least = rules.min.or_else(|| rules.above.and_then(|above| above.checked_add(&step)));
    let most = rules.max.or_else(|| rules.below.and_then(|below| below.checked_sub(&step)));
    match (least, most) {
        (Some(least), _) => least,
        (None, Some(most)) => most.min(one),
        (None, None) => step,
    }
}

fn text(rules: Option<&TextRules>) -> String {
    let Some(rules) = rules else { return "a".to_owned() };
    let from_format = rules.format.map(|format| match format {
        Format::Date => "2031-03-04",
        Format::DateTime => "2031-03-04T09:00:00Z",
        Format::Time => "09:00:00Z",
        Format::Email => "a@example.com",
        Format::Uri => "https://example.com/a",
        Format::Uuid => "123e4567-e89b-12d3-a456-426614174000",
        Format::Ipv4 => "192.0.2.1",
        Format::Ipv6 => "2001:db8::1",
    });
    let from_pattern = || matching(rules.pattern.as_ref()?.regex.as_str());
    let mut text = from_format.map(str::to_owned).or_else(from_pattern).unwrap_or_else(|| "a".to_owned());
    let least = usize::try_from(rules.min.unwrap_or(0)).unwrap_or(0).min(1024);
    while rules.pattern.is_none() && text.len() < least {
        text.push('a');
    }
    text
}

/// A short text that a pattern matches.
pub(crate) fn matching(pattern: &str) -> Option<String> {
    let mut text = String::new();
    write_match(&regex_syntax::parse(pattern).ok()?, &mut text);
    regex::Regex::new(pattern).ok()?.is_match(&text).then_some(text)
}

fn write_match(hir: &Hir, out: &mut String) {
    match hir.kind() {
        HirKind::Literal(literal) => out.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges();
            let first = ranges.iter().find(|range| range.start() > ' ').or_else(|| ranges.first());
            out.extend(first.map(regex_syntax::hir::ClassUnicodeRange::start));
        }
        HirKind::Class(Class::Bytes(class)) => {
            out.extend(class.ranges().first().map(|range| char::from(range.start())))
        }
        HirKind::Repetition(repetition) => {
            let least = if repetition.min == 0 && repetition.max != Some(0) { 1 } else { repetition.min };
            (0..least.min(256)).for_each(|_| write_match(&repetition.sub, out));
        }
        HirKind::Capture(capture) => write_match(&capture.sub, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write_match(part, out)),
        HirKind::Alternation(parts) => parts.iter().take(1).for_each(|part| write_match(part, out)),
        HirKind::Empty | HirKind::Look(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};
    use crate::schema::SchemaSources;

    fn schema(text: &str) -> ArgSchema {
        ArgSchema::compile(&parse(text.as_bytes(), &Limits::default()).unwrap(), &SchemaSources::none()).unwrap()
    }

    #[test]
    fn an_example_satisfies_its_schema() {
        for text in [
            r#"{"type":"object"}"#,
            r#"{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^ORD-[0-9]{6}$"}}}"#,
            r#"{"type":"object","required":["a"],"properties":{"a":{"enum":["x","y"]},"b":{"type":"integer"}}}"#,
            r#"{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":3,"multipleOf":3}}}"#,
            r#"{"type":"object","required":["a"],"properties":{"a":{"type":"string","format":"date-time"}}}"#,
            r#"{"type":"object","required":["a"],"properties":{"a":{"type":"array","minItems":2,"items":{"type":"number"}}}}"#,
            r#"{"type":"object","required":["a"],"properties":{"a":{"type":"object","required":["b"],"properties":{"b":{"type":"string","minLength":9}}}}}"#,
            r#"{"type":"object","required":["a"],"properties":{"a":{"anyOf":[{"type":"boolean"},{"type":"null"}]}}}"#,
        ] {
            let schema = schema(text);
            let example = schema.example(&BTreeMap::new());
            assert!(schema.bind(&example).is_ok(), "{text}: {example:?}");
        }
    }

    #[test]
    fn an_example_has_what_is_wanted_in_it() {
        let schema = schema(
            r#"{"type":"object","required":["a"],"properties":{"a":{"type":"string"},"b":{"type":"object","properties":{"c":{"type":"integer"}}},"d":{"type":"string"}}}"#,
        );
        let wanted = [("b.c", Some(Value::Number(7.into()))), ("d", None)];
        let wanted = wanted.map(|(path, value)| (path.to_owned(), value)).into();
        let example = schema.example(&wanted);
        assert_eq!(crate::canon::to_text(&example), r#"{"a":"a","b":{"c":7}}"#);
    }

    #[test]
    fn a_text_is_found_for_a_pattern() {
        for pattern in ["^ORD-[0-9]{6}$", "^(a|b)+$", r"^\d{3}-\w+$", "x?y*", "^[^a-z]$"] {
            assert!(matching(pattern).is_some(), "{pattern}");
        }
        assert_eq!(matching(r"\b\B"), None);
    }
}
