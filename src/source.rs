//! Source files as values: a logical path, the text, and where its lines start.
//!
//! Nothing here opens a file. A caller hands the bytes over, learns from the parser which paths a spec still
//! refers to, and calls again.

use std::collections::BTreeMap;

/// Index of a file within its [`Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A range of bytes in one source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file the range lies in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// A range of bytes in `file`.
    #[must_use]
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span { file, start: clamp(start), end: clamp(end.max(start)) }
    }

    /// From the start of `self` to the end of `other`, which lies behind it in the same file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { end: other.end.max(self.start), ..self }
    }
}

/// A value and the place where the author wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Joins a value and its place.
    pub fn new(value: T, span: Span) -> Spanned<T> {
        Spanned { value, span }
    }

    /// The same place with another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned { value: change(self.value), span: self.span }
    }
}

/// A place as a person reads it: line and column from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// One file: its logical path, its text without a byte order mark, and its line starts.
#[derive(Clone, Debug)]
pub struct SourceFile {
    path: String,
    bytes: Vec<u8>,
    text: Option<String>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(path: String, bytes: Vec<u8>) -> SourceFile {
        let text =
            std::str::from_utf8(&bytes).ok().map(|text| text.strip_prefix('\u{feff}').unwrap_or(text).to_owned());
        let starts = without_mark(&bytes).iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let line_starts = std::iter::once(0)
            .chain(starts.map(|(offset, _)| u32::try_from(offset).unwrap_or(u32::MAX).saturating_add(1)))
            .collect();
        SourceFile { path, bytes, text, line_starts }
    }

    /// The logical path, relative to the workspace root, with `/`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The bytes as they were given.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The text, unless the bytes are not UTF-8.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Where the bytes stop being UTF-8, counted as in [`SourceFile::text`]; the length if they are.
    #[must_use]
    pub fn first_bad_byte(&self) -> usize {
        let bytes = without_mark(&self.bytes);
        std::str::from_utf8(bytes).map_or_else(|error| error.valid_up_to(), str::len)
    }

    /// Line and column of a byte offset into [`SourceFile::text`].
    #[must_use]
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line_starts.partition_point(|start| *start <= offset).max(1);
        let start = self.line_starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let before = without_mark(&self.bytes).get(start as usize..offset as usize).unwrap_or_default();
        let is_first_of_char = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
        let count = u32::try_from(before.iter().filter(is_first_of_char).count()).unwrap_or(u32::MAX);
        LineColumn { line: u32::try_from(line).unwrap_or(u32::MAX), column: count.saturating_add(1) }
    }
}

/// The bytes behind a byte order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// The files a spec is made of, by logical path.
///
/// ```
/// use flyball::source::Sources;
///
/// let mut sources = Sources::new("specs/a.yaml", b"agentspec: 1\n".to_vec());
/// assert_eq!(sources.resolve("specs/a.yaml", "../contracts/shop.yaml").as_deref(), Some("contracts/shop.yaml"));
/// assert_eq!(sources.resolve("specs/a.yaml", "../../outside.yaml"), None);
/// sources.insert("contracts/shop.yaml", b"contract: 1\n".to_vec());
/// assert!(sources.find("contracts/shop.yaml").is_some());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
    by_path: BTreeMap<String, FileId>,
    unreadable: BTreeMap<String, String>,
}

impl Sources {
    /// Sources that start from one file, the spec.
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Sources {
        let mut sources = Sources::default();
        sources.insert(path, bytes);
        sources
    }

    /// Adds a file, or replaces the one of that path.
    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> FileId {
        let path = path.into();
        let file = SourceFile::new(path.clone(), bytes.into());
        if let Some(id) = self.by_path.get(&path).copied()
            && let Some(slot) = self.files.get_mut(id.0 as usize)
        {
            *slot = file;
            return id;
        }
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(file);
        self.by_path.insert(path, id);
        id
    }

    /// Says that a path cannot be read, and why; what refers to it then becomes a diagnostic.
    pub fn insert_unreadable(&mut self, path: impl Into<String>, reason: impl Into<String>) {
        let path = path.into();
        self.unreadable.insert(path, reason.into());
    }

    /// The file of a path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// Why a path cannot be read, if its caller said so.
    #[must_use]
    pub fn unreadable(&self, path: &str) -> Option<&str> {
        self.unreadable.get(path).map(String::as_str)
    }

    /// The file of an id.
    #[must_use]
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// Every file, in the order it was added. The first is the spec.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter()
    }

    /// The text of a range.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        let text = self.file(span.file).and_then(SourceFile::text).unwrap_or_default();
        text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The logical path of `reference` as written in `from`, or `None` if it leaves the workspace root or is
    /// absolute.
    #[must_use]
    pub fn resolve(&self, from: &str, reference: &str) -> Option<String> {
        if reference.is_empty() || reference.starts_with('/') || reference.contains('\\') || reference.contains("://") {
            return None;
        }
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        for part in reference.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                name => parts.push(name),
            }
        }
        Some(parts.join("/"))
    }
}
