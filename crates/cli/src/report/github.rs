//! Findings as commands of GitHub workflows, which show each one at its line of a pull request.

use super::{Place, repository_path_of};
use crate::settled::Finding;
use flyball::diagnostic::Severity;

/// One command a line.
pub(super) fn commands(findings: &[Finding<'_>]) -> String {
    findings.iter().map(command).collect()
}

fn command(finding: &Finding<'_>) -> String {
    let (judged, found) = (finding.judged, finding.diagnostic);
    let name = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let Place { line, column, end_line, end_column } = Place::of(judged, found.span);
    // Columns are heeded only within one line.
    let columns = if line == end_line { format!(",col={column},endColumn={end_column}") } else { String::new() };
    let file = property(&repository_path_of(judged, found.span));
    let title = property(&format!("flyball: {}", found.rule));
    let help = found.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    let message = data(&format!("{}{help}", found.message));
    format!("::{name} file={file},line={line},endLine={end_line}{columns},title={title}::{message}\n")
}

/// A text behind `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_property_or_a_command_is_escaped() {
        assert_eq!(data("100%\r\na: b, c"), "100%25%0D%0Aa: b, c");
        assert_eq!(property("C:/a,b%\n"), "C%3A/a%2Cb%25%0A");
    }
}
