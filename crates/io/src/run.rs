//! One run of a ledger as it lies on disk, read to decide its events again: the records, the values that are still
//! there, and the policy it was decided by.

use crate::ledger::LedgerFolder;
use crate::verify::{Checked, ReadLedger, read_ledger};
use flyball::canon::Digest;
use flyball::json::{Limits, parse};
use flyball::policy::Policy;
use flyball::replay::ledger::{BadLedger, Events, LedgerEvent, StoredValues};
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

    /// The policy that it was decided by.
    ///
    /// # Errors
    /// Its first record names none, or the one it names cannot be had from the folder.
    pub fn policy(&self) -> Result<Policy, RunError> {
        let first = self.ledger.lines.first().map(Vec::as_slice).unwrap_or_default();
        let digest = named_policy(first).ok_or_else(|| RunError::NoRun(self.path.clone()))?;
        load_policy(&self.folder, digest)
    }
}

/// The policy of a digest, compiled from the sources that a folder keeps.
pub(crate) fn load_policy(folder: &LedgerFolder, digest: Digest) -> Result<Policy, RunError> {
    let gone = |reason: &str| RunError::Policy(digest, reason.to_owned());
    let sources = folder.load_policy(digest).map_err(|error| gone(&error.to_string()))?;
    let spec = flyball::spec::parse(&sources).spec.ok_or_else(|| gone("its sources no longer parse"))?;
    let policy = flyball::policy::compile(&spec).map_err(|_| gone("its sources no longer compile"))?;
    if policy.digest() == digest { Ok(policy) } else { Err(gone("its sources now mean something else")) }
}

/// The policy that a first record names.
pub(crate) fn named_policy(line: &[u8]) -> Option<Digest> {
    let line = parse(line, &Limits::default()).ok()?;
    line.get("body")?.get("data")?.get("policy")?.as_str()?.parse().ok()
}
