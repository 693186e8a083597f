//! Lists and maps in brackets, and texts in quotes, on one line or several.

use super::block::MAX_DEPTH;
use super::{Data, Entry, Node};
use std::ops::Range;

/// The value that begins at a place, and the place behind it. What is not closed ends at the limit.
pub(super) fn read(text: &str, start: usize, limit: usize, place: Option<usize>) -> (Node, usize) {
    let mut reader = Flow { text: text.get(..limit).unwrap_or(text), at: start, place, depth: 0 };
    let node = reader.value();
    (node, reader.at)
}

/// The length of the text in quotes that begins at a place; `None` where the quote is not closed.
pub(super) fn quoted(text: &str, start: usize) -> Option<usize> {
    let mut letters = text.get(start..)?.char_indices().peekable();
    let (_, quote) = letters.next()?;
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' && quote == '"' {
            letters.next();
        } else if letter == quote {
            if quote == '\'' && letters.next_if(|(_, next)| *next == quote).is_some() {
                continue;
            }
            return Some(at.saturating_add(1));
        }
    }
    None
}

/// What stands in the quotes. Escapes are kept as they are written, but for a doubled single quote.
pub(super) fn unquoted(text: &str) -> String {
    match text.chars().next() {
        Some('\'') => inner(text, '\'').replace("''", "'"),
        Some('"') => inner(text, '"').to_owned(),
        _ => text.to_owned(),
    }
}

fn inner(text: &str, quote: char) -> &str {
    let behind = text.strip_prefix(quote).unwrap_or(text);
    behind.strip_suffix(quote).unwrap_or(behind)
}

struct Flow<'t> {
    /// The text up to the limit.
    text: &'t str,
    at: usize,
    place: Option<usize>,
    depth: usize,
}

impl Flow<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn first(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn advance(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    /// Passes white space and comments; where they began.
    fn blanks(&mut self) -> usize {
        let start = self.at;
        loop {
            let rest = self.rest();
            let blank = rest.len().saturating_sub(rest.trim_start().len());
            self.advance(blank);
            let is_comment = self.rest().starts_with('#') && self.at > 0;
            if !is_comment {
                return start;
            }
            let comment = self.rest().find('\n').unwrap_or(self.rest().len());
            self.advance(comment);
        }
    }

    fn value(&mut self) -> Node {
        let start = self.at;
        match self.first() {
            Some(open @ ('{' | '[')) if self.depth <= MAX_DEPTH => {
                self.depth = self.depth.saturating_add(1);
                self.advance(1);
                let data = if open == '{' { Data::Map(self.entries()) } else { Data::List(self.items()) };
                self.depth = self.depth.saturating_sub(1);
                Node { range: start..self.at, data }
            }
            Some('"' | '\'') => {
                let length = quoted(self.rest(), 0).unwrap_or_else(|| self.line());
                let text = unquoted(self.rest().get(..length).unwrap_or_default());
                self.advance(length);
                Node::scalar(start..self.at, text)
            }
            _ => {
                let range = self.plain();
                Node::scalar(range.clone(), self.text.get(range).unwrap_or_default())
            }
        }
    }

    /// The length of the rest of the line.
    fn line(&self) -> usize {
        let rest = self.rest();
        rest.get(..rest.find('\n').unwrap_or(rest.len())).unwrap_or_default().trim_end().len()
    }

    /// A word without quotes: up to a comma, a bracket, a colon with a blank, or a comment. At least one character.
    fn plain(&mut self) -> Range<usize> {
        let start = self.at;
        let rest = self.rest();
        let mut length = rest.len();
        for (at, letter) in rest.char_indices() {
            let after = rest.get(at.saturating_add(letter.len_utf8())..).unwrap_or_default();
            let ends = match letter {
                ',' | '{' | '}' | '[' | ']' => true,
                ':' => after.is_empty() || after.starts_with([' ', '\t', '\n', '\r', ',', '}', ']']),
                ' ' => after.starts_with('#'),
                _ => false,
            };
            if ends && at > 0 {
                length = at;
                break;
            }
        }
        self.advance(length);
        let written = self.text.get(start..self.at).unwrap_or_default().trim_end().len();
        let end = start.saturating_add(written);
        start..self.place.filter(|place| end < *place && *place <= self.at).unwrap_or(end)
    }

    /// The place, if it is in white space where something may still be written.
    fn room(&self, from: usize) -> Option<Range<usize>> {
        let is_end = self.first().is_none_or(|next| matches!(next, ',' | '}' | ']'));
        let place = self.place.filter(|place| from <= *place && (*place < self.at || (*place == self.at && is_end)))?;
        Some(place..place)
    }

    /// Where a value may be written behind a colon: up to the end of its line, or where the place is below that.
    fn room_of_value(&self, colon: usize) -> Range<usize> {
        let blank = self.text.get(colon..self.at).unwrap_or_default();
        let end = colon.saturating_add(blank.find(['\r', '\n']).unwrap_or(blank.len()));
        match self.place.filter(|place| end < *place && *place <= self.at) {
            Some(place) => place..place,
            None => colon.saturating_add(1).min(end)..end,
        }
    }

    fn items(&mut self) -> Vec<Node> {
        let mut items = Vec::new();
        let mut is_next = true;
        loop {
            let from = self.blanks();
            if let Some(room) = self.room(from).filter(|_| is_next) {
                items.push(Node::scalar(room, ""));
            }
            match self.first() {
                None => return items,
                Some(']' | '}') => {
                    self.advance(1);
                    return items;
                }
                Some(',') => {
                    is_next = true;
                    self.advance(1);
                    continue;
                }
                Some(_) => items.push(self.value()),
            }
            is_next = false;
        }
    }

    fn entries(&mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut is_next = true;
        loop {
            let from = self.blanks();
            if let Some(room) = self.room(from).filter(|_| is_next) {
                entries.push(Entry { key: String::new(), key_range: room, value: None });
            }
            match self.first() {
                None => return entries,
                Some('}' | ']') => {
                    self.advance(1);
                    return entries;
                }
                Some(',') => {
                    is_next = true;
                    self.advance(1);
                    continue;
                }
                Some(_) => entries.push(self.entry()),
            }
            is_next = false;
        }
    }

    fn entry(&mut self) -> Entry {
        let key = self.value();
        let (key_range, key) = (key.range.clone(), key.text().unwrap_or_default().to_owned());
        let behind = self.at;
        self.blanks();
        if self.first() != Some(':') {
            self.at = behind;
            return Entry { key, key_range, value: None };
        }
        self.advance(1);
        let from = self.at;
        self.blanks();
        let room = self.room_of_value(from);
        let value = match self.first() {
            None | Some(',' | '}' | ']') => Node::scalar(room, ""),
            // What follows on a later line is not the value that is about to be written here.
            Some(_)
                if room.end < self.at && self.place.is_some_and(|place| room.start <= place && place <= room.end) =>
            {
                self.at = room.end;
                Node::scalar(room, "")
            }
            Some(_) => self.value(),
        };
        Entry { key, key_range, value: Some(value) }
    }
}
