//! What keeps this crate from doing its work. What is wrong inside a spec is a diagnostic, never an error.

use std::path::PathBuf;

/// What prevented the work.
#[derive(Debug, thiserror::Error)]
pub enum IoError {
    /// A path could not be read.
    #[error("`{}` cannot be read: {reason}", path.display())]
    Unreadable {
        /// The path as it was given.
        path: PathBuf,
        /// Why, in a few words.
        reason: String,
    },
    /// A file is not the JSON it should be.
    #[error("`{}`: {reason}", path.display())]
    BadJson {
        /// The path as it was given.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A file lies outside the workspace root.
    #[error("`{}` lies outside the workspace root `{}`", path.display(), root.display())]
    Outside {
        /// The path as it was given.
        path: PathBuf,
        /// The root.
        root: PathBuf,
    },
}

impl IoError {
    /// A file that a read of it failed on.
    #[must_use]
    pub fn unreadable_file(path: &std::path::Path, error: &std::io::Error) -> IoError {
        IoError::unreadable(path, reason(error))
    }

    pub(crate) fn unreadable(path: impl Into<PathBuf>, reason: impl Into<String>) -> IoError {
        IoError::Unreadable { path: path.into(), reason: reason.into() }
    }

    /// What to do about it, where there is something.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            IoError::Unreadable { .. } | IoError::BadJson { .. } => None,
            IoError::Outside { .. } => Some("name a folder above it with `--root`"),
        }
    }
}

/// Why a file could not be read, in a few words that are the same on every system.
pub(crate) fn reason(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".into(),
        ErrorKind::PermissionDenied => "it may not be read".into(),
        ErrorKind::IsADirectory => "it is a folder".into(),
        kind => kind.to_string(),
    }
}
