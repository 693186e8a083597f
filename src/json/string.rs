//! The strings of the JSON reader: borrowed without escapes, rebuilt with them.

use super::{JsonCode, JsonError, Reader};
use crate::canon::plain_run;
use std::borrow::Cow;

impl<'a> Reader<'a> {
    /// Reads the string whose opening quote stands here.
    #[inline]
    pub(super) fn string_at_quote(&mut self) -> Result<Cow<'a, str>, JsonError> {
        let open = self.at;
        self.advance();
        match self.plain_to_quote() {
            (plain, true) => Ok(Cow::Borrowed(plain)),
            (plain, false) => self.string_with_escapes(open, plain).map(Cow::Owned),
        }
    }

    /// Takes plain text, and the quote that ends the string if it stands there.
    fn plain_to_quote(&mut self) -> (&'a str, bool) {
        let plain = self.plain();
        let ends = self.bytes.get(self.at) == Some(&b'"');
        self.at = self.at.wrapping_add(usize::from(ends));
        (plain, ends)
    }

    /// Takes the text up to the next byte that means something in a string.
    #[inline]
    fn plain(&mut self) -> &'a str {
        let start = self.at;
        self.at = start.saturating_add(plain_run(self.rest()));
        // Both ends stand beside an ASCII byte or the end of the input.
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn string_with_escapes(&mut self, open: usize, plain: &str) -> Result<String, JsonError> {
        let mut text = plain.to_owned();
        loop {
            match self.bytes.get(self.at).copied() {
                Some(b'"') => {
                    self.advance();
                    return Ok(text);
                }
                Some(b'\\') => text.push(self.escape()?),
                Some(control) => return Err(self.control_character(control)),
                None => return Err(JsonError::new(JsonCode::BadJson, open, "the string that begins here never ends")),
            }
            text.push_str(self.plain());
        }
    }

    /// Reads the escape whose backslash stands here.
    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        self.advance();
        let short = match self.bytes.get(self.at).copied() {
            Some(same @ (b'"' | b'\\' | b'/')) => char::from(same),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => return Err(JsonError::new(JsonCode::BadJson, start, "unknown escape in a string").help(ESCAPES)),
        };
        self.advance();
        Ok(short)
    }

    fn unicode_escape(&mut self, start: usize) -> Result<char, JsonError> {
        let first = self.unit(start)?;
        let mut units = [first, 0];
        let mut used = 1;
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with(b"\\u") {
            self.advance();
            units = [first, self.unit(start)?];
            used = 2;
        }
        // Two units are one character, or the first of them stands alone.
        match char::decode_utf16(units.into_iter().take(used)).next() {
            Some(Ok(character)) => Ok(character),
            _ => Err(JsonError::new(JsonCode::BadText, start, format!("lone surrogate escape `\\u{first:04x}`"))
                .help("send both halves of the pair, or the character itself")),
        }
    }

    /// Reads the four hex digits behind the `u` that stands here.
    fn unit(&mut self, start: usize) -> Result<u16, JsonError> {
        self.advance();
        let digits = self.rest().first_chunk::<4>();
        let unit = digits.and_then(|digits| {
            digits.iter().try_fold(0_u16, |unit, digit| {
                let digit = char::from(*digit).to_digit(16)?;
                Some((unit << 4) | u16::try_from(digit).ok()?)
            })
        });
        self.at = self.at.saturating_add(4);
        unit.ok_or_else(|| JsonError::new(JsonCode::BadJson, start, "`\\u` without four hex digits in a string"))
    }

    #[cold]
    fn control_character(&self, byte: u8) -> JsonError {
        let message = format!("raw control character U+{byte:04X} in a string");
        self.error(JsonCode::BadJson, message).help(format!("escape it as `\\u{byte:04x}`"))
    }
}

const ESCAPES: &str = "the escapes are \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\u with four hex digits";
