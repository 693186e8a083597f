//! `flyball check`: what would become of one call, and why.

use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::Sound;
use crate::output::Output;
use crate::report::{Format, verdict};
use flyball::decision::{Answered, Decision, Verdict};
use flyball::event::{Body, Event, Opening, WorldChange};
use flyball::json::{Limits, parse};
use flyball_io::Governor;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const EXAMPLE: &str =
    "Example: flyball check specs/refunds.yaml --tool lookup_order --args '{\"order_id\": \"ORD-000017\"}'

Exit 0 if the call would run, 1 if not.";

/// Decide one call as the first of a session, and say why
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Check {
    /// Decide by this spec
    spec: PathBuf,
    /// Propose this tool
    #[arg(long, value_name = "NAME")]
    tool: String,
    /// Propose it with these arguments
    #[arg(long, value_name = "JSON", default_value = "{}")]
    args: String,
    /// Take the host's state from FILE
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
    /// Print the answer for people, or as the line of the wire
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

impl Check {
    pub(super) fn run(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        let policy = Arc::new(Sound::of(&self.spec, root)?.policy);
        let args = parse(self.args.as_bytes(), &Limits::default())
            .map_err(|error| CliError::BadArguments(error.to_string()))?;
        let governor = Governor::new(policy.clone());
        let opening = Event::new("open", "check", Body::SessionOpened(Opening::default()));
        let opening = match &self.world {
            Some(path) => opening.with_world(WorldChange::Whole(flyball_io::world::load(path)?)),
            None => opening,
        };
        // A session of a governor that has none yet always opens.
        let _ = governor.answer(&opening);
        let answer = governor.answer(&Event::call("call", "check", "call", &self.tool, args));
        self.print(&answer, &policy.rules_about(&self.tool).unwrap_or_default(), output)?;
        Ok(if runs(&answer) { Exit::Done } else { Exit::Findings })
    }

    fn print(&self, answer: &Answered, rules: &[&str], output: &mut Output) -> Result<(), CliError> {
        match (self.format, &*answer.decision) {
            (Format::Human, Decision::Call(call)) => {
                write!(output.out, "{}", verdict::explained(&self.tool, &call.verdict, rules))?;
            }
            _ => writeln!(output.out, "{}", answer.to_line())?,
        }
        Ok(())
    }
}

fn runs(answer: &Answered) -> bool {
    matches!(&*answer.decision, Decision::Call(call) if matches!(call.verdict, Verdict::Allow(_)))
}
