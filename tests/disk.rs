//! Specs from disk: what a caller of the library does around [`flyball::spec::parse`]. Tests run in the workspace root.

#![expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "tests read the files they are about")]

use flyball::diagnostic::{Diagnostic, sort};
use flyball::lint::{Levels, Linted, lint, settle};
use flyball::policy::{Policy, compile};
use flyball::source::Sources;
use flyball::spec::{Parsed, Spec, parse};
use std::path::{Path, PathBuf};

/// A spec as far as it gets, with everything that was said about it.
pub(crate) struct Loaded {
    pub(crate) sources: Sources,
    pub(crate) spec: Option<Spec>,
    pub(crate) policy: Option<Policy>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Loaded {
    /// One line a diagnostic.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.diagnostics.iter().map(|diagnostic| diagnostic.one_line(&self.sources)).collect()
    }

    pub(crate) fn rules(&self) -> Vec<&'static str> {
        self.diagnostics.iter().map(|diagnostic| diagnostic.rule).collect()
    }

    /// The policy of a spec that must be free of problems.
    pub(crate) fn clean(self) -> (Spec, Policy) {
        assert_eq!(self.lines(), [""; 0]);
        (self.spec.unwrap(), self.policy.unwrap())
    }
}

/// The spec at a path.
pub(crate) fn load(path: &str) -> Loaded {
    load_bytes(path, std::fs::read(path).unwrap())
}

/// A spec that is not on disk, as if it stood at a path; what it refers to is read from disk.
pub(crate) fn load_bytes(path: &str, bytes: impl Into<Vec<u8>>) -> Loaded {
    let mut sources = Sources::new(path, bytes);
    let Parsed { spec, mut diagnostics, .. } = loop {
        let parsed = parse(&sources);
        if parsed.missing.is_empty() {
            break parsed;
        }
        for path in parsed.missing {
            match std::fs::read(&path) {
                Ok(bytes) => _ = sources.insert(path, bytes),
                Err(_) => sources.insert_unreadable(path, "there is no such file"),
            }
        }
    };
    let policy = match spec.as_ref().map(compile) {
        Some(Ok(policy)) => {
            diagnostics.extend(policy.warnings().iter().cloned());
            Some(policy)
        }
        Some(Err(problems)) => {
            diagnostics.extend(problems);
            None
        }
        None => None,
    };
    sort(&mut diagnostics);
    Loaded { sources, spec, policy, diagnostics }
}

/// The spec at a path with all that the linter says of it.
pub(crate) fn load_linted(path: &str) -> Loaded {
    linted(load(path))
}

/// What was loaded, with all that the linter says of it.
pub(crate) fn linted(mut loaded: Loaded) -> Loaded {
    if let (Some(spec), Some(policy)) = (&loaded.spec, &loaded.policy) {
        loaded.diagnostics.extend(lint(&Linted::of(&loaded.sources, spec, policy)));
    }
    loaded.diagnostics = settle(&loaded.sources, loaded.diagnostics, &Levels::default());
    loaded
}

/// The pack at a path: there is no spec in it, and no policy.
pub(crate) fn load_pack(path: &str) -> Loaded {
    let sources = Sources::new(path, std::fs::read(path).unwrap());
    let diagnostics = flyball::spec::parse_pack(&sources).diagnostics;
    Loaded { sources, spec: None, policy: None, diagnostics }
}

/// A short spec that stands alone.
pub(crate) fn load_text(text: &str) -> Loaded {
    load_bytes("test.yaml", text)
}

pub(crate) fn text_of(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// The text of a file, with a sign for what is not UTF-8, as editors show it.
pub(crate) fn shown_text_of(path: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
}

/// The files of a folder with an ending, sorted; not those of folders inside it.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.filter(|path| path.is_file() && path.to_str().unwrap().ends_with(ending));
    let mut files: Vec<String> = named.map(|path| path.to_str().unwrap().to_owned()).collect();
    files.sort();
    files
}

/// The files of a folder and all folders inside it.
pub(crate) fn files_below(folder: &str, ending: &str) -> Vec<String> {
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let mut all = files(folder, ending);
    all.extend(folders.flat_map(|folder| files_below(folder.to_str().unwrap(), ending)));
    all.sort();
    all
}

/// The name of a file without folder and ending.
pub(crate) fn stem(path: &str) -> &str {
    Path::new(path).file_stem().unwrap().to_str().unwrap()
}

/// The folder of published traces; `None` where nobody named one, unless they are required.
pub(crate) fn corpora() -> Option<PathBuf> {
    let named = std::env::var("FLYBALL_CORPORA").ok().map(PathBuf::from);
    let required = std::env::var("FLYBALL_REQUIRE_CORPORA").is_ok_and(|value| value == "1");
    assert!(named.is_some() || !required, "FLYBALL_REQUIRE_CORPORA is set and FLYBALL_CORPORA is not");
    if named.is_none() {
        eprintln!("skipped: FLYBALL_CORPORA is not set");
    }
    named
}

/// The lines of a compressed file of traces.
pub(crate) fn trace_lines(path: &Path) -> Vec<String> {
    let packed = std::fs::read(path).unwrap();
    let text = std::io::read_to_string(flate2::read::GzDecoder::new(packed.as_slice())).unwrap();
    text.lines().map(str::to_owned).collect()
}
