//! Where commands read and write. Colours are written always and taken out here, unless a terminal without `NO_COLOR` reads.

use std::fmt;
use std::io::{BufWriter, IsTerminal, Write};

/// The two streams of a command.
pub(crate) struct Output {
    /// What was asked for.
    pub(crate) out: Box<dyn Write>,
    /// Notes and errors.
    pub(crate) err: Box<dyn Write>,
}

impl Output {
    /// The streams of this process.
    pub(crate) fn of_process() -> Output {
        Output { out: Box::new(BufWriter::new(anstream::stdout())), err: Box::new(anstream::stderr()) }
    }
}

/// What is piped into this process.
#[expect(clippy::disallowed_methods, reason = "this is the edge where input comes in")]
pub(crate) fn input() -> std::io::StdinLock<'static> {
    std::io::stdin().lock()
}

/// True if somebody watches the errors, and so may be told how far the work is.
#[expect(clippy::disallowed_methods, reason = "asks only whether it is a terminal")]
pub(crate) fn is_watched() -> bool {
    std::io::stderr().is_terminal()
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Output")
    }
}

/// How many columns the terminal has that reads standard output; `None` where none does.
#[expect(clippy::disallowed_methods, reason = "the stream is asked, not written to")]
pub(crate) fn columns() -> Option<usize> {
    terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0))
}
