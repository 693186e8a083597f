//! `flyball lsp`: a language server for editors, over standard input and output.

use crate::error::CliError;
use crate::exit::Exit;
use std::path::Path;

const EXAMPLE: &str = "Example: flyball lsp

An editor starts it and speaks the Language Server Protocol: findings as you type, quick fixes, completion, documentation \
where the cursor is, and the way to what a name stands for. `docs/editor.md` says how to set up an editor.";

/// Speak with an editor: findings as you type, fixes, completion, documentation
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Lsp {
    /// Accepted, since some editors pass it; there is no other way to speak
    #[arg(long)]
    stdio: bool,
}

impl Lsp {
    pub(super) fn run(&self, root: Option<&Path>) -> Result<Exit, CliError> {
        crate::lsp::serve(root)
    }
}
