//! `flyball schema`: the JSON Schema of specs and contracts, for editors.

use crate::error::CliError;
use crate::exit::Exit;
use crate::json_schema;
use crate::output::Output;
use flyball::spec::shapes::{CONTRACT, SPEC};
use std::io::Write;

const EXAMPLE: &str = "\
Example: flyball schema > agentspec.schema.json
An editor uses it where a spec opens with `# yaml-language-server: $schema=agentspec.schema.json`";

/// Print the JSON Schema of specs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Schema {
    /// Print that of contracts instead
    #[arg(long)]
    contract: bool,
}

impl Schema {
    pub(super) fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let (shape, first_key) = if self.contract { (&CONTRACT, "contract") } else { (&SPEC, "agentspec") };
        writeln!(output.out, "{:#}", json_schema::of_document(shape, first_key))?;
        Ok(Exit::Done)
    }
}
