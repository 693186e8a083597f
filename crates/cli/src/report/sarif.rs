//! Findings as SARIF 2.1.0, the form that code scanning reads: the rules with their pages, then each finding with its
//! place, further places and edit.

use super::fingerprint::fingerprints;
use super::{Place, repository_path_of};
use crate::rule_page;
use crate::settled::Finding;
use flyball::diagnostic::{Edit, Label, Severity};
use flyball::lint::{RULES, Rule};
use flyball::source::Span;
use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, ArtifactLocation, Fix, Location, Message, MultiformatMessageString,
    PhysicalLocation, Region, Replacement, ReportingConfiguration, ReportingDescriptor, Result as Found, ResultLevel,
    Run, SCHEMA_URL, Sarif, Tool, ToolComponent,
};
use std::collections::BTreeMap;

/// The name under which fingerprints are written; another way of making them takes another.
const FINGERPRINT: &str = "flyballFinding/v1";

/// The whole report.
pub(super) fn document(findings: &[Finding<'_>]) -> Result<String, serde_json::Error> {
    let results = findings.iter().zip(fingerprints(findings)).map(|(finding, print)| result(finding, print));
    let run = Run::builder()
        .tool(Tool::builder().driver(driver()).build())
        .column_kind(serde_json::Value::from("unicodeCodePoints"))
        .results(results.collect::<Vec<_>>())
        .build();
    let version = serde_json::Value::from("2.1.0");
    serde_json::to_string_pretty(&Sarif::builder().schema(SCHEMA_URL).version(version).runs(vec![run]).build())
}

#[expect(clippy::disallowed_macros, reason = "the version of this build, and where its source is")]
fn driver() -> ToolComponent {
    let mut driver = ToolComponent::builder()
        .name("flyball")
        .version(env!("CARGO_PKG_VERSION"))
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .rules(RULES.iter().copied().map(descriptor).collect::<Vec<_>>())
        .build();
    driver.information_uri = Some(env!("CARGO_PKG_REPOSITORY").to_owned()).filter(|address| !address.is_empty());
    driver
}

fn descriptor(rule: &Rule) -> ReportingDescriptor {
    let level = ReportingConfiguration::builder().level(serde_json::Value::from(rule.severity.name())).build();
    let text = |text: String| MultiformatMessageString::builder().text(text).build();
    let page = rule.docs.trim();
    ReportingDescriptor::builder()
        .id(rule.code)
        .name(rule.name)
        .short_description(text(rule_page::summary(rule)))
        .full_description(text(rule_page::what_it_does(rule)))
        .help(MultiformatMessageString::builder().text(page).markdown(page).build())
        .default_configuration(level)
        .build()
}

fn result(finding: &Finding<'_>, fingerprint: String) -> Found {
    let found = finding.diagnostic;
    let help = found.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    let index = RULES.iter().position(|rule| rule.name == found.rule).and_then(|index| i64::try_from(index).ok());
    let mut result = Found::builder()
        .rule_id(Rule::find(found.rule).map_or(found.rule, |rule| rule.code))
        .level(level(found.severity))
        .message(message(&format!("{}{help}", found.message)))
        .locations(vec![Location::builder().physical_location(place(finding, found.span)).build()])
        .partial_fingerprints(BTreeMap::from([(FINGERPRINT.to_owned(), fingerprint)]))
        .build();
    result.rule_index = index;
    let further = |label: &Label| {
        Location::builder().physical_location(place(finding, label.span)).message(message(&label.message)).build()
    };
    result.related_locations =
        Some(found.labels.iter().map(further).collect::<Vec<_>>()).filter(|labels| !labels.is_empty());
    result.fixes = found.edit.as_ref().map(|edit| vec![fix(finding, edit)]);
    result
}

fn level(severity: Severity) -> ResultLevel {
    match severity {
        Severity::Error => ResultLevel::Error,
        Severity::Warning => ResultLevel::Warning,
        Severity::Note => ResultLevel::Note,
    }
}

fn message(text: &str) -> Message {
    Message::builder().text(text).build()
}

fn place(finding: &Finding<'_>, span: Span) -> PhysicalLocation {
    PhysicalLocation::builder().artifact_location(artifact(finding, span)).region(region(finding, span)).build()
}

fn region(finding: &Finding<'_>, span: Span) -> Region {
    let Place { line, column, end_line, end_column } = Place::of(finding.judged, span);
    Region::builder().start_line(line).start_column(column).end_line(end_line).end_column(end_column).build()
}

fn artifact(finding: &Finding<'_>, span: Span) -> ArtifactLocation {
    ArtifactLocation::builder().uri(address(&repository_path_of(finding.judged, span))).build()
}

fn fix(finding: &Finding<'_>, edit: &Edit) -> Fix {
    let replacement = Replacement::builder()
        .deleted_region(region(finding, edit.span))
        .inserted_content(ArtifactContent::builder().text(&*edit.text).build())
        .build();
    let change = ArtifactChange::builder()
        .artifact_location(artifact(finding, edit.span))
        .replacements(vec![replacement])
        .build();
    let what = if edit.is_safe { "what can only be meant" } else { "what is probably meant" };
    Fix::builder().description(message(what)).artifact_changes(vec![change]).build()
}

/// A path as the reference of an address: what means something in one is escaped.
fn address(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    if path.starts_with('/') {
        out.push_str("file://");
    }
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_an_address() {
        assert_eq!(address("specs/a b/größe:1.yaml"), "specs/a%20b/gr%C3%B6%C3%9Fe%3A1.yaml");
        assert_eq!(address("/w/a.yaml"), "file:///w/a.yaml");
    }
}
