//! The head file: which record is the last one known to be durable, in one line of 256 bytes.
//!
//! It is written in place after the records are durable, so it is never ahead of them, and it lies within one sector of
//! the disk, so it is never half of two. Who cuts records off the ledger must also change this file.

use super::error::LedgerError;
use super::file::{read_exact, uninterrupted};
use super::storage::{Disk, DiskFile, Mode};
use flyball::canon::{Digest, ObjectWriter};
use flyball::decimal::Decimal;
use flyball::json::{Limits, parse};
use std::path::{Path, PathBuf};

const SIZE: usize = 256;

/// The last durable record of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: Digest,
}

impl Head {
    /// The bytes of the head file.
    #[must_use]
    pub fn to_bytes(&self, run: &str) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SIZE);
        let mut object = ObjectWriter::new(&mut bytes);
        object.field("hash", |out| self.hash.write_json(out)).string("run", run);
        object.number("seq", Decimal::from(self.seq));
        object.finish();
        bytes.resize(SIZE.saturating_sub(1), b' ');
        bytes.push(b'\n');
        bytes
    }

    /// Reads the bytes of a head file: `Some(None)` if none was written yet, `None` if they are not a head of this run.
    #[must_use]
    pub fn from_bytes(bytes: &[u8], run: &str) -> Option<Option<Head>> {
        // A file can get its length before its bytes.
        if bytes.iter().all(|byte| *byte == 0) {
            return Some(None);
        }
        let value = parse(bytes, &Limits::default()).ok()?;
        let hash = value.get("hash")?.as_str()?.parse().ok()?;
        let seq = u64::try_from(value.get("seq")?.as_number()?.to_i64()?).ok()?;
        let head = Head { seq, hash };
        (head.to_bytes(run) == bytes).then_some(Some(head))
    }
}

pub(super) fn not_a_head(path: &Path, run: &str) -> LedgerError {
    LedgerError::Unreadable { path: path.to_owned(), reason: format!("it is not the head of `{run}`") }
}

#[derive(Debug)]
pub(super) struct HeadFile {
    path: PathBuf,
    file: Box<dyn DiskFile>,
}

impl HeadFile {
    pub(super) fn open(disk: &dyn Disk, path: PathBuf) -> Result<HeadFile, LedgerError> {
        let file = disk.open(&path, Mode::Patch).map_err(LedgerError::io("open", &path))?;
        Ok(HeadFile { path, file })
    }

    pub(super) fn read(&mut self, run: &str) -> Result<Option<Head>, LedgerError> {
        let mut bytes = Vec::new();
        let size = self.file.size().map_err(LedgerError::io("stat", &self.path))?;
        bytes.resize(usize::try_from(size).unwrap_or(usize::MAX).min(SIZE.saturating_add(1)), 0);
        read_exact(&mut *self.file, &mut bytes, 0).map_err(LedgerError::io("read", &self.path))?;
        Head::from_bytes(&bytes, run).ok_or_else(|| not_a_head(&self.path, run))
    }

    pub(super) fn write(&mut self, run: &str, head: Head) -> Result<(), LedgerError> {
        let bytes = head.to_bytes(run);
        let written = uninterrupted(|| self.file.write_at(&bytes, 0)).map_err(LedgerError::io("pwrite", &self.path))?;
        if written < bytes.len() {
            return Err(LedgerError::io("pwrite", &self.path)(std::io::ErrorKind::WriteZero.into()));
        }
        Ok(())
    }
}
