//! From an offset in a text to its place in the YAML file, however the text is written there: plain, quoted with
//! escapes, folded or as a block.
//!
//! What is not white space stands in the file in the same order as in the text, so text and file are walked side by side.

use crate::source::{Sources, Span};
use crate::yaml::{Node, Style};

/// Where the bytes of a text stand in its file.
#[derive(Clone, Debug)]
pub(super) struct Places {
    whole: Span,
    /// The offset in the file of each byte of the text, and of its end; empty: only the whole is known.
    offsets: Vec<u32>,
}

impl Places {
    /// A text that stands nowhere else: every part of it is at one place.
    pub(super) fn at(whole: Span) -> Places {
        Places { whole, offsets: Vec::new() }
    }

    /// The places of the text at a node.
    pub(super) fn of(node: &Node, sources: &Sources) -> Places {
        let Some(text) = node.text() else { return Places::at(node.span) };
        let offsets = match node.verbatim(sources) {
            Some(inner) => (inner.start..=inner.end).collect(),
            None => {
                let written = sources.slice(node.span);
                // Behind `|` or `>` the text begins on the next line; some readers begin there.
                let next = written.find('\n').filter(|_| node.style == Style::Block);
                let starts = [Some(0), next].into_iter().flatten();
                starts.into_iter().find_map(|start| aligned(text, written, start, node)).unwrap_or_default()
            }
        };
        Places { whole: node.span, offsets }
    }

    /// The whole text.
    pub(super) fn whole(&self) -> Span {
        self.whole
    }

    /// The place of a range of the text.
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        let last = end.saturating_sub(1).max(start);
        match (self.offsets.get(start), self.offsets.get(last), self.offsets.get(end)) {
            // What follows the last byte may stand on another line.
            (Some(start), Some(last), Some(end)) => {
                let end = if end.saturating_sub(*last) <= 4 { *end } else { last.saturating_add(1) };
                Span { file: self.whole.file, start: *start, end: end.max(*start) }
            }
            _ => self.whole,
        }
    }
}

/// The offset of each byte of `text` in what is written at the node from `start` on; `None` if they do not fit together.
fn aligned(text: &str, written: &str, start: usize, node: &Node) -> Option<Vec<u32>> {
    let quote = written.chars().next().filter(|first| node.style == Style::Quoted && matches!(first, '"' | '\''));
    let mut walk = Walk { written, at: start.saturating_add(usize::from(quote.is_some())), quote };
    let base = node.span.start;
    let mut offsets = Vec::with_capacity(text.len().saturating_add(1));
    let mut push = |at: usize, count: usize| {
        let offset = base.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
        offsets.extend(std::iter::repeat_n(offset, count));
    };
    for character in text.chars() {
        let at = walk.take(character)?;
        push(at, character.len_utf8());
    }
    push(walk.at, 1);
    Some(offsets)
}

/// A walk over a text as it is written.
struct Walk<'w> {
    written: &'w str,
    at: usize,
    quote: Option<char>,
}

impl<'w> Walk<'w> {
    fn rest(&self) -> &'w str {
        self.written.get(self.at..).unwrap_or_default()
    }

    /// Where the next character of the text stands.
    fn take(&mut self, character: char) -> Option<usize> {
        loop {
            let rest = self.rest();
            let Some(next) = rest.chars().next() else {
                // The line break that a block ends in.
                return character.is_whitespace().then_some(self.at);
            };
            if self.quote == Some('"') && next == '\\' {
                let (length, is_break) = escape(rest)?;
                let at = self.at;
                self.at = self.at.saturating_add(length);
                if is_break {
                    continue;
                }
                return Some(at);
            }
            if character.is_whitespace() {
                // A run of white space may be written longer than it is; what follows it finds its place again.
                let at = self.at;
                if next.is_whitespace() {
                    self.at = self.at.saturating_add(next.len_utf8());
                }
                return Some(at);
            }
            if next.is_whitespace() {
                self.at = self.at.saturating_add(next.len_utf8());
                continue;
            }
            if next != character {
                return None;
            }
            let is_doubled = self.quote == Some('\'') && next == '\'';
            let at = self.at;
            self.at = self.at.saturating_add(if is_doubled { 2 } else { next.len_utf8() });
            return Some(at);
        }
    }
}

/// How long an escape of a text in double quotes is, and whether it only joins two lines.
fn escape(rest: &str) -> Option<(usize, bool)> {
    let kind = rest.chars().nth(1)?;
    Some(match kind {
        'x' => (4, false),
        'u' => (6, false),
        'U' => (10, false),
        '\n' => (2, true),
        '\r' => (3, true),
        other => (other.len_utf8().saturating_add(1), false),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The part of the file that a word of the text under `k` is written with.
    fn written(yaml: &str, word: &str) -> String {
        let sources = Sources::new("a.yaml", yaml);
        let mut problems = Vec::new();
        let tree = crate::yaml::read(crate::source::FileId(0), &sources, &mut problems).unwrap();
        let node = tree.get("k").unwrap();
        let start = node.text().unwrap().find(word).unwrap();
        let span = Places::of(node, &sources).span(start, start.saturating_add(word.len()));
        let file = sources.file(span.file).unwrap();
        let at = file.line_column(span.start);
        format!("{}:{} {}", at.line, at.column, sources.slice(span))
    }

    #[test]
    fn a_word_is_found_however_its_text_is_written() {
        for (yaml, place) in [
            ("k: a == bb", "1:9 bb"),
            ("k: 'a == bb'", "1:10 bb"),
            ("k: 'a == ''x'' && bb'", "1:19 bb"),
            ("k: \"a == 'x' && bb\"", "1:17 bb"),
            ("k: \"a == \\u0027x\\u0027 && bb\"", "1:27 bb"),
            ("k: \"a ==\\\n  'x' \\t bb\"", "2:10 bb"),
            ("k: a ==\n  c &&\n  bb", "3:3 bb"),
            ("k: >-\n  a ==\n  bb", "3:3 bb"),
            ("k: >-\n  a ==\n\n    bb\n  && c", "4:5 bb"),
            ("k: |\n  a ==  bb\n", "2:9 bb"),
            ("k: |2-\n   é == bb\n", "2:9 bb"),
        ] {
            assert_eq!(written(yaml, "bb"), place, "{yaml}");
        }
    }

    #[test]
    fn a_range_ends_with_its_last_character_even_before_a_line_break() {
        assert_eq!(written("k: >-\n  bb\n  == c", "bb"), "2:3 bb");
    }
}
