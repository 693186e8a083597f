//! `flyball serve --stdio`: one event a line in, one decision a line out, flushed, for any number of sessions.

use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::Sound;
use crate::output::Output;
use flyball_io::entropy::Entropy;
use flyball_io::lines::Lines;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "Example: flyball serve --stdio specs/refunds.yaml < events.jsonl

Every line in is one event of `flyball/1`, every line out the decision on it, in the same order. A line that cannot be \
read gets `reject` and changes nothing. With `--resume` sessions of an earlier process go on from their records in DIR. Treat every answer but `allow`, a time-out and a broken pipe as a deny.";

/// Decide events from standard input, one JSON line each way
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Serve {
    /// Govern by this spec
    spec: PathBuf,
    /// Speak over standard input and output
    #[arg(long, required = true)]
    stdio: bool,
    /// Record every session in the folder DIR
    #[arg(long, value_name = "DIR")]
    ledger: Option<PathBuf>,
    /// Go on with sessions that DIR has and nobody has closed
    #[arg(long, requires = "ledger")]
    resume: bool,
}

impl Serve {
    pub(super) fn run(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        let governor = Sound::of(&self.spec, root)?.governor(self.ledger.as_deref())?;
        let governor = if self.ledger.is_some() { governor.with_entropy(Entropy::of_system()?) } else { governor };
        let governor = governor.resuming(self.resume);
        let mut lines = Lines::new(crate::output::input());
        let mut answer = Vec::new();
        while let Some((_, line)) = lines.next_line()? {
            answer.clear();
            governor.handle(line).write(&mut answer);
            answer.push(b'\n');
            output.out.write_all(&answer)?;
            output.out.flush()?;
        }
        Ok(Exit::Done)
    }
}
