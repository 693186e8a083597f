//! Findings for programs: one JSON object per line, lines and columns from 1, columns in characters.

use super::{Place, portable_path_of};
use crate::settled::Finding;
use flyball::diagnostic::{self, Diagnostic};
use flyball::lint::Rule;
use serde::Serialize;

#[derive(Serialize)]
struct Line<'d> {
    path: String,
    #[serde(flatten)]
    place: Place,
    severity: &'static str,
    rule: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    message: &'d str,
    help: Option<&'d str>,
    labels: Vec<Label<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    edit: Option<Edit<'d>>,
}

/// A second place that explains the first.
#[derive(Serialize)]
struct Label<'d> {
    path: String,
    #[serde(flatten)]
    place: Place,
    message: &'d str,
}

/// What to put in place of a range.
#[derive(Serialize)]
struct Edit<'d> {
    /// Where it is not the file of the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(flatten)]
    place: Place,
    text: &'d str,
    safe: bool,
}

/// The findings as lines.
pub(super) fn lines(findings: &[Finding<'_>]) -> String {
    // Text and whole numbers under text keys: nothing here that JSON cannot say.
    findings.iter().map(|finding| serde_json::to_string(&line(finding)).unwrap_or_default() + "\n").collect()
}

fn line<'d>(finding: &Finding<'d>) -> Line<'d> {
    let Finding { judged, diagnostic } = *finding;
    let Diagnostic { span, severity, rule, message, labels, help, edit } = diagnostic;
    let label = |label: &'d diagnostic::Label| Label {
        path: portable_path_of(judged, label.span),
        place: Place::of(judged, label.span),
        message: &label.message,
    };
    let edit = edit.as_ref().map(|edit| Edit {
        path: (edit.span.file != span.file).then(|| portable_path_of(judged, edit.span)),
        place: Place::of(judged, edit.span),
        text: &edit.text,
        safe: edit.is_safe,
    });
    Line {
        path: portable_path_of(judged, *span),
        place: Place::of(judged, *span),
        severity: severity.name(),
        rule,
        code: Rule::find(rule).map(|rule| rule.code),
        message,
        help: help.as_deref(),
        labels: labels.iter().map(label).collect(),
        edit,
    }
}
