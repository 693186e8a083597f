//! The subcommands, one file each: its arguments, and what it does with them.

mod approvals;
mod check;
mod diff;
mod erase;
mod guards;
mod init;
mod lint;
mod lsp;
mod rederive;
mod render;
mod replay;
mod resolve;
mod rules;
mod schema;
mod score;
mod serve;
mod snapshot;
mod test;
mod verify;
pub(crate) mod why;

use crate::error::CliError;
use crate::exit::{self, Exit};
use crate::output::Output;
use std::path::PathBuf;

/// Govern LLM agent loops: check specs, decide calls, explain decisions
#[derive(Debug, clap::Parser)]
#[command(name = "flyball", version, disable_help_subcommand = true, after_help = exit::HELP)]
pub(crate) struct Cli {
    /// Take DIR as the workspace root, which no file of a spec may leave [default: the current directory where the
    /// spec lies in a folder below it, else the parent of the spec's folder]
    #[arg(long, value_name = "DIR", global = true)]
    root: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Lint(lint::Lint),
    Rules(rules::Rules),
    Init(init::Init),
    Lsp(lsp::Lsp),
    Test(test::Test),
    Diff(diff::Diff),
    Replay(replay::Replay),
    Why(why::Why),
    Check(check::Check),
    Serve(serve::Serve),
    Approvals(approvals::Approvals),
    Erase(erase::Erase),
    Render(render::Render),
    Snapshot(snapshot::Snapshot),
    Resolve(resolve::Resolve),
    Guards(guards::Guards),
    Schema(schema::Schema),
    Verify(verify::Verify),
}

/// The version of the command.
pub(crate) fn version() -> Option<String> {
    <Cli as clap::CommandFactory>::command().get_version().map(str::to_owned)
}

/// Runs the subcommand that was asked for.
pub(crate) fn run(cli: &Cli, output: &mut Output) -> Result<Exit, CliError> {
    let root = cli.root.as_deref();
    match &cli.command {
        Command::Lint(lint) => lint.run(root, output),
        Command::Rules(rules) => rules.run(output),
        Command::Init(init) => init.run(output),
        Command::Lsp(lsp) => lsp.run(root),
        Command::Test(test) => test.run(root, output),
        Command::Diff(diff) => diff.run(root, output),
        Command::Replay(replay) => replay.run(root, output),
        Command::Why(why) => why.run(output),
        Command::Check(check) => check.run(root, output),
        Command::Serve(serve) => serve.run(root, output),
        Command::Approvals(approvals) => approvals.run(output),
        Command::Erase(erase) => erase.run(output),
        Command::Render(render) => render.run(root, output),
        Command::Snapshot(snapshot) => snapshot.run(root, output),
        Command::Resolve(resolve) => resolve.run(root, output),
        Command::Guards(guards) => guards.run(root, output),
        Command::Schema(schema) => schema.run(output),
        Command::Verify(verify) => verify.run(output),
    }
}
