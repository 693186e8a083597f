//! The JSON Schemas of a spec as values, and the workspace files they refer to.
//!
//! A `$ref` to a file is rewritten to the file's logical path, whatever file it stands in, and the file is read in the
//! same way. What a reference means is the schema compiler's work.

use crate::decode::Decoder;
use crate::source::SourceFile;
use crate::value::{Object, Value};
use crate::yaml::{Data, Node};
use std::collections::{BTreeMap, BTreeSet};

/// What the schemas of a spec refer to, beside themselves.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// `$defs`: the spec's, then its contract's.
    pub shared: Vec<Object<'static>>,
    /// Whole files, by logical path.
    pub files: BTreeMap<String, Value<'static>>,
}

/// Reads schemas and the files they name.
pub(super) struct Schemas<'d, 's> {
    pub(super) decoder: &'d mut Decoder<'s>,
    pub(super) files: &'d mut BTreeMap<String, Value<'static>>,
    pub(super) missing: &'d mut BTreeSet<String>,
}

impl Schemas<'_, '_> {
    /// The schema at a node of a file.
    pub(super) fn read(&mut self, node: &Node) -> Option<Value<'static>> {
        let mut value = self.decoder.value(node)?;
        self.rewrite(node, &mut value);
        Some(value)
    }

    /// The schema that is a whole file, as a reference to it.
    pub(super) fn refer(&mut self, node: &Node, path: &str) -> Option<Value<'static>> {
        let path = self.file(node, path)?;
        Some(Object::of([("$ref", Value::from(path))]).into())
    }

    /// Rewrites every reference to a file, and reads the file.
    fn rewrite(&mut self, node: &Node, value: &mut Value<'static>) {
        match (&node.data, value) {
            (Data::Map(entries), Value::Object(object)) => {
                for entry in entries {
                    let Some(member) = object.get_mut(&entry.key) else { continue };
                    match (&*entry.key, entry.value.text()) {
                        ("$ref", Some(reference)) => {
                            let (path, fragment) = reference.split_once('#').unwrap_or((reference, ""));
                            if let Some(path) = self.file(&entry.value, path) {
                                let hash = if fragment.is_empty() { "" } else { "#" };
                                *member = Value::from(format!("{path}{hash}{fragment}"));
                            }
                        }
                        _ => self.rewrite(&entry.value, member),
                    }
                }
            }
            (Data::List(nodes), Value::Array(values)) => {
                nodes.iter().zip(values).for_each(|(node, value)| self.rewrite(node, value));
            }
            _ => {}
        }
    }

    /// The logical path of a file, once it is read. `None` for this file itself, or after a problem.
    fn file(&mut self, node: &Node, path: &str) -> Option<String> {
        if path.is_empty() {
            return None;
        }
        let file = super::parse::locate(self.decoder, self.missing, path, node.span)?;
        let logical = self.decoder.sources.file(file).map(SourceFile::path).unwrap_or_default().to_owned();
        if !self.files.contains_key(&logical) {
            // Entered before its own references are followed, so that a circle of files ends.
            self.files.insert(logical.clone(), Value::Bool(true));
            let tree = self.decoder.read(file)?;
            let schema = self.read(&tree)?;
            self.files.insert(logical.clone(), schema);
        }
        Some(logical)
    }
}
