//! `flyball replay`: recorded conversations decided anew, or a ledger's decisions made again.

use super::score::Scoring;
use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::Sound;
use crate::output::Output;
use crate::report::{Format, verdict};
use flyball::decision::{Answered, Decision};
use flyball::event::{Body, Event};
use flyball::json::Limits;
use flyball::replay::score::{Judged, Labels, Variant};
use flyball::replay::{Player, Summary, Trace, goes_on, is_trace};
use flyball::value::Value;
use flyball_io::lines::{self, Lines};
use flyball_io::{Governor, IoError};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "Example: flyball replay specs/refunds.yaml specs/refunds.trace.jsonl --summary

A trace file has one JSON value a line, packed with gzip or not: a recorded conversation or one event of `flyball/1`. \
A file that is one conversation over several lines is read as that. A conversation is one of
  `steps` of `{tool, args, result, error}`, `{type: user}`, `{type: reply}`
  `messages` of OpenAI chat completions, or the list of them alone (`tool_calls`, role `tool`)
  `messages` of Anthropic, or the list of them alone (`tool_use`, `tool_result`)
and which one is seen from what stands there. A call that is denied here did not run, so what the recording says of \
its result is left out. User text is checked to be text and dropped.

Example: flyball replay ledger/s-1.jsonl

Makes every decision of a ledger again, from what it recorded and the policy kept beside it, and compares the records \
byte by byte.

Exit 0 all came out the same, 1 one did not, 2 some cannot be made again because their inputs are gone.

Example: flyball replay specs/airline.yaml --score airline.jsonl.gz --world world.jsonl.gz --at 2024-05-15T20:00:00Z

Holds the decisions against the labels of scored traces: `kind` of a trace (`benign`, `attack`, `observed`), `harm`, `gt_match`, \
`origin` and `effect` of its calls. A call that is asked about counts as stopped, and as touched.";

/// Decide recorded conversations anew, or make a ledger's decisions again
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Replay {
    /// Decide by the spec SPEC what the files TRACE recorded; or make the decisions of the ledger LEDGER again
    #[arg(required = true, value_names = ["SPEC|LEDGER", "TRACE"])]
    paths: Vec<PathBuf>,
    /// Say which decisions of the ledger this spec would have made differently
    #[arg(long, value_name = "SPEC")]
    against: Option<PathBuf>,
    /// Record every conversation in the folder DIR
    #[arg(long, value_name = "DIR")]
    ledger: Option<PathBuf>,
    /// Take the host's state at the start from FILE where a trace has none
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
    /// Let every event happen at TIME (RFC 3339 in UTC) where a trace has no `at`
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// Hold the decisions against the labels of scored traces, and print only the figures
    #[arg(long)]
    score: bool,
    /// Leave the scored traces of these `task_id`s out; `@FILE` has one a line
    #[arg(long, value_name = "ID", value_delimiter = ',', requires = "score")]
    except: Vec<String>,
    /// Withhold from each scored trace the tools that its user's own part does not call: what a host that narrows them could gain at best
    #[arg(long, requires = "score")]
    task_scope: bool,
    /// Let the calls of an injection follow the result that carried its text, not what the user wanted
    #[arg(long, requires = "score")]
    where_injected: bool,
    /// Print for people, or as JSON lines
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Print only the counts
    #[arg(long)]
    summary: bool,
    /// Exit 1 if a call is denied or asked about, a turn refused, or an event refused
    #[arg(long, value_enum, value_name = "WHAT")]
    fail_on: Vec<FailOn>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FailOn {
    /// A call that does not run, or a turn that is refused
    Deny,
    /// A call that waits for somebody
    Ask,
    /// An event that is refused
    Reject,
}

impl Replay {
    pub(super) fn run(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        let (spec, traces) = match self.paths.as_slice() {
            [spec, traces @ ..] if !traces.is_empty() && self.against.is_none() => (spec, traces),
            [spec] if is_spec(spec) => return Err(CliError::NoTrace(spec.clone())),
            [ledger] => return self.again(ledger, root, output),
            _ => return Err(CliError::NothingToReplay),
        };
        let governor = Sound::of(spec, root)?.governor(self.ledger.as_deref())?;
        let world = self.world.as_deref().map(flyball_io::world::load).transpose()?;
        let mut run = Run {
            replay: self,
            governor,
            world: world.as_ref(),
            at: self.at.as_deref().map(utc).transpose()?,
            scoring: self.score.then(|| Scoring::new(&self.except)).transpose()?,
            summary: Summary::default(),
            tools: BTreeMap::new(),
            progress: crate::output::is_watched(),
        };
        for path in traces {
            run.file(path, output)?;
        }
        run.finish(output)
    }

    fn again(&self, ledger: &Path, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        match &self.against {
            None => super::rederive::rederive(ledger, self.format, output),
            Some(spec) => super::rederive::against(ledger, spec, root, self.format, output),
        }
    }
}

/// True for a path that is named as a spec, which no ledger is.
fn is_spec(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml")
}

/// A time as events carry it.
fn utc(time: &str) -> Result<String, CliError> {
    let utc = flyball::event::utc(time.into()).map(std::borrow::Cow::into_owned);
    utc.ok_or_else(|| CliError::BadTime(time.to_owned()))
}

/// The bytes of a file that is one conversation over several lines.
fn whole(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    // What is read twice must be a file: a pipe would lose its beginning.
    if !path.is_file() || !Lines::new(lines::open(path)?).next_line()?.is_some_and(|(_, line)| goes_on(line)) {
        return Ok(None);
    }
    let most = u64::try_from(Limits::default().bytes).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    lines::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(is_trace(&bytes).then_some(bytes))
}

/// One run over all files.
struct Run<'r> {
    replay: &'r Replay,
    governor: Governor,
    world: Option<&'r Value<'static>>,
    /// The host's clock.
    at: Option<String>,
    /// The figures, where the traces are scored.
    scoring: Option<Scoring>,
    summary: Summary,
    /// The tool of each call of the event at hand, for the report.
    tools: BTreeMap<String, String>,
    progress: bool,
}

impl Run<'_> {
    fn file(&mut self, path: &Path, output: &mut Output) -> Result<(), CliError> {
        let unreadable = |error: std::io::Error| IoError::unreadable_file(path, &error);
        if let Some(whole) = whole(path).map_err(unreadable)? {
            return self.conversation(path, 1, &whole, output);
        }
        let mut lines = Lines::new(lines::open(path).map_err(unreadable)?);
        while let Some((number, line)) = lines.next_line().map_err(unreadable)? {
            if self.scoring.is_some() || is_trace(line) {
                self.conversation(path, number, line, output)?;
            } else {
                self.line(line, output)?;
            }
        }
        Ok(())
    }

    fn conversation(&mut self, path: &Path, line: u64, bytes: &[u8], output: &mut Output) -> Result<(), CliError> {
        let bad = |reason: String| CliError::BadTrace { path: path.to_owned(), line, reason };
        let labels = self.scoring.as_ref().map(|_| Labels::read(bytes)).transpose();
        let labels = labels.map_err(|error| bad(error.to_string()))?;
        let trace = self.variant().read(bytes).map_err(|error| bad(error.to_string()))?;
        if let (Some(scoring), Some(labels)) = (&mut self.scoring, &labels)
            && !scoring.takes(labels)
        {
            return Ok(());
        }
        self.trace(&trace, labels.as_ref(), output)
    }

    fn trace(&mut self, trace: &Trace<'_>, labels: Option<&Labels>, output: &mut Output) -> Result<(), CliError> {
        let number = usize::try_from(self.summary.conversations).unwrap_or(usize::MAX).saturating_add(1);
        let at = self.at.clone();
        let mut player = Player::new(trace, self.governor.policy(), number, self.world).at(at.as_deref());
        let mut judged = Vec::new();
        while let Some(event) = player.next_event() {
            let answer = self.event(&event, output)?;
            if labels.is_some() {
                judged.extend(Judged::on(self.governor.policy(), &event, &answer.decision));
            }
            let left_out = u64::try_from(player.decided(&answer.decision)).unwrap_or(u64::MAX);
            self.summary.results_left_out = self.summary.results_left_out.saturating_add(left_out);
        }
        let variant = self.variant();
        if let (Some(scoring), Some(labels)) = (&mut self.scoring, labels) {
            judged.extend(variant.withheld(self.governor.policy(), labels));
            scoring.score.add(player.session(), labels, &judged);
        }
        self.governor.forget(player.session());
        Ok(())
    }

    /// How the traces are played; as they were recorded, unless they are scored.
    fn variant(&self) -> Variant {
        Variant { task_scope: self.replay.task_scope, where_injected: self.replay.where_injected }
    }

    fn line(&mut self, line: &[u8], output: &mut Output) -> Result<(), CliError> {
        match flyball::event::read(line) {
            Ok(event) => self.event(&event, output).map(|_| ()),
            Err(_) => {
                let answer = self.governor.handle(line);
                self.report(&answer, output)
            }
        }
    }

    fn event(&mut self, event: &Event<'_>, output: &mut Output) -> Result<Answered, CliError> {
        self.tools.clear();
        match &event.body {
            Body::ToolProposed(call) => _ = self.tools.insert(call.id.to_string(), call.tool.to_string()),
            Body::ModelTurn { calls, .. } => {
                self.tools.extend(calls.iter().map(|call| (call.id.to_string(), call.tool.to_string())));
            }
            _ => {}
        }
        let answer = self.governor.answer(event);
        if let Body::SessionOpened(opening) = &event.body {
            self.opened(opening.run.as_deref().unwrap_or(&event.session), &answer.decision, output)?;
        }
        self.report(&answer, output)?;
        Ok(answer)
    }

    fn opened(&mut self, run: &str, decision: &Decision, output: &mut Output) -> Result<(), CliError> {
        match (&self.replay.ledger, decision) {
            (Some(folder), Decision::Proceed) => {
                self.summary.ledgers.push(folder.join(format!("{run}.jsonl")).display().to_string());
            }
            // A second opening of a session that is open is refused, and that is recorded like any other event.
            (Some(_), Decision::Refuse { code, message }) if *code != "already_open" => {
                return Err(CliError::NotRecorded { run: run.to_owned(), reason: message.clone() });
            }
            // Calls of a session that is not open are all denied, which says nothing of the spec.
            (_, Decision::Refuse { message, .. } | Decision::Reject { message, .. }) if self.scoring.is_some() => {
                return Err(CliError::NotScored { run: run.to_owned(), reason: message.clone() });
            }
            _ => {}
        }
        self.summary.conversations = self.summary.conversations.saturating_add(1);
        if self.progress && self.summary.conversations.is_multiple_of(100) {
            write!(output.err, "\r{} conversations", self.summary.conversations)?;
        }
        Ok(())
    }

    fn report(&mut self, answer: &Answered, output: &mut Output) -> Result<(), CliError> {
        self.summary.add(&answer.decision);
        if self.replay.summary || self.scoring.is_some() {
            return Ok(());
        }
        match self.replay.format {
            Format::Json => writeln!(output.out, "{}", answer.to_line())?,
            Format::Human => {
                let session = answer.session.as_deref().unwrap_or("?");
                let calls = match &*answer.decision {
                    Decision::Call(call) => std::slice::from_ref(call),
                    Decision::Calls { calls, .. } => calls,
                    other => {
                        write!(output.out, "{}", verdict::other(session, other))?;
                        &[]
                    }
                };
                for call in calls {
                    let tool = self.tools.get(&*call.call).map_or("?", String::as_str);
                    write!(output.out, "{}", verdict::line(session, &call.call, tool, &call.verdict))?;
                }
            }
        }
        Ok(())
    }

    fn finish(&self, output: &mut Output) -> Result<Exit, CliError> {
        if self.progress && self.summary.conversations >= 100 {
            write!(output.err, "\r{:30}\r", "")?;
        }
        if let Some(scoring) = &self.scoring {
            scoring.print(self.replay.format, output)?;
            return Ok(self.exit());
        }
        match self.replay.format {
            Format::Json if self.replay.summary => writeln!(output.out, "{}", self.summary.to_json())?,
            Format::Json => {}
            Format::Human => write!(output.out, "{}", verdict::summary(&self.summary))?,
        }
        Ok(self.exit())
    }

    fn exit(&self) -> Exit {
        let met = |fail: &FailOn| match fail {
            FailOn::Deny => self.summary.denied > 0 || self.summary.turns_refused > 0,
            FailOn::Ask => self.summary.asked > 0,
            FailOn::Reject => self.summary.rejected > 0,
        };
        if self.replay.fail_on.iter().any(met) { Exit::Findings } else { Exit::Done }
    }
}
