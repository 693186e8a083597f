//! `flyball test`: the cases that packs bring with their kinds.

use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::Judged;
use crate::output::Output;
use crate::report::{human, place_of};
use flyball::spec::CaseResult;
use flyball_io::sources::{self, FileKind};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Examples:
  flyball test guards                  the cases of every pack below a folder
  flyball test guards/money.yaml";

/// Run the cases of packs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Test {
    /// Test these packs, and every pack below these folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
}

impl Test {
    pub(super) fn run(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        let packs = self.packs()?;
        let (mut passed, mut failed, mut errors) = (0_usize, 0_usize, 0_usize);
        for path in &packs {
            let judged = Judged::of_pack(path, root)?;
            for problem in &judged.diagnostics {
                write!(output.out, "{}", human::diagnostic(&judged, problem))?;
            }
            errors = errors.saturating_add(judged.diagnostics.iter().filter(|problem| problem.is_error()).count());
            let results = judged.pack.as_ref().map(|pack| pack.run_cases()).unwrap_or_default();
            for result in &results {
                match &result.problem {
                    None => passed = passed.saturating_add(1),
                    Some(problem) => {
                        failed = failed.saturating_add(1);
                        writeln!(output.out, "{}", told(&judged, result, problem))?;
                    }
                }
            }
        }
        let unread = match errors {
            0 => String::new(),
            1 => ", 1 error".to_owned(),
            many => format!(", {many} errors"),
        };
        writeln!(output.out, "{passed} passed, {failed} failed{unread}")?;
        Ok(if failed > 0 || errors > 0 { Exit::Findings } else { Exit::Done })
    }

    fn packs(&self) -> Result<BTreeSet<PathBuf>, CliError> {
        let mut packs = BTreeSet::new();
        for path in &self.paths {
            if path.is_dir() {
                let found = sources::find(path)?;
                packs.extend(found.into_iter().filter(|found| found.kind == FileKind::Pack).map(|found| found.path));
            } else {
                packs.insert(path.clone());
            }
        }
        if packs.is_empty() {
            let paths: Vec<String> = self.paths.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(CliError::NothingToTest(paths.join(", ")));
        }
        Ok(packs)
    }
}

/// `guards/money.yaml:12:9: cap: over the limit: wants …`.
fn told(judged: &Judged, result: &CaseResult, problem: &str) -> String {
    let at = place_of(judged, result.span.file, result.span.start);
    let path = judged.sources.file(result.span.file).map_or("?", flyball::source::SourceFile::path);
    let path = judged.workspace.shown(path);
    format!("{path}:{}:{}: {}: {}: {problem}", at.line, at.column, result.kind, result.case)
}
