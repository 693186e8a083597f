//! One run of a ledger as it lies on disk, read to decide its events again: the records, the values that are still
//! there, and the policy it was decided by.

use crate::ledger::LedgerFolder;
use crate::verify::{Checked, ReadLedger, read_ledger};
use flyball::canon::Digest;
use flyball::json::{Limits, parse};
use flyball::replay::ledger::{BadLedger, Events, LedgerEvent, StoredValues};
use flyball::source::Sources;
use std::path::{Path, PathBuf};

/// What keeps a run from being read.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A path that names no run.
    #[error("`{}` is no ledger: a run is a file `RUN.jsonl` in a ledger folder", .0.display())]
    NoRun(PathBuf),
    /// A record that cannot be understood.
    #[error(transparent)]
    Bad(#[from] BadLedger),
    /// The policy that the run names is not in the folder, or no longer compiles to the same.
    #[error("the policy {0} cannot be had from the ledger folder: {1}")]
    Policy(Digest, String),
}

/// One run of a ledger.
#[derive(Debug)]
pub struct Run {
    folder: LedgerFolder,
    path: PathBuf,
    ledger: ReadLedger,
}

impl Run {
    /// Reads the run of a file `RUN.jsonl`, and verifies it on the way: [`Run::checked`] says what it is worth.
    ///
    /// # Errors
    /// The path names no file with records.
    pub fn of(path: &Path) -> Result<Run, RunError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let ledger = read_ledger(path, None);
        if !path.is_file() || ledger.lines.is_empty() {
            return Err(RunError::NoRun(path.to_owned()));
        }
        Ok(Run { folder: LedgerFolder::existing(folder), path: path.to_owned(), ledger })
    }

    /// What verifying it found.
    #[must_use]
    pub fn checked(&self) -> &Checked {
        &self.ledger.checked
    }

    /// Its values that are still there and right.
    #[must_use]
    pub fn values(&self) -> &StoredValues {
        &self.ledger.values
    }

    /// Its events, in order, with the records they left.
    ///
    /// # Errors
    /// A line is no record.
    pub fn events(&self) -> Result<Vec<LedgerEvent>, RunError> {
        let mut events = Events::default();
        let mut told = Vec::new();
        for line in &self.ledger.lines {
            told.extend(events.push(line, &self.ledger.values)?);
        }
        told.extend(events.end(&self.ledger.values));
        Ok(told)
    }

    /// The sources of the policy that its first record names.
    ///
    /// # Errors
    /// The first record names none, or the folder has no such policy.
    pub fn policy(&self) -> Result<(Digest, Sources), RunError> {
        let first = self.ledger.lines.first().map(Vec::as_slice).unwrap_or_default();
        let digest = named_policy(first).ok_or_else(|| RunError::NoRun(self.path.clone()))?;
        let sources = self.folder.load_policy(digest).map_err(|error| RunError::Policy(digest, error.to_string()))?;
        Ok((digest, sources))
    }
}

/// The policy that a first record names.
pub(crate) fn named_policy(line: &[u8]) -> Option<Digest> {
    let line = parse(line, &Limits::default()).ok()?;
    line.get("body")?.get("data")?.get("policy")?.as_str()?.parse().ok()
}
