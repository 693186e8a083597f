//! The values of one record are erased: the erasure is recorded, then the values file is written without them.
//!
//! No record changes, so the chain stays sound. Done twice, or finished after a crash, it ends the same.

use super::LedgerFolder;
use super::error::LedgerError;
use super::file::{GrowingFile, replace};
use super::lines::{StoredLines, broken, last_line_end};
use super::storage::Mode;
use flyball::canon::{Digest, ObjectWriter, write_array};
use flyball::decimal::Decimal;
use flyball::json::{Limits, parse};
use flyball::ledger::RecordKind;
use flyball::ledger::verify::{BODY_DEPTH, Code, Line};
use flyball::value::Value;
use std::collections::BTreeSet;

/// What was erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Erased {
    /// The record whose values they were.
    pub seq: u64,
    /// The references of the values that are gone; empty if none were there.
    pub refs: Vec<Digest>,
    /// The number of the record that says so.
    pub record: Option<u64>,
}

impl LedgerFolder {
    /// Erases the values that a record refers to.
    ///
    /// # Errors
    /// There is no such record, another writer has the run, or as [`LedgerFolder::resume`].
    pub fn erase(&self, run: &str, seq: u64) -> Result<Erased, LedgerError> {
        let (mut writer, mut chain, _) = self.resume(run)?;
        let named = self.refs_of(run, seq)?;
        let refs: Vec<Digest> = self.stored(run)?.intersection(&named).copied().collect();
        if refs.is_empty() {
            return Ok(Erased { seq, refs, record: None });
        }
        writer.rotate_if_due(&mut chain)?;
        let record = chain.len();
        writer.append_own(&mut chain, RecordKind::DataErased, |out| write(seq, &refs, out))?;
        self.rewrite_values(run, &refs)?;
        Ok(Erased { seq, refs, record: Some(record) })
    }

    /// The references in a record.
    fn refs_of(&self, run: &str, seq: u64) -> Result<BTreeSet<Digest>, LedgerError> {
        for path in self.segments(run)? {
            let mut file = GrowingFile::open(&*self.disk, path, Mode::Read)?;
            let end = last_line_end(&mut file)?;
            let mut lines = StoredLines::new(&mut file, 0, end);
            while let Some((offset, line)) = lines.next_line()? {
                match Line::read(line) {
                    Ok(line) if line.seq == seq => {
                        let refs = refs_in(line.data);
                        return refs.ok_or_else(|| broken(&mut file, offset, Code::UnserialisablePayload));
                    }
                    Ok(_) => {}
                    Err((code, _)) => return Err(broken(&mut file, offset, code)),
                }
            }
        }
        Err(LedgerError::NoRecord { run: run.to_owned(), seq })
    }

    /// The references of the values that are there.
    fn stored(&self, run: &str) -> Result<BTreeSet<Digest>, LedgerError> {
        let mut file = match GrowingFile::open(&*self.disk, self.values_path(run), Mode::Read) {
            Err(LedgerError::Missing(_)) => return Ok(BTreeSet::new()),
            opened => opened?,
        };
        let end = last_line_end(&mut file)?;
        let mut lines = StoredLines::of_values(&mut file, end);
        let mut refs = BTreeSet::new();
        while let Some((_, line)) = lines.next_line()? {
            refs.extend(reference(line));
        }
        Ok(refs)
    }

    /// Writes the values file anew, without these.
    fn rewrite_values(&self, run: &str, refs: &[Digest]) -> Result<(), LedgerError> {
        let path = self.values_path(run);
        let mut file = GrowingFile::open(&*self.disk, path.clone(), Mode::Read)?;
        let end = last_line_end(&mut file)?;
        let mut lines = StoredLines::of_values(&mut file, end);
        let kept = std::iter::from_fn(|| {
            loop {
                match lines.next_line() {
                    Ok(Some((_, line))) if reference(line).is_some_and(|found| refs.contains(&found)) => {}
                    Ok(Some((_, line))) => return Some(Ok([line, b"\n"].concat())),
                    Ok(None) => return None,
                    Err(error) => return Some(Err(error)),
                }
            }
        });
        replace(&*self.disk, &path, kept)
    }
}

/// The reference of a line of the values file.
fn reference(line: &[u8]) -> Option<Digest> {
    let hex = line.strip_prefix(b"{\"ref\":\"")?.first_chunk::<64>()?;
    std::str::from_utf8(hex).ok()?.parse().ok()
}

fn refs_in(data: &str) -> Option<BTreeSet<Digest>> {
    let mut refs = BTreeSet::new();
    let depth = Limits { depth: BODY_DEPTH, ..Limits::default() };
    collect(&parse(data.as_bytes(), &depth).ok()?, &mut refs);
    Some(refs)
}

/// Finds the references in a record; what stands under `value` is foreign, and no reference whatever it looks like.
fn collect(value: &Value<'_>, refs: &mut BTreeSet<Digest>) {
    match value {
        Value::Object(object) => {
            if object.contains_key("n") {
                refs.extend(object.get("ref").and_then(Value::as_str).and_then(|text| text.parse::<Digest>().ok()));
            }
            object.iter().filter(|(key, _)| *key != "value").for_each(|(_, member)| collect(member, refs));
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect(element, refs)),
        _ => {}
    }
}

fn write(seq: u64, refs: &[Digest], out: &mut Vec<u8>) {
    let mut data = ObjectWriter::new(out);
    data.field("refs", |out| write_array(refs, out, Digest::write_json)).number("seq", Decimal::from(seq));
    data.finish();
}
