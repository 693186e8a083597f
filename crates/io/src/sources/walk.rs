//! Which files below a folder are specs, contracts and packs: the YAML files whose keys say so.
//!
//! Hidden folders and symbolic links to folders are not entered. Order is that of the paths, whatever the disk says. What
//! cannot be read is told beside the rest, and so is what seems to be meant as a file of the format and is none.

use super::read_bounded;
use crate::error::{IoError, reason};
use flyball::diagnostic::nearest;
use flyball::source::{FileId, Sources};
use flyball::yaml::{self, Data, Node};
use std::path::{Path, PathBuf};

/// What a file is, by its keys.
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

/// What a look at the keys of a file tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// It says what it is.
    Is(FileKind),
    /// It does not say so, and its keys are those of such a file.
    Seems(FileKind),
    /// Nothing stands in it.
    Empty,
    /// It is no YAML, and no line of it tells more.
    Broken,
    /// It is another file.
    Other,
}

/// The YAML files below a folder.
#[derive(Debug, Default)]
pub struct Survey {
    /// The files of the format, sorted by path.
    pub found: Vec<Found>,
    /// Those that seem to be meant as one and do not say so, sorted by path.
    pub seeming: Vec<Found>,
    /// Empty files, sorted by path.
    pub empty: Vec<PathBuf>,
    /// The other YAML files, sorted by path.
    pub others: Vec<PathBuf>,
    /// What could not be read.
    pub unreadable: Vec<IoError>,
}

/// The deepest folder looked into.
const MAX_DEPTH: usize = 32;

/// Every spec, contract and pack below a folder, sorted by path.
///
/// # Errors
/// [`IoError::Unreadable`] if a folder or a YAML file cannot be read.
pub fn find(folder: &Path) -> Result<Vec<Found>, IoError> {
    let Survey { found, unreadable, .. } = survey(folder);
    unreadable.into_iter().next().map_or(Ok(found), Err)
}

/// Every YAML file below a folder, by what it is.
#[must_use]
pub fn survey(folder: &Path) -> Survey {
    let (mut survey, mut paths) = (Survey::default(), Vec::new());
    look_into(folder, 0, &mut paths, &mut survey.unreadable);
    paths.sort();
    for path in paths {
        match look_at(&path) {
            Ok(Look::Is(kind)) => survey.found.push(Found { path, kind }),
            Ok(Look::Seems(kind)) => survey.seeming.push(Found { path, kind }),
            Ok(Look::Empty) => survey.empty.push(path),
            Ok(Look::Broken | Look::Other) => survey.others.push(path),
            Err(error) => survey.unreadable.push(error),
        }
    }
    survey
}

/// Adds the YAML files of a folder, and what keeps others from being seen.
fn look_into(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>, unreadable: &mut Vec<IoError>) {
    let mut failed = |error: std::io::Error| unreadable.push(IoError::unreadable(folder, reason(&error)));
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return failed(error),
    };
    let mut folders = Vec::new();
    for entry in entries {
        let entry = entry.and_then(|entry| Ok((entry.path(), entry.file_name(), entry.file_type()?)));
        let (path, name, file_type) = match entry {
            Ok(entry) => entry,
            Err(error) => {
                failed(error);
                continue;
            }
        };
        if file_type.is_dir() {
            if !name.as_encoded_bytes().starts_with(b".") && depth < MAX_DEPTH {
                folders.push(path);
            }
        } else if is_yaml(&path) && path.is_file() {
            paths.push(path);
        }
    }
    folders.sort();
    folders.iter().for_each(|folder| look_into(folder, depth.saturating_add(1), paths, unreadable));
}

/// True for a file that is named as YAML is: `*.yaml` or `*.yml`, in any case.
#[must_use]
pub fn is_yaml(path: &Path) -> bool {
    let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    extension.is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// What a file is, or seems to be meant as; `None` for any other file.
///
/// # Errors
/// [`IoError::Unreadable`] if it cannot be read.
pub fn kind_of(path: &Path) -> Result<Option<FileKind>, IoError> {
    Ok(match look_at(path)? {
        Look::Is(kind) | Look::Seems(kind) => Some(kind),
        Look::Empty | Look::Broken | Look::Other => None,
    })
}

/// What the keys of a file tell.
///
/// # Errors
/// [`IoError::Unreadable`] if it cannot be read.
pub fn look_at(path: &Path) -> Result<Look, IoError> {
    let bytes = read_bounded(path).map_err(|reason| IoError::unreadable(path, reason))?;
    Ok(look(&bytes))
}

/// A key at the top of a file, and whether its value is a version: a whole number, in quotes or not.
struct Key {
    name: String,
    is_version: bool,
}

fn look(bytes: &[u8]) -> Look {
    let sources = Sources::new("looked-at.yaml", bytes);
    let mut problems = Vec::new();
    match yaml::read(FileId(0), &sources, &mut problems) {
        Some(Node { data: Data::Map(entries), .. }) => {
            let keys = entries.iter().map(|entry| Key {
                name: entry.key.to_string(),
                is_version: match &entry.value.data {
                    Data::Number(number) => is_whole(number.as_str()),
                    Data::Text(text) => is_whole(text),
                    _ => false,
                },
            });
            told(&keys.collect::<Vec<_>>()).unwrap_or(Look::Other)
        }
        Some(_) => Look::Other,
        None if problems.iter().any(|problem| problem.rule == "empty-file") => Look::Empty,
        None => told(&keys_of_lines(&String::from_utf8_lossy(bytes))).unwrap_or(Look::Broken),
    }
}

/// The keys of a text that is no YAML, as far as its lines show them.
fn keys_of_lines(text: &str) -> Vec<Key> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let key_of = |line: &str| {
        let (name, value) = line.strip_prefix('{').unwrap_or(line).split_once(':')?;
        let bare = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
        let value = value.split([',', '#']).next().unwrap_or_default();
        let is_top = !name.starts_with([' ', '\t', '#', '-']) || line.starts_with('{');
        is_top.then(|| Key { name: bare(name), is_version: is_whole(&bare(value)) })
    };
    text.split(['\n', '\r']).filter_map(key_of).collect()
}

fn is_whole(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What keys tell. A spec has a key `contract` too, which is a path and no version.
fn told(keys: &[Key]) -> Option<Look> {
    let has = |name: &str| keys.iter().any(|key| key.name == name);
    let is_version = |name: &str| keys.iter().any(|key| key.name == name && key.is_version);
    if has("agentspec") {
        return Some(Look::Is(FileKind::Spec));
    }
    if is_version("contract") {
        return Some(Look::Is(FileKind::Contract));
    }
    if is_version("pack") {
        return Some(Look::Is(FileKind::Pack));
    }
    if has("scenario") {
        return None;
    }
    seeming(keys, &has).map(Look::Seems)
}

/// What a file without a word that says so is meant as: its keys are those of one kind, and one of them is nearly the word,
/// or is the word and has no version.
fn seeming(keys: &[Key], has: &dyn Fn(&str) -> bool) -> Option<FileKind> {
    let first = keys.first()?;
    let has_any = |names: &[&str]| names.iter().any(|name| has(name));
    let is_spelt = |word: &str| keys.iter().any(|key| key.name != word && squeezed(&key.name) == word);
    let is_near = |word: &str| keys.iter().any(|key| key.is_version && nearest(&squeezed(&key.name), [word]).is_some());
    let is_of = |word: &str| first.name == word || is_spelt(word) || is_near(word);
    let acts = has_any(&["persona", "tools", "extends", "guards"]);
    if is_spelt("agentspec") || (has("id") && (is_near("agentspec") && acts || has("persona") && has("tools"))) {
        return Some(FileKind::Spec);
    }
    if has("id") && has("kinds") && is_of("pack") {
        return Some(FileKind::Pack);
    }
    let shared = ["voice", "rules", "facts", "wording", "outcomes", "disclosure", "guards", "budgets", "let", "params"];
    (has("id") && has_any(&shared) && is_of("contract")).then_some(FileKind::Contract)
}

/// A key without what is only spelling.
fn squeezed(key: &str) -> String {
    key.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: Look = Look::Is(FileKind::Spec);
    const LIKE_A_SPEC: Look = Look::Seems(FileKind::Spec);

    #[test]
    fn the_keys_tell_the_kind_wherever_they_stand_and_however_they_are_written() {
        let cases: [(&[u8], Look); 20] = [
            (b"pack: 1\nid: a\n", Look::Is(FileKind::Pack)),
            (b"agentspec: 1\nid: a\n", SPEC),
            (b"# yaml-language-server: x\n\n---\nagentspec: 1\n", SPEC),
            (b"\xef\xbb\xbfcontract: 1\r\n", Look::Is(FileKind::Contract)),
            (b"# only\rcontract: 1", Look::Is(FileKind::Contract)),
            (b"id: a\nagentspec: 1\n", SPEC),
            (b"contract: ../a.yaml\nagentspec: 1\n", SPEC),
            (b"\"agentspec\": 1\n", SPEC),
            (b"agentspec : 1\n", SPEC),
            (b"{agentspec: 1, id: a}\n", SPEC),
            (b"{agentspec: 1, id: [a}\n", SPEC),
            (b"id: a\nagentspec: 1\ntools: [\n", SPEC),
            (b"id: a\ncontract: '1'\n", Look::Is(FileKind::Contract)),
            (b"scenario: 1\nid: a\npersona: x\ntools: {}\n", Look::Other),
            (b"", Look::Empty),
            (b"# agentspec: 1\n\n", Look::Empty),
            (b"\xff\xfe", Look::Broken),
            (b"a: {{ .Values.agentspec }}\n", Look::Other),
            (b"- agentspec: 1\n", Look::Other),
            (b"metadata:\n  agentspec: 1\n", Look::Other),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(look(bytes), wanted, "{}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn what_is_nearly_one_seems_to_be_meant_so_and_what_is_far_does_not() {
        let cases: [(&[u8], Look); 16] = [
            (b"agentspek: 1\nid: a\npersona: x\n", LIKE_A_SPEC),
            (b"agentspecs: 1\nid: a\ntools: {}\n", LIKE_A_SPEC),
            (b"Agentspec: 1\n", LIKE_A_SPEC),
            (b"agent_spec: 1\n", LIKE_A_SPEC),
            (b"agentspek: 1\nid: a\ntools: [\n", LIKE_A_SPEC),
            (b"id: a\npersona: x\ntools: {}\n", LIKE_A_SPEC),
            (b"contrakt: 1\nid: a\nrules: []\n", Look::Seems(FileKind::Contract)),
            (b"contract: one\nid: a\nvoice: x\n", Look::Seems(FileKind::Contract)),
            (b"Pack: 1\nid: a\nkinds: {}\n", Look::Seems(FileKind::Pack)),
            (b"agents: 3\ntools: [a]\n", Look::Other),
            (b"agentspecs: [a, b]\n", Look::Other),
            (b"contact: 1\nid: a\nname: x\n", Look::Other),
            (b"contract: signed.pdf\nid: a\n", Look::Other),
            (b"pack: small\nsize: 3\n", Look::Other),
            (b"back: 1\nid: a\n", Look::Other),
            (b"name: ci\non: push\njobs: {}\n", Look::Other),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(look(bytes), wanted, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
