//! Which files below a folder are specs, contracts and packs: those named `*.yaml` whose first key says so.
//!
//! Hidden folders and symbolic links to folders are not entered. Order is that of the paths, whatever the disk says.

use super::read_bounded;
use crate::error::{IoError, reason};
use std::path::{Path, PathBuf};

/// What a file is, by its first key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileKind {
    /// `agentspec:`
    Spec,
    /// `contract:`
    Contract,
    /// `pack:`
    Pack,
}

/// A file of the format.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Where it is.
    pub path: PathBuf,
    /// What it is.
    pub kind: FileKind,
}

/// The deepest folder looked into.
const MAX_DEPTH: usize = 32;

/// Every spec, contract and pack below a folder, sorted by path.
///
/// # Errors
/// [`IoError::Unreadable`] if a folder or a YAML file cannot be read.
pub fn find(folder: &Path) -> Result<Vec<Found>, IoError> {
    let mut found = Vec::new();
    look_into(folder, 0, &mut found)?;
    found.sort();
    Ok(found)
}

fn look_into(folder: &Path, depth: usize, found: &mut Vec<Found>) -> Result<(), IoError> {
    let unreadable = |error: std::io::Error| IoError::unreadable(folder, reason(&error));
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (path, hidden) = (entry.path(), entry.file_name().as_encoded_bytes().starts_with(b"."));
        if entry.file_type().map_err(unreadable)?.is_dir() {
            if !hidden && depth < MAX_DEPTH {
                look_into(&path, depth.saturating_add(1), found)?;
            }
        } else if path.extension().is_some_and(|extension| extension == "yaml") && path.is_file() {
            found.extend(kind_of(&path)?.map(|kind| Found { path, kind }));
        }
    }
    Ok(())
}

/// What a file is, by its first key; `None` for any other file.
///
/// # Errors
/// [`IoError::Unreadable`] if it cannot be read.
pub fn kind_of(path: &Path) -> Result<Option<FileKind>, IoError> {
    let bytes = read_bounded(path).map_err(|reason| IoError::unreadable(path, reason))?;
    Ok(first_key(&bytes))
}

fn first_key(bytes: &[u8]) -> Option<FileKind> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let lines = bytes.split(|byte| matches!(byte, b'\n' | b'\r'));
    let first = lines.map(<[u8]>::trim_ascii_end).find(|line| {
        let line = line.trim_ascii_start();
        !line.is_empty() && !line.starts_with(b"#") && !line.starts_with(b"---") && !line.starts_with(b"%")
    })?;
    if first.starts_with(b"agentspec:") {
        Some(FileKind::Spec)
    } else if first.starts_with(b"contract:") {
        Some(FileKind::Contract)
    } else if first.starts_with(b"pack:") {
        Some(FileKind::Pack)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_key_tells_the_kind_behind_comments_and_marks() {
        let cases: [(&[u8], Option<FileKind>); 9] = [
            (b"pack: 1\nid: a\n", Some(FileKind::Pack)),
            (b"agentspec: 1\nid: a\n", Some(FileKind::Spec)),
            (b"# yaml-language-server: x\n\n---\nagentspec: 1\n", Some(FileKind::Spec)),
            (b"\xef\xbb\xbfcontract: 1\r\n", Some(FileKind::Contract)),
            (b"# only\rcontract: 1", Some(FileKind::Contract)),
            (b"id: a\nagentspec: 1\n", None),
            (b"agentspecs: 1\n", None),
            (b"", None),
            (b"\xff\xfe", None),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(first_key(bytes), wanted, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
