//! From a spanned YAML tree to typed data: reads that collect every problem and never stop at the first.
//!
//! What a map may hold is a [`Shape`], a constant table. The decoder checks keys against it, `flyball schema`
//! prints it as JSON Schema and `flyball guards` as documentation, so the three cannot disagree. Meaning (does
//! this tool exist, can this rule fire) is not judged here.

mod shape;

use crate::decimal::Decimal;
use crate::diagnostic::{Diagnostic, nearest};
use crate::source::{FileId, Sources, Span, Spanned};
use crate::tool::Pattern;
use crate::value::{Object, Value};
use crate::yaml::{Data, Entry, Node, Style};
use std::collections::BTreeMap;

pub use shape::{Field, Shape, Type};

/// The entries of a map whose keys were checked against a shape.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'n> {
    /// Where the map stands.
    pub span: Span,
    entries: &'n [Entry],
}

impl<'n> Fields<'n> {
    /// No entries, at a place.
    #[must_use]
    pub fn empty(span: Span) -> Fields<'n> {
        Fields { span, entries: &[] }
    }

    /// The node of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// A place short enough to point at: the first key, or the map itself where it is empty.
    #[must_use]
    pub fn head(&self) -> Span {
        head(self.span, self.entries)
    }

    /// The entry of a key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&'n Entry> {
        self.entries.iter().find(|entry| &*entry.key == key)
    }
}

/// Keys of the format that are not acted on yet, by the name of their shape.
pub type Later = &'static [(&'static str, &'static [&'static str])];

/// Reads nodes and collects problems.
#[derive(Debug)]
pub struct Decoder<'s> {
    /// The files, for texts and paths.
    pub sources: &'s Sources,
    /// Keys that are unknown, and say so in other words.
    pub later: Later,
    /// Everything found so far.
    pub diagnostics: Vec<Diagnostic>,
    problems: usize,
}

impl<'s> Decoder<'s> {
    /// A decoder over these files.
    #[must_use]
    pub fn new(sources: &'s Sources) -> Decoder<'s> {
        Decoder { sources, later: &[], diagnostics: Vec::new(), problems: 0 }
    }

    /// Reports a problem.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.problems = self.problems.saturating_add(1);
        self.diagnostics.push(diagnostic);
    }

    /// How often something could not be read, whether it is told here or was told before. It only grows.
    #[must_use]
    pub fn problems(&self) -> usize {
        self.problems
    }

    /// Reads a file into a tree.
    pub fn read(&mut self, file: FileId) -> Option<Node> {
        crate::yaml::read(file, self.sources, &mut self.diagnostics)
    }

    /// Opens a map: unknown keys and missing ones are reported; the known ones can be read.
    pub fn open<'n>(&mut self, node: &'n Node, shape: &Shape) -> Option<Fields<'n>> {
        self.open_with(node, shape, |_| None)
    }

    /// As [`Decoder::open`]; the caller knows what to do about some unknown keys.
    pub fn open_with<'n>(
        &mut self,
        node: &'n Node,
        shape: &Shape,
        cure: impl Fn(&str) -> Option<String>,
    ) -> Option<Fields<'n>> {
        let Data::Map(entries) = &node.data else {
            self.wrong_type_with(node, &format!("a map ({})", shape.name), shape.around_text());
            return None;
        };
        for entry in entries {
            if !shape.fields.iter().any(|field| field.key == &*entry.key) {
                self.unknown_key(entry, shape, cure(&entry.key));
            }
        }
        for field in shape.fields.iter().filter(|field| field.required) {
            if !entries.iter().any(|entry| &*entry.key == field.key) {
                self.missing_key(head(node.span, entries), shape, field.key, field.help());
            }
        }
        Some(Fields { span: node.span, entries })
    }

    /// Reports that a map lacks a key.
    pub fn missing_key(&mut self, span: Span, shape: &Shape, key: &str, help: impl Into<String>) {
        let message = format!("missing key `{key}` in {}", shape.name);
        self.report(Diagnostic::error("missing-key", span, message).help(help));
    }

    fn unknown_key(&mut self, entry: &Entry, shape: &Shape, cure: Option<String>) {
        let known: Vec<&str> = shape.fields.iter().map(|field| field.key).collect();
        let problem =
            Diagnostic::error("unknown-key", entry.key_span, format!("unknown key `{}` in {}", entry.key, shape.name));
        let near = nearest(&entry.key, known.iter().copied());
        self.report(match (cure, near) {
            (Some(cure), _) => problem.help(cure),
            _ if self.is_later(shape, &entry.key) => {
                problem.help(format!("this version does not act on `{}` yet", entry.key))
            }
            (None, Some(near)) => problem.help(format!("did you mean `{near}`?")).edit(entry.key_span, near),
            (None, None) if known.is_empty() => problem.help("it takes none"),
            (None, None) => problem.help(format!("it knows {}", quoted_list(&known))),
        });
    }

    fn is_later(&self, shape: &Shape, key: &str) -> bool {
        self.later.iter().any(|(name, keys)| *name == shape.name && keys.contains(&key))
    }

    /// Reports that a node is not what is wanted.
    pub fn wrong_type(&mut self, node: &Node, wanted: &str) {
        self.wrong_type_with(node, wanted, None);
    }

    /// As [`Decoder::wrong_type`]; a text becomes right between `around`.
    pub fn wrong_type_with(&mut self, node: &Node, wanted: &str, around: Option<(String, &str)>) {
        // What was refused where it was read is not reported again.
        if node.data == Data::Refused {
            self.problems = self.problems.saturating_add(1);
            return;
        }
        let message = format!("expected {wanted}, found {}", node.kind());
        let problem = Diagnostic::error("wrong-type", node.span, message);
        let mended = around.zip(self.inline(node)).map(|((before, after), text)| format!("{before}{text}{after}"));
        self.report(match (mended, &node.data) {
            (Some(mended), _) => problem.help(format!("write `{mended}`")).edit(node.span, mended),
            (None, Data::Null) => problem.help("give it a value"),
            (None, _) => problem,
        });
    }

    /// A text as it is written, if it can stand so between brackets.
    fn inline(&self, node: &Node) -> Option<String> {
        let written = self.sources.slice(node.span);
        let fits = match node.style {
            Style::Plain => !written.contains([',', '[', ']', '{', '}', '\n']),
            Style::Quoted => !written.contains('\n'),
            Style::Block | Style::Flow => false,
        };
        (fits && matches!(node.data, Data::Text(_))).then(|| written.to_owned())
    }

    /// A text. A bare `true` or number is refused with a hint to quote it.
    pub fn text(&mut self, node: &Node) -> Option<Spanned<String>> {
        match &node.data {
            Data::Text(text) => Some(Spanned::new(text.to_string(), node.span)),
            Data::Bool(_) | Data::Number(_) => {
                let written = self.sources.slice(node.span).to_owned();
                let problem =
                    Diagnostic::error("wrong-type", node.span, format!("expected text, found {}", node.kind()))
                        .help(format!("quote it: `'{written}'`"))
                        .safe_edit(node.span, format!("'{written}'"));
                self.report(problem);
                None
            }
            Data::Map(_) if self.sources.slice(node.span).starts_with('{') => {
                let problem = Diagnostic::error("wrong-type", node.span, "expected text, found a map")
                    .help("a text that begins with `{` must be quoted");
                self.report(problem);
                None
            }
            _ => {
                self.wrong_type(node, "text");
                None
            }
        }
    }

    /// A text that says something.
    pub fn sentence(&mut self, node: &Node) -> Option<Spanned<String>> {
        let text = self.text(node)?;
        if text.value.trim().is_empty() {
            self.report(Diagnostic::error("blank-text", node.span, "a blank text says nothing").help("write it out"));
            return None;
        }
        Some(text)
    }

    /// An id.
    pub fn id(&mut self, node: &Node) -> Option<Spanned<String>> {
        let text = self.text(node)?;
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if text.value.is_empty() || text.value.len() > 64 || !text.value.bytes().all(fits) {
            let message = format!("`{}` is not an id", text.value);
            self.report(
                Diagnostic::error("bad-id", node.span, message).help("use 1 to 64 of `a` to `z`, `0` to `9`, `-`"),
            );
            return None;
        }
        Some(text)
    }

    /// A pattern over tool names.
    pub fn tool_pattern(&mut self, node: &Node) -> Option<Spanned<Pattern>> {
        let text = self.text(node)?;
        if text.value.is_empty() || text.value.contains(char::is_whitespace) {
            let problem = Diagnostic::error("bad-tool-name", text.span, format!("`{}` is not a tool name", text.value));
            self.report(problem.help("write `name` or `server/name`, without spaces; each tool of a list is an item"));
            return None;
        }
        if crate::tool::is_ambiguous_mcp_name(&text.value) {
            let problem =
                Diagnostic::error("bad-tool-name", text.span, format!("`{}` can be cut in two places", text.value));
            self.report(problem.help("write it as `server/name`"));
            return None;
        }
        Some(text.map(|text| Pattern::selector(&text)))
    }

    /// `true` or `false`; a text is refused.
    pub fn bool(&mut self, node: &Node) -> Option<bool> {
        match &node.data {
            Data::Bool(value) => Some(*value),
            Data::Text(text) => {
                // One diagnostic says it.
                self.diagnostics.retain(|earlier| earlier.rule != "ambiguous-scalar" || earlier.span != node.span);
                let means = match text.to_ascii_lowercase().as_str() {
                    "yes" | "on" | "y" | "true" => Some("true"),
                    "no" | "off" | "n" | "false" => Some("false"),
                    _ => None,
                };
                let problem = Diagnostic::error("wrong-type", node.span, "expected `true` or `false`, found a text");
                self.report(match means {
                    Some(word) if node.is_plain() => problem.help(format!("write `{word}`")).safe_edit(node.span, word),
                    Some(word) => problem.help(format!("write `{word}` without quotes")).safe_edit(node.span, word),
                    None => problem.help("write `true` or `false`"),
                });
                None
            }
            _ => {
                self.wrong_type(node, "`true` or `false`");
                None
            }
        }
    }

    /// An exact number.
    pub fn number(&mut self, node: &Node) -> Option<Spanned<Decimal>> {
        let Data::Number(number) = &node.data else {
            match node.text().filter(|text| Decimal::parse_json(text).is_ok()) {
                Some(digits) => self.report(
                    Diagnostic::error("wrong-type", node.span, "expected a number, found a text")
                        .help(format!("write `{digits}` without quotes"))
                        .safe_edit(node.span, digits),
                ),
                None => self.wrong_type(node, "a number"),
            }
            return None;
        };
        match Decimal::parse_json(number.as_str()) {
            Ok(value) => Some(Spanned::new(value, node.span)),
            Err(error) => {
                let problem = Diagnostic::error("inexact-number", node.span, error.to_string());
                self.report(problem.help("write a decimal number that is kept to its last digit"));
                None
            }
        }
    }

    /// A whole number from 0. Negative and fractional ones are refused.
    pub fn count(&mut self, node: &Node) -> Option<Spanned<u64>> {
        let number = self.number(node)?;
        let Some(count) = number.value.to_u64() else {
            let is_whole = number.value.is_integer() && number.value > Decimal::from(0);
            let (message, help) = if is_whole {
                (format!("`{}` is too large", number.value), format!("the most is `{}`", u64::MAX))
            } else {
                let help = "write a whole number, 0 or above".to_owned();
                (format!("`{}` is not a whole number from 0", number.value), help)
            };
            self.report(Diagnostic::error("bad-count", node.span, message).help(help));
            return None;
        };
        Some(Spanned::new(count, node.span))
    }

    /// One of a set of words, each with what it means.
    pub fn word<T: Copy>(&mut self, node: &Node, words: &[(&'static str, T)]) -> Option<T> {
        let Data::Text(text) = &node.data else {
            self.wrong_type(node, &words_of(words));
            return None;
        };
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == &**text) {
            return Some(*value);
        }
        let problem = Diagnostic::error("unknown-word", node.span, format!("`{text}` is none of {}", words_of(words)));
        let near = nearest(text, words.iter().map(|(word, _)| *word));
        self.report(match near {
            Some(near) => problem.help(format!("did you mean `{near}`?")).edit(node.span, near),
            None => problem,
        });
        None
    }

    /// The items of a list.
    pub fn list<'n>(&mut self, node: &'n Node) -> &'n [Node] {
        match &node.data {
            Data::List(items) => items,
            _ => {
                self.wrong_type_with(node, "a list", Some(("[".into(), "]")));
                &[]
            }
        }
    }

    /// The items of a list, if there are any; an empty list is refused, since it reads as everything and as nothing.
    pub fn some<'n>(&mut self, node: &'n Node, items: &'n [Node], cure: &str) -> &'n [Node] {
        if items.is_empty() && matches!(node.data, Data::List(_)) {
            self.report(Diagnostic::error("empty-list", node.span, "the list is empty").help(cure));
        }
        items
    }

    /// Refuses a second of what stands in a list already; each item with the text that it equals.
    pub fn distinct(&mut self, items: impl Iterator<Item = (String, Span)>) {
        let mut seen: BTreeMap<String, Span> = BTreeMap::new();
        for (item, span) in items {
            if let Some(first) = seen.get(&item) {
                let problem = Diagnostic::error("repeated-value", span, format!("`{item}` stands in the list twice"));
                self.report(problem.label(*first, "first here").help("take one out"));
            } else {
                seen.insert(item, span);
            }
        }
    }

    /// The items of a list, or the one value that stands for a list of one.
    pub fn one_or_many<'n>(&mut self, node: &'n Node) -> &'n [Node] {
        match &node.data {
            Data::List(items) => items,
            _ => std::slice::from_ref(node),
        }
    }

    /// The entries of a map with keys of the author's choice.
    pub fn entries<'n>(&mut self, node: &'n Node) -> &'n [Entry] {
        match &node.data {
            Data::Map(entries) => entries,
            _ => {
                self.wrong_type(node, "a map");
                &[]
            }
        }
    }

    /// Any value, exact.
    pub fn value(&mut self, node: &Node) -> Option<Value<'static>> {
        Some(match &node.data {
            Data::Refused => {
                self.wrong_type(node, "a value");
                return None;
            }
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(_) => Value::Number(self.number(node)?.value),
            Data::Text(text) => Value::from(text.to_string()),
            Data::List(items) => {
                let items: Vec<Option<Value<'static>>> = items.iter().map(|item| self.value(item)).collect();
                Value::Array(items.into_iter().collect::<Option<_>>()?)
            }
            Data::Map(entries) => {
                let mut object = Object::new();
                let mut whole = true;
                for entry in entries {
                    match self.value(&entry.value) {
                        Some(value) => _ = object.insert(entry.key.to_string().into(), value),
                        None => whole = false,
                    }
                }
                whole.then_some(Value::Object(object))?
            }
        })
    }
}

/// The first key of a map, or the map itself where it is empty: a place short enough to point at.
fn head(span: Span, entries: &[Entry]) -> Span {
    entries.first().map_or(span, |entry| entry.key_span)
}

fn words_of<T>(words: &[(&'static str, T)]) -> String {
    quoted_list(&words.iter().map(|(word, _)| *word).collect::<Vec<_>>())
}

/// `` `a`, `b`, `c` ``.
pub(crate) fn quoted_list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

/// The node at a pointer into a tree: map keys and list indexes, or the nearest ancestor that exists.
#[must_use]
pub fn node_at<'n>(node: &'n Node, pointer: &[String]) -> &'n Node {
    let Some((first, rest)) = pointer.split_first() else { return node };
    let next = match &node.data {
        Data::Map(entries) => entries.iter().find(|entry| &*entry.key == first.as_str()).map(|entry| &entry.value),
        Data::List(items) => first.parse::<usize>().ok().and_then(|index| items.get(index)),
        _ => None,
    };
    next.map_or(node, |next| node_at(next, rest))
}

/// The place of the reference at a node, if there is one, else of its first key.
pub(crate) fn reference_or_head(node: &Node) -> Span {
    match (&node.data, node.get("$ref")) {
        (Data::Map(_), Some(reference)) => reference.span,
        (Data::Map(entries), None) if node.style == Style::Block => head(node.span, entries),
        _ => node.span,
    }
}

/// Adds the help for an unknown name: the nearest known one, and the edit to it; else all of them.
pub(crate) fn suggest(problem: Diagnostic, word: &str, known: &[&str]) -> Diagnostic {
    match (nearest(word, known.iter().copied()), known) {
        (Some(near), _) => offer(problem, near),
        (None, known) => problem.help(known_names(known)),
    }
}

/// As [`suggest`], for a word that is only a part of what stands at the problem's place; it begins behind `before`.
pub(crate) fn suggest_part(problem: Diagnostic, before: &str, word: &str, known: &[&str]) -> Diagnostic {
    let mut problem = suggest(problem, word, known);
    if let Some(edit) = &mut problem.edit {
        let start = (edit.span.start as usize).saturating_add(before.len());
        edit.span = Span::new(edit.span.file, start, start.saturating_add(word.len()));
    }
    problem
}

/// The names there are.
pub(crate) fn known_names(known: &[&str]) -> String {
    match known {
        [] => "there is none to name".into(),
        [only] => format!("there is only `{only}`"),
        known => format!("there are {}", quoted_list(known)),
    }
}

/// Offers a name in place of what stands at the problem's place.
pub(crate) fn offer(problem: Diagnostic, name: &str) -> Diagnostic {
    let span = problem.span;
    let is_plain = name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-/.*".contains(letter));
    let written = if is_plain { name.to_owned() } else { format!("'{name}'") };
    problem.help(format!("did you mean `{name}`?")).edit(span, written)
}
