//! Where commands write. Colours are written always and taken out here, unless a terminal without `NO_COLOR` reads.

use std::fmt;
use std::io::{BufWriter, Write};

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

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Output")
    }
}
