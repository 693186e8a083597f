//! `flyball resolve`: what a spec means, with contract and references put in.

use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::Sound;
use crate::output::Output;
use crate::yaml;
use flyball::decode::Type;
use flyball::spec::shapes::SPEC;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "Example: flyball resolve specs/refunds.yaml > effective.yaml";

/// Print the effective spec: the contract merged, every reference replaced, defaults left out
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Resolve {
    /// Read this spec
    spec: PathBuf,
    /// Print only the digest of its meaning
    #[arg(long)]
    digest: bool,
}

impl Resolve {
    pub(super) fn run(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        let spec = Sound::of(&self.spec, root)?.spec;
        if self.digest {
            writeln!(output.out, "{}", spec.digest())?;
        } else {
            write!(output.out, "{}", yaml::to_text(&spec.effective(), &Type::Shape(&SPEC))?)?;
        }
        Ok(Exit::Done)
    }
}
