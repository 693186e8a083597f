//! Findings as JUnit XML: a suite for each file, a failing case for each error and warning, a passing one for a file
//! without any.

use super::findings::Report;
use super::{Place, repository_path_of};
use crate::settled::Finding;
use flyball::diagnostic::Severity;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};
use std::collections::BTreeMap;

/// The whole report.
pub(super) fn document(report: &Report<'_>) -> Result<String, String> {
    let mut by_file: BTreeMap<String, Vec<&Finding<'_>>> =
        report.files.iter().map(|path| (path.clone(), Vec::new())).collect();
    for finding in &report.findings {
        by_file.entry(repository_path_of(finding.judged, finding.diagnostic.span)).or_default().push(finding);
    }
    let mut document = quick_junit::Report::new("flyball lint");
    document.add_test_suites(by_file.iter().map(|(path, findings)| suite(path, findings)));
    document.to_string().map_err(|error| error.to_string())
}

fn suite(path: &str, findings: &[&Finding<'_>]) -> TestSuite {
    let mut suite = TestSuite::new(path);
    if findings.is_empty() {
        let mut passed = TestCase::new("no findings", TestCaseStatus::success());
        passed.set_classname(path);
        suite.add_test_case(passed);
    }
    suite.add_test_cases(findings.iter().map(|finding| case(path, finding)));
    suite
}

/// A note is no failure; what it says stands in the case's output.
fn case(path: &str, finding: &Finding<'_>) -> TestCase {
    let found = finding.diagnostic;
    let Place { line, column, .. } = Place::of(finding.judged, found.span);
    let help = found.help.as_ref().map(|help| format!("\nhelp: {help}")).unwrap_or_default();
    let description = format!("{path}:{line}:{column}: {}: {}{help}", found.severity.name(), found.message);
    let name = format!("{} at {line}:{column}", found.rule);
    let mut case = if found.severity == Severity::Note {
        let mut passed = TestCase::new(name, TestCaseStatus::success());
        passed.set_system_out(description);
        passed
    } else {
        let mut failed = TestCaseStatus::non_success(NonSuccessKind::Failure);
        failed.set_type(found.rule).set_message(&*found.message).set_description(description);
        TestCase::new(name, failed)
    };
    case.set_classname(path);
    case
}
