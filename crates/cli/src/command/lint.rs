//! `flyball lint`: every problem of every spec and pack, and the contract patterns that match nothing in any of them.

use crate::config::{Configuration, Setting, Wanted};
use crate::error::CliError;
use crate::exit::Exit;
use crate::files::Files;
use crate::fix::{Applied, Mended, fix};
use crate::judged::Judged;
use crate::output::Output;
use crate::report::findings::{FindingsFormat, Report};
use crate::report::human;
use crate::settled::settle;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Examples:
  flyball lint                             what `flyball.toml` names, else every spec below here
  flyball lint specs                       every spec below a folder
  flyball lint specs/refunds.yaml --format json --deny warnings
  flyball lint specs --fix                 apply the edits that guess nothing
  flyball lint specs --rule unused-let=off

Exit codes: 0 clean, 1 errors, or warnings where they are denied (`--diff`: something to mend), 2 could not";

/// Report every problem of specs, the files they refer to, and packs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE, group = clap::ArgGroup::new("fixing").args(["fix", "diff"]))]
pub(super) struct Lint {
    /// Lint these specs and packs, and every one below these folders [default: `paths` of the configuration, else the
    /// current directory]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write findings this way
    #[arg(long, value_enum, default_value_t)]
    format: FindingsFormat,
    /// Count these as findings too
    #[arg(long, value_enum, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Make the findings of a rule `off`, `note`, `warning` or `error`
    #[arg(long = "rule", value_name = "NAME=LEVEL")]
    rules: Vec<Setting>,
    /// Take the configuration from FILE [default: the nearest `flyball.toml` here or above, within the repository]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Apply the edits that guess nothing, and lint what comes out
    #[arg(long)]
    fix: bool,
    /// Print what `--fix` would change, and write nothing
    #[arg(long)]
    diff: bool,
    /// With `--fix` or `--diff`: apply guesses too
    #[arg(long, requires = "fixing")]
    unsafe_fixes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Deny {
    /// Warnings
    Warnings,
}

impl Lint {
    pub(super) fn run(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        let configuration = Configuration::of(self.config.as_deref(), &self.rules)?;
        let named: Vec<Wanted> = self.paths.iter().map(|path| Wanted::named(path)).collect();
        let mut files = Files::of(if named.is_empty() { &configuration.paths } else { &named }, &configuration)?;
        let judged = files.judge(root, &configuration);
        let mut failed = std::mem::take(&mut files.failed);
        if judged.is_empty()
            && let Some(last) = failed.pop()
        {
            tell(&failed, output)?;
            return Err(last);
        }
        let exit = self.lint(judged, &files, &configuration, output)?;
        files.note_excluded(&configuration, output)?;
        tell(&failed, output)?;
        Ok(if failed.is_empty() { exit } else { Exit::CouldNot })
    }

    fn lint(
        &self,
        mut judged: Vec<Judged>,
        files: &Files,
        configuration: &Configuration,
        output: &mut Output,
    ) -> Result<Exit, CliError> {
        settle(&mut judged, configuration);
        if self.fix || self.diff {
            let wanted = if self.unsafe_fixes { Applied::Guesses } else { Applied::Safe };
            let mended = fix(&mut judged, configuration, wanted);
            if self.diff {
                return differences(&mended, output);
            }
            for file in &mended {
                file.write()?;
                write!(output.err, "{}", human::note(&file.words("mended")))?;
            }
        }
        let report = Report::of(&judged, files.passed_over());
        write!(output.out, "{}", report.written(self.format)?)?;
        files.note_unshared_contracts(output)?;
        if self.paths.is_empty() {
            files.warn_of_idle_globs(&judged, configuration, output)?;
        }
        let denies_warnings = self.deny.is_some() || configuration.denies_warnings;
        Ok(if report.has_findings(denies_warnings) { Exit::Findings } else { Exit::Done })
    }
}

/// Says what kept some files from being linted.
fn tell(failed: &[CliError], output: &mut Output) -> Result<(), CliError> {
    for error in failed {
        write!(output.err, "{}", human::error(error))?;
    }
    Ok(())
}

fn differences(mended: &[Mended], output: &mut Output) -> Result<Exit, CliError> {
    for file in mended {
        write!(output.out, "{}", file.difference())?;
        write!(output.err, "{}", human::note(&file.words("`--fix` would mend")))?;
    }
    Ok(if mended.is_empty() { Exit::Done } else { Exit::Findings })
}
