//! What keeps a ledger from being written or opened. Whatever it is, the answer of the governor is the same deny.

use flyball::ledger::verify::Code;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What prevented the work on a ledger.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// A run's name is not 1 to 64 of `0-9A-Za-z_-`.
    #[error("`{0}` is no name of a run")]
    BadRun(String),
    /// A new run's file has records already.
    #[error("`{}` exists already", .0.display())]
    Exists(PathBuf),
    /// There is no such run.
    #[error("there is no `{}`", .0.display())]
    Missing(PathBuf),
    /// A run has no such record.
    #[error("`{run}` has no record {seq}")]
    NoRecord {
        /// The run.
        run: String,
        /// The record.
        seq: u64,
    },
    /// Another writer has the run.
    #[error("another writer has `{}`", .0.display())]
    Busy(PathBuf),
    /// A file that is not what the ledger writes.
    #[error("`{}`: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A complete line is wrong: changed from outside, or by the disk.
    #[error("`{}:{line}` is broken: `{}`", path.display(), code.as_str())]
    Broken {
        /// The segment.
        path: PathBuf,
        /// The line in it, from 1.
        line: u64,
        /// What is wrong, as `verify` says it.
        code: Code,
    },
    /// The head says that more records exist.
    #[error("`{}` ends before record {head}, which its head names (`size_less_than_anchor`)", path.display())]
    HeadAhead {
        /// The last segment.
        path: PathBuf,
        /// The record the head names.
        head: u64,
    },
    /// A record does not follow the last one of the file.
    #[error("record {seq} does not follow the last one of `{}`", path.display())]
    Fork {
        /// The segment.
        path: PathBuf,
        /// The record.
        seq: u64,
    },
    /// A record's line is longer than a line may be.
    #[error("record {seq} is longer than a line may be")]
    TooLong {
        /// The record.
        seq: u64,
    },
    /// The disk is full.
    #[error("there is no room for `{}`", .0.display())]
    Full(PathBuf),
    /// A call to the system failed.
    #[error("`{call}` failed on `{}`: {source}", path.display())]
    Io {
        /// The call.
        call: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// An earlier failure left it unknown what the disk holds.
    #[error("an earlier failure on `{}` ended this writer", .0.display())]
    Poisoned(PathBuf),
}

impl LedgerError {
    /// The code of the deny that answers every one of them.
    pub const CODE: &'static str = "ledger_unavailable";

    /// What to do about it, where there is something.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            LedgerError::BadRun(_) => Some("a run is named with 1 to 64 of `0-9A-Za-z_-`"),
            LedgerError::Busy(_) => Some("a run has one writer; end the other, or wait for it"),
            LedgerError::Broken { .. } | LedgerError::HeadAhead { .. } => {
                Some("`flyball verify` says what is sound; go on under another run, and keep this one as it is")
            }
            LedgerError::Poisoned(_) => Some("open the run again: what it holds is read anew from the disk"),
            _ => None,
        }
    }

    pub(super) fn io(call: &'static str, path: &Path) -> impl Fn(io::Error) -> LedgerError {
        move |source| match source.kind() {
            // A file takes less than it was given only where there is no room for more.
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge | ErrorKind::WriteZero => {
                LedgerError::Full(path.to_owned())
            }
            ErrorKind::NotFound if call == "open" => LedgerError::Missing(path.to_owned()),
            _ => LedgerError::Io { call, path: path.to_owned(), source },
        }
    }
}
