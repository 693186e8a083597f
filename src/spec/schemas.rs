//! JSON Schemas as a spec refers to them: every `$ref` is replaced by what it names, so that what is compiled and
//! digested depends on no other file.
//!
//! `#/$defs/NAME` means the `$defs` of the same file; a spec also sees its contract's. Other references name a file
//! of the workspace, with a fragment or without. References in a circle are refused.

use crate::decode::Decoder;
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::source::{FileId, Span};
use crate::value::{Object, Value};
use crate::yaml::{Data, Entry, Node};
use std::collections::{BTreeMap, BTreeSet};

/// The most nodes a schema may grow to when its references are replaced.
const MAX_NODES: usize = 20_000;

/// Keywords that may stand beside a `$ref`: they add no constraint.
const BESIDE_REF: &[&str] = &["$ref", "description", "title", "default", "examples", "$comment"];

/// Definitions by name, each with the file it stands in.
pub(super) type Definitions = BTreeMap<String, (FileId, Node)>;

/// Replaces references; knows the definitions and which files are still missing.
pub(super) struct Schemas<'d, 's> {
    pub(super) decoder: &'d mut Decoder<'s>,
    pub(super) definitions: &'d Definitions,
    pub(super) missing: &'d mut BTreeSet<String>,
    nodes: usize,
}

/// Where a schema is read: its file, whose `$defs` it sees, and the references being replaced around it.
#[derive(Clone)]
struct Place {
    file: FileId,
    own: Option<std::sync::Arc<Node>>,
    open: Vec<String>,
}

impl<'d, 's> Schemas<'d, 's> {
    pub(super) fn new(
        decoder: &'d mut Decoder<'s>,
        definitions: &'d Definitions,
        missing: &'d mut BTreeSet<String>,
    ) -> Self {
        Schemas { decoder, definitions, missing, nodes: 0 }
    }

    /// The schema at a node of a file, without references.
    pub(super) fn inline(&mut self, file: FileId, node: &Node) -> Option<Value<'static>> {
        self.nodes = 0;
        self.value(node, &Place { file, own: None, open: Vec::new() })
    }

    /// The schema of a whole file.
    pub(super) fn file(&mut self, from: FileId, path: &str, span: Span) -> Option<Value<'static>> {
        self.nodes = 0;
        self.reference(path, span, &Place { file: from, own: None, open: Vec::new() })
    }

    fn value(&mut self, node: &Node, place: &Place) -> Option<Value<'static>> {
        self.nodes = self.nodes.saturating_add(1);
        if self.nodes > MAX_NODES {
            if self.nodes == MAX_NODES.saturating_add(1) {
                let message = format!("the schema grows beyond {MAX_NODES} nodes when its references are replaced");
                self.decoder.report(Diagnostic::error("schema-too-large", node.span, message));
            }
            return None;
        }
        match &node.data {
            Data::Map(entries) => match entries.iter().find(|entry| &*entry.key == "$ref") {
                Some(reference) => self.referring(reference, entries, place),
                None => self.object(entries, place),
            },
            Data::List(items) => {
                let items: Vec<Option<_>> = items.iter().map(|item| self.value(item, place)).collect();
                Some(Value::Array(items.into_iter().collect::<Option<_>>()?))
            }
            _ => self.decoder.value(node),
        }
    }

    fn object(&mut self, entries: &[Entry], place: &Place) -> Option<Value<'static>> {
        let mut object = Object::new();
        let mut whole = true;
        for entry in entries.iter().filter(|entry| &*entry.key != "$defs" && &*entry.key != "$schema") {
            match self.value(&entry.value, place) {
                Some(value) => _ = object.insert(entry.key.to_string().into(), value),
                None => whole = false,
            }
        }
        whole.then(|| object.into())
    }

    /// A map with a `$ref`: the target, with the annotations that stand beside the reference.
    fn referring(&mut self, reference: &Entry, entries: &[Entry], place: &Place) -> Option<Value<'static>> {
        if let Some(beside) = entries.iter().find(|entry| !BESIDE_REF.contains(&&*entry.key)) {
            let message = format!("`{}` beside a `$ref` would be easy to overlook", beside.key);
            self.decoder.report(
                Diagnostic::error("keyword-beside-ref", beside.key_span, message).help("put it into the definition"),
            );
            return None;
        }
        let text = self.decoder.text(&reference.value)?;
        let mut target = self.reference(&text.value, text.span, place)?;
        if let Value::Object(object) = &mut target {
            for entry in entries.iter().filter(|entry| &*entry.key != "$ref") {
                let value = self.decoder.value(&entry.value)?;
                object.insert(entry.key.to_string().into(), value);
            }
        }
        Some(target)
    }

    fn reference(&mut self, text: &str, span: Span, place: &Place) -> Option<Value<'static>> {
        let (path, fragment) = text.split_once('#').unwrap_or((text, ""));
        if path.is_empty() {
            return self.definition(fragment, span, place);
        }
        let (file, tree) = self.open(path, span, place.file)?;
        let inside = Place { file, own: Some(tree.clone()), open: place.open.clone() };
        if fragment.is_empty() {
            self.step_in(format!("{}#", file.0), span, &tree, &inside)
        } else {
            self.definition(fragment, span, &inside)
        }
    }

    fn definition(&mut self, fragment: &str, span: Span, place: &Place) -> Option<Value<'static>> {
        let Some(name) = fragment.strip_prefix("/$defs/") else {
            let problem =
                Diagnostic::error("bad-ref", span, format!("`#{fragment}` is not a reference this format knows"));
            self.decoder.report(problem.help("write `#/$defs/NAME`, a file of the workspace, or both"));
            return None;
        };
        let own = place.own.as_ref().and_then(|tree| tree.get("$defs"));
        if let Some(node) = own.and_then(|defs| defs.get(name)) {
            return self.step_in(format!("{}#{name}", place.file.0), span, &node.clone(), place);
        }
        let definitions = self.definitions;
        match definitions.get(name).filter(|_| place.own.is_none()) {
            Some((file, node)) => {
                let inside = Place { file: *file, own: None, open: place.open.clone() };
                self.step_in(format!("$defs#{name}"), span, node, &inside)
            }
            None => {
                let problem = Diagnostic::error("bad-ref", span, format!("there is no `{name}` in `$defs`"));
                let near = did_you_mean(name, definitions.keys().map(String::as_str));
                self.decoder.report(near.into_iter().fold(problem, Diagnostic::help));
                None
            }
        }
    }

    fn step_in(&mut self, key: String, span: Span, node: &Node, place: &Place) -> Option<Value<'static>> {
        if place.open.contains(&key) {
            self.decoder.report(Diagnostic::error("ref-circle", span, "this reference leads back to itself"));
            return None;
        }
        let mut inside = place.clone();
        inside.open.push(key);
        self.value(node, &inside)
    }

    fn open(&mut self, path: &str, span: Span, from: FileId) -> Option<(FileId, std::sync::Arc<Node>)> {
        let file = super::parse::locate(self.decoder, self.missing, path, span, from)?;
        Some((file, std::sync::Arc::new(self.decoder.read(file)?)))
    }
}
