//! Maps and lists by indentation, one line after another.
//!
//! A line that does not fit where it stands is passed over. Nesting is bounded, so that no text can exhaust the stack.

use super::flow;
use super::{Data, Entry, Node};
use std::ops::Range;

/// How deep values may be nested; what is deeper is read as a text.
pub(super) const MAX_DEPTH: usize = 64;

/// A line that says something.
#[derive(Clone, Debug)]
struct Line {
    /// The column of its first character, in bytes.
    indent: usize,
    /// From its first to its last character, a comment included.
    content: Range<usize>,
    /// Its end, white space included.
    end: usize,
}

pub(super) fn read(text: &str, place: Option<usize>) -> Option<Node> {
    let mut reader = Reader { text, place, lines: lines(text, place), at: 0, depth: 0 };
    reader.block(0)
}

/// The lines but for blank ones and comments; a blank one counts where the place is in it.
fn lines(text: &str, place: Option<usize>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut start = 0_usize;
    for line in text.split_inclusive('\n') {
        let (from, whole) = (start, line.trim_end_matches(['\n', '\r']));
        start = start.saturating_add(line.len());
        let (end, said) = (from.saturating_add(whole.len()), whole.trim_start());
        let indent = whole.len().saturating_sub(said.len());
        let is_here = place.filter(|place| from <= *place && *place <= end);
        match is_here {
            Some(place) if said.is_empty() => {
                lines.push(Line { indent: place.saturating_sub(from), content: place..place, end });
            }
            _ if said.is_empty() || said.starts_with('#') || said == "---" => {}
            _ => {
                let content = from.saturating_add(indent)..from.saturating_add(whole.trim_end().len());
                lines.push(Line { indent, content, end });
            }
        }
    }
    // The text ends with a line break: the place is on the line that is not there yet.
    if place == Some(start) && (text.is_empty() || text.ends_with('\n')) {
        lines.push(Line { indent: 0, content: start..start, end: start });
    }
    lines
}

struct Reader<'t> {
    text: &'t str,
    place: Option<usize>,
    lines: Vec<Line>,
    at: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<Line> {
        self.lines.get(self.at).cloned()
    }

    fn pass(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    /// Goes on with the first line that begins behind a place.
    fn pass_to(&mut self, place: usize) {
        while self.lines.get(self.at).is_some_and(|line| line.content.start < place) {
            self.pass();
        }
    }

    fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or_default()
    }

    fn is_item(&self, line: &Line) -> bool {
        let content = self.slice(line.content.clone());
        content == "-" || content.starts_with("- ")
    }

    /// The value that begins on the next line, if that stands at this column or deeper.
    fn block(&mut self, least: usize) -> Option<Node> {
        let line = self.peek().filter(|line| line.indent >= least)?;
        if self.depth > MAX_DEPTH {
            self.pass();
            return Some(Node::scalar(line.content.clone(), self.slice(line.content)));
        }
        self.depth = self.depth.saturating_add(1);
        let node = if self.is_item(&line) {
            self.list(line.indent)
        } else if self.key(&line).is_some() || self.begins_map(&line) {
            self.map(line.indent)
        } else {
            self.value(line.content.start, &line, least)
        };
        self.depth = self.depth.saturating_sub(1);
        Some(node)
    }

    /// True for a line that may become the first key of a map that goes on below it.
    fn begins_map(&self, line: &Line) -> bool {
        let next = self.lines.get(self.at.saturating_add(1));
        let opens = self.slice(line.content.clone()).starts_with(['{', '[', '"', '\'', '|', '>']);
        let is_entry = |next: &Line| next.indent == line.indent && !self.is_item(next) && self.key(next).is_some();
        !opens && next.is_some_and(is_entry)
    }

    fn list(&mut self, column: usize) -> Node {
        let mut items = Vec::new();
        let mut range = self.peek().map_or(0..0, |line| line.content);
        while let Some(line) = self.peek().filter(|line| line.indent == column && self.is_item(line)) {
            let behind = line.content.start.saturating_add(1);
            let rest = self.slice(behind..line.content.end);
            let blanks = rest.len().saturating_sub(rest.trim_start().len());
            let item = if rest.trim_start().is_empty() || rest.trim_start().starts_with('#') {
                self.pass();
                let deeper = self.block(column.saturating_add(1));
                let room = behind.saturating_add(1).min(line.end)..self.room(behind, &line);
                deeper.unwrap_or_else(|| Node::scalar(room, ""))
            } else {
                let start = behind.saturating_add(blanks);
                let indent = column.saturating_add(1).saturating_add(blanks);
                if let Some(place) = self.lines.get_mut(self.at) {
                    *place = Line { indent, content: start..line.content.end, end: line.end };
                }
                let item = self.block(column.saturating_add(1));
                item.unwrap_or_else(|| Node::scalar(start..line.content.end, ""))
            };
            range.end = item.range.end.max(range.end);
            items.push(item);
        }
        Node { range, data: Data::List(items) }
    }

    fn map(&mut self, column: usize) -> Node {
        let mut entries: Vec<Entry> = Vec::new();
        let mut range = self.peek().map_or(0..0, |line| line.content);
        while let Some(line) = self.peek().filter(|line| line.indent >= column) {
            let is_here = self.place == Some(line.content.start);
            if line.indent == column && self.is_item(&line) || line.indent > column && !is_here {
                if line.indent == column {
                    break;
                }
                // A line that stands too deep for what is above it.
                self.pass();
                continue;
            }
            let entry = match self.key(&line) {
                Some((key, key_range, behind)) => {
                    let value = Some(self.value(behind, &line, column.saturating_add(1)));
                    Entry { key, key_range, value }
                }
                None => {
                    self.pass();
                    Entry { key: self.slice(line.content.clone()).into(), key_range: line.content, value: None }
                }
            };
            let end = entry.value.as_ref().map_or(entry.key_range.end, |value| value.range.end);
            range.end = end.max(range.end);
            entries.push(entry);
        }
        Node { range, data: Data::Map(entries) }
    }

    /// The key that a line begins with, its place, and the place behind the colon.
    fn key(&self, line: &Line) -> Option<(String, Range<usize>, usize)> {
        let text = self.slice(line.content.clone());
        let (key, length) = match text.chars().next()? {
            '{' | '[' | '#' | '|' | '>' => return None,
            '"' | '\'' => {
                let length = flow::quoted(text, 0)?;
                (flow::unquoted(text.get(..length)?), length)
            }
            _ => {
                let is_end = |(at, _): &(usize, &str)| {
                    let after = text.get(at.saturating_add(1)..).unwrap_or_default();
                    after.is_empty() || after.starts_with([' ', '\t'])
                };
                let comment = text.find(" #").unwrap_or(text.len());
                let (at, _) = text.match_indices(':').find(is_end).filter(|(at, _)| *at < comment)?;
                (text.get(..at)?.trim_end().to_owned(), at)
            }
        };
        let behind = text.get(length..)?;
        let colon = length.saturating_add(behind.len().saturating_sub(behind.trim_start().len()));
        let is_key =
            behind.trim_start().strip_prefix(':').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
        let start = line.content.start;
        let written = text.get(..length).map_or(length, |text| text.trim_end().len());
        is_key.then(|| (key, start..start.saturating_add(written), start.saturating_add(colon).saturating_add(1)))
    }

    /// Where a comment begins, or the line ends, for a value that is not written yet.
    fn room(&self, from: usize, line: &Line) -> usize {
        self.slice(from..line.end).find('#').map_or(line.end, |at| from.saturating_add(at))
    }

    /// The value behind a place of a line; what belongs to it on the lines below stands at least this deep.
    fn value(&mut self, behind: usize, line: &Line, least: usize) -> Node {
        let rest = self.slice(behind..line.content.end);
        let said = rest.trim_start();
        let start = line.content.end.saturating_sub(said.len()).max(behind);
        if said.is_empty() && behind == line.content.start {
            self.pass();
            return Node::scalar(behind..behind, "");
        }
        if said.is_empty() || said.starts_with('#') {
            let room = behind.saturating_add(1).min(line.end)..self.room(behind, line);
            return self.below(line, least).unwrap_or_else(|| Node::scalar(room, ""));
        }
        let limit = self.limit(line, least);
        match said.chars().next() {
            Some('{' | '[') => {
                let (node, end) = flow::read(self.text, start, limit, self.place);
                self.pass();
                self.pass_to(end);
                node
            }
            Some('"' | '\'') => {
                let end = flow::quoted(self.slice(start..limit), 0).map(|length| start.saturating_add(length));
                let end = end.unwrap_or(line.content.end);
                self.pass();
                self.pass_to(end);
                let text = self.slice(start..end);
                Node::scalar(start..end, flow::unquoted(text))
            }
            Some('|' | '>') => self.lines_of_text(start, limit, least),
            _ => self.plain(start, line, least),
        }
    }

    /// A text behind `|` or `>`: every line down to the limit.
    fn lines_of_text(&mut self, start: usize, limit: usize, least: usize) -> Node {
        let written = self.slice(start..limit).trim_end_matches(['\n', '\r', ' ', '\t']).len();
        let mut end = start.saturating_add(written);
        self.pass();
        while let Some(line) = self.peek().filter(|line| line.content.start <= limit) {
            let is_here = line.content.is_empty() && line.indent >= least;
            if is_here {
                end = end.max(line.content.start);
            } else if line.content.is_empty() || line.content.start == limit {
                break;
            }
            self.pass();
        }
        Node::scalar(start..end, self.slice(start..end))
    }

    /// A value that begins below its key: deeper, or a list at the column of the key.
    fn below(&mut self, line: &Line, least: usize) -> Option<Node> {
        self.pass();
        let next = self.peek()?;
        let is_list =
            next.indent.saturating_add(1) == least && self.is_item(&next) && line.content.start < next.content.start;
        if is_list { Some(self.list(next.indent)) } else { self.block(least) }
    }

    /// A text without quotes, with the lines that go on with it.
    fn plain(&mut self, start: usize, line: &Line, least: usize) -> Node {
        let whole = |from: usize, line: &Line| {
            let text = self.slice(from..line.content.end);
            let comment = text.find(" #");
            let said = comment.map_or(text, |at| text.get(..at).unwrap_or_default()).trim_end().len();
            let end = from.saturating_add(said);
            // Blanks behind an operator, where the next operand is about to stand.
            self.place.filter(|place| comment.is_none() && end < *place && *place <= line.end).unwrap_or(end)
        };
        let mut end = whole(start, line);
        let mut at = self.at.saturating_add(1);
        while let Some(next) = self.lines.get(at) {
            let goes_on = next.indent >= least && self.key(next).is_none() && !self.is_item(next);
            if !goes_on {
                break;
            }
            end = whole(next.content.start, next);
            at = at.saturating_add(1);
        }
        self.at = at;
        Node::scalar(start..end, self.slice(start..end))
    }

    /// Where what begins on a line must have ended: where a line is less deep than this and closes nothing.
    fn limit(&self, line: &Line, least: usize) -> usize {
        let mut from = line.end;
        let closers = ['}', ']'];
        for text in self.text.get(line.end..).unwrap_or_default().split_inclusive('\n').skip(1) {
            let from_line = from.saturating_add(self.break_at(from));
            let said = text.trim_start();
            let depth = text.len().saturating_sub(said.len());
            if !said.is_empty() && depth < least && !said.starts_with(closers) {
                return from_line;
            }
            from = from_line.saturating_add(text.trim_end_matches(['\n', '\r']).len());
        }
        self.text.len()
    }

    /// How many bytes the line break at a place has.
    fn break_at(&self, place: usize) -> usize {
        let rest = self.text.get(place..).unwrap_or_default();
        if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) }
    }
}
