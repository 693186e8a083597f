//! Walks over the trees of files: their texts, and the maps that hold something.
//!
//! Nothing is judged here.

use crate::source::{Sources, Span};
use crate::yaml::{Data, Node};

/// Tells of every key and every text of a tree, with its place.
pub(super) fn texts<'n>(node: &'n Node, visit: &mut impl FnMut(&'n str, Span)) {
    match &node.data {
        Data::List(items) => items.iter().for_each(|item| texts(item, visit)),
        Data::Map(entries) => entries.iter().for_each(|entry| {
            visit(&entry.key, entry.key_span);
            texts(&entry.value, visit);
        }),
        Data::Text(text) => visit(text, node.span),
        Data::Null | Data::Refused | Data::Bool(_) | Data::Number(_) => {}
    }
}

/// Tells of every value that stands under a key, wherever that is.
pub(super) fn under<'n>(node: &'n Node, key: &str, visit: &mut impl FnMut(&'n Node)) {
    match &node.data {
        Data::List(items) => items.iter().for_each(|item| under(item, key, visit)),
        Data::Map(entries) => entries.iter().for_each(|entry| {
            if &*entry.key == key {
                visit(&entry.value);
            }
            under(&entry.value, key, visit);
        }),
        _ => {}
    }
}

/// The map whose `id` stands at a place.
pub(super) fn holder(node: &Node, id: Span) -> Option<&Node> {
    let holds = |outer: Span| outer.start <= id.start && id.end <= outer.end;
    match &node.data {
        Data::List(items) => items.iter().filter(|item| holds(item.span)).find_map(|item| holder(item, id)),
        Data::Map(entries) => {
            let is_here = entries.iter().any(|entry| &*entry.key == "id" && entry.value.span == id);
            let mut around = entries.iter().map(|entry| &entry.value).filter(|value| holds(value.span));
            if is_here { Some(node) } else { around.find_map(|value| holder(value, id)) }
        }
        _ => None,
    }
}

/// Where a word first stands whole in a text, as it is written in its file; `is_part` is true for what would make the word
/// a longer one.
pub(super) fn word_in(sources: &Sources, text: Span, word: &str, is_part: impl Fn(char) -> bool) -> Option<Span> {
    let written = sources.slice(text);
    let mut places = written.match_indices(word).map(|(at, _)| at);
    let at = places.find(|at| {
        let (before, behind) = written.split_at_checked(*at).unwrap_or_default();
        !before.ends_with(&is_part) && !behind.strip_prefix(word).unwrap_or_default().starts_with(&is_part)
    })?;
    let start = usize::try_from(text.start).unwrap_or_default().saturating_add(at);
    Some(Span::new(text.file, start, start.saturating_add(word.len())))
}
