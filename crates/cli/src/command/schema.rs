//! `flyball schema`: the JSON Schema of specs, contracts and packs, for editors.

use crate::error::CliError;
use crate::exit::Exit;
use crate::json_schema;
use crate::output::Output;
use flyball::spec::shapes::{CONTRACT, PACK, SPEC};
use std::io::Write;

const EXAMPLE: &str = "\
Example: flyball schema > agentspec.schema.json
An editor uses it where a spec opens with `# yaml-language-server: $schema=agentspec.schema.json`";

/// Print the JSON Schema of specs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Schema {
    /// Print that of contracts instead
    #[arg(long, conflicts_with = "pack")]
    contract: bool,
    /// Print that of packs instead
    #[arg(long)]
    pack: bool,
}

impl Schema {
    pub(super) fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let (shape, first_key) = match (self.contract, self.pack) {
            (true, _) => (&CONTRACT, "contract"),
            (_, true) => (&PACK, "pack"),
            _ => (&SPEC, "agentspec"),
        };
        writeln!(output.out, "{:#}", json_schema::of_document(shape, first_key))?;
        Ok(Exit::Done)
    }
}
