//! A document and the files it is read with, as outlines: what is declared in them, and where.
//!
//! Nothing here asks whether a file is right, so all of it is there while one is being written.

use super::files::{Files, Format, resolved};
use flyball::outline::{Data, Entry, Node, Outline};
use flyball::tool::Pattern;
use flyball_io::sources::Workspace;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The most files of a project.
const MAX_FILES: usize = 64;

/// The most references that are followed from one schema.
const MAX_STEPS: usize = 16;

/// One file.
#[derive(Debug)]
pub(crate) struct Unit {
    /// The path below the root.
    pub(crate) logical: String,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) outline: Outline,
    pub(crate) format: Option<Format>,
}

/// A document and what it is read with.
#[derive(Debug)]
pub(crate) struct Project {
    /// The document first.
    pub(crate) units: Vec<Unit>,
}

/// Something with a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'p> {
    pub(crate) name: &'p str,
    pub(crate) unit: &'p Unit,
    pub(crate) key: &'p Range<usize>,
    pub(crate) node: &'p Node,
}

/// A schema and the file it stands in.
pub(crate) type Schema<'p> = (&'p Unit, &'p Node);

impl Project {
    /// An open document with what it refers to. A contract is read with an open spec that shares it.
    pub(crate) fn of(files: &Files, path: &Path) -> Option<Project> {
        let workspace = files.workspace(path)?;
        let logical = workspace.logical(path)?;
        let mut project = Project { units: Vec::new() };
        project.add(files, &workspace, &logical);
        if project.units.first()?.format == Some(Format::Contract) {
            let sharing = files.open.keys().filter_map(|path| workspace.logical(path)).find(|spec| {
                let text = files.open_text(&workspace, spec).unwrap_or_default();
                let outline = Outline::read(&text, None);
                let named = outline.get(&["contract"]).and_then(Node::text);
                named.and_then(|named| resolved(spec, named)).as_deref() == Some(&*logical)
            });
            if let Some(spec) = sharing {
                project.add(files, &workspace, &spec);
            }
        }
        Some(project)
    }

    /// Adds a file and what it refers to.
    fn add(&mut self, files: &Files, workspace: &Workspace, logical: &str) {
        let mut waiting = vec![logical.to_owned()];
        while let Some(logical) = waiting.pop() {
            let is_known = self.units.iter().any(|unit| unit.logical == logical);
            if is_known || self.units.len() >= MAX_FILES {
                continue;
            }
            let Some(text) = files.text(workspace, &logical) else { continue };
            let outline = Outline::read(&text, None);
            let mut named = BTreeSet::new();
            let format = Format::of(&outline);
            if let Some(root) = outline.root() {
                references(root, format == Some(Format::Spec), &mut named);
            }
            waiting.extend(named.iter().filter_map(|reference| resolved(&logical, reference)));
            let path = workspace.root().join(&logical);
            self.units.push(Unit { logical, path, text, outline, format });
        }
    }

    /// The document itself.
    pub(crate) fn main(&self) -> Option<&Unit> {
        self.units.first()
    }

    /// The file that a reference in a file leads to.
    pub(crate) fn unit(&self, from: &Unit, reference: &str) -> Option<&Unit> {
        let path = resolved(&from.logical, reference)?;
        self.units.iter().find(|unit| unit.logical == path)
    }

    /// The entries of a map of every spec and contract: `tools`, `let`, `params`, `$defs`.
    pub(crate) fn entries<'p>(&'p self, key: &str) -> impl Iterator<Item = Named<'p>> + use<'p> {
        let units = self.units.iter().filter(|unit| matches!(unit.format, Some(Format::Spec | Format::Contract)));
        let found: Vec<Named<'p>> = units.flat_map(|unit| named(unit, unit.outline.get(&[key]))).collect();
        found.into_iter()
    }

    pub(crate) fn tools(&self) -> impl Iterator<Item = Named<'_>> {
        self.entries("tools")
    }

    /// The tools that patterns mean.
    pub(crate) fn meant<'p>(&'p self, patterns: &[&str]) -> Vec<Named<'p>> {
        let patterns: Vec<Pattern> = patterns.iter().map(|pattern| Pattern::selector(pattern)).collect();
        let is_meant = |tool: &Named<'_>| patterns.iter().any(|pattern| pattern.overlaps(&Pattern::key(tool.name)));
        self.tools().filter(is_meant).collect()
    }

    /// The kinds of packs, each with the name that the spec gives its pack.
    pub(crate) fn pack_kinds(&self) -> Vec<(String, Named<'_>)> {
        let mut kinds = Vec::new();
        for pack in self.entries("packs") {
            let Some(unit) = pack.node.text().and_then(|path| self.unit(pack.unit, path)) else { continue };
            let of_pack = named(unit, unit.outline.get(&["kinds"]));
            kinds.extend(of_pack.map(|kind| (format!("{}/{}", pack.name, kind.name), kind)));
        }
        kinds
    }

    /// A schema without a reference in its place.
    pub(crate) fn schema<'p>(&'p self, (mut unit, mut node): Schema<'p>) -> Schema<'p> {
        for _ in 0..MAX_STEPS {
            let Some(next) = node.get("$ref").and_then(Node::text).and_then(|text| self.referred(unit, text)) else {
                break;
            };
            (unit, node) = next;
        }
        (unit, node)
    }

    /// What a `$ref` leads to: `#/$defs/x` here or in any spec and contract, a file, or a place in a file.
    pub(crate) fn referred<'p>(&'p self, unit: &'p Unit, reference: &str) -> Option<Schema<'p>> {
        let (file, pointer) = reference.split_once('#').unwrap_or((reference, ""));
        let from = if file.is_empty() { unit } else { self.unit(unit, file)? };
        let steps: Vec<&str> = pointer.split('/').filter(|step| !step.is_empty()).collect();
        let own = || if steps.is_empty() { from.outline.root() } else { from.outline.get(&steps) };
        if let Some(node) = own() {
            return Some((from, node));
        }
        let [key, name] = steps.as_slice() else { return None };
        let shared = self.entries(key).find(|entry| entry.name == *name)?;
        Some((shared.unit, shared.node))
    }

    /// The properties of a schema.
    pub(crate) fn properties<'p>(&'p self, schema: Schema<'p>) -> Vec<Named<'p>> {
        let (unit, node) = self.schema(schema);
        let mut found: Vec<Named<'p>> = named(unit, node.get("properties")).collect();
        for part in ["allOf", "anyOf", "oneOf"].iter().filter_map(|key| node.get(key)).flat_map(Node::items) {
            found.extend(named(unit, self.schema((unit, part)).1.get("properties")));
        }
        found
    }

    /// The schema of a member, with `[]` of what an index or a key leads to, or with `filter()` of what a call keeps.
    pub(crate) fn member<'p>(&'p self, schema: Schema<'p>, name: &str) -> Option<Schema<'p>> {
        let (unit, node) = self.schema(schema);
        let of_list = || Some((unit, node.get("items")?));
        match name {
            "[]" => of_list().or_else(|| Some((unit, node.get("additionalProperties").or_else(|| of_any_key(node))?))),
            "orValue()" => Some(schema),
            "filter()" | "distinct()" => of_list().map(|_| schema),
            "min()" | "max()" => of_list(),
            _ => {
                let found = self.properties(schema).into_iter().find(|property| property.name == name)?;
                Some((found.unit, found.node))
            }
        }
    }

    /// The schema of the world, if one is declared.
    pub(crate) fn world(&self) -> Option<Schema<'_>> {
        let unit = self.units.iter().find(|unit| unit.outline.get(&["world", "schema"]).is_some())?;
        let node = unit.outline.get(&["world", "schema"])?;
        match node.text() {
            Some(file) => {
                let unit = self.unit(unit, file)?;
                Some((unit, unit.outline.root()?))
            }
            None => Some((unit, node)),
        }
    }
}

/// The schema of the members of an object whose names are told by a pattern.
fn of_any_key(node: &Node) -> Option<&Node> {
    node.get("patternProperties")?.entries().first()?.value.as_ref()
}

/// The entries of a map with the file they stand in.
pub(crate) fn named<'p>(unit: &'p Unit, map: Option<&'p Node>) -> impl Iterator<Item = Named<'p>> {
    let entries = map.map(Node::entries).unwrap_or_default();
    entries.iter().filter_map(move |entry| {
        let Entry { key, key_range, value } = entry;
        Some(Named { name: key, unit, key: key_range, node: value.as_ref()? })
    })
}

/// The files that a value names: under `$ref` and, in a spec, those of its own keys.
fn references(node: &Node, is_spec: bool, found: &mut BTreeSet<String>) {
    match &node.data {
        Data::Scalar(_) => {}
        Data::List(items) => items.iter().for_each(|item| references(item, false, found)),
        Data::Map(entries) => {
            for entry in entries {
                let Some(value) = &entry.value else { continue };
                match (entry.key.as_str(), value.text()) {
                    ("$ref", Some(text)) => {
                        let file = text.split('#').next().unwrap_or_default();
                        found.extend((!file.is_empty()).then(|| file.to_owned()));
                    }
                    ("extends" | "contract", Some(text)) if is_spec => _ = found.insert(text.to_owned()),
                    ("packs", None) if is_spec => {
                        found.extend(
                            value.entries().iter().filter_map(|one| Some(one.value.as_ref()?.text()?.to_owned())),
                        );
                    }
                    ("world", None) if is_spec => {
                        found.extend(value.get("schema").and_then(Node::text).map(str::to_owned));
                        references(value, false, found);
                    }
                    _ => references(value, false, found),
                }
            }
        }
    }
}
