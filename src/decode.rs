//! From a spanned YAML tree to typed data: reads that collect every problem and never stop at the first.
//!
//! What a map may hold is a [`Shape`], a constant table. The decoder checks keys against it, `flyball schema`
//! prints it as JSON Schema and `flyball guards` as documentation, so the three cannot disagree. Meaning (does
//! this tool exist, can this rule fire) is not judged here.

use crate::decimal::Decimal;
use crate::diagnostic::{Diagnostic, did_you_mean};
use crate::source::{FileId, Sources, Span, Spanned};
use crate::tool::Pattern;
use crate::value::{Object, Value};
use crate::yaml::{Data, Entry, Node};

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum Type {
    /// Any text.
    Text,
    /// An id: `[a-z0-9-]{1,64}`.
    Id,
    /// `true` or `false`.
    Bool,
    /// A whole number from 0.
    Count,
    /// An exact number.
    Number,
    /// Any value, kept as it is written.
    Any,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of one type.
    List(&'static Type),
    /// One value, or a list of such values.
    OneOrMany(&'static Type),
    /// A map whose keys the author chooses.
    Map(&'static Type),
    /// A map with known keys.
    Shape(&'static Shape),
    /// Any of these forms.
    Either(&'static [Type]),
}

impl Type {
    /// The type in words, as a message and a documentation table say it.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Type::Text => "text".into(),
            Type::Id => "an id (`a` to `z`, `0` to `9`, `-`; at most 64)".into(),
            Type::Bool => "`true` or `false`".into(),
            Type::Count => "a whole number from 0".into(),
            Type::Number => "a number".into(),
            Type::Any => "any value".into(),
            Type::Word(words) => {
                let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                quoted.join(" | ")
            }
            Type::List(item) => format!("a list of {}", item.words()),
            Type::OneOrMany(item) => format!("{} or a list of such", item.words()),
            Type::Map(item) => format!("a map of {}", item.words()),
            Type::Shape(shape) => format!("a map ({})", shape.name),
            Type::Either(forms) => {
                let forms: Vec<String> = forms.iter().map(Type::words).collect();
                forms.join(", or ")
            }
        }
    }
}

/// One key of a map.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// True if a map without it is an error.
    pub required: bool,
    /// What it holds.
    pub ty: Type,
    /// One sentence for the reader of the documentation.
    pub doc: &'static str,
}

impl Field {
    /// A key that may be left out.
    #[must_use]
    pub const fn optional(key: &'static str, ty: Type, doc: &'static str) -> Field {
        Field { key, required: false, ty, doc }
    }

    /// A key that must be there.
    #[must_use]
    pub const fn required(key: &'static str, ty: Type, doc: &'static str) -> Field {
        Field { key, required: true, ty, doc }
    }
}

/// A map with known keys.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// What the map is, for messages: `a tool`.
    pub name: &'static str,
    /// Its keys, in the order of the documentation.
    pub fields: &'static [Field],
}

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

/// Reads nodes and collects problems.
#[derive(Debug)]
pub struct Decoder<'s> {
    /// The files, for texts and paths.
    pub sources: &'s Sources,
    /// Everything found so far.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'s> Decoder<'s> {
    /// A decoder over these files.
    #[must_use]
    pub fn new(sources: &'s Sources) -> Decoder<'s> {
        Decoder { sources, diagnostics: Vec::new() }
    }

    /// Reports a problem.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reads a file into a tree.
    pub fn read(&mut self, file: FileId) -> Option<Node> {
        crate::yaml::read(file, self.sources, &mut self.diagnostics)
    }

    /// Opens a map: unknown keys and missing ones are reported; the known ones can be read.
    pub fn open<'n>(&mut self, node: &'n Node, shape: &Shape) -> Option<Fields<'n>> {
        let Data::Map(entries) = &node.data else {
            self.wrong_type(node, &format!("a map ({})", shape.name));
            return None;
        };
        for entry in entries {
            if !shape.fields.iter().any(|field| field.key == &*entry.key) {
                self.unknown_key(entry, shape);
            }
        }
        for field in shape.fields.iter().filter(|field| field.required) {
            if !entries.iter().any(|entry| &*entry.key == field.key) {
                let message = format!("{} needs `{}`", shape.name, field.key);
                self.report(Diagnostic::error("missing-key", head(node.span, entries), message).help(field.doc));
            }
        }
        Some(Fields { span: node.span, entries })
    }

    fn unknown_key(&mut self, entry: &Entry, shape: &Shape) {
        let known: Vec<&str> = shape.fields.iter().map(|field| field.key).collect();
        let problem =
            Diagnostic::error("unknown-key", entry.key_span, format!("unknown key `{}` in {}", entry.key, shape.name));
        let near = crate::diagnostic::nearest(&entry.key, known.iter().copied());
        self.report(match near {
            Some(near) => problem.help(format!("did you mean `{near}`?")).edit(entry.key_span, near),
            None => problem.help(format!("it knows {}", quoted_list(&known))),
        });
    }

    /// Reports that a node is not what is wanted.
    pub fn wrong_type(&mut self, node: &Node, wanted: &str) {
        let message = format!("expected {wanted}, found {}", node.kind());
        self.report(Diagnostic::error("wrong-type", node.span, message));
    }

    /// A text. A bare `true` or number is refused with a hint to quote it.
    pub fn text(&mut self, node: &Node) -> Option<Spanned<String>> {
        match &node.data {
            Data::Text(text) => Some(Spanned::new(text.to_string(), node.span)),
            Data::Bool(_) | Data::Number(_) => {
                let written = self.sources.slice(node.span).to_owned();
                let problem =
                    Diagnostic::error("wrong-type", node.span, format!("expected text, found {}", node.kind()))
                        .help(format!("quote it: '{written}'"))
                        .edit(node.span, format!("'{written}'"));
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
            self.report(Diagnostic::error("bad-tool-name", text.span, format!("`{}` is not a tool name", text.value)));
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
                let means = match text.to_ascii_lowercase().as_str() {
                    "yes" | "on" | "y" | "true" => Some("true"),
                    "no" | "off" | "n" | "false" => Some("false"),
                    _ => None,
                };
                let problem = Diagnostic::error("wrong-type", node.span, "expected `true` or `false`, found a text");
                self.report(match means {
                    Some(word) => problem.help(format!("write {word} without quotes")).edit(node.span, word),
                    None => problem,
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
            self.wrong_type(node, "a number");
            return None;
        };
        match Decimal::parse_json(number.as_str()) {
            Ok(value) => Some(Spanned::new(value, node.span)),
            Err(error) => {
                self.report(Diagnostic::error("inexact-number", node.span, error.to_string()));
                None
            }
        }
    }

    /// A whole number from 0. Negative and fractional ones are refused.
    pub fn count(&mut self, node: &Node) -> Option<Spanned<u64>> {
        let number = self.number(node)?;
        let Some(count) = number.value.to_u64() else {
            let message = format!("`{}` is not a whole number from 0", number.value);
            self.report(
                Diagnostic::error("bad-count", node.span, message).help("0 allows none; leave it out for no limit"),
            );
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
        let near = crate::diagnostic::nearest(text, words.iter().map(|(word, _)| *word));
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
                self.wrong_type(node, "a list");
                &[]
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

/// Help for an unknown name: the nearest known one, else all of them.
pub(crate) fn suggest(word: &str, known: &[&str]) -> String {
    did_you_mean(word, known.iter().copied()).unwrap_or_else(|| match known {
        [] => "there is none to name".into(),
        known => format!("there are {}", quoted_list(known)),
    })
}
