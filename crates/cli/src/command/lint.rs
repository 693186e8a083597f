//! `flyball lint`: every problem of every spec and pack, and the contract patterns that match nothing in any of them.

use crate::contracts;
use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::Judged;
use crate::output::Output;
use crate::report::{Format, human};
use flyball::diagnostic::Diagnostic;
use flyball_io::sources::{self, FileKind, Found};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Examples:
  flyball lint specs                       every spec below a folder
  flyball lint specs/refunds.yaml --format json --deny warnings";

/// Report every problem of specs, the files they refer to, and packs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Lint {
    /// Lint these specs and packs, and every one below these folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write findings this way
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Count these as findings too
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Option<Deny>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Deny {
    /// Warnings
    Warnings,
}

impl Lint {
    pub(super) fn run(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        let Files { specs, contracts, packs } = Files::of(&self.paths)?;
        let mut judged = Vec::new();
        for path in &specs {
            judged.push(Judged::of(path, root)?);
        }
        contracts::add_unmatched_patterns(&mut judged);
        let mut count = Count { specs: specs.len(), packs: packs.len(), ..Count::default() };
        for path in &packs {
            judged.push(Judged::of_pack(path, root)?);
        }
        let mut seen = BTreeSet::new();
        for judged in &judged {
            for diagnostic in &judged.diagnostics {
                let written = self.format.write(judged, diagnostic);
                // A contract's problem shows in each of its specs.
                if !seen.contains(&written) {
                    count.add(diagnostic);
                    write!(output.out, "{written}")?;
                    seen.insert(written);
                }
            }
        }
        if self.format == Format::Human {
            writeln!(output.out, "{}", count.words())?;
        }
        note_unused(&contracts, &judged, output)?;
        let is_finding = count.errors > 0 || (self.deny.is_some() && count.warnings > 0);
        Ok(if is_finding { Exit::Findings } else { Exit::Done })
    }
}

/// The files of the format among some paths.
#[derive(Default)]
struct Files {
    specs: BTreeSet<PathBuf>,
    contracts: BTreeSet<PathBuf>,
    packs: BTreeSet<PathBuf>,
}

impl Files {
    /// A file that is named is a spec unless it says otherwise.
    fn of(paths: &[PathBuf]) -> Result<Files, CliError> {
        let mut files = Files::default();
        for path in paths {
            let found = if path.is_dir() {
                sources::find(path)?
            } else {
                let kind = sources::kind_of(path)?.unwrap_or(FileKind::Spec);
                vec![Found { path: path.clone(), kind }]
            };
            for Found { path, kind } in found {
                match kind {
                    FileKind::Spec => files.specs.insert(path),
                    FileKind::Contract => files.contracts.insert(path),
                    FileKind::Pack => files.packs.insert(path),
                };
            }
        }
        if files.specs.is_empty() && files.contracts.is_empty() && files.packs.is_empty() {
            let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(CliError::NothingToLint(paths.join(", ")));
        }
        Ok(files)
    }
}

/// What was found.
#[derive(Default)]
struct Count {
    specs: usize,
    packs: usize,
    errors: usize,
    warnings: usize,
}

impl Count {
    fn add(&mut self, diagnostic: &Diagnostic) {
        let counter = if diagnostic.is_error() { &mut self.errors } else { &mut self.warnings };
        *counter = counter.saturating_add(1);
    }

    fn words(&self) -> String {
        let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let (specs, errors) = (counted(self.specs, "spec"), counted(self.errors, "error"));
        let packs = if self.packs > 0 { format!("{}, ", counted(self.packs, "pack")) } else { String::new() };
        format!("{specs}, {packs}{errors}, {}", counted(self.warnings, "warning"))
    }
}

/// A contract is judged with the specs that share it.
fn note_unused(contracts: &BTreeSet<PathBuf>, judged: &[Judged], output: &mut Output) -> Result<(), CliError> {
    let files = judged.iter().flat_map(Judged::files);
    let used: BTreeSet<PathBuf> = files.filter_map(|path| path.canonicalize().ok()).collect();
    for path in contracts {
        if !path.canonicalize().is_ok_and(|path| used.contains(&path)) {
            let text = format!("`{}` is not checked: no linted spec shares this contract", path.display());
            write!(output.err, "{}", human::note(&text))?;
        }
    }
    Ok(())
}
