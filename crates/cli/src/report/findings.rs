//! What a run of the linter found, in the format that was asked for.

use super::{github, gitlab, human, json, junit, repository_path_of, sarif};
use crate::error::CliError;
use crate::judged::{Judged, Role};
use crate::settled::{self, Finding};
use flyball::diagnostic::Severity;
use flyball::source::Span;
use std::collections::BTreeSet;

/// How findings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FindingsFormat {
    /// For reading, with the lines of the file
    #[default]
    Human,
    /// One JSON object per line
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Commands of GitHub workflows, which annotate lines
    Github,
    /// GitLab's report of code quality
    Gitlab,
    /// JUnit XML: a suite for each file, a failing case for each finding
    Junit,
}

/// What was linted and what was found.
#[derive(Debug)]
pub(crate) struct Report<'j> {
    /// The specs and packs, by their paths from the root of their repository.
    pub(super) files: BTreeSet<String>,
    pub(super) findings: Vec<Finding<'j>>,
    counted: Counted,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    specs: usize,
    packs: usize,
    /// Contracts that no spec was judged with.
    contracts: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    mended: usize,
    /// YAML files that are none of the format.
    passed_over: usize,
}

impl<'j> Report<'j> {
    /// The report of what was settled, beside which some YAML files were passed over.
    pub(crate) fn of(judged: &'j [Judged], passed_over: usize) -> Report<'j> {
        let findings = settled::findings(judged);
        let count = |severity| findings.iter().filter(|found| found.diagnostic.severity == severity).count();
        let files_of = |role| judged.iter().filter(|one| one.role == role).count();
        let is_mended = |found: &&Finding<'_>| found.diagnostic.edit.as_ref().is_some_and(|edit| edit.is_safe);
        let counted = Counted {
            specs: files_of(Role::Spec),
            packs: files_of(Role::Pack),
            contracts: files_of(Role::Contract),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            notes: count(Severity::Note),
            mended: findings.iter().filter(is_mended).count(),
            passed_over,
        };
        let files = judged.iter().map(|one| repository_path_of(one, Span::default())).collect();
        Report { files, findings, counted }
    }

    /// True if there is an error, or a warning where those are denied.
    pub(crate) fn has_findings(&self, denies_warnings: bool) -> bool {
        self.counted.errors > 0 || (denies_warnings && self.counted.warnings > 0)
    }

    /// The whole report.
    pub(crate) fn written(&self, format: FindingsFormat) -> Result<String, CliError> {
        let as_json = |text: Result<String, serde_json::Error>| {
            text.map(|text| text + "\n").map_err(|error| CliError::Report(error.to_string()))
        };
        match format {
            FindingsFormat::Human => {
                let found = self.findings.iter().map(|found| human::diagnostic(found.judged, found.diagnostic));
                Ok(found.chain(std::iter::once(self.counted.words())).collect())
            }
            FindingsFormat::Json => Ok(json::lines(&self.findings)),
            FindingsFormat::Sarif => as_json(sarif::document(&self.findings)),
            FindingsFormat::Github => Ok(github::commands(&self.findings)),
            FindingsFormat::Gitlab => as_json(gitlab::document(&self.findings)),
            FindingsFormat::Junit => junit::document(self).map_err(CliError::Report),
        }
    }
}

impl Counted {
    fn words(self) -> String {
        let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let some = |count: usize, what: &str| if count > 0 { vec![counted(count, what)] } else { Vec::new() };
        let mut words = vec![counted(self.specs, "spec")];
        words.extend(some(self.packs, "pack"));
        words.extend(some(self.contracts, "contract"));
        words.extend([counted(self.errors, "error"), counted(self.warnings, "warning")]);
        words.extend(some(self.notes, "note"));
        let mended = if self.mended > 0 { format!("; `--fix` mends {}", self.mended) } else { String::new() };
        let passed_over = match self.passed_over {
            0 => String::new(),
            count => format!("; {} passed over", counted(count, "other YAML file")),
        };
        format!("{}{mended}{passed_over}\n", words.join(", "))
    }
}
