//! The sources of policies beside the ledgers that were decided by them, so that a decision can be derived again.
//!
//! `policy/<digest>.json` is `{"files":{PATH:TEXT,…},"root":PATH}` in canonical bytes. It is written once.

use super::LedgerFolder;
use super::error::LedgerError;
use super::file::{read_whole, replace};
use super::storage::Mode;
use flyball::canon::{self, Digest};
use flyball::json::{Limits, parse};
use flyball::source::{SourceFile, Sources};
use flyball::value::{Object, Value};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

impl LedgerFolder {
    /// Keeps the sources of a policy under its digest, durably. What is there stays: two spellings of one policy have
    /// one digest, and the first is as good.
    ///
    /// # Errors
    /// A file is not UTF-8, or the disk's.
    pub fn keep_policy(&self, digest: Digest, sources: &Sources) -> Result<(), LedgerError> {
        let path = self.policy_path(digest);
        match self.disk.open(&path, Mode::Read) {
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(LedgerError::io("open", &path)(error)),
        }
        replace(&*self.disk, &path, [Ok(canon::to_vec(&to_value(sources)?))])
    }

    /// The sources that were kept under a digest.
    ///
    /// # Errors
    /// [`LedgerError::Missing`], or the file is not what [`LedgerFolder::keep_policy`] writes.
    pub fn load_policy(&self, digest: Digest) -> Result<Sources, LedgerError> {
        let path = self.policy_path(digest);
        let bytes = read_whole(&*self.disk, &path)?;
        let value = parse(&bytes, &Limits::default()).map_err(|error| unreadable(&path, error.to_string()))?;
        from_value(&value).ok_or_else(|| unreadable(&path, "it holds no sources of a policy".into()))
    }

    fn policy_path(&self, digest: Digest) -> PathBuf {
        self.path.join("policy").join(format!("{digest}.json"))
    }
}

fn to_value(sources: &Sources) -> Result<Value<'static>, LedgerError> {
    let mut files = Object::new();
    for file in sources.files() {
        let text = String::from_utf8(file.bytes().to_vec())
            .map_err(|_| unreadable(Path::new(file.path()), "it is not UTF-8".into()))?;
        files.insert(file.path().to_owned().into(), text.into());
    }
    let root = sources.files().next().map(SourceFile::path).unwrap_or_default().to_owned();
    Ok(Object::of([("files", files.into()), ("root", root.into())]).into())
}

fn from_value(value: &Value<'_>) -> Option<Sources> {
    let root = value.get("root")?.as_str()?;
    let files = value.get("files")?.as_object()?;
    let mut sources = Sources::new(root, files.get(root)?.as_str()?);
    for (path, text) in files.iter() {
        sources.insert(path, text.as_str()?);
    }
    Some(sources)
}

fn unreadable(path: &Path, reason: String) -> LedgerError {
    LedgerError::Unreadable { path: path.to_owned(), reason }
}
