//! The ledger's files: one folder, in it each run's records, values and head, and the policies they were decided by.
//!
//! ```text
//! DIR/policy/<digest>.json     the sources of a policy, written once
//! DIR/<run>.jsonl              records; the file that carries the lock
//! DIR/<run>.000001.jsonl       … further segments of the same chain
//! DIR/<run>.values.jsonl       values that do not stand in records, and can be erased
//! DIR/<run>.answers.jsonl      what people answer while the run goes on; no part of the record
//! DIR/<run>.head               the last record known to be durable
//! DIR/<segment>.torn-<offset>  what a crash left half written, set aside
//! ```
//!
//! [`LedgerFolder::create`] and [`LedgerFolder::resume`] give the one [`LedgerWriter`] of a run. A writer takes finished
//! records, built on the run's [`Chain`] by whoever decides; its own records (a seal, a
//! recovery, an erasure) go through the same chain. A failure means no: [`LedgerError::CODE`] is the deny.
//!
//! No complete line is ever cut, skipped or repaired, and no failed sync is tried again.

mod answers;
mod erase;
mod error;
mod file;
mod head;
mod lines;
mod policies;
mod read;
mod resume;
mod storage;
mod tail;
mod writer;

pub(crate) use answers::{AnswerLine, Answers, AnswersWriter};
pub use erase::Erased;
pub use error::LedgerError;
pub use head::Head;
pub use resume::Recovered;
pub use storage::{Disk, DiskFile, Mode, RealDisk};
pub use writer::LedgerWriter;

use flyball::ledger::Chain;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// When a segment is closed and the next one begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roll {
    /// At this many bytes.
    pub bytes: u64,
    /// At this many records.
    pub records: u64,
}

impl Default for Roll {
    fn default() -> Roll {
        Roll { bytes: 64 << 20, records: 1_000_000 }
    }
}

/// A folder of ledgers.
///
/// ```
/// use flyball::ledger::{Chain, Durability, RecordKind};
/// use flyball_io::ledger::LedgerFolder;
///
/// # let place = std::env::temp_dir().join(format!("flyball-doc-{}", std::process::id()));
/// let folder = LedgerFolder::open(&place)?;
/// let mut writer = folder.create("run-1")?;
/// let mut chain = Chain::genesis("run-1").unwrap();
/// let record = chain.append(None, RecordKind::TurnOpen, Durability::Sync, |out| out.extend_from_slice(b"{}"));
/// writer.append(&[record], &[])?;
/// assert_eq!(writer.head().unwrap().hash, chain.head());
/// drop(writer);
///
/// let (_writer, resumed, recovered) = folder.resume("run-1")?;
/// assert_eq!((resumed, recovered), (chain, None));
/// # std::fs::remove_dir_all(&place).unwrap();
/// # Ok::<(), flyball_io::ledger::LedgerError>(())
/// ```
#[derive(Clone, Debug)]
pub struct LedgerFolder {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    roll: Roll,
}

impl LedgerFolder {
    /// Opens a folder on this machine's disk; makes it where it does not exist.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(path: impl Into<PathBuf>) -> Result<LedgerFolder, LedgerError> {
        LedgerFolder::open_on(Arc::new(RealDisk), path)
    }

    /// Opens a folder on another disk.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open_on(disk: Arc<dyn Disk>, path: impl Into<PathBuf>) -> Result<LedgerFolder, LedgerError> {
        let folder = LedgerFolder { disk, path: path.into(), roll: Roll::default() };
        let policies = folder.path.join("policy");
        folder.disk.create_folder(&policies).map_err(LedgerError::io("mkdir", &policies))?;
        if let Some(above) = folder.path.parent().filter(|above| !above.as_os_str().is_empty()) {
            folder.disk.sync_folder(above).map_err(LedgerError::io("fsync", above))?;
        }
        folder.sync()?;
        Ok(folder)
    }

    /// A folder that is there already: nothing is made, so that a copy nobody may write can be read.
    #[must_use]
    pub fn existing(path: impl Into<PathBuf>) -> LedgerFolder {
        LedgerFolder { disk: Arc::new(RealDisk), path: path.into(), roll: Roll::default() }
    }

    /// The folder with other limits of a segment.
    #[must_use]
    pub fn with_roll(mut self, roll: Roll) -> LedgerFolder {
        self.roll = roll;
        self
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The segments of a run, in the order of its chain. The first is named whether it exists or not.
    ///
    /// # Errors
    /// The folder cannot be read, or a segment between others is [`LedgerError::Missing`].
    pub fn segments(&self, run: &str) -> Result<Vec<PathBuf>, LedgerError> {
        let names = self.disk.names(&self.path).map_err(LedgerError::io("readdir", &self.path))?;
        let number = |name: &String| -> Option<u32> {
            let digits = name.strip_prefix(run)?.strip_prefix('.')?.strip_suffix(".jsonl")?;
            (digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
        };
        let mut numbers: Vec<u32> = names.iter().filter_map(number).collect();
        numbers.sort_unstable();
        for (expected, number) in (1..).zip(&numbers) {
            if expected != *number {
                return Err(LedgerError::Missing(self.segment(run, expected)));
            }
        }
        Ok(std::iter::once(0).chain(numbers).map(|number| self.segment(run, number)).collect())
    }

    /// Where a run's values are.
    #[must_use]
    pub fn values_path(&self, run: &str) -> PathBuf {
        self.path.join(format!("{run}.values.jsonl"))
    }

    /// Where answers to a run's requests lie until the run takes them.
    #[must_use]
    pub fn answers_path(&self, run: &str) -> PathBuf {
        self.path.join(format!("{run}.answers.jsonl"))
    }

    /// Where a run's head is.
    #[must_use]
    pub fn head_path(&self, run: &str) -> PathBuf {
        self.path.join(format!("{run}.head"))
    }

    /// The head of a run, if one was written.
    ///
    /// # Errors
    /// The file is no head of this run, or cannot be read.
    pub fn head(&self, run: &str) -> Result<Option<Head>, LedgerError> {
        let path = self.head_path(run);
        match file::read_whole(&*self.disk, &path) {
            Err(LedgerError::Missing(_)) => Ok(None),
            Err(error) => Err(error),
            Ok(bytes) => Head::from_bytes(&bytes, run).ok_or_else(|| head::not_a_head(&path, run)),
        }
    }

    /// Begins a run. A file without a record may be there already: whoever made it was stopped before its first one.
    ///
    /// # Errors
    /// [`LedgerError::Exists`], [`LedgerError::Busy`], or the disk's.
    pub fn create(&self, run: &str) -> Result<LedgerWriter, LedgerError> {
        resume::create(self, run)
    }

    /// Opens a run to go on with it: the lines from its head on are checked, a torn tail is set aside and recorded.
    ///
    /// # Errors
    /// [`LedgerError::Missing`], [`LedgerError::Busy`], [`LedgerError::Broken`], [`LedgerError::HeadAhead`], or the
    /// disk's.
    pub fn resume(&self, run: &str) -> Result<(LedgerWriter, Chain, Option<Recovered>), LedgerError> {
        resume::resume(self, run, false)
    }

    /// As [`LedgerFolder::resume`], with every line of every segment checked.
    ///
    /// # Errors
    /// As [`LedgerFolder::resume`].
    pub fn resume_checking_all(&self, run: &str) -> Result<(LedgerWriter, Chain, Option<Recovered>), LedgerError> {
        resume::resume(self, run, true)
    }

    fn segment(&self, run: &str, number: u32) -> PathBuf {
        let name = if number == 0 { format!("{run}.jsonl") } else { format!("{run}.{number:06}.jsonl") };
        self.path.join(name)
    }

    fn sync(&self) -> Result<(), LedgerError> {
        self.disk.sync_folder(&self.path).map_err(LedgerError::io("fsync", &self.path))
    }
}
