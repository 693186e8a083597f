//! What commands print, on its way out: findings, one file per format, and requests, prompts, scores, verdicts and
//! reasons, one file each.

pub(crate) mod approvals;
pub(crate) mod diff;
pub(crate) mod findings;
mod fingerprint;
mod github;
mod gitlab;
pub(crate) mod human;
mod json;
mod junit;
pub(crate) mod prompt;
mod sarif;
pub(crate) mod score;
pub(crate) mod verdict;
pub(crate) mod why;

use crate::config;
use crate::judged::Judged;
use flyball::source::{FileId, LineColumn, Span};
use flyball::text::is_invisible;
use serde::Serialize;

/// How a command writes what it has to say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// For reading
    #[default]
    Human,
    /// One JSON object per line
    Json,
}

/// Where a finding stands: lines and columns from 1, columns in characters, the end behind the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

impl Place {
    fn of(judged: &Judged, span: Span) -> Place {
        let at = |offset| place_of(judged, span.file, offset);
        let (start, end) = (at(span.start), at(span.end));
        Place { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }
}

/// The path of a span's file as a person would write it.
fn path_of(judged: &Judged, span: Span) -> String {
    let path = judged.sources.file(span.file).map_or("?", flyball::source::SourceFile::path);
    judged.workspace.shown(path)
}

/// The same for programs, with `/` on every system.
fn portable_path_of(judged: &Judged, span: Span) -> String {
    portable(&path_of(judged, span))
}

/// The path of a span's file from the root of its repository, which is how programs that show findings beside the code
/// know it; outside a repository as a person would write it.
fn repository_path_of(judged: &Judged, span: Span) -> String {
    let file = judged.sources.file(span.file).map(|file| judged.file(file.path()));
    let below = file.as_deref().and_then(config::below_repository);
    below.map_or_else(|| portable_path_of(judged, span), |below| portable(&below.to_string_lossy()))
}

fn portable(path: &str) -> String {
    path.replace(std::path::MAIN_SEPARATOR, "/")
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
