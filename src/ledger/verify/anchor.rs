//! What is known of a run from elsewhere: the number and the hash of a record.
//!
//! Without one nobody can see that the end of a ledger was cut off.

use super::Line;
use super::scan::{MAX_SEQ, is_run, seq};
use crate::canon::{Digest, ObjectWriter};
use crate::decimal::Decimal;
use crate::json::{JsonCode, JsonError, Limits, Reader};
use std::str::FromStr;

/// The bytes of a head file, its line feed included.
pub const HEAD_LINE: usize = 256;

/// A record that must be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchor {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: Digest,
    /// Its run, where that is known.
    pub run: Option<Box<str>>,
}

/// A text or a head file that is no anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAnchor {
    /// A text that is not `SEQ:HASH`.
    #[error("an anchor is `SEQ:HASH`: the number of a record and its 64 lower-case hex digits")]
    Text,
    /// A head file that is not one line of 256 bytes.
    #[error(
        "a head file is one line of {HEAD_LINE} bytes: `{{\"hash\":…,\"run\":…,\"seq\":…}}`, spaces and a line feed"
    )]
    HeadLine,
}

impl FromStr for Anchor {
    type Err = BadAnchor;

    fn from_str(text: &str) -> Result<Anchor, BadAnchor> {
        let (number, hash) = text.split_once(':').ok_or(BadAnchor::Text)?;
        let seq = seq(number).ok_or(BadAnchor::Text)?;
        Ok(Anchor { seq, hash: hash.parse().map_err(|_| BadAnchor::Text)?, run: None })
    }
}

impl Anchor {
    /// The bytes of a head file: always as many, so that one write replaces all of it.
    ///
    /// ```
    /// use flyball::{canon::Digest, ledger::verify::Anchor};
    ///
    /// let anchor = Anchor { seq: 7, hash: Digest::of(b""), run: Some("run-1".into()) };
    /// let bytes = anchor.head_line("run-1");
    /// assert_eq!((bytes.len(), Anchor::from_head_line(&bytes)), (256, Ok(anchor)));
    /// ```
    #[must_use]
    pub fn head_line(&self, run: &str) -> Vec<u8> {
        let mut line = Vec::with_capacity(HEAD_LINE);
        let mut object = ObjectWriter::new(&mut line);
        object.field("hash", |out| self.hash.write_json(out)).string("run", run);
        object.number("seq", Decimal::from(self.seq));
        object.finish();
        line.resize(HEAD_LINE.saturating_sub(1), b' ');
        line.push(b'\n');
        line
    }

    /// The anchor of a head file.
    ///
    /// # Errors
    /// The bytes are not exactly those that [`Anchor::head_line`] writes.
    pub fn from_head_line(bytes: &[u8]) -> Result<Anchor, BadAnchor> {
        let anchor = Anchor::read(bytes).map_err(|_| BadAnchor::HeadLine)?;
        let run = anchor.run.as_deref().filter(|run| is_run(run) && anchor.seq <= MAX_SEQ);
        let is_written = run.is_some_and(|run| anchor.head_line(run) == bytes);
        is_written.then_some(anchor).ok_or(BadAnchor::HeadLine)
    }

    /// Reads `{"hash":…,"run"?:…,"seq":…}`.
    pub(super) fn read(bytes: &[u8]) -> Result<Anchor, JsonError> {
        let mut reader = Reader::new(bytes, Limits::default())?;
        let anchor = Anchor::read_from(&mut reader)?;
        reader.finish().map(|()| anchor)
    }

    pub(super) fn read_from(reader: &mut Reader<'_>) -> Result<Anchor, JsonError> {
        let (mut hash, mut run, mut number) = (None, None, None);
        reader.object(|reader, key| {
            match key.as_ref() {
                "hash" => hash = Some(digest(reader)?),
                "run" => run = Some(reader.string()?.into()),
                "seq" => number = Some(whole(reader)?),
                _ => return Err(reader.unknown_member(&key, &["hash", "run", "seq"])),
            }
            Ok(())
        })?;
        let hash = hash.ok_or_else(|| reader.missing_member("hash"))?;
        Ok(Anchor { seq: number.ok_or_else(|| reader.missing_member("seq"))?, hash, run })
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let mut object = ObjectWriter::new(out);
        object.field("hash", |out| self.hash.write_json(out));
        object.optional("run", self.run.as_deref(), crate::canon::write_string).number("seq", Decimal::from(self.seq));
        object.finish();
    }

    /// Whether the record of this number is the one.
    pub(super) fn meets(&self, line: &Line<'_>) -> Result<(), String> {
        if self.hash != line.hash {
            return Err(format!("the anchor says that record {} has the hash `{}`", self.seq, self.hash));
        }
        match self.run.as_deref().filter(|run| *run != line.run) {
            Some(run) => Err(format!("the anchor is of run `{run}`, and the record of run `{}`", line.run)),
            None => Ok(()),
        }
    }
}

pub(super) fn digest(reader: &mut Reader<'_>) -> Result<Digest, JsonError> {
    let text = reader.string()?;
    text.parse().map_err(|error| reader.error(JsonCode::BadText, format!("{error}")))
}

pub(super) fn whole(reader: &mut Reader<'_>) -> Result<u64, JsonError> {
    let number = reader.number()?;
    number.to_u64().ok_or_else(|| reader.error(JsonCode::BadNumber, format!("{number} is not a whole number from 0")))
}
