//! The `flyball` command: arguments in, a report and an exit code out.
//!
//! `command/` has one file per subcommand, `report/` one per format. Only what is reached from here prints, and only
//! through [`Output`](output::Output); what is decided is decided by the library.

mod command;
mod config;
mod contracts;
mod error;
mod exit;
mod files;
mod fix;
mod json_schema;
mod judged;
mod lsp;
mod output;
mod parallel;
mod report;
mod rule_page;
mod settled;
mod starter;
mod table;
mod tools_file;
mod yaml;

use crate::command::Cli;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use clap::Parser;
use std::io::Write;

fn main() -> Exit {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            // A closed pipe behind `--help` changes nothing about what was asked.
            _ = usage.print();
            return if usage.use_stderr() { Exit::CouldNot } else { Exit::Done };
        }
    };
    let mut output = Output::of_process();
    let result = command::run(&cli, &mut output);
    let result = result.and_then(|exit| output.out.flush().map(|()| exit).map_err(CliError::from));
    match result {
        Ok(exit) => exit,
        Err(CliError::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => Exit::Done,
        Err(error) => {
            _ = write!(output.err, "{}", report::human::error(&error));
            error.exit()
        }
    }
}
