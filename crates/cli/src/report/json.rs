//! Findings for programs: one JSON object per line, lines and columns from 1, columns in characters.

use super::{path_of, place_of};
use crate::judged::Judged;
use flyball::diagnostic::Diagnostic;
use flyball::source::Span;
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding<'d> {
    path: String,
    #[serde(flatten)]
    place: Place,
    severity: &'static str,
    rule: &'static str,
    message: &'d str,
    help: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edit: Option<Edit<'d>>,
}

/// What to put in place of a range of the same file.
#[derive(Serialize)]
struct Edit<'d> {
    #[serde(flatten)]
    place: Place,
    text: &'d str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

/// A diagnostic as a line.
pub(crate) fn diagnostic(judged: &Judged, diagnostic: &Diagnostic) -> String {
    let edit = diagnostic.edit.as_ref().map(|edit| Edit { place: place(judged, edit.span), text: &edit.text });
    let finding = Finding {
        path: path_of(judged, diagnostic.span),
        place: place(judged, diagnostic.span),
        severity: diagnostic.severity.name(),
        rule: diagnostic.rule,
        message: &diagnostic.message,
        help: diagnostic.help.as_deref(),
        edit,
    };
    // Text and whole numbers under text keys: nothing here that JSON cannot say.
    serde_json::to_string(&finding).unwrap_or_default() + "\n"
}

fn place(judged: &Judged, span: Span) -> Place {
    let at = |offset| place_of(judged, span.file, offset);
    let (start, end) = (at(span.start), at(span.end));
    Place { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
}
