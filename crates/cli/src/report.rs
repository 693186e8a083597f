//! Diagnostics on their way out: one file per format.

pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod verdict;
pub(crate) mod why;

use crate::judged::Judged;
use flyball::diagnostic::Diagnostic;
use flyball::source::{FileId, LineColumn, Span};

/// How findings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For reading, with the lines of the file
    #[default]
    Human,
    /// One JSON object per line
    Json,
}

impl Format {
    /// A diagnostic in this format, with its line ends.
    pub(crate) fn write(self, judged: &Judged, diagnostic: &Diagnostic) -> String {
        match self {
            Format::Human => human::diagnostic(judged, diagnostic),
            Format::Json => json::diagnostic(judged, diagnostic),
        }
    }
}

/// The path of a span's file as a person would write it.
fn path_of(judged: &Judged, span: Span) -> String {
    let path = judged.sources.file(span.file).map_or("?", flyball::source::SourceFile::path);
    judged.workspace.shown(path)
}

/// Line and column of an offset; the start of the file where it is not at hand.
fn place_of(judged: &Judged, file: FileId, offset: u32) -> LineColumn {
    judged.sources.file(file).map_or(LineColumn { line: 1, column: 1 }, |file| file.line_column(offset))
}
