//! `flyball diff`: which calls two versions of a spec decide otherwise.

use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::Sound;
use crate::output::Output;
use crate::report::{Format, diff};
use flyball::diff::compare;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Examples:
  flyball diff old/refunds.yaml specs/refunds.yaml
  flyball diff old/refunds.yaml specs/refunds.yaml --deny-loosening

With --deny-loosening: exit 1 if a call is allowed or asked about that was not, 3 if that cannot be ruled out.";

/// Tell which calls become allowed, denied or asked between two versions of a spec, with a call that shows each
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Diff {
    /// Compare this version
    old: PathBuf,
    /// With this one
    new: PathBuf,
    /// Fail where the new version lets anything through that the old one did not
    #[arg(long)]
    deny_loosening: bool,
    /// Print the changes for people, or as one JSON object
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

impl Diff {
    pub(super) fn run(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        let (old, new) = (Sound::of(&self.old, root)?, Sound::of(&self.new, root)?);
        let comparison = compare((&old.spec, &old.policy), (&new.spec, &new.policy));
        write!(output.out, "{}", diff::comparison(self.format, &comparison))?;
        Ok(match self.deny_loosening {
            true if comparison.is_loosened() => Exit::Findings,
            true if !comparison.undecided.is_empty() => Exit::Uncertain,
            _ => Exit::Done,
        })
    }
}
