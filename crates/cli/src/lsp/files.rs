//! The documents that an editor has open, and the files around them. What is open counts, whatever is on disk.

use super::text::{Text, Units};
use flyball::outline::Outline;
use flyball::source::Sources;
use flyball_io::sources::Workspace;
use lsp_types::Uri;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// A document that is open.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// Its address as the editor writes it.
    pub(crate) uri: Uri,
    pub(crate) text: Text,
    pub(crate) version: i32,
}

/// What is open, and which folders nothing may leave.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// The folder that was asked for on the command line.
    pub(crate) root: Option<PathBuf>,
    /// The folders of the editor.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) open: BTreeMap<PathBuf, Document>,
    pub(crate) units: Units,
}

/// What a file of the format is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Spec,
    Contract,
    Pack,
}

impl Format {
    /// What a text is, by its keys: a spec has a key `contract` too, which is a path.
    pub(crate) fn of(outline: &Outline) -> Option<Format> {
        let is_version = |key: &str| {
            let text = outline.get(&[key]).and_then(|node| node.text());
            text.is_some_and(|text| text.parse::<u64>().is_ok())
        };
        match outline.get(&["agentspec"]) {
            Some(_) => Some(Format::Spec),
            None if is_version("contract") => Some(Format::Contract),
            None => is_version("pack").then_some(Format::Pack),
        }
    }
}

impl Files {
    /// The path of an address, without symbolic links as far as it exists; `None` for what is no file.
    pub(crate) fn path(uri: &Uri) -> Option<PathBuf> {
        let path = PathBuf::from(decoded(uri.as_str().strip_prefix("file://")?)?);
        let resolved = path.ancestors().find_map(|part| {
            let (part, rest) = (part.canonicalize().ok()?, path.strip_prefix(part).ok()?);
            // Joining nothing would leave a separator at the end.
            Some(if rest.as_os_str().is_empty() { part } else { part.join(rest) })
        });
        Some(resolved.unwrap_or(path))
    }

    /// The path that a document was opened by, whatever has become of it on disk since; else that of its address.
    pub(crate) fn opened(&self, uri: &Uri) -> Option<PathBuf> {
        let known = self.open.iter().find(|(_, document)| document.uri == *uri).map(|(path, _)| path.clone());
        known.or_else(|| Files::path(uri))
    }

    /// The address of a path: that of the editor, where it is open.
    pub(crate) fn uri(&self, path: &Path) -> Option<Uri> {
        self.open.get(path).map(|document| document.uri.clone()).or_else(|| Uri::from_str(&encoded(path)).ok())
    }

    /// The workspace that a file lies in: the folder asked for, the innermost folder of the editor around it, or else
    /// the parent of its own folder.
    pub(crate) fn workspace(&self, path: &Path) -> Option<Workspace> {
        let around = self.root.iter().chain(&self.folders).filter(|folder| path.starts_with(folder));
        let chosen = self.root.as_deref().filter(|root| path.starts_with(root));
        let folder = chosen.or_else(|| around.max_by_key(|folder| folder.components().count()).map(PathBuf::as_path));
        let beside = path.parent().map(|folder| folder.parent().unwrap_or(folder));
        Workspace::below(folder.or(beside)?).ok()
    }

    /// The text of a file by its path below a root, if it is open.
    pub(crate) fn open_text(&self, workspace: &Workspace, logical: &str) -> Option<String> {
        let path = workspace.root().join(logical);
        let linked = || path.canonicalize().ok().filter(|path| path.starts_with(workspace.root()));
        let document = self.open.get(&path).or_else(|| self.open.get(&linked()?))?;
        Some(document.text.as_str().to_owned())
    }

    /// The text of a file by its path below a root, from the editor or from disk.
    pub(crate) fn text(&self, workspace: &Workspace, logical: &str) -> Option<String> {
        let read = || String::from_utf8(workspace.read(logical).ok()?).ok();
        self.open_text(workspace, logical).or_else(read)
    }
}

/// The path below a root of what a file refers to.
pub(crate) fn resolved(from: &str, reference: &str) -> Option<String> {
    Sources::default().resolve(from, reference)
}

/// A path of an address: without percents, and without the slash before a drive.
fn decoded(path: &str) -> Option<String> {
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let (high, low) = (digit()?, digit()?);
        bytes.push(high.saturating_mul(16).saturating_add(low));
    }
    let path = String::from_utf8(bytes).ok()?;
    let drive = path.strip_prefix('/').filter(|rest| rest.as_bytes().get(1) == Some(&b':'));
    Some(drive.map(str::to_owned).unwrap_or(path))
}

fn encoded(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/");
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "file:///" });
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_and_its_path_lead_to_each_other() {
        for (path, uri) in [("/a/b c.yaml", "file:///a/b%20c.yaml"), ("/ä/#.yaml", "file:///%C3%A4/%23.yaml")] {
            assert_eq!(encoded(Path::new(path)), uri);
            assert_eq!(decoded(uri.strip_prefix("file://").unwrap()).as_deref(), Some(path));
        }
        assert_eq!(decoded("/c%3A/a.yaml").as_deref(), Some("c:/a.yaml"));
        assert_eq!(decoded("/a%zz"), None);
        assert_eq!(Files::path(&Uri::from_str("untitled:1").unwrap()), None);
    }

    #[test]
    fn a_text_is_what_its_keys_say() {
        let of = |text: &str| Format::of(&Outline::read(text, None));
        assert_eq!(of("# x\nagentspec: 1\ncontract: ../shop.yaml\n"), Some(Format::Spec));
        assert_eq!(of("contract: 1\nid: a\n"), Some(Format::Contract));
        assert_eq!(of("pack: 1\n"), Some(Format::Pack));
        assert_eq!(of("contract: shop.yaml\n"), None);
        assert_eq!(of("name: ci\n"), None);
    }
}
