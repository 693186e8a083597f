//! One run of a ledger as it lies on disk: its segments' lines, its values, the policy it was decided by.

use crate::IoError;
use crate::ledger::{LedgerError, LedgerFolder};
use crate::lines::{Lines, open};
use flyball::canon::{self, Digest};
use flyball::json::{Limits, parse};
use flyball::ledger::Salt;
use flyball::replay::ledger::{BadLedger, Events, LedgerEvent, StoredValues};
use flyball::source::Sources;
use flyball::value::Value;
use std::path::{Path, PathBuf};

/// What keeps a run from being read.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A path that names no run.
    #[error("`{}` is no ledger: a run is a file `RUN.jsonl` in a ledger folder", .0.display())]
    NoRun(PathBuf),
    /// A file cannot be read.
    #[error(transparent)]
    Io(#[from] IoError),
    /// The folder cannot be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
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
    name: String,
}

impl Run {
    /// The run of a file `RUN.jsonl`.
    ///
    /// # Errors
    /// The path names no run.
    pub fn of(path: &Path) -> Result<Run, RunError> {
        let name = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.strip_suffix(".jsonl"));
        let folder = path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
        match (name, folder) {
            (Some(name), Some(folder)) if path.is_file() => {
                Ok(Run { folder: LedgerFolder::existing(folder), name: name.to_owned() })
            }
            _ => Err(RunError::NoRun(path.to_owned())),
        }
    }

    /// Its values that are still there.
    ///
    /// # Errors
    /// The file is there and cannot be read.
    pub fn values(&self) -> Result<StoredValues, RunError> {
        let path = self.folder.values_path(&self.name);
        let mut values = StoredValues::new();
        if !path.is_file() {
            return Ok(values);
        }
        let unreadable = |error: std::io::Error| IoError::unreadable_file(&path, &error);
        let mut lines = Lines::new(open(&path).map_err(unreadable)?);
        while let Some((_, line)) = lines.next_line().map_err(unreadable)? {
            if let Some((reference, salt, bytes)) = stored(line) {
                values.insert(reference, (salt, bytes));
            }
        }
        Ok(values)
    }

    /// Its events, in order, with the records they left.
    ///
    /// # Errors
    /// A segment cannot be read, or holds what is no record.
    pub fn events(&self, values: &StoredValues) -> Result<Vec<LedgerEvent>, RunError> {
        let mut events = Events::default();
        let mut told = Vec::new();
        for path in self.folder.segments(&self.name)? {
            let unreadable = |error: std::io::Error| IoError::unreadable_file(&path, &error);
            let mut lines = Lines::new(open(&path).map_err(unreadable)?);
            while let Some((_, line)) = lines.next_line().map_err(unreadable)? {
                told.extend(events.push(line, values)?);
            }
        }
        Ok(told)
    }

    /// The sources of the policy that its first record names.
    ///
    /// # Errors
    /// There is no first record, or the folder has no such policy.
    pub fn policy(&self) -> Result<(Digest, Sources), RunError> {
        let path = self
            .folder
            .segments(&self.name)?
            .into_iter()
            .next()
            .ok_or_else(|| RunError::NoRun(self.name.clone().into()))?;
        let unreadable = |error: std::io::Error| IoError::unreadable_file(&path, &error);
        let mut lines = Lines::new(open(&path).map_err(unreadable)?);
        let first = lines.next_line().map_err(unreadable)?.map(|(_, line)| line.to_vec()).unwrap_or_default();
        let digest = named_policy(&first).ok_or_else(|| RunError::NoRun(path.clone()))?;
        let sources = self.folder.load_policy(digest).map_err(|error| RunError::Policy(digest, error.to_string()))?;
        Ok((digest, sources))
    }
}

fn named_policy(line: &[u8]) -> Option<Digest> {
    let line = parse(line, &Limits::default()).ok()?;
    line.get("body")?.get("data")?.get("policy")?.as_str()?.parse().ok()
}

/// A line of the values file: reference, salt and the value's canonical bytes.
fn stored(line: &[u8]) -> Option<(Digest, Salt, Vec<u8>)> {
    let limits = Limits { depth: Limits::DEEPEST, ..Limits::default() };
    let line = parse(line, &limits).ok()?;
    let text = |key: &str| line.get(key).and_then(Value::as_str);
    let bytes = canon::to_vec(line.get("value")?);
    let (reference, salt) = (text("ref")?.parse().ok()?, Salt::from_hex(text("salt")?)?);
    (salt.reference(&bytes) == reference).then_some((reference, salt, bytes))
}
