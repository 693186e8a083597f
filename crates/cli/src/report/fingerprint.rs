//! What a finding is known by from run to run: where its line goes, the fingerprint goes along.

use super::repository_path_of;
use crate::settled::Finding;
use flyball::canon::Digest;
use flyball::source::SourceFile;
use std::collections::BTreeMap;

/// One fingerprint for each finding: of its file, rule, message and line, and which of several alike it is.
pub(super) fn fingerprints(findings: &[Finding<'_>]) -> Vec<String> {
    let mut alike: BTreeMap<String, u32> = BTreeMap::new();
    let one = |finding: &Finding<'_>| {
        let (judged, diagnostic) = (finding.judged, finding.diagnostic);
        let path = repository_path_of(judged, diagnostic.span);
        let known_by = [&*path, diagnostic.rule, &*diagnostic.message, line_of(finding)].join("\0");
        let nth = alike.entry(known_by.clone()).or_default();
        *nth = nth.saturating_add(1);
        Digest::of(format!("{known_by}\0{nth}").as_bytes()).to_string()
    };
    findings.iter().map(one).collect()
}

/// The line that a finding begins on, without its indentation.
fn line_of<'j>(finding: &Finding<'j>) -> &'j str {
    let span = finding.diagnostic.span;
    let text = finding.judged.sources.file(span.file).and_then(SourceFile::text).unwrap_or_default();
    let start = text.floor_char_boundary(span.start as usize);
    let (before, behind) = text.split_at(start);
    let first = before.rfind('\n').map_or(0, |end| end.saturating_add(1));
    let end = behind.find('\n').map_or(text.len(), |end| start.saturating_add(end));
    text.get(first..end).unwrap_or_default().trim()
}
