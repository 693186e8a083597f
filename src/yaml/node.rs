//! The tree of a YAML file: values with the places where they were written.
//!
//! Data only. It knows nothing of specs, and how a value was read stays in the reader.

use crate::source::{Sources, Span};

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// From its first to its last character, quotes and brackets included.
    pub span: Span,
    /// How the author wrote it.
    pub style: Style,
    /// The value.
    pub data: Data,
}

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A scalar without quotes.
    Plain,
    /// A text in single or double quotes.
    Quoted,
    /// A text behind `|` or `>`, or a list or map by indentation.
    Block,
    /// A list in `[]` or a map in `{}`.
    Flow,
}

/// A value by its YAML 1.2 core type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// `null`, `~` or nothing at all.
    Null,
    /// What stands where a value was refused and reported, so that nobody reports it again.
    Refused,
    /// `true` or `false`.
    Bool(bool),
    /// An unquoted number.
    Number(Number),
    /// A text.
    Text(Box<str>),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order it was written, without repeated keys.
    Map(Vec<Entry>),
}

/// One key of a map and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key.
    pub key: Box<str>,
    /// Where the key stands, quotes included.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

/// An unquoted number that keeps its digits: `500.00` stays `500.00`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(Box<str>);

impl Number {
    /// `text` is a number as JSON writes it.
    pub(super) fn new(text: impl Into<Box<str>>) -> Number {
        Number(text.into())
    }

    /// The number as JSON writes it: no `+`, no base, a digit on both sides of the point.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Node {
    /// A text at a place: a key, read as a value.
    #[must_use]
    pub fn text_at(text: &str, span: Span) -> Node {
        Node { span, style: Style::Plain, data: Data::Text(text.into()) }
    }

    /// What the value is, as a message names it: `expected a text, found a list`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.data {
            Data::Null | Data::Refused => "nothing",
            Data::Bool(_) => "true or false",
            Data::Number(_) => "a number",
            Data::Text(_) => "a text",
            Data::List(_) => "a list",
            Data::Map(_) => "a map",
        }
    }

    /// The value of a key, if this is a map that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        let Data::Map(entries) = &self.data else { return None };
        entries.iter().find(|entry| &*entry.key == key).map(|entry| &entry.value)
    }

    /// The text, if this is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Data::Text(text) = &self.data { Some(text) } else { None }
    }

    /// True for a scalar without quotes.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.style == Style::Plain
    }

    /// Where the text stands without its quotes, if it is written there byte for byte: then an offset into the
    /// text is an offset into the file. `None` for a text with escapes or folded lines.
    #[must_use]
    pub fn verbatim(&self, sources: &Sources) -> Option<Span> {
        let text = self.text()?;
        let inner =
            Span { start: self.span.start.saturating_add(1), end: self.span.end.saturating_sub(1), ..self.span };
        let span = if self.style == Style::Quoted { inner } else { self.span };
        (sources.slice(span) == text).then_some(span)
    }
}
