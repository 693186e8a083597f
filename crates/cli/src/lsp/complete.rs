//! What may be written where the cursor is.

use super::focus::{Focus, earlier};
use super::place::{Expect, KEYWORDS, shapes};
use flyball::decode::{Field, Type};
use flyball::expr::{Sort, VOCABULARY};
use flyball::guards::KINDS;
use flyball::lint::RULES;
use flyball::outline::{Cursor, Node, Part, Spot, Step, Word};
use flyball_io::sources::FileKind;
use lsp_types::{
    CompletionItem, CompletionItemKind as Kind, CompletionTextEdit, Documentation, MarkupContent, MarkupKind, TextEdit,
};
use std::collections::BTreeSet;
use std::ops::Range;

/// What is known of an earlier call.
const EARLIER: [&str; 4] = ["args", "result", "turn", "at"];

/// Everything that may be written at a place; `None` where nothing is known of it.
pub(crate) fn at(focus: &Focus<'_>) -> Option<Vec<CompletionItem>> {
    if let Some(comment) = focus.comment() {
        return Some(rules(focus, comment));
    }
    let cursor = focus.cursor.as_ref()?;
    let items = match (cursor.part, focus.spot()) {
        (Part::Key, _) => keys(focus, cursor),
        (Part::Value, Some(Spot::Word(word))) => {
            let mut items = words(focus, &word);
            if is_alone(focus, cursor) {
                items.extend(keys(focus, cursor));
            }
            items
        }
        (Part::Value, Some(Spot::Text { function, range })) => {
            let asks = matches!(function.as_deref(), Some("done" | "first" | "last" | "count"));
            if asks { tools(focus, &Writing { focus, range, is_quoted: true }) } else { Vec::new() }
        }
        (Part::Value, None) => values(focus, cursor),
    };
    Some(items)
}

/// Where an item is written.
struct Writing<'w> {
    focus: &'w Focus<'w>,
    range: Range<usize>,
    /// True inside quotes that are there already.
    is_quoted: bool,
}

/// One thing that may be written.
struct Offer<'o> {
    label: &'o str,
    kind: Kind,
    detail: String,
    docs: String,
    /// What is written, where it is not the label.
    text: Option<String>,
    /// What comes first has the smallest.
    rank: u8,
}

impl<'o> Offer<'o> {
    fn of(label: &'o str, kind: Kind) -> Offer<'o> {
        Offer { label, kind, detail: String::new(), docs: String::new(), text: None, rank: 5 }
    }
}

impl Writing<'_> {
    fn item(&self, offer: Offer<'_>) -> CompletionItem {
        let text = offer.text.unwrap_or_else(|| offer.label.to_owned());
        let is_behind_colon = self.focus.slice(self.range.start.saturating_sub(1)..self.range.start) == ":";
        let new_text = if is_behind_colon && !self.is_quoted { format!(" {text}") } else { text };
        let range = self.focus.text.range(&self.range, self.focus.files.units);
        let docs = MarkupContent { kind: MarkupKind::Markdown, value: offer.docs };
        CompletionItem {
            label: offer.label.to_owned(),
            kind: Some(offer.kind),
            detail: (!offer.detail.is_empty()).then_some(offer.detail),
            documentation: (!docs.value.is_empty()).then_some(Documentation::MarkupContent(docs)),
            sort_text: Some(format!("{}{}", offer.rank, offer.label)),
            filter_text: Some(offer.label.to_owned()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text })),
            ..CompletionItem::default()
        }
    }

    /// A name as a value: in quotes, where YAML would read it as something else.
    fn name(&self, name: &str) -> String {
        let is_plain = name.starts_with(|first: char| first.is_alphanumeric() || first == '_') && !name.contains(": ");
        if is_plain || self.is_quoted { name.to_owned() } else { format!("'{name}'") }
    }
}

/// The rules that may be allowed, in a comment that allows some.
fn rules(focus: &Focus<'_>, comment: Range<usize>) -> Vec<CompletionItem> {
    let said = focus.slice(comment.start..focus.place);
    if !said.contains(" allow ") || said.contains("--") {
        return Vec::new();
    }
    let start = said.rfind([' ', ',']).map_or(focus.place, |at| comment.start.saturating_add(at).saturating_add(1));
    let writing = Writing { focus, range: start..focus.place, is_quoted: true };
    let offer = |rule: &&'static flyball::lint::Rule| Offer {
        detail: rule.code.to_owned(),
        docs: rule.docs.to_owned(),
        ..Offer::of(rule.name, Kind::CONSTANT)
    };
    RULES.iter().filter(|rule| rule.may_be_allowed()).map(|rule| writing.item(offer(rule))).collect()
}

/// True where a value stands alone on its line, so that it may become the first key of a map.
fn is_alone(focus: &Focus<'_>, cursor: &Cursor) -> bool {
    let head = focus.slice(0..cursor.range.start);
    let line = head.rsplit('\n').next().unwrap_or_default();
    !cursor.text.contains(char::is_whitespace) && line.trim_start_matches([' ', '-']).is_empty()
}

/// The keys of the map that the cursor is in, but for those that it has.
fn keys(focus: &Focus<'_>, cursor: &Cursor) -> Vec<CompletionItem> {
    let writing = Writing { focus, range: cursor.range.clone(), is_quoted: false };
    let map = focus.outline.find(&cursor.path);
    let entries = map.map(Node::entries).unwrap_or_default();
    let present: BTreeSet<&str> =
        entries.iter().filter(|entry| entry.key_range != cursor.range).map(|entry| entry.key.as_str()).collect();
    let has_colon = focus.text.as_str().get(cursor.range.end..).is_some_and(|rest| rest.starts_with(':'));
    let is_flow = focus.slice(0..cursor.range.start).trim_end().ends_with(['{', ',']);
    let written = |key: &str, opens: bool| match (has_colon, opens && !is_flow) {
        (true, _) => key.to_owned(),
        (false, true) => format!("{key}:"),
        (false, false) => format!("{key}: "),
    };
    let of_field = |field: &Field| Offer {
        detail: if field.required { format!("{} (required)", field.ty.words()) } else { field.ty.words() },
        docs: field.doc.to_owned(),
        text: Some(written(field.key, matches!(field.ty, Type::Shape(_) | Type::Map(_) | Type::List(Type::Shape(_))))),
        rank: if field.required { 1 } else { 5 },
        ..Offer::of(field.key, Kind::PROPERTY)
    };
    let mut items = Vec::new();
    let expected = focus.expected();
    for field in shapes(&expected).flat_map(|shape| shape.fields).filter(|field| !present.contains(field.key)) {
        items.push(writing.item(of_field(field)));
    }
    for one in &expected {
        match one {
            Expect::Schema => {
                items.extend(KEYWORDS.iter().filter(|(key, _)| !present.contains(key)).map(|(key, doc)| {
                    let text = Some(written(key, matches!(*key, "properties" | "items")));
                    writing.item(Offer { docs: (*doc).to_owned(), text, ..Offer::of(key, Kind::PROPERTY) })
                }))
            }
            Expect::PackWith(kind) => items.extend(pack_parameters(focus, kind).into_iter().filter_map(|name| {
                let text = Some(written(&name, false));
                (!present.contains(name.as_str()))
                    .then(|| writing.item(Offer { text, rank: 1, ..Offer::of(&name, Kind::PROPERTY) }))
            })),
            Expect::Type(Type::List(Type::Shape(shape))) if cursor.part == Part::Value => {
                let first = shape.fields.iter().find(|field| field.required).or(shape.fields.first());
                items.extend(first.map(|field| {
                    let (label, text) = (format!("- {}", field.key), Some(format!("- {}: ", field.key)));
                    let detail = shape.name.to_owned();
                    writing.item(Offer { text, detail, rank: 1, ..Offer::of(&label, Kind::STRUCT) })
                }));
            }
            Expect::Type(_) | Expect::Schemas => {}
        }
    }
    items
}

/// The parameters of a pack's kind.
fn pack_parameters(focus: &Focus<'_>, kind: &str) -> Vec<String> {
    let kinds = focus.project.pack_kinds();
    let found = kinds.iter().find(|(name, _)| name == kind).and_then(|(_, kind)| kind.node.get("params"));
    found.map(Node::entries).unwrap_or_default().iter().map(|entry| entry.key.clone()).collect()
}

/// Values other than expressions.
fn values(focus: &Focus<'_>, cursor: &Cursor) -> Vec<CompletionItem> {
    let inner = focus.inner().unwrap_or(cursor.range.clone());
    let is_quoted = inner.start > cursor.range.start && focus.slice(cursor.range.clone()).starts_with(['\'', '"']);
    let writing = Writing { focus, range: inner, is_quoted };
    if focus.slice(writing.range.clone()).contains('\n') {
        return Vec::new();
    }
    if focus.names_kind() {
        return kinds(focus, &writing);
    }
    if focus.names_tool() {
        return tools(focus, &writing);
    }
    if focus.names_argument() {
        return arguments(focus, &writing);
    }
    if let Some(kind) = focus.names_file() {
        return documents(focus, &writing, kind);
    }
    let mut items = Vec::new();
    let doc = focus.field().map(|field| field.doc.to_owned()).unwrap_or_default();
    for one in focus.expected() {
        let words: &[&str] = match one {
            Expect::Type(Type::Word(words)) => words,
            Expect::Type(Type::Bool) => &["true", "false"],
            _ => &[],
        };
        let offers = words.iter().map(|word| Offer { docs: doc.clone(), ..Offer::of(word, Kind::ENUM_MEMBER) });
        items.extend(offers.map(|offer| writing.item(offer)));
    }
    items.extend(of_schema(focus, &writing));
    let is_parameter = cursor.path.contains(&Step::Key("with".to_owned())) && focus.field().is_some();
    if is_parameter {
        items.extend(constants(focus, &writing));
    }
    if is_alone(focus, cursor) {
        items.extend(keys(focus, cursor));
    }
    items
}

/// The files of a kind in the workspace, as the document would name them.
fn documents(focus: &Focus<'_>, writing: &Writing<'_>, kind: FileKind) -> Vec<CompletionItem> {
    let Some(main) = focus.project.main() else { return Vec::new() };
    let Some(workspace) = focus.files.workspace(&main.path) else { return Vec::new() };
    let found = flyball_io::sources::find(workspace.root()).unwrap_or_default().into_iter();
    let others = found.filter(|found| found.kind == kind && found.path != main.path);
    let labels = others.filter_map(|found| Some(relative(&main.logical, &workspace.logical(&found.path)?)));
    labels
        .map(|label| {
            let text =
                Some(if writing.is_quoted || !label.contains(": ") { label.clone() } else { format!("'{label}'") });
            writing.item(Offer { text, ..Offer::of(&label, Kind::FILE) })
        })
        .collect()
}

/// A path below the root as a file names it.
fn relative(from: &str, to: &str) -> String {
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), to.split('/').collect());
    let folders = from.len().saturating_sub(1);
    let shared = from.iter().take(folders).zip(&to).take_while(|(one, other)| one == other).count();
    let up = std::iter::repeat_n("..", folders.saturating_sub(shared));
    up.chain(to.iter().skip(shared).copied()).collect::<Vec<_>>().join("/")
}

/// Values inside a schema that depend on what stands around them.
fn of_schema(focus: &Focus<'_>, writing: &Writing<'_>) -> Vec<CompletionItem> {
    match focus.last_key() {
        Some(("$ref", _)) => {
            let names: BTreeSet<&str> = focus.project.entries("$defs").map(|known| known.name).collect();
            let labels = names.iter().map(|name| format!("#/$defs/{name}"));
            labels
                .map(|label| {
                    let text = Some(writing.name(&label));
                    writing.item(Offer { text, ..Offer::of(&label, Kind::REFERENCE) })
                })
                .collect()
        }
        Some(("required", path)) => {
            let properties = focus.outline.find(path).and_then(|schema| schema.get("properties"));
            let names = properties.map(Node::entries).unwrap_or_default();
            names.iter().map(|entry| writing.item(Offer::of(&entry.key, Kind::FIELD))).collect()
        }
        _ => Vec::new(),
    }
}

/// The kinds that may stand under the guard's hook.
fn kinds(focus: &Focus<'_>, writing: &Writing<'_>) -> Vec<CompletionItem> {
    let hook = focus.key(1).unwrap_or_default();
    let native = KINDS.iter().map(|kind| kind.about());
    let native = native.filter(|about| about.hooks.iter().any(|known| known.name() == hook)).map(|about| Offer {
        detail: about.dimension.name().to_owned(),
        docs: about.docs.to_owned(),
        ..Offer::of(about.name, Kind::CLASS)
    });
    let mut items: Vec<CompletionItem> = native.map(|offer| writing.item(offer)).collect();
    for (name, kind) in focus.project.pack_kinds() {
        if kind.node.get("hook").and_then(Node::text) == Some(hook) {
            let docs = kind.node.get("prose").and_then(Node::text).unwrap_or_default().to_owned();
            let detail = kind.unit.logical.clone();
            items.push(writing.item(Offer { detail, docs, rank: 4, ..Offer::of(&name, Kind::CLASS) }));
        }
    }
    items
}

/// The declared tools.
fn tools(focus: &Focus<'_>, writing: &Writing<'_>) -> Vec<CompletionItem> {
    let offers = focus.project.tools().map(|tool| {
        let said = |key: &str| tool.node.get(key).and_then(Node::text).unwrap_or_default().to_owned();
        let text = Some(writing.name(tool.name));
        Offer { detail: said("effect"), docs: said("description"), text, ..Offer::of(tool.name, Kind::FUNCTION) }
    });
    offers.map(|offer| writing.item(offer)).collect()
}

/// The arguments of the tools that are meant.
fn arguments(focus: &Focus<'_>, writing: &Writing<'_>) -> Vec<CompletionItem> {
    let mut seen = BTreeSet::new();
    let schemas = focus.schemas(&["args".to_owned()]);
    let properties = schemas.into_iter().flat_map(|schema| focus.project.properties(schema));
    let fresh = properties.filter(|property| seen.insert(property.name));
    let offers = fresh.map(|property| Offer {
        detail: property.node.get("type").and_then(Node::text).unwrap_or_default().to_owned(),
        ..Offer::of(property.name, Kind::FIELD)
    });
    offers.map(|offer| writing.item(offer)).collect()
}

/// `params.NAME`, whole.
fn constants(focus: &Focus<'_>, writing: &Writing<'_>) -> Vec<CompletionItem> {
    let labels = focus.project.entries("params").map(|known| (format!("params.{}", known.name), known.node.text()));
    labels
        .map(|(label, value)| {
            let detail = value.unwrap_or_default().to_owned();
            writing.item(Offer { detail, rank: 6, ..Offer::of(&label, Kind::CONSTANT) })
        })
        .collect()
}

/// What may be written in an expression: names that stand alone, or the members of what leads there.
fn words(focus: &Focus<'_>, word: &Word) -> Vec<CompletionItem> {
    let writing = Writing { focus, range: word.range.clone(), is_quoted: true };
    let is_known = |sort: Sort| match sort {
        Sort::Root | Sort::Function => word.before.is_empty(),
        Sort::Method | Sort::Macro => !word.before.is_empty(),
    };
    let terms =
        VOCABULARY.iter().filter(|term| is_known(term.sort) && (term.sort != Sort::Root || is_root(focus, term.name)));
    let mut items: Vec<CompletionItem> = terms
        .map(|term| {
            let kind = if term.sort == Sort::Root { Kind::VARIABLE } else { Kind::METHOD };
            let calls = term.sort != Sort::Root && !word.is_call;
            let text = calls.then(|| format!("{}(", term.name));
            let rank = if term.sort == Sort::Root { 2 } else { 7 };
            let (detail, docs) = (term.form.to_owned(), term.doc.to_owned());
            writing.item(Offer { detail, docs, text, rank, ..Offer::of(term.name, kind) })
        })
        .collect();
    items.extend(if word.before.is_empty() { names(focus, &writing) } else { members(focus, word, &writing) });
    items
}

/// True for a root that is known where the cursor is.
fn is_root(focus: &Focus<'_>, name: &str) -> bool {
    let Some(hook) = focus.hook() else { return true };
    match name {
        "params" => true,
        _ if hook == "kinds" => false,
        "args" | "call" => matches!(hook, "preTool" | "postTool"),
        "declared" => hook == "preTool",
        "result" => hook == "postTool",
        "input" => hook == "onInput",
        "reply" => hook == "onReply",
        _ => true,
    }
}

/// Lets and variables.
fn names(focus: &Focus<'_>, writing: &Writing<'_>) -> Vec<CompletionItem> {
    if focus.hook() == Some("kinds") {
        return Vec::new();
    }
    let lets = focus.project.entries("let").map(|known| {
        let value = known.node.get("value").unwrap_or(known.node).text().unwrap_or_default();
        Offer { detail: value.to_owned(), rank: 1, ..Offer::of(known.name, Kind::VARIABLE) }
    });
    let mut items: Vec<CompletionItem> = lets.map(|offer| writing.item(offer)).collect();
    let locals: BTreeSet<String> = focus.locals().into_iter().map(|local| local.name).collect();
    items.extend(locals.iter().map(|name| writing.item(Offer { rank: 0, ..Offer::of(name, Kind::VARIABLE) })));
    items
}

/// What a path may go on with.
fn members(focus: &Focus<'_>, word: &Word, writing: &Writing<'_>) -> Vec<CompletionItem> {
    let first = word.before.first().map(String::as_str);
    if let Some("params") = first {
        return constants_below(focus, word, writing);
    }
    if let (Some(root), [_]) = (first, word.before.as_slice())
        && let Some(term) = VOCABULARY.iter().find(|term| term.sort == Sort::Root && term.name == root)
        && !term.members.is_empty()
    {
        let offers = term.members.iter().map(|name| Offer { rank: 1, ..Offer::of(name, Kind::FIELD) });
        return offers.map(|offer| writing.item(offer)).collect();
    }
    if let [first] = focus.rooted(&word.before).as_slice()
        && earlier(first).is_some()
    {
        let offers = EARLIER.iter().map(|name| Offer { rank: 1, ..Offer::of(name, Kind::FIELD) });
        return offers.map(|offer| writing.item(offer)).collect();
    }
    let mut seen = BTreeSet::new();
    let mut items = Vec::new();
    if word.before == ["declared"] {
        let declared = focus.tools().into_iter().filter_map(|tool| tool.node.get("declares")).flat_map(Node::entries);
        let fresh = declared.filter(|entry| seen.insert(entry.key.as_str()));
        return fresh.map(|entry| writing.item(Offer { rank: 1, ..Offer::of(&entry.key, Kind::FIELD) })).collect();
    }
    for property in focus.schemas(&word.before).into_iter().flat_map(|schema| focus.project.properties(schema)) {
        if seen.insert(property.name) {
            let (_, schema) = focus.project.schema((property.unit, property.node));
            let said = |key: &str| schema.get(key).and_then(Node::text).unwrap_or_default().to_owned();
            let (detail, docs) = (said("type"), said("description"));
            items.push(writing.item(Offer { detail, docs, rank: 1, ..Offer::of(property.name, Kind::FIELD) }));
        }
    }
    items
}

/// The members of a constant; in a pack the parameters of the kind.
fn constants_below(focus: &Focus<'_>, word: &Word, writing: &Writing<'_>) -> Vec<CompletionItem> {
    let path: Vec<&str> = word.before.iter().skip(1).map(String::as_str).collect();
    let mut maps: Vec<&Node> = Vec::new();
    if focus.hook() == Some("kinds") {
        let steps = [Step::Key("kinds".to_owned()), Step::Key(focus.key(1).unwrap_or_default().to_owned())];
        maps.extend(focus.outline.find(&steps).and_then(|kind| kind.get("params")));
    }
    maps.extend(
        focus
            .project
            .units
            .iter()
            .filter(|unit| unit.format != Some(super::files::Format::Pack))
            .filter_map(|unit| unit.outline.get(&["params"])),
    );
    let found = maps.into_iter().filter_map(|map| path.iter().try_fold(map, |node, key| node.get(key)));
    let entries = found.flat_map(Node::entries);
    entries
        .map(|entry| {
            let detail = entry.value.as_ref().and_then(Node::text).unwrap_or_default().to_owned();
            writing.item(Offer { detail, rank: 1, ..Offer::of(&entry.key, Kind::CONSTANT) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::relative;

    #[test]
    fn a_path_is_written_from_where_it_is_named() {
        let rows = [
            ("specs/a.yaml", "contracts/b.yaml", "../contracts/b.yaml"),
            ("specs/a.yaml", "specs/b.yaml", "b.yaml"),
            ("a.yaml", "specs/b.yaml", "specs/b.yaml"),
            ("x/y/a.yaml", "x/z/b.yaml", "../z/b.yaml"),
        ];
        for (from, to, wanted) in rows {
            assert_eq!(relative(from, to), wanted);
        }
    }
}
