//! JSON by its grammar alone, for saying what is wrong with a line.
//!
//! Duplicate keys, lone surrogates and numbers of any size get by: they are JSON, and judged later under another code.

use crate::canon::plain_run;

/// Arrays and objects inside each other, the line's own object among them; deeper is not taken for JSON.
pub(super) const DEEPEST: usize = 128;

/// Where one member of an object stands: its key with quotes, its value.
pub(super) type Member<'a> = (&'a [u8], &'a [u8]);

/// True for exactly one JSON value in UTF-8, with white space around it or not.
pub(super) fn is_json(bytes: &[u8]) -> bool {
    if std::str::from_utf8(bytes).is_err() {
        return false;
    }
    let mut scan = Scan { rest: bytes };
    scan.value(0).is_some() && scan.peek().is_none()
}

/// The members of an object, in their order; `None` for anything else.
pub(super) fn members(bytes: &[u8]) -> Option<Vec<Member<'_>>> {
    let mut scan = Scan { rest: bytes };
    let mut members = Vec::new();
    scan.take(b'{')?;
    if scan.take(b'}').is_some() {
        return Some(members);
    }
    loop {
        scan.peek()?;
        let key = scan.spanned(Scan::string)?;
        scan.take(b':')?;
        scan.peek()?;
        members.push((key, scan.spanned(|scan| scan.value(0))?));
        if scan.take(b',').is_none() {
            scan.take(b'}')?;
            return Some(members);
        }
    }
}

struct Scan<'a> {
    rest: &'a [u8],
}

impl<'a> Scan<'a> {
    fn value(&mut self, depth: usize) -> Option<()> {
        match self.peek()? {
            b'{' => self.nested(depth, b'}', |scan, depth| {
                scan.peek()?;
                scan.string()?;
                scan.take(b':')?;
                scan.value(depth)
            }),
            b'[' => self.nested(depth, b']', Scan::value),
            b'"' => self.string(),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ => self.number(),
        }
    }

    fn nested(&mut self, depth: usize, end: u8, part: impl Fn(&mut Scan<'a>, usize) -> Option<()>) -> Option<()> {
        let depth = depth.wrapping_add(1);
        if depth > DEEPEST {
            return None;
        }
        self.advance(1);
        if self.take(end).is_some() {
            return Some(());
        }
        loop {
            part(self, depth)?;
            if self.take(b',').is_none() {
                return self.take(end);
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.word(b"\"")?;
        loop {
            self.advance(plain_run(self.rest));
            match *self.rest {
                [b'"', ..] => {
                    self.advance(1);
                    return Some(());
                }
                [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => self.advance(2),
                [b'\\', b'u', a, b, c, d, ..] if [a, b, c, d].iter().all(u8::is_ascii_hexdigit) => self.advance(6),
                _ => return None,
            }
        }
    }

    fn number(&mut self) -> Option<()> {
        _ = self.word(b"-");
        if self.word(b"0").is_none() {
            self.digits()?;
        }
        if self.word(b".").is_some() {
            self.digits()?;
        }
        if self.word(b"e").is_some() || self.word(b"E").is_some() {
            _ = self.word(b"+").or_else(|| self.word(b"-"));
            self.digits()?;
        }
        Some(())
    }

    fn digits(&mut self) -> Option<()> {
        let count = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.advance(count);
        (count > 0).then_some(())
    }

    /// The bytes that `read` takes.
    fn spanned(&mut self, read: impl FnOnce(&mut Scan<'a>) -> Option<()>) -> Option<&'a [u8]> {
        let start = self.rest;
        read(self)?;
        start.get(..start.len().wrapping_sub(self.rest.len()))
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let blank = |byte: &&u8| matches!(**byte, b' ' | b'\t' | b'\n' | b'\r');
        self.advance(self.rest.iter().take_while(blank).count());
        self.rest.first().copied()
    }

    fn take(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.advance(1))
    }

    fn word(&mut self, word: &[u8]) -> Option<()> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(())
    }

    fn advance(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_only_the_grammar_asks_gets_by() {
        for text in ["-0", "1e400", r#"{"a":1,"a":2}"#, r#""\ud800""#, " [1 , 2] ", r#""\/""#, "0.10E+5"] {
            assert!(is_json(text.as_bytes()), "{text}");
        }
        for text in ["", "NaN", "01", "1.", ".5", "-", "[1,]", "{}{}", "\u{feff}1", "\"\t\"", "\"\\x\"", "{\"a\"}"] {
            assert!(!is_json(text.as_bytes()), "{text}");
        }
        assert!(!is_json(b"\"\xff\""));
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(is_json(nested(DEEPEST).as_bytes()));
        assert!(!is_json(nested(DEEPEST + 1).as_bytes()) && !is_json(nested(100_000).as_bytes()));
    }

    #[test]
    fn members_are_given_as_they_stand() {
        let want: Vec<Member<'_>> = vec![(b"\"a\"", b"[1, 2]"), (b"\"a\"", b"\"x\"")];
        assert_eq!(members(br#"{"a" : [1, 2] , "a":"x"}"#), Some(want));
        assert_eq!((members(b"{ }"), members(b"[]")), (Some(Vec::new()), None));
    }

    proptest! {
        #[test]
        fn the_grammar_is_the_one_of_the_oracle(text in r#"([\[\]{}:, ]|"|"a"|"\\u[0-9a-d]{4}|\\|1|-|0|\.|e5|true|null){0,30}"#) {
            let oracle = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            prop_assert_eq!(is_json(text.as_bytes()), oracle);
        }
    }
}
