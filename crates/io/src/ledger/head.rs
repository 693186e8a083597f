//! The head file: which record is the last one known to be durable, in one line of 256 bytes.
//!
//! It is written in place after the records are durable, so it is never ahead of them, and it lies within one sector of
//! the disk, so it is never half of two. Who cuts records off the ledger must also change this file.

use super::error::LedgerError;
use super::file::{read_exact, uninterrupted};
use super::storage::{Disk, DiskFile, Mode};
use flyball::canon::Digest;
use flyball::ledger::verify::{Anchor, HEAD_LINE};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The last durable record of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: Digest,
}

impl Head {
    /// Reads the bytes of a head file: `Some(None)` if none was written yet, `None` if they are not a head of this run.
    pub(super) fn from_bytes(bytes: &[u8], run: &str) -> Option<Option<Head>> {
        // A file can get its length before its bytes, and stop growing in the middle of its first ones.
        if bytes.len() < HEAD_LINE || bytes.iter().all(|byte| *byte == 0) {
            return Some(None);
        }
        let anchor = Anchor::from_head_line(bytes).ok()?;
        (anchor.run.as_deref() == Some(run)).then_some(Some(Head { seq: anchor.seq, hash: anchor.hash }))
    }

    pub(super) fn anchor(self, run: &str) -> Anchor {
        Anchor { seq: self.seq, hash: self.hash, run: Some(run.into()) }
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
        bytes.resize(usize::try_from(size).unwrap_or(usize::MAX).min(HEAD_LINE.saturating_add(1)), 0);
        read_exact(&mut *self.file, &mut bytes, 0).map_err(LedgerError::io("read", &self.path))?;
        Head::from_bytes(&bytes, run).ok_or_else(|| not_a_head(&self.path, run))
    }

    /// Writes the head. One that is half written is emptied: with no head everything is checked, with a wrong one
    /// nothing is opened.
    pub(super) fn write(&mut self, run: &str, head: Head) -> Result<(), LedgerError> {
        let bytes = head.anchor(run).head_line(run);
        let written = uninterrupted(|| self.file.write_at(&bytes, 0));
        if written.as_ref().is_ok_and(|written| *written == bytes.len()) {
            return Ok(());
        }
        _ = self.file.truncate(0);
        Err(LedgerError::io("pwrite", &self.path)(written.err().unwrap_or(ErrorKind::WriteZero.into())))
    }
}
