//! Replaces every `$ref` by what it names, so that the compiler sees one tree without references.
//!
//! `#/$defs/x` is looked up in the `$defs` of the same document, then in those of spec and contract; a relative path in
//! the workspace files that the caller loaded. Nothing is ever fetched. A reference to itself is refused, and so is a
//! tree that grows too large or too deep.

use std::borrow::Cow;

use super::keywords::{self, Shape};
use super::{SchemaProblem, SchemaSources};
use crate::diagnostic::did_you_mean;
use crate::value::{Object, Value};

/// The most schemas a tree may hold once all references are replaced.
const MAX_SCHEMAS: usize = 10_000;
/// The longest way from the top to a schema, in keys and references.
const MAX_SEGMENTS: usize = 96;

/// What to do instead of a recursive schema.
const RECURSION: &str = "describe as many levels as are needed and leave the innermost open with `type: object`; schemas may not be recursive";

/// The tree, what was wrong, and where references were replaced.
pub(super) struct Expanded {
    pub(super) tree: Value<'static>,
    pub(super) problems: Vec<SchemaProblem>,
    /// Path of each `$ref` and its text.
    pub(super) hops: Vec<(Vec<String>, String)>,
}

/// Expands a whole schema.
pub(super) fn expand(schema: &Value<'_>, sources: &SchemaSources<'_>) -> Expanded {
    let mut expander =
        Expander { sources, path: Vec::new(), hops: Vec::new(), open: Vec::new(), problems: Vec::new(), schemas: 0 };
    let own = schema.get("$defs").and_then(Value::as_object);
    let tree = expander.schema(schema, Document { file: None, defs: own });
    Expanded { tree, problems: expander.problems, hops: expander.hops }
}

/// The document a schema stands in: what its references are relative to.
#[derive(Clone, Copy)]
struct Document<'d> {
    file: Option<&'d str>,
    defs: Option<&'d Object<'d>>,
}

struct Expander<'s> {
    sources: &'s SchemaSources<'s>,
    path: Vec<String>,
    hops: Vec<(Vec<String>, String)>,
    /// References being replaced right now: (file, fragment).
    open: Vec<(Option<String>, String)>,
    problems: Vec<SchemaProblem>,
    schemas: usize,
}

impl Expander<'_> {
    fn problem(&mut self, message: impl Into<String>, help: Option<String>) -> Value<'static> {
        self.problems.push(SchemaProblem { path: self.path.clone(), message: message.into(), help });
        Value::Bool(true)
    }

    fn schema(&mut self, schema: &Value<'_>, document: Document<'_>) -> Value<'static> {
        self.schemas = self.schemas.saturating_add(1);
        if self.schemas > MAX_SCHEMAS {
            // Said once; the rest of the tree is not walked.
            let first = self.schemas == MAX_SCHEMAS.saturating_add(1);
            let message = format!("the schema holds more than {MAX_SCHEMAS} schemas once its references are replaced");
            let help = "describe fewer levels, and leave what lies deeper open with `type: object`";
            return if first { self.problem(message, Some(help.into())) } else { Value::Bool(true) };
        }
        if self.path.len().saturating_add(self.open.len()) > MAX_SEGMENTS {
            // Said once as well: definitions that double on their way down reach the limit in ever more places.
            self.schemas = MAX_SCHEMAS.saturating_add(1);
            let help = "leave the innermost levels open with `type: object`";
            return self.problem("the schema is nested too deeply", Some(help.into()));
        }
        let Value::Object(object) = schema else { return schema.to_owned_value() };
        let mut own = self.members(object, document);
        match object.get("$ref") {
            None => Value::Object(own),
            Some(Value::String(reference)) => {
                own.remove("$ref");
                let target = self.reference(reference, document);
                self.merge(reference, own, target)
            }
            Some(_) => self.problem("`$ref` must be a string", None),
        }
    }

    /// The members, with the schemas among them expanded.
    fn members(&mut self, object: &Object<'_>, document: Document<'_>) -> Object<'static> {
        let mut out = Object::with_capacity(object.len());
        for (key, value) in object.iter() {
            if key == "$defs" {
                continue;
            }
            self.path.push(key.into());
            let value = match (keywords::shape(key), value) {
                (Shape::Schema, value) => self.schema(value, document),
                (Shape::Map, Value::Object(map)) => {
                    let members = map.iter().map(|(name, schema)| (name, self.under(name, schema, document)));
                    Value::Object(collect(members))
                }
                (Shape::List, Value::Array(items)) => {
                    let items = items.iter().enumerate();
                    Value::Array(items.map(|(at, schema)| self.under(&at.to_string(), schema, document)).collect())
                }
                (_, other) => other.to_owned_value(),
            };
            self.path.pop();
            out.insert(Cow::Owned(key.into()), value);
        }
        out
    }

    fn under(&mut self, segment: &str, schema: &Value<'_>, document: Document<'_>) -> Value<'static> {
        self.path.push(segment.into());
        let out = self.schema(schema, document);
        self.path.pop();
        out
    }

    /// What a reference names, expanded itself.
    fn reference(&mut self, reference: &str, document: Document<'_>) -> Value<'static> {
        self.hops.push((self.path.clone(), reference.into()));
        let (file, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let file = match file {
            "" => document.file.map(String::from),
            path => Some(path.to_owned()),
        };
        let key = (file.clone(), String::from(fragment));
        if self.open.contains(&key) {
            return self.problem(format!("`{reference}` refers to itself"), Some(RECURSION.into()));
        }
        self.open.push(key);
        let out = match &file {
            Some(path) => self.file(reference, path, fragment),
            None => self.fragment(reference, fragment, document, None),
        };
        self.open.pop();
        out
    }

    fn file(&mut self, reference: &str, path: &str, fragment: &str) -> Value<'static> {
        let sources = self.sources;
        let Some(content) = sources.files.get(path) else {
            let help = "references lead to files of the workspace; nothing is fetched";
            return self.problem(format!("there is no file `{path}` in the workspace"), Some(help.into()));
        };
        let defs = content.get("$defs").and_then(Value::as_object);
        self.fragment(reference, fragment, Document { file: Some(path), defs }, Some(content))
    }

    /// The part of a document that a fragment names; `whole` is the document itself where it is at hand.
    fn fragment(
        &mut self,
        reference: &str,
        fragment: &str,
        document: Document<'_>,
        whole: Option<&Value<'_>>,
    ) -> Value<'static> {
        let Some(name) = fragment.strip_prefix("/$defs/") else {
            return match (fragment, whole) {
                ("", Some(whole)) => self.schema(whole, document),
                ("", None) => self.problem(format!("`{reference}` refers to itself"), Some(RECURSION.into())),
                _ => self.problem(
                    format!("`{reference}` names something other than a definition"),
                    Some(String::from("write `#/$defs/NAME`")),
                ),
            };
        };
        let name = name.replace("~1", "/").replace("~0", "~");
        if let Some(found) = document.defs.and_then(|defs| defs.get(&name)) {
            return self.schema(found, document);
        }
        let sources = self.sources;
        let shared: &[Object<'static>] = if document.file.is_none() { sources.defs } else { &[] };
        if let Some((defs, found)) = shared.iter().find_map(|defs| Some((defs, defs.get(&name)?))) {
            return self.schema(found, Document { file: None, defs: Some(defs) });
        }
        let known = document.defs.into_iter().chain(shared).flat_map(|defs| defs.iter().map(|(name, _)| name));
        let known: Vec<&str> = known.collect();
        let near = did_you_mean(&name, known.iter().copied());
        let help = near.unwrap_or_else(|| crate::decode::known_names(&known));
        self.problem(format!("there is no `$defs` entry `{name}`"), Some(help))
    }

    /// Keywords beside a `$ref` hold in addition to it; descriptions and the like take its place.
    fn merge(&mut self, reference: &str, own: Object<'static>, target: Value<'static>) -> Value<'static> {
        if own.is_empty() {
            return target;
        }
        let mut merged = match target {
            Value::Object(object) => object,
            Value::Bool(true) => Object::with_capacity(own.len()),
            other => return other,
        };
        let shapes =
            |object: &Object<'_>| object.contains_key("properties") || object.contains_key("additionalProperties");
        let tangled = shapes(&own) && shapes(&merged);
        for (key, value) in own.into_members() {
            let annotation = keywords::is_annotation(&key) || key == "default";
            let clash = merged.get(&key).is_some_and(|there| *there != value) && !annotation;
            if clash || (tangled && matches!(&*key, "properties" | "additionalProperties")) {
                self.problem(
                    format!("`{key}` stands both beside `$ref: {reference}` and in it"),
                    Some("keep one of them".into()),
                );
            } else {
                merged.insert(key, value);
            }
        }
        Value::Object(merged)
    }
}

fn collect<'k>(members: impl Iterator<Item = (&'k str, Value<'static>)>) -> Object<'static> {
    let mut out = Object::with_capacity(0);
    for (name, value) in members {
        out.insert(Cow::Owned(name.into()), value);
    }
    out
}
