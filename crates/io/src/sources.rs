//! A spec and every file it refers to, from disk to [`Sources`].
//!
//! [`Workspace::of`] finds the root, [`Workspace::load`] reads the spec, parses it, reads what the parser misses, and
//! parses again until nothing is missing. Paths inside [`Sources`] are relative to the root, with `/`.
//!
//! No file outside the root is read, whatever `..` or symbolic links say, and none beyond [`MAX_BYTES`].

mod walk;

use crate::error::{IoError, reason};
use flyball::source::Sources;
use flyball::spec::{Parsed, ParsedPack};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

pub use walk::{FileKind, Found, Look, Survey, find, is_yaml, kind_of, look_at, survey};

/// The most that is read of one file; the reader refuses less than this with a diagnostic.
pub const MAX_BYTES: u64 = 8 << 20;

/// The most files one spec may be made of.
pub const MAX_FILES: usize = 256;

/// The folder that a spec and its files may not leave.
#[derive(Clone, Debug)]
pub struct Workspace {
    root: PathBuf,
    shown: Shown,
}

/// How a person in the current directory writes paths of the workspace.
#[derive(Clone, Debug)]
enum Shown {
    /// Below this folder.
    Below(PathBuf),
    /// From this folder of the workspace, where the person is.
    From(PathBuf),
}

/// A spec, its files, and what parsing them found.
#[derive(Debug)]
pub struct Loaded {
    /// The files; the first is the spec.
    pub sources: Sources,
    /// The spec and its problems; nothing is missing.
    pub parsed: Parsed,
}

impl Workspace {
    /// The workspace of a spec: `root` if one is given; else the current directory if the spec lies in a folder below
    /// it; else the parent of the spec's folder, so that `../contracts/shop.yaml` is inside.
    ///
    /// # Errors
    /// [`IoError::Unreadable`] if a path does not exist, [`IoError::Outside`] if the spec is not below `root`.
    pub fn of(spec: &Path, root: Option<&Path>) -> Result<Workspace, IoError> {
        let file = canonical(spec)?;
        if let Some(shown) = root {
            let workspace = Workspace { root: canonical(shown)?, shown: Shown::Below(shown.to_owned()) };
            workspace.logical(&file).ok_or_else(|| workspace.outside(spec))?;
            return Ok(workspace);
        }
        let here = std::env::current_dir().and_then(|here| here.canonicalize()).ok();
        Ok(Workspace::beside(&file, here))
    }

    /// The workspace of everything below a folder.
    ///
    /// # Errors
    /// [`IoError::Unreadable`] if there is no such folder.
    pub fn below(root: &Path) -> Result<Workspace, IoError> {
        Ok(Workspace { root: canonical(root)?, shown: Shown::Below(root.to_owned()) })
    }

    /// The workspace of a spec for a person who is here.
    fn beside(file: &Path, here: Option<PathBuf>) -> Workspace {
        let folder = file.parent().unwrap_or(file);
        let parent = folder.parent().unwrap_or(folder).to_owned();
        match here {
            Some(here) if folder == here => {
                let from = here.strip_prefix(&parent).unwrap_or(&here).to_owned();
                Workspace { root: parent, shown: Shown::From(from) }
            }
            Some(here) if folder.starts_with(&here) => Workspace { root: here, shown: Shown::Below(PathBuf::new()) },
            _ => Workspace { shown: Shown::Below(parent.clone()), root: parent },
        }
    }

    /// The root, without symbolic links.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A path of [`Sources`] as a person in the current directory would write it.
    #[must_use]
    pub fn shown(&self, logical: &str) -> String {
        let path = match &self.shown {
            Shown::Below(folder) => folder.join(logical),
            Shown::From(here) => match Path::new(logical).strip_prefix(here) {
                Ok(beside) => beside.to_owned(),
                Err(_) => here.iter().map(|_| "..").collect::<PathBuf>().join(logical),
            },
        };
        path.to_string_lossy().into_owned()
    }

    /// Reads and parses a spec with all it refers to.
    ///
    /// # Errors
    /// [`IoError`] if the spec itself cannot be read. A file it refers to that cannot be read is a diagnostic.
    pub fn load(&self, spec: &Path) -> Result<Loaded, IoError> {
        let file = canonical(spec)?;
        let logical = self.logical(&file).ok_or_else(|| self.outside(spec))?;
        let bytes = read_bounded(&file).map_err(|reason| IoError::unreadable(spec, reason))?;
        Ok(self.complete(Sources::new(logical, bytes)))
    }

    /// Parses a spec, and reads from disk what it refers to and is not among its sources yet.
    #[must_use]
    pub fn complete(&self, sources: Sources) -> Loaded {
        self.complete_over(sources, &|_| None)
    }

    /// Parses a spec whose text is known, with all it refers to: what `open` has a text of, by its path below the root,
    /// has that text, whatever is on disk. `logical` is the spec's own path below the root.
    #[must_use]
    pub fn load_over(&self, logical: &str, text: &str, open: &dyn Fn(&str) -> Option<String>) -> Loaded {
        self.complete_over(Sources::new(logical, text), open)
    }

    /// Reads what is missing until nothing is.
    fn complete_over(&self, mut sources: Sources, open: &dyn Fn(&str) -> Option<String>) -> Loaded {
        loop {
            let parsed = flyball::spec::parse(&sources);
            if parsed.missing.is_empty() {
                return Loaded { sources, parsed };
            }
            for path in &parsed.missing {
                self.fetch(path, &mut sources, open);
            }
        }
    }

    /// Reads a pack, which refers to no other file.
    ///
    /// # Errors
    /// [`IoError`] if it cannot be read.
    pub fn load_pack(&self, pack: &Path) -> Result<(Sources, ParsedPack), IoError> {
        let file = canonical(pack)?;
        let logical = self.logical(&file).ok_or_else(|| self.outside(pack))?;
        let bytes = read_bounded(&file).map_err(|reason| IoError::unreadable(pack, reason))?;
        let sources = Sources::new(logical, bytes);
        let parsed = flyball::spec::parse_pack(&sources);
        Ok((sources, parsed))
    }

    // INVARIANT: afterwards the path is either found or unreadable, so `complete_over` ends.
    fn fetch(&self, path: &str, sources: &mut Sources, open: &dyn Fn(&str) -> Option<String>) {
        let read = if sources.files().count() < MAX_FILES {
            open(path).map_or_else(|| self.read(path), |text| Ok(text.into_bytes()))
        } else {
            Err(format!("a spec is made of at most {MAX_FILES} files"))
        };
        match read {
            Ok(bytes) => _ = sources.insert(path, bytes),
            Err(reason) => sources.insert_unreadable(path, reason),
        }
    }

    /// Reads a file by its path below the root.
    ///
    /// # Errors
    /// Why it cannot be read: there is none, it is too large or no regular file, or a link leads out of the root.
    pub fn read(&self, logical: &str) -> Result<Vec<u8>, String> {
        let file = self.root.join(logical).canonicalize().map_err(|error| reason(&error))?;
        if !file.starts_with(&self.root) {
            return Err("it leads out of the workspace root".into());
        }
        read_bounded(&file)
    }

    /// The path below the root with `/`, if the file lies there and its name is text. `file` has no symbolic links.
    #[must_use]
    pub fn logical(&self, file: &Path) -> Option<String> {
        let below = file.strip_prefix(&self.root).ok()?;
        let parts: Option<Vec<&str>> = below.components().map(|part| part.as_os_str().to_str()).collect();
        parts.map(|parts| parts.join("/"))
    }

    fn outside(&self, path: &Path) -> IoError {
        let root = match &self.shown {
            Shown::Below(folder) => folder.clone(),
            Shown::From(_) => self.root.clone(),
        };
        IoError::Outside { path: path.to_owned(), root }
    }
}

/// Reads a spec with all it refers to, in its own [`Workspace`].
///
/// # Errors
/// As [`Workspace::of`] and [`Workspace::load`].
pub fn load(spec: &Path, root: Option<&Path>) -> Result<Loaded, IoError> {
    Workspace::of(spec, root)?.load(spec)
}

fn canonical(path: &Path) -> Result<PathBuf, IoError> {
    path.canonicalize().map_err(|error| IoError::unreadable(path, reason(&error)))
}

/// At most [`MAX_BYTES`] of a regular file; a pipe could block for ever.
fn read_bounded(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = std::fs::metadata(path).map_err(|error| reason(&error))?;
    if metadata.is_dir() {
        return Err("it is a folder".into());
    }
    if !metadata.is_file() {
        return Err("it is not a regular file".into());
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| reason(&error))?;
    file.take(MAX_BYTES).read_to_end(&mut bytes).map_err(|error| reason(&error))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
