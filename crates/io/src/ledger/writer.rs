//! The one writer of a run: values first, then the records in one write, then as much durability as they ask for.
//!
//! Either all records of an [`append`](LedgerWriter::append) are in the file or none: what fails half done is cut back,
//! and where that fails too, or a sync failed, the writer is poisoned and refuses everything after.
//!
//! INVARIANT: the head file never names a record that is not durable. No sync is tried again after it failed.

use super::LedgerFolder;
use super::error::LedgerError;
use super::file::GrowingFile;
use super::head::{Head, HeadFile};
use super::storage::Mode;
use flyball::canon::{Digest, ObjectWriter};
use flyball::decimal::Decimal;
use flyball::ledger::{Chain, Durability, MAX_LINE, Record, RecordKind, StoredValue};
use std::path::Path;

/// At this many records that are not durable the next group is made so.
const GROUP: u64 = 64;

/// Appends to a run, alone: its lock is held until it is dropped.
#[derive(Debug)]
pub struct LedgerWriter {
    pub(super) folder: LedgerFolder,
    pub(super) run: String,
    /// The first segment, which carries the lock.
    pub(super) locked: GrowingFile,
    /// The segment that is written, where it is another.
    pub(super) rolled: Option<GrowingFile>,
    pub(super) segment: u32,
    /// The number of the segment's first record.
    pub(super) first: u64,
    pub(super) sealed: bool,
    pub(super) values: Option<GrowingFile>,
    pub(super) head_file: HeadFile,
    pub(super) durable: Option<Head>,
    pub(super) next: u64,
    pub(super) prev: Digest,
    pub(super) unsynced: u64,
    pub(super) poisoned: bool,
}

impl LedgerWriter {
    /// The run.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The last durable record.
    #[must_use]
    pub fn head(&self) -> Option<Head> {
        self.durable
    }

    /// True once this writer takes nothing more.
    #[must_use]
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }

    /// Appends records that continue the chain, and the values they refer to.
    ///
    /// When it returns, all of them are written, and durable if one of them is [`Durability::Sync`]. The others become
    /// durable with the 64th record that is not yet, or with [`LedgerWriter::sync`]. After an error none is in the file;
    /// a crash in the middle can leave the first ones of them.
    ///
    /// # Errors
    /// Whatever keeps the records from the disk. Nothing may be answered but a deny.
    pub fn append(&mut self, records: &[Record], values: &[StoredValue]) -> Result<(), LedgerError> {
        self.usable()?;
        let Some(last) = self.last_of(records)? else { return Ok(()) };
        self.begin_segment()?;
        let count = records.len() as u64;
        let is_due = records.iter().any(|record| record.durability() == Durability::Sync)
            || self.unsynced.saturating_add(count) >= GROUP;
        let before = (self.file().length(), self.values.as_ref().map_or(0, GrowingFile::length));
        if let Err(error) = self.write(records, values, is_due) {
            self.undo(before);
            return Err(error);
        }
        (self.next, self.prev) = (last.seq().saturating_add(1), last.hash());
        self.sealed = last.kind() == RecordKind::SegmentSeal;
        self.unsynced = self.unsynced.saturating_add(count);
        if is_due {
            self.settled();
        }
        Ok(())
    }

    /// Makes everything durable that is written.
    ///
    /// # Errors
    /// The disk's; the writer is poisoned then.
    pub fn sync(&mut self) -> Result<(), LedgerError> {
        self.usable()?;
        self.sync_values()?;
        self.sync_records()?;
        self.settled();
        Ok(())
    }

    /// Closes a segment that has reached its limits with a `segment.seal`, which advances the chain; the next record
    /// begins another. To be called between appends, with the chain that the next records are built on. True if it did.
    ///
    /// # Errors
    /// As [`LedgerWriter::append`]; the chain is unchanged then.
    pub fn rotate_if_due(&mut self, chain: &mut Chain) -> Result<bool, LedgerError> {
        let roll = self.folder.roll;
        let records = self.next.saturating_sub(self.first);
        if self.sealed || records == 0 || (self.file().length() < roll.bytes && records < roll.records) {
            return Ok(false);
        }
        let count = Decimal::from(records.saturating_add(1));
        self.append_own(chain, RecordKind::SegmentSeal, |out| {
            let mut data = ObjectWriter::new(out);
            data.number("count", count);
            data.finish();
        })?;
        Ok(true)
    }

    /// Appends a record of the file's own, durably.
    pub(super) fn append_own(
        &mut self,
        chain: &mut Chain,
        kind: RecordKind,
        data: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), LedgerError> {
        let mut ahead = chain.clone();
        let record = ahead.append(None, kind, Durability::Sync, data);
        self.append(&[record], &[])?;
        *chain = ahead;
        Ok(())
    }

    fn usable(&self) -> Result<(), LedgerError> {
        if self.poisoned { Err(LedgerError::Poisoned(self.path().to_owned())) } else { Ok(()) }
    }

    /// The last record, if all of them continue the file.
    fn last_of<'r>(&self, records: &'r [Record]) -> Result<Option<&'r Record>, LedgerError> {
        let (mut next, mut prev) = (self.next, self.prev);
        for record in records {
            let seq = record.seq();
            if record.line().len() > MAX_LINE {
                return Err(LedgerError::TooLong { seq });
            }
            let end = format!(
                "\"prev\":\"{prev}\",\"run\":\"{}\",\"seq\":{next},\"v\":1}},\"hash\":\"{}\"}}\n",
                self.run,
                record.hash()
            );
            if seq != next || !record.line().ends_with(end.as_bytes()) {
                return Err(LedgerError::Fork { path: self.path().to_owned(), seq });
            }
            (next, prev) = (next.saturating_add(1), record.hash());
        }
        Ok(records.last())
    }

    fn write(&mut self, records: &[Record], values: &[StoredValue], is_due: bool) -> Result<(), LedgerError> {
        if !values.is_empty() {
            let lines: Vec<Vec<u8>> = values.iter().map(StoredValue::line).collect();
            self.values()?.append(&lines.concat())?;
        }
        if is_due {
            self.sync_values()?;
        }
        match records {
            [record] => self.file().append(record.line())?,
            _ => {
                let lines: Vec<&[u8]> = records.iter().map(Record::line).collect();
                self.file().append(&lines.concat())?;
            }
        }
        if is_due { self.sync_records() } else { Ok(()) }
    }

    /// Takes a failed append back.
    fn undo(&mut self, (records, values): (u64, u64)) {
        let records = self.file().cut(records);
        let values = self.values.as_mut().map_or(Ok(()), |file| file.cut(values));
        if records.is_err() || values.is_err() {
            self.poisoned = true;
        }
    }

    fn sync_values(&mut self) -> Result<(), LedgerError> {
        let synced = self.values.as_mut().map_or(Ok(()), GrowingFile::sync);
        self.poisoned |= synced.is_err();
        synced
    }

    fn sync_records(&mut self) -> Result<(), LedgerError> {
        let synced = self.file().sync();
        self.poisoned |= synced.is_err();
        synced
    }

    /// Notes that all records are durable. They are so whether or not the head can be written; but a head that stays
    /// behind would hide a later loss, so nothing more is taken.
    fn settled(&mut self) {
        self.unsynced = 0;
        let Some(seq) = self.next.checked_sub(1) else { return };
        let head = Head { seq, hash: self.prev };
        if self.durable != Some(head) {
            self.poisoned |= self.head_file.write(&self.run, head).is_err();
            self.durable = Some(head);
        }
    }

    /// Opens the segment behind a sealed one.
    fn begin_segment(&mut self) -> Result<(), LedgerError> {
        if !self.sealed {
            return Ok(());
        }
        let number = self.segment.saturating_add(1);
        let path = self.folder.segment(&self.run, number);
        let file = GrowingFile::open(&*self.folder.disk, path, Mode::AppendNew)?;
        if file.length() > 0 {
            return Err(LedgerError::Exists(file.path().to_owned()));
        }
        self.folder.sync()?;
        (self.segment, self.first, self.sealed) = (number, self.next, false);
        self.rolled = Some(file);
        Ok(())
    }

    /// The values file; a run that needs none has none.
    fn values(&mut self) -> Result<&mut GrowingFile, LedgerError> {
        if self.values.is_none() {
            let path = self.folder.values_path(&self.run);
            let file = GrowingFile::open(&*self.folder.disk, path, Mode::AppendNew)?;
            self.folder.sync()?;
            return Ok(self.values.insert(file));
        }
        self.values.as_mut().ok_or_else(|| LedgerError::Poisoned(self.folder.path.clone()))
    }

    pub(super) fn file(&mut self) -> &mut GrowingFile {
        self.rolled.as_mut().unwrap_or(&mut self.locked)
    }

    pub(super) fn path(&self) -> &Path {
        self.rolled.as_ref().unwrap_or(&self.locked).path()
    }
}

impl Drop for LedgerWriter {
    /// What was written becomes durable; nobody was told that it is, so nobody is told that it is not.
    fn drop(&mut self) {
        if self.unsynced > 0 && !self.poisoned {
            _ = self.sync();
        }
    }
}
