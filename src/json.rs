//! A strict JSON reader that pulls typed values straight from the bytes.
//!
//! [`Reader::new`] checks size and UTF-8 once; then each call reads the next value, borrows its text where no escape
//! stands in it, and says by code and byte what it refuses. [`parse`] reads a whole input as a [`Value`].
//!
//! Nothing is repaired, replaced or guessed: no duplicate key, lone surrogate, second text or inexact number gets by.

mod seen;
mod string;

use crate::decimal::{Decimal, DecimalError};
use crate::diagnostic::did_you_mean;
use crate::value::{DuplicateKey, Kind, Object, Value};
use seen::Seen;
use std::borrow::Cow;

/// What an input may be at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the whole input.
    pub bytes: usize,
    /// Arrays and objects inside each other; never more than [`Limits::DEEPEST`].
    pub depth: usize,
}

impl Limits {
    /// The depth that no limit exceeds: it bounds the stack of everything that walks a value.
    pub const DEEPEST: usize = 128;
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 32 << 20, depth: 64 }
    }
}

/// Why an input is refused; the reject codes of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JsonCode {
    /// Not JSON, or JSON of another type than wanted
    BadJson,
    /// More bytes than allowed
    TooLarge,
    /// More arrays and objects inside each other than allowed
    TooDeep,
    /// Not Unicode text: invalid UTF-8 or a lone surrogate
    BadText,
    /// A key stands twice in one object
    DuplicateKey,
    /// A number that is not an exact decimal of the range
    BadNumber,
    /// A member nobody knows
    UnknownMember,
    /// A member that must be there is not
    MissingMember,
}

impl JsonCode {
    /// The code as the wire spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            JsonCode::BadJson => "bad_json",
            JsonCode::TooLarge => "too_large",
            JsonCode::TooDeep => "too_deep",
            JsonCode::BadText => "bad_text",
            JsonCode::DuplicateKey => "duplicate_key",
            JsonCode::BadNumber => "bad_number",
            JsonCode::UnknownMember => "unknown_member",
            JsonCode::MissingMember => "missing_member",
        }
    }
}

/// One refusal: what is wrong, at which byte, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at byte {offset}{}", cure(.help.as_deref()))]
pub struct JsonError {
    /// The reason as a code.
    pub code: JsonCode,
    /// The byte it is about, from 0.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
    /// What the sender can do.
    pub help: Option<Cow<'static, str>>,
}

fn cure(help: Option<&str>) -> String {
    help.map(|help| format!("; {help}")).unwrap_or_default()
}

impl JsonError {
    /// A refusal at a byte.
    #[must_use]
    pub fn new(code: JsonCode, offset: usize, message: impl Into<String>) -> JsonError {
        JsonError { code, offset, message: message.into(), help: None }
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<Cow<'static, str>>) -> JsonError {
        self.help = Some(help.into());
        self
    }
}

/// Reads a whole input as one value.
///
/// # Errors
/// Anything that is not exactly one JSON value within the limits.
///
/// ```
/// use flyball::json::{JsonCode, Limits, parse};
///
/// let limits = Limits::default();
/// assert_eq!(parse(b"[1, 1.0, 1e0]", &limits).unwrap().as_array().unwrap().len(), 3);
/// assert_eq!(parse(br#"{"a": 1, "\u0061": 2}"#, &limits).unwrap_err().code, JsonCode::DuplicateKey);
/// ```
pub fn parse<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Value<'a>, JsonError> {
    let mut reader = Reader::new(bytes, *limits)?;
    let value = reader.value()?;
    reader.finish()?;
    Ok(value)
}

/// Pulls typed values from JSON bytes, one call per value.
///
/// After an error the reader's place means nothing; drop it.
///
/// ```
/// use flyball::json::{JsonError, Limits, Reader};
///
/// fn order(bytes: &[u8]) -> Result<(String, Option<bool>), JsonError> {
///     let (mut id, mut paid) = (None, None);
///     let mut reader = Reader::new(bytes, Limits::default())?;
///     reader.object(|reader, key| {
///         match key.as_ref() {
///             "id" => id = Some(reader.string()?.into_owned()),
///             "paid" => paid = reader.null_or(Reader::bool)?,
///             _ => return Err(reader.unknown_member(&key, &["id", "paid"])),
///         }
///         Ok(())
///     })?;
///     reader.finish()?;
///     Ok((id.ok_or_else(|| reader.missing_member("id"))?, paid))
/// }
///
/// assert_eq!(order(br#"{"id": "ORD-000017", "paid": null}"#).unwrap(), ("ORD-000017".to_owned(), None));
/// assert_eq!(order(br#"{"pa1d": true}"#).unwrap_err().to_string(), "unknown member `pa1d` at byte 1; did you mean `paid`?");
/// ```
// INVARIANT: `text` is `bytes`, and `at` stands between characters whenever text is cut.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    text: &'a str,
    at: usize,
    key_at: usize,
    depth: usize,
    deepest: usize,
}

impl<'a> Reader<'a> {
    /// Checks size and encoding of the whole input.
    ///
    /// # Errors
    /// `too_large`, `bad_text`, and `bad_json` for a byte order mark.
    pub fn new(bytes: &'a [u8], limits: Limits) -> Result<Reader<'a>, JsonError> {
        if bytes.len() > limits.bytes {
            let message = format!("the input has {} bytes, more than the {} allowed", bytes.len(), limits.bytes);
            return Err(JsonError::new(JsonCode::TooLarge, limits.bytes, message).help("send less, or a reference"));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            JsonError::new(JsonCode::BadText, error.valid_up_to(), "invalid UTF-8").help("encode the input as UTF-8")
        })?;
        if text.starts_with('\u{feff}') {
            let error = JsonError::new(JsonCode::BadJson, 0, "a byte order mark before the value");
            return Err(error.help("send UTF-8 without the bytes EF BB BF"));
        }
        Ok(Reader { bytes, text, at: 0, key_at: 0, depth: 0, deepest: limits.depth.min(Limits::DEEPEST) })
    }

    /// The byte the reader stands at.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// A refusal at the byte the reader stands at.
    #[must_use]
    pub fn error(&self, code: JsonCode, message: impl Into<String>) -> JsonError {
        JsonError::new(code, self.at, message)
    }

    /// The refusal of the member whose key was read last.
    #[must_use]
    pub fn unknown_member(&self, key: &str, known: &[&str]) -> JsonError {
        let mut error = JsonError::new(JsonCode::UnknownMember, self.key_at, format!("unknown member `{key}`"));
        error.help = did_you_mean(key, known.iter().copied()).map(Cow::Owned);
        error
    }

    /// The refusal of an object that ends here without a member it needs.
    #[must_use]
    pub fn missing_member(&self, key: &str) -> JsonError {
        self.error(JsonCode::MissingMember, format!("missing member `{key}`"))
    }

    /// The kind of the next value, which stays unread.
    ///
    /// # Errors
    /// No value begins here.
    pub fn kind(&mut self) -> Result<Kind, JsonError> {
        match self.peek() {
            Some(b'"') => Ok(Kind::String),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b't' | b'f') => Ok(Kind::Boolean),
            Some(b'n') => Ok(Kind::Null),
            _ => Err(self.no_value()),
        }
    }

    /// Reads an object: `member` is called with each key and reads the value behind it.
    ///
    /// # Errors
    /// Not an object, too deep, a key that stands twice, or what `member` says.
    pub fn object<F>(&mut self, mut member: F) -> Result<(), JsonError>
    where
        F: FnMut(&mut Reader<'a>, Cow<'a, str>) -> Result<(), JsonError>,
    {
        let mut seen = Seen::new(self.text);
        self.members(|reader, key| {
            if !seen.insert(&key, reader.key_at) {
                return Err(JsonError::new(JsonCode::DuplicateKey, reader.key_at, twice(&key)));
            }
            member(reader, key)
        })
    }

    /// Reads an array: `element` is called where each element begins and reads it.
    ///
    /// # Errors
    /// Not an array, too deep, or what `element` says.
    pub fn array<F>(&mut self, mut element: F) -> Result<(), JsonError>
    where
        F: FnMut(&mut Reader<'a>) -> Result<(), JsonError>,
    {
        self.open(b'[', Kind::Array)?;
        if self.peek() == Some(b']') {
            return self.close();
        }
        loop {
            element(self)?;
            match self.peek() {
                Some(b',') => self.advance(),
                Some(b']') => return self.close(),
                _ => return Err(self.unexpected("`,` or `]`")),
            }
        }
    }

    /// Reads a string.
    ///
    /// # Errors
    /// Not a string, a control character, an unknown escape, a lone surrogate, or no end.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>, JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong_kind(Kind::String));
        }
        self.string_at_quote()
    }

    /// Reads a number.
    ///
    /// # Errors
    /// Not a number, or none that is an exact decimal of the range.
    pub fn number(&mut self) -> Result<Decimal, JsonError> {
        if !matches!(self.peek(), Some(b'-' | b'0'..=b'9')) {
            return Err(self.wrong_kind(Kind::Number));
        }
        let (number, used) = Decimal::scan_json(self.rest()).map_err(|error| self.bad_number(error))?;
        self.at = self.at.saturating_add(used);
        Ok(number)
    }

    /// Reads `true` or `false`.
    ///
    /// # Errors
    /// Not a boolean.
    pub fn bool(&mut self) -> Result<bool, JsonError> {
        match self.peek() {
            Some(b't') => self.word("true").map(|()| true),
            Some(b'f') => self.word("false").map(|()| false),
            _ => Err(self.wrong_kind(Kind::Boolean)),
        }
    }

    /// Reads `null`.
    ///
    /// # Errors
    /// Not null.
    pub fn null(&mut self) -> Result<(), JsonError> {
        if self.peek() == Some(b'n') { self.word("null") } else { Err(self.wrong_kind(Kind::Null)) }
    }

    /// True if the next value is `null`, which stays unread.
    pub fn peek_null(&mut self) -> bool {
        self.peek() == Some(b'n')
    }

    /// Reads `null` as nothing, anything else with `read`.
    ///
    /// # Errors
    /// What `read` says.
    pub fn null_or<T>(
        &mut self,
        read: impl FnOnce(&mut Reader<'a>) -> Result<T, JsonError>,
    ) -> Result<Option<T>, JsonError> {
        if self.peek_null() { self.null().map(|()| None) } else { read(self).map(Some) }
    }

    /// Reads past a value, checking all of it and keeping nothing.
    ///
    /// # Errors
    /// As [`Reader::value`].
    pub fn skip(&mut self) -> Result<(), JsonError> {
        match self.kind()? {
            Kind::Null => self.null(),
            Kind::Boolean => self.bool().map(drop),
            Kind::Number => self.number().map(drop),
            Kind::String => self.string().map(drop),
            Kind::Array => self.array(Reader::skip),
            Kind::Object => self.object(|reader, _| reader.skip()),
        }
    }

    /// Reads any value.
    ///
    /// # Errors
    /// Anything that is not JSON within the limits.
    pub fn value(&mut self) -> Result<Value<'a>, JsonError> {
        match self.kind()? {
            Kind::Null => self.null().map(|()| Value::Null),
            Kind::Boolean => self.bool().map(Value::Bool),
            Kind::Number => self.number().map(Value::Number),
            Kind::String => self.string_at_quote().map(Value::String),
            Kind::Array => {
                let mut elements = Vec::new();
                self.array(|reader| {
                    elements.push(reader.value()?);
                    Ok(())
                })?;
                Ok(Value::Array(elements))
            }
            Kind::Object => self.object_value().map(Value::Object),
        }
    }

    fn object_value(&mut self) -> Result<Object<'a>, JsonError> {
        let start = self.clone();
        let mut members = Vec::new();
        self.members(|reader, key| {
            members.push((key, reader.value()?));
            Ok(())
        })?;
        Object::from_members(members).map_err(|DuplicateKey(key)| start.find_duplicate(&key))
    }

    /// Sorting found a key that stands twice; reading again finds where.
    fn find_duplicate(mut self, key: &str) -> JsonError {
        let again = self.object(|reader, _| reader.skip());
        again.err().unwrap_or_else(|| self.error(JsonCode::DuplicateKey, twice(key)))
    }

    /// Reads past a value and gives its exact bytes.
    ///
    /// # Errors
    /// As [`Reader::value`].
    pub fn raw_value(&mut self) -> Result<&'a [u8], JsonError> {
        self.kind()?;
        let start = self.at;
        self.skip()?;
        Ok(self.bytes.get(start..self.at).unwrap_or_default())
    }

    /// Reads any value, and gives its exact bytes too.
    ///
    /// # Errors
    /// As [`Reader::value`].
    pub fn value_and_bytes(&mut self) -> Result<(Value<'a>, &'a [u8]), JsonError> {
        self.kind()?;
        let start = self.at;
        let value = self.value()?;
        Ok((value, self.bytes.get(start..self.at).unwrap_or_default()))
    }

    /// Says that the input ends here; white space may follow.
    ///
    /// # Errors
    /// More text follows.
    pub fn finish(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error(JsonCode::BadJson, "text after the value").help("send one value")),
        }
    }

    /// Reads the members of an object without a look at what keys came before.
    fn members<F>(&mut self, mut member: F) -> Result<(), JsonError>
    where
        F: FnMut(&mut Reader<'a>, Cow<'a, str>) -> Result<(), JsonError>,
    {
        self.open(b'{', Kind::Object)?;
        if self.peek() == Some(b'}') {
            return self.close();
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in double quotes"));
            }
            let key_at = self.at;
            let key = self.string_at_quote()?;
            if self.peek() != Some(b':') {
                return Err(self.unexpected("`:`"));
            }
            self.advance();
            self.key_at = key_at;
            member(self, key)?;
            match self.peek() {
                Some(b',') => self.advance(),
                Some(b'}') => return self.close(),
                _ => return Err(self.unexpected("`,` or `}`")),
            }
        }
    }

    fn open(&mut self, bracket: u8, kind: Kind) -> Result<(), JsonError> {
        if self.peek() != Some(bracket) {
            return Err(self.wrong_kind(kind));
        }
        if self.depth >= self.deepest {
            let message = format!("more than {} arrays and objects inside each other", self.deepest);
            return Err(self
                .error(JsonCode::TooDeep, message)
                .help("flatten the value, or send its inner part as a string"));
        }
        self.depth = self.depth.saturating_add(1);
        self.advance();
        Ok(())
    }

    fn close(&mut self) -> Result<(), JsonError> {
        self.depth = self.depth.saturating_sub(1);
        self.advance();
        Ok(())
    }

    /// The next byte that is not white space.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            match self.bytes.get(self.at).copied() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.advance(),
                other => return other,
            }
        }
    }

    fn advance(&mut self) {
        self.at = self.at.wrapping_add(1);
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn word(&mut self, word: &str) -> Result<(), JsonError> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(self.no_value());
        }
        self.at = self.at.saturating_add(word.len());
        Ok(())
    }

    /// The word or number that stands here, cut short, for a message.
    fn token(&self) -> &'a str {
        let part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_');
        let length = self.rest().iter().take(40).take_while(part).count();
        self.text.get(self.at..self.at.saturating_add(length)).unwrap_or_default()
    }

    #[cold]
    fn no_value(&self) -> JsonError {
        match self.token() {
            "" => self.unexpected("a value"),
            token @ ("NaN" | "Infinity" | "-NaN" | "-Infinity") => {
                let message = format!("`{token}` is not a JSON number");
                self.error(JsonCode::BadNumber, message).help("send null or a string")
            }
            token => self.error(JsonCode::BadJson, format!("`{token}` is not a JSON value")),
        }
    }

    #[cold]
    fn bad_number(&self, error: DecimalError) -> JsonError {
        match error {
            DecimalError::Grammar => self.no_value().help(error.help()),
            _ => self.error(JsonCode::BadNumber, error.to_string()).help(error.help()),
        }
    }

    #[cold]
    fn wrong_kind(&mut self, wanted: Kind) -> JsonError {
        match self.kind() {
            Ok(found) => {
                let message = format!("expected {}, found {}", wanted.name(), found.name());
                self.error(JsonCode::BadJson, message)
            }
            Err(error) => error,
        }
    }

    #[cold]
    fn unexpected(&self, wanted: &str) -> JsonError {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let message = match rest.chars().next() {
            Some(found) => format!("expected {wanted}, found `{}`", found.escape_debug()),
            None => format!("expected {wanted}, found the end of the input"),
        };
        self.error(JsonCode::BadJson, message)
    }
}

#[cold]
fn twice(key: &str) -> String {
    DuplicateKey(key.to_owned()).to_string()
}

#[cfg(test)]
mod tests;
