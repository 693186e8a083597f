//! A text as an editor counts in it: lines, and characters by the units that were agreed on.

use lsp_types::{Position, Range};

/// The units in which columns are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Units {
    /// Bytes.
    Utf8,
    /// What the protocol counts where nothing else is agreed on.
    #[default]
    Utf16,
}

/// A text and where its lines start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    text: String,
    starts: Vec<usize>,
}

impl Text {
    pub(crate) fn new(text: impl Into<String>) -> Text {
        let text = text.into();
        let breaks = text.bytes().enumerate().filter(|(at, byte)| {
            let next = text.as_bytes().get(at.saturating_add(1));
            *byte == b'\n' || (*byte == b'\r' && next != Some(&b'\n'))
        });
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at.saturating_add(1))).collect();
        Text { text, starts }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// A line without its break, and where it starts.
    fn line(&self, number: usize) -> Option<(usize, &str)> {
        let start = *self.starts.get(number)?;
        let end = self.starts.get(number.saturating_add(1)).copied().unwrap_or(self.text.len());
        Some((start, self.text.get(start..end)?.trim_end_matches(['\n', '\r'])))
    }

    /// The byte of a position. What lies beyond a line is its end, what lies beyond the text is that of the text.
    pub(crate) fn offset(&self, position: Position, units: Units) -> usize {
        let Some((start, line)) = self.line(position.line as usize) else { return self.text.len() };
        let mut column = 0_usize;
        for (at, letter) in line.char_indices() {
            column = column.saturating_add(size(letter, units));
            if column > position.character as usize {
                return start.saturating_add(at);
            }
        }
        start.saturating_add(line.len())
    }

    /// The position of a byte.
    pub(crate) fn position(&self, offset: usize, units: Units) -> Position {
        let number = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(number).copied().unwrap_or(0);
        let mut end = offset.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end = end.saturating_sub(1);
        }
        let before = self.text.get(start..end).unwrap_or_default();
        let column = before.chars().fold(0_usize, |column, letter| column.saturating_add(size(letter, units)));
        let clamp = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Position { line: clamp(number), character: clamp(column) }
    }

    /// The positions of a range of bytes.
    pub(crate) fn range(&self, range: &std::ops::Range<usize>, units: Units) -> Range {
        Range { start: self.position(range.start, units), end: self.position(range.end, units) }
    }

    /// The text with a part of it replaced.
    pub(crate) fn edited(&self, range: Range, new: &str, units: Units) -> Text {
        let (start, end) = (self.offset(range.start, units), self.offset(range.end, units));
        let (head, tail) = (self.text.get(..start.min(end)), self.text.get(end.max(start)..));
        Text::new([head.unwrap_or_default(), new, tail.unwrap_or_default()].concat())
    }
}

fn size(letter: char, units: Units) -> usize {
    match units {
        Units::Utf8 => letter.len_utf8(),
        Units::Utf16 => letter.len_utf16(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_are_counted_in_the_units_agreed_on() {
        let text = Text::new("ab\r\n😀é:x\n\rlast");
        for (byte, utf16, utf8) in [
            (0, at(0, 0), at(0, 0)),
            (2, at(0, 2), at(0, 2)),
            (4, at(1, 0), at(1, 0)),
            (8, at(1, 2), at(1, 4)),
            (10, at(1, 3), at(1, 6)),
            (12, at(1, 5), at(1, 8)),
            (14, at(3, 0), at(3, 0)),
            (18, at(3, 4), at(3, 4)),
        ] {
            assert_eq!((text.position(byte, Units::Utf16), text.position(byte, Units::Utf8)), (utf16, utf8), "{byte}");
            assert_eq!((text.offset(utf16, Units::Utf16), text.offset(utf8, Units::Utf8)), (byte, byte), "{byte}");
        }
    }

    #[test]
    fn a_position_beyond_a_line_or_inside_a_character_is_moved_to_one_that_is_there() {
        let text = Text::new("ab\n😀\n");
        let offsets =
            [at(0, 99), at(1, 1), at(1, 99), at(2, 9), at(9, 0)].map(|place| text.offset(place, Units::Utf16));
        assert_eq!(offsets, [2, 3, 7, 8, 8]);
        assert_eq!(text.position(5, Units::Utf16), at(1, 0));
        assert_eq!(text.position(99, Units::Utf8), at(2, 0));
    }

    #[test]
    fn an_edit_replaces_a_range() {
        let text = Text::new("a: 1\nb: 😀\n");
        let range = Range { start: at(1, 3), end: at(1, 5) };
        assert_eq!(text.edited(range, "2\nc: 3", Units::Utf16).as_str(), "a: 1\nb: 2\nc: 3\n");
        let reversed = Range { start: at(0, 4), end: at(0, 3) };
        assert_eq!(text.edited(reversed, "7", Units::Utf16).as_str(), "a: 7\nb: 😀\n");
    }
}
