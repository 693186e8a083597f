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
    /// Done, and the answer is not certain: an anchor is not there, or a change cannot be ruled out.
    Uncertain,
}

/// What `--help` says of them.
pub(crate) const HELP: &str = "\
Example: flyball replay specs/refunds.yaml specs/refunds.trace.jsonl

Exit codes: 0 done, 1 findings, 2 could not, 3 not certain (verify: no anchor; diff: undecided)";

impl Exit {
    /// The number of it.
    pub(crate) fn code(self) -> u8 {
        match self {
            Exit::Done => 0,
            Exit::Findings => 1,
            Exit::CouldNot => 2,
            Exit::Uncertain => 3,
        }
    }
}

impl Termination for Exit {
    fn report(self) -> ExitCode {
        ExitCode::from(self.code())
    }
}
