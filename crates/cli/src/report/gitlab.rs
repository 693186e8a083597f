//! Findings as GitLab's report of code quality: one JSON array.

use super::fingerprint::fingerprints;
use super::{Place, repository_path_of};
use crate::settled::Finding;
use flyball::diagnostic::Severity;
use serde::Serialize;

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: &'static str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// The whole report.
pub(super) fn document(findings: &[Finding<'_>]) -> Result<String, serde_json::Error> {
    let issues = findings.iter().zip(fingerprints(findings)).map(|(finding, fingerprint)| issue(finding, fingerprint));
    serde_json::to_string_pretty(&issues.collect::<Vec<_>>())
}

fn issue(finding: &Finding<'_>, fingerprint: String) -> Issue {
    let (judged, found) = (finding.judged, finding.diagnostic);
    let help = found.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    let place = Place::of(judged, found.span);
    Issue {
        description: format!("{}{help}", found.message),
        check_name: found.rule,
        fingerprint,
        severity: severity(found.severity),
        location: Location {
            path: repository_path_of(judged, found.span),
            lines: Lines { begin: place.line, end: place.end_line },
        },
    }
}

/// GitLab's word: it knows `info`, `minor`, `major`, `critical` and `blocker`.
fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "critical",
        Severity::Warning => "minor",
        Severity::Note => "info",
    }
}
