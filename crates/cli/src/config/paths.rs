//! What a configuration names by path: globs that stand for files and folders, and what is linted where nobody names
//! anything.

use super::{Problem, line_column};
use globset::{GlobBuilder, GlobMatcher};
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The characters that make a path a glob.
const SPECIAL: [char; 4] = ['*', '?', '[', '{'];

/// A pattern of paths below the folder of the configuration.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    written: String,
    /// Its line and column.
    at: (usize, usize),
    matcher: GlobMatcher,
}

/// What is to be linted: a file, a folder, or what a glob matches below a folder.
#[derive(Clone, Debug)]
pub(crate) struct Wanted {
    /// As a person in the current directory would write it.
    pub(crate) path: PathBuf,
    pub(crate) glob: Option<Glob>,
    /// How the configuration writes it, and where.
    pub(super) written: Option<(String, (usize, usize))>,
}

impl Glob {
    pub(super) fn of(pattern: &Spanned<String>, text: &str) -> Result<Glob, Problem> {
        let written = pattern.get_ref().trim_end_matches('/');
        let built = GlobBuilder::new(written.strip_prefix("./").unwrap_or(written)).literal_separator(true).build();
        let problem = |error: globset::Error| Problem {
            at: pattern.span(),
            message: format!("`{}` is no glob: {}", pattern.get_ref(), error.kind()),
            help: None,
        };
        let matcher = built.map_err(problem)?.compile_matcher();
        Ok(Glob { written: written.to_owned(), at: line_column(text, pattern.span().start), matcher })
    }

    /// True if it matches a place below the folder of the configuration, or a folder that the place lies in.
    pub(crate) fn matches(&self, below: &Path) -> bool {
        below.ancestors().any(|place| !place.as_os_str().is_empty() && self.matcher.is_match(place))
    }

    /// Where it stands and what it is, for a message: `flyball.toml:2:12: `exclude` names `drafts``.
    pub(super) fn told(&self, file: &str, key: &str) -> String {
        let (line, column) = self.at;
        format!("{file}:{line}:{column}: `{key}` names `{}`", self.written)
    }

    /// True if it names something that is there, though nothing of it may be linted.
    pub(super) fn names_what_exists(&self, folder: &Path) -> bool {
        folder.join(&self.written).exists()
    }
}

impl Wanted {
    /// What somebody named on the command line, or what is linted without any configuration.
    pub(crate) fn named(path: &Path) -> Wanted {
        Wanted { path: path.to_owned(), glob: None, written: None }
    }

    /// An entry of `paths`, in a configuration that lies in a folder.
    pub(super) fn of(written: &Spanned<String>, folder: &Path, text: &str) -> Result<Wanted, Problem> {
        let path = written.get_ref();
        let at = line_column(text, written.span().start);
        let is_glob = path.contains(SPECIAL) && !folder.join(path).exists();
        let glob = is_glob.then(|| Glob::of(written, text)).transpose()?;
        let plain = Path::new(path).iter().take_while(|part| !part.to_string_lossy().contains(SPECIAL));
        let below: PathBuf = if is_glob { plain.collect() } else { PathBuf::from(path) };
        Ok(Wanted { path: super::from_here(&folder.join(below)), glob, written: Some((path.clone(), at)) })
    }

    /// How a person would name it in a message.
    pub(crate) fn shown(&self) -> String {
        let path = self.path.display().to_string();
        self.written.as_ref().filter(|_| self.glob.is_some()).map_or(path, |(written, _)| written.clone())
    }
}
