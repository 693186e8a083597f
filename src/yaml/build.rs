//! From a stream of events to the tree: one frame per open list or map, every problem kept.
//!
//! A problem never stops the building: what cannot be used is reported and left out. Nothing here knows the parser
//! behind the events.

use std::mem;

use super::node::{Data, Entry, Node, Style};
use super::scalar::{self, Plain};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, Span};

/// How many lists and maps may stand inside each other.
const MAX_DEPTH: usize = 32;

/// The tree under construction.
#[derive(Debug)]
pub(super) struct Builder<'s> {
    pub(super) file: FileId,
    pub(super) text: &'s str,
    pub(super) problems: Vec<Diagnostic>,
    /// How many of the problems are errors.
    pub(super) errors: usize,
    /// The last scalar or collection that was completed.
    pub(super) last: Span,
    frames: Vec<Frame>,
    root: Option<Node>,
}

/// An open list or map.
#[derive(Debug)]
struct Frame {
    span: Span,
    flow: bool,
    open: Open,
}

#[derive(Debug)]
enum Open {
    List(Vec<Node>),
    Map(OpenMap),
}

#[derive(Debug, Default)]
struct OpenMap {
    entries: Vec<Entry>,
    bare: Vec<Bare>,
    slot: Slot,
}

/// What the next node of a map is.
#[derive(Debug, Default)]
enum Slot {
    #[default]
    Key,
    Value(Box<str>, Span),
    /// The value of a key that is a list or a map.
    OfCollection(Span),
    /// The value of a key that was reported.
    Unusable,
}

/// A key in `{}` without a colon.
#[derive(Debug)]
pub(super) struct Bare {
    pub(super) span: Span,
    /// How many entries stand before it.
    pub(super) before: usize,
}

impl<'s> Builder<'s> {
    pub(super) fn new(file: FileId, text: &'s str) -> Builder<'s> {
        let last = Span::new(file, 0, 0);
        Builder { file, text, problems: Vec::new(), errors: 0, last, frames: Vec::new(), root: None }
    }

    /// The tree and what is wrong with it.
    pub(super) fn finish(self) -> (Option<Node>, Vec<Diagnostic>) {
        (self.root, self.problems)
    }

    /// True inside more lists and maps than are allowed, which was reported where it began.
    pub(super) fn is_too_deep(&self) -> bool {
        self.frames.len() > MAX_DEPTH
    }

    /// True if the innermost open list or map is written in brackets.
    pub(super) fn in_flow(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.flow)
    }

    pub(super) fn open_list(&mut self, span: Span, flow: bool) {
        self.open(Frame { span, flow, open: Open::List(Vec::new()) });
    }

    pub(super) fn open_map(&mut self, span: Span, flow: bool) {
        self.open(Frame { span, flow, open: Open::Map(OpenMap::default()) });
    }

    fn open(&mut self, frame: Frame) {
        if !frame.flow && self.is_indented_by_tab(frame.span) {
            self.tab(frame.span);
        }
        if self.frames.len() == MAX_DEPTH {
            self.too_deep(frame.span);
        }
        self.frames.push(frame);
    }

    /// The parser lets a tab pass before the first key of a block, which other readers refuse.
    fn is_indented_by_tab(&self, span: Span) -> bool {
        let before = self.text.get(..span.start as usize).unwrap_or_default();
        before.ends_with('\t') && before.rsplit('\n').next().is_some_and(|line| line.trim_start().is_empty())
    }

    pub(super) fn close(&mut self, end: Span) {
        let too_deep = self.frames.len() > MAX_DEPTH;
        let Some(frame) = self.frames.pop() else { return };
        let last = match &frame.open {
            Open::List(items) => items.last().map(|item| item.span),
            Open::Map(map) => map.entries.last().map(|entry| entry.value.span),
        };
        // A block has no closing character: its end event lies behind the blank lines that follow.
        let end = if end.start == end.end { last.unwrap_or(frame.span) } else { end };
        let span = frame.span.to(end);
        let data = match frame.open {
            Open::List(items) => Data::List(items),
            Open::Map(map) => self.close_map(map, span),
        };
        let style = if frame.flow { Style::Flow } else { Style::Block };
        self.add(Node { span, style, data: if too_deep { Data::Refused } else { data } });
    }

    fn close_map(&mut self, map: OpenMap, span: Span) -> Data {
        if !self.is_key_position() {
            self.check_bare_keys(&map.bare, &map.entries, span);
        }
        Data::Map(self.without_repeats(map.entries))
    }

    /// Keeps the first of each key and reports the others.
    fn without_repeats(&mut self, entries: Vec<Entry>) -> Vec<Entry> {
        let mut order: Vec<&Entry> = entries.iter().collect();
        order.sort_by(|a, b| a.key.cmp(&b.key).then(a.key_span.cmp(&b.key_span)));
        let mut repeats = Vec::new();
        for same in order.chunk_by(|a, b| a.key == b.key) {
            let Some((first, others)) = same.split_first() else { continue };
            repeats.extend(others.iter().map(|other| (other.key_span, first.key_span, other.key.clone())));
        }
        if repeats.is_empty() {
            return entries;
        }
        repeats.sort();
        for (again, first, key) in &repeats {
            self.repeated_key(key, *again, *first);
        }
        let is_repeat = |entry: &Entry| repeats.binary_search_by(|(again, ..)| again.cmp(&entry.key_span)).is_ok();
        entries.into_iter().filter(|entry| !is_repeat(entry)).collect()
    }

    /// A quoted or block text.
    pub(super) fn text(&mut self, text: &str, span: Span, style: Style) {
        // The parser counts the line break behind a block text to it.
        let written = self.slice(span).trim_end().len();
        let end = (span.start as usize).saturating_add(written);
        self.add(Node { span: Span::new(self.file, span.start as usize, end), style, data: Data::Text(text.into()) });
    }

    /// A scalar without quotes; `text` is folded onto one line.
    pub(super) fn plain(&mut self, text: &str, span: Span) {
        // An absent value arrives as `~` without a place of its own.
        let data = match scalar::resolve(if span.start == span.end { "" } else { text }) {
            Plain::Null => Data::Null,
            Plain::Bool(value) => Data::Bool(value),
            Plain::Number(number) => Data::Number(number),
            Plain::Inexact => self.inexact_number(text, span),
            Plain::Text => Data::Text(text.into()),
            Plain::Ambiguous(what) => self.ambiguous_text(text, what, span),
        };
        if matches!(data, Data::Text(_)) {
            self.check_comment(span);
        }
        self.add(Node { span, style: Style::Plain, data });
    }

    /// A place whose value was reported: nothing is there to be read.
    pub(super) fn refused(&mut self, span: Span) {
        self.add(Node { span, style: Style::Plain, data: Data::Refused });
    }

    /// An alias, which has no value here.
    pub(super) fn alias(&mut self, span: Span, is_known: bool) {
        self.refuse_alias(span, is_known);
        self.refused(span);
    }

    fn add(&mut self, node: Node) {
        self.last = node.span;
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(node);
            return;
        };
        match &mut frame.open {
            Open::List(items) => items.push(node),
            Open::Map(map) => {
                let slot = mem::take(&mut map.slot);
                self.add_to_map(slot, node);
            }
        }
    }

    fn add_to_map(&mut self, slot: Slot, node: Node) {
        let (key, key_span) = match slot {
            Slot::Key => {
                let key = self.key(node);
                if let Some(map) = self.map() {
                    map.slot = key;
                }
                return;
            }
            Slot::Unusable => return,
            Slot::Value(key, span) => (Some(key), span),
            Slot::OfCollection(span) => (None, span),
        };
        let is_bare = self.in_flow() && self.has_no_colon(key_span, &node);
        match key {
            None if !is_bare => self.collection_as_key(key_span),
            key => {
                let Some(map) = self.map() else { return };
                match key {
                    Some(key) if !is_bare => map.entries.push(Entry { key, key_span, value: node }),
                    _ => map.bare.push(Bare { span: key_span, before: map.entries.len() }),
                }
            }
        }
    }

    fn key(&mut self, node: Node) -> Slot {
        match node.data {
            Data::Text(text) if node.style == Style::Plain && &*text == "<<" => {
                self.merge_key(node.span);
                Slot::Unusable
            }
            Data::Text(text) => Slot::Value(text, node.span),
            Data::List(_) | Data::Map(_) => Slot::OfCollection(node.span),
            Data::Null | Data::Refused if node.span.start == node.span.end => {
                self.missing_key(node.span);
                Slot::Unusable
            }
            Data::Null | Data::Refused | Data::Bool(_) | Data::Number(_) => {
                self.scalar_as_key(node.span);
                Slot::Value(self.slice(node.span).into(), node.span)
            }
        }
    }

    fn map(&mut self) -> Option<&mut OpenMap> {
        match &mut self.frames.last_mut()?.open {
            Open::Map(map) => Some(map),
            Open::List(_) => None,
        }
    }

    pub(super) fn is_key_position(&mut self) -> bool {
        self.map().is_some_and(|map| matches!(map.slot, Slot::Key))
    }

    /// `{key}` or `{key, …}`: the parser makes up a value where the author wrote none.
    fn has_no_colon(&self, key: Span, value: &Node) -> bool {
        let is_absent = value.data == Data::Null && value.span.start == value.span.end;
        let behind = self.text.get(key.end as usize..).unwrap_or_default();
        is_absent && !behind.trim_start().starts_with(':')
    }

    pub(super) fn slice(&self, span: Span) -> &'s str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}
