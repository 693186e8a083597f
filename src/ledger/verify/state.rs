//! The state of a verification as one line of canonical JSON, to go on later from where it stood.

use super::Verifier;
use super::anchor::{Anchor, digest, whole};
use crate::canon::{Digest, ObjectWriter, write_array, write_string};
use crate::decimal::Decimal;
use crate::json::{JsonCode, JsonError, Limits, Reader};

const MEMBERS: &[&str] =
    &["anchored", "anchors", "head", "index", "line", "next", "prev", "records", "run", "segment", "v"];

impl Verifier {
    /// The state as canonical JSON, without a line feed.
    #[must_use]
    pub fn to_line(&self) -> Vec<u8> {
        let mut line = Vec::with_capacity(320);
        let number = |number: u64, out: &mut Vec<u8>| Decimal::from(number).write_text(out);
        let mut state = ObjectWriter::new(&mut line);
        state.optional("anchored", self.anchored, number);
        state.field("anchors", |out| write_array(&self.anchors, out, Anchor::write));
        state.optional("head", self.head, |(seq, hash), out| Anchor { seq, hash, run: None }.write(out));
        state.number("index", Decimal::from(self.index)).number("line", Decimal::from(self.line));
        state.number("next", Decimal::from(self.next)).optional("prev", self.prev, |prev, out| prev.write_json(out));
        state.number("records", Decimal::from(self.records)).optional("run", self.run.as_deref(), write_string);
        state.number("segment", u64::from(self.segment)).number("v", 1_u64);
        state.finish();
        line
    }

    /// Goes on from a state.
    ///
    /// # Errors
    /// The bytes are no state of this version.
    pub fn from_line(line: &[u8]) -> Result<Verifier, JsonError> {
        let mut reader = Reader::new(line, Limits::default())?;
        let mut state = Verifier { prev: None, ..Verifier::genesis() };
        let mut version = None;
        reader.object(|reader, key| {
            match key.as_ref() {
                "v" => version = Some(whole(reader)?),
                key => state.read_member(reader, key)?,
            }
            Ok(())
        })?;
        reader.finish()?;
        match version {
            Some(1) if state.to_line() == line => Ok(state),
            Some(1) => Err(reader.error(JsonCode::BadJson, "the state is not as it was written")),
            Some(other) => Err(reader.error(JsonCode::BadNumber, format!("version {other} of the state is unknown"))),
            None => Err(reader.missing_member("v")),
        }
    }

    fn read_member(&mut self, reader: &mut Reader<'_>, key: &str) -> Result<(), JsonError> {
        match key {
            "anchored" => self.anchored = Some(whole(reader)?),
            "anchors" => reader.array(|reader| {
                self.anchors.push(Anchor::read_from(reader)?);
                Ok(())
            })?,
            "head" => self.head = Some(head(reader)?),
            "index" => self.index = whole(reader)?,
            "line" => self.line = whole(reader)?,
            "next" => self.next = whole(reader)?,
            "prev" => self.prev = Some(digest(reader)?),
            "records" => self.records = whole(reader)?,
            "run" => self.run = Some(reader.string()?.into()),
            "segment" => self.segment = whole(reader).map(|segment| u32::try_from(segment).unwrap_or(u32::MAX))?,
            _ => return Err(reader.unknown_member(key, MEMBERS)),
        }
        Ok(())
    }
}

fn head(reader: &mut Reader<'_>) -> Result<(u64, Digest), JsonError> {
    let Anchor { seq, hash, .. } = Anchor::read_from(reader)?;
    Ok((seq, hash))
}
