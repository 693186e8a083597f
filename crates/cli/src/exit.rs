//! How the process ends: every exit code there is.

use std::process::{ExitCode, Termination};

/// The outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, and nothing to report.
    Done,
    /// Done, and there are findings, or what `--fail-on` names happened.
    Findings,
    /// Could not be done.
    CouldNot,
}

/// What `--help` says of them.
pub(crate) const HELP: &str = "Exit codes: 0 done, 1 findings, 2 could not";

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(match self {
            Exit::Done => 0,
            Exit::Findings => 1,
            Exit::CouldNot => 2,
        })
    }
}
