//! What commands print, on its way out: diagnostics, one file per format, and requests, prompts, scores, verdicts and
//! reasons, one file each.

pub(crate) mod approvals;
pub(crate) mod diff;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod prompt;
pub(crate) mod score;
pub(crate) mod verdict;
pub(crate) mod why;

use crate::judged::Judged;
use flyball::diagnostic::Diagnostic;
use flyball::source::{FileId, LineColumn, Span};
use flyball::text::is_invisible;

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
pub(crate) fn place_of(judged: &Judged, file: FileId, offset: u32) -> LineColumn {
    judged.sources.file(file).map_or(LineColumn { line: 1, column: 1 }, |file| file.line_column(offset))
}

/// A name from outside as a terminal may show it: what steers a terminal or cannot be seen is `\u{…}`.
pub(crate) fn plain(text: &str) -> String {
    escaped(text, |_| false)
}

/// As [`plain`], for sentences, which may have more than one line.
pub(crate) fn prose(text: &str) -> String {
    escaped(text, |character| character == '\n')
}

fn escaped(text: &str, keeps: impl Fn(char) -> bool) -> String {
    let is_shown = |character: char| keeps(character) || !(character.is_control() || is_invisible(character));
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if is_shown(character) { out.push(character) } else { out.extend(character.escape_unicode()) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_or_cannot_be_seen_is_escaped_and_the_rest_stays() {
        assert_eq!(plain("\u{1b}[2Ja\u{202e}b\u{9b}\r\n"), r"\u{1b}[2Ja\u{202e}b\u{9b}\u{d}\u{a}");
        assert_eq!(prose("a\nb\u{1b}"), "a\nb\\u{1b}");
        assert_eq!(plain(r#"größe "🦀" \n"#), r#"größe "🦀" \n"#);
    }
}
