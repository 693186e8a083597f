//! `flyball approvals`: what waits for somebody in the runs of a ledger folder, and the answers to it, also while `serve`
//! goes on with a run. What stands in a request comes from a model, so nothing of it reaches a terminal as it is.

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use crate::report::Format;
use crate::report::approvals::{self, Listed};
use flyball::canon::Digest;
use flyball::decision::Decision;
use flyball::event::{Approval, Body, Remember, utc};
use flyball::json::{Limits, parse};
use flyball::value::Value;
use flyball_io::approvals::{Requests, RequestsError, answer, now};
use flyball_io::ledger::LedgerFolder;
use flyball_io::run::RunError;
use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

const EXAMPLE: &str = "\
Examples:
  flyball approvals list ledger                        what waits in every run of a folder
  flyball approvals show ledger/run-1 c7               all that there is to know of one call
  flyball approvals grant ledger/run-1 c7 --digest 2f6b09c1d7e4 --by ana
                                                       let what was shown under this digest run once
  flyball approvals deny ledger/run-1 c7 --by ana
  flyball approvals revoke ledger/run-1 c7-0           forget an answer that stands for later calls

An answer is put down in `<run>.answers.jsonl`, and the run takes it before its next event.

Exit 0 done, 1 the run does not take the answer or has lost its requests, 2 there is no such run or no such call, or it \
cannot be read.";

/// Show what waits for somebody in the runs of a ledger, and answer it
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Approvals {
    #[command(subcommand)]
    command: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    List(List),
    Show(Show),
    Grant(Grant),
    Deny(Deny),
    Revoke(Revoke),
}

/// List the requests that wait for an answer
#[derive(Debug, clap::Args)]
struct List {
    /// Look in this folder
    folder: PathBuf,
    /// Look at this run only
    #[arg(long, value_name = "RUN")]
    run: Option<String>,
    /// List the others too: answered, superseded, spent, expired
    #[arg(long)]
    all: bool,
    /// Print for people, or as JSON lines
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Show one request: what is asked and why, the arguments, the digest
#[derive(Debug, clap::Args)]
struct Show {
    /// Look in this run, `DIR/RUN`
    run: PathBuf,
    /// Show the request about this call
    call: String,
    /// Print for people, or as JSON lines
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Let a call that waits run once
#[derive(Debug, clap::Args)]
struct Grant {
    /// Grant what was shown under this digest: all of its digits, or the first 12 or more
    #[arg(long, value_name = "HEX")]
    digest: Digits,
    #[command(flatten)]
    answer: Answer,
}

/// Refuse a call that waits
#[derive(Debug, clap::Args)]
struct Deny {
    /// Refuse only what was shown under this digest: all of its digits, or the first 12 or more [default: what is asked now]
    #[arg(long, value_name = "HEX")]
    digest: Option<Digits>,
    #[command(flatten)]
    answer: Answer,
}

#[derive(Debug, clap::Args)]
struct Answer {
    /// Answer in this run, `DIR/RUN`
    run: PathBuf,
    /// Answer the request about this call
    call: String,
    /// Answer as NAME
    #[arg(long, value_name = "NAME")]
    by: String,
    /// Let it run with the arguments changed so, a JSON Merge Patch
    #[arg(long, value_name = "JSON")]
    edit: Option<String>,
    /// Let the answer stand for later equal calls of the session
    #[arg(long)]
    remember: bool,
    /// Take a later call for equal if these arguments are
    #[arg(long, value_name = "A,B", requires = "remember", value_delimiter = ',')]
    args: Vec<String>,
    /// Let it stand up to this time
    #[arg(long, value_name = "TIME", requires = "remember")]
    until: Option<String>,
    /// Print for people, or as JSON lines
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Forget an answer that stands for later calls
#[derive(Debug, clap::Args)]
struct Revoke {
    /// Forget it in this run, `DIR/RUN`
    run: PathBuf,
    /// Forget the answer that is remembered as ID
    id: String,
    /// Print for people, or as JSON lines
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Approvals {
    pub(super) fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        match &self.command {
            Action::List(list) => list.run(output),
            Action::Show(show) => show.run(output),
            Action::Grant(Grant { digest, answer }) => answer.run(true, Some(digest), output),
            Action::Deny(Deny { digest, answer }) => answer.run(false, digest.as_ref(), output),
            Action::Revoke(revoke) => revoke.run(output),
        }
    }
}

impl List {
    fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let folder = LedgerFolder::existing(&self.folder);
        let runs = match &self.run {
            Some(run) => vec![run.clone()],
            None => folder.runs()?,
        };
        if runs.is_empty() {
            return Err(CliError::NoLedger(self.folder.clone()));
        }
        let now = now();
        let (mut listed, mut exit) = (Vec::new(), Exit::Done);
        for run in &runs {
            match Requests::read(&folder, run) {
                Ok(requests) => {
                    let every = requests.session().requests().map(|request| Listed::of(run, &requests, request, now));
                    listed.extend(every.filter(|one| self.all || one.is_open()));
                    passed_over(&requests, &folder, run, output)?;
                }
                // It waits for nobody any more.
                Err(error) if error.is_closed() => {}
                Err(error) if self.run.is_some() && !error.is_lost() => return Err(error.into()),
                Err(error) => {
                    let is_lost = error.is_lost() || matches!(error, RequestsError::Run(RunError::NoRun(_)));
                    exit = if is_lost && exit != Exit::CouldNot { Exit::Findings } else { Exit::CouldNot };
                    self.unlisted(run, &error, is_lost, output)?;
                }
            }
        }
        // Of what is not listed nobody knows that nothing waits.
        if exit == Exit::Done || !listed.is_empty() {
            write!(output.out, "{}", approvals::list(self.format, &listed))?;
        }
        Ok(exit)
    }

    /// Names a run whose requests are not listed.
    fn unlisted(&self, run: &str, error: &RequestsError, is_lost: bool, output: &mut Output) -> Result<(), CliError> {
        match self.format {
            Format::Json => write!(output.out, "{}", approvals::unlisted(run, &error.to_string()))?,
            Format::Human => {
                let what = if is_lost { "are lost, and nothing of it can be granted" } else { "cannot be read" };
                let text = format!("the requests of `{run}` {what}: {error}");
                write!(output.err, "{}", crate::report::human::note(&crate::report::plain(&text)))?;
            }
        }
        Ok(())
    }
}

/// Says that there are lines which the run will not read as answers.
fn passed_over(requests: &Requests, folder: &LedgerFolder, run: &str, output: &mut Output) -> Result<(), CliError> {
    let path = folder.answers_path(run).display().to_string();
    let text = match requests.passed_over() {
        0 => return Ok(()),
        1 => format!("1 line of `{path}` is no answer to this session and is passed over"),
        count => format!("{count} lines of `{path}` are no answers to this session and are passed over"),
    };
    write!(output.err, "{}", crate::report::human::note(&text))?;
    Ok(())
}

impl Show {
    fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let (folder, run) = place(&self.run)?;
        let requests = match Requests::read(&folder, &run) {
            Err(error) => return lost(error),
            Ok(requests) => requests,
        };
        let mut all = requests.session().requests();
        let request = all.find(|request| *request.call == *self.call);
        let request = request.ok_or_else(|| no_request(&self.call))?;
        let listed = Listed::of(&run, &requests, request, now());
        write!(output.out, "{}", approvals::card(self.format, &listed, &requests, request))?;
        passed_over(&requests, &folder, &run, output)?;
        Ok(Exit::Done)
    }
}

/// A digest as somebody was shown it: its first digits, or all of them.
#[derive(Clone, Debug)]
struct Digits(String);

impl FromStr for Digits {
    type Err = String;

    fn from_str(text: &str) -> Result<Digits, String> {
        let is_digest = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_digest && (approvals::DIGITS..=64).contains(&text.len()) {
            return Ok(Digits(text.to_owned()));
        }
        Err(format!("a digest has 64 digits `0` to `9`, `a` to `f`; give the first {} or more", approvals::DIGITS))
    }
}

impl Digits {
    /// The digest of what is asked, where these are digits of it; else one of which the run says that it is another.
    fn digest_where(&self, asked: Digest) -> Digest {
        if asked.to_string().starts_with(&self.0) {
            return asked;
        }
        format!("{:0<64}", self.0).parse().unwrap_or(Digest::ZERO)
    }
}

impl Answer {
    fn run(&self, granted: bool, shown: Option<&Digits>, output: &mut Output) -> Result<Exit, CliError> {
        let body = |requests: &Requests| -> Result<Body<'static>, CliError> {
            let asked = requests.request(&self.call).ok_or_else(|| no_request(&self.call))?.digest;
            Ok(Body::ApprovalDecided(vec![Approval {
                call: self.call.clone().into(),
                digest: shown.map_or(asked, |shown| shown.digest_where(asked)),
                granted,
                approver: Some(self.by.clone().into()),
                edit: self.edited()?,
                remember: self.remembered()?,
            }]))
        };
        told(&self.run, body, self.format, output)
    }

    fn edited(&self) -> Result<Option<Value<'static>>, CliError> {
        let Some(edit) = &self.edit else { return Ok(None) };
        let value = parse(edit.as_bytes(), &Limits::default());
        value.map(|value| Some(value.into_owned())).map_err(|error| CliError::BadEdit(error.to_string()))
    }

    fn remembered(&self) -> Result<Option<Remember<'static>>, CliError> {
        let until = match &self.until {
            Some(text) => {
                let until: Option<Cow<'static, str>> = utc(text.clone().into());
                Some(until.ok_or_else(|| CliError::BadUntil(text.clone()))?)
            }
            None => None,
        };
        let args = self.args.iter().map(|name| name.clone().into()).collect::<Vec<_>>();
        let args = (!args.is_empty()).then_some(args);
        Ok(self.remember.then_some(Remember { args, until }))
    }
}

impl Revoke {
    fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let body = |_: &Requests| Ok(Body::ApprovalRevoked { remembered: self.id.clone().into() });
        told(&self.run, body, self.format, output)
    }
}

/// Puts an answer down, and says what the run will make of it.
fn told(
    path: &Path,
    body: impl FnOnce(&Requests) -> Result<Body<'static>, CliError>,
    format: Format,
    output: &mut Output,
) -> Result<Exit, CliError> {
    let (folder, run) = place(path)?;
    let answered = match answer(&folder, &run, now(), body) {
        Err(CliError::Requests(error)) => return lost(error),
        answered => answered?,
    };
    let is_taken = !matches!(*answered.decision, Decision::Refuse { .. } | Decision::Reject { .. });
    match format {
        Format::Json => write!(output.out, "{}", approvals::answered(answered))?,
        Format::Human if is_taken => write!(output.out, "{}", approvals::taken(&answered.decision))?,
        Format::Human => {
            let text = approvals::refused(&answered.decision);
            write!(output.err, "{}", crate::report::human::note(&text))?;
        }
    }
    Ok(if is_taken { Exit::Done } else { Exit::Findings })
}

/// A run that is there and cannot be proved is a finding; one that is not there, or not to be read, could not be looked at.
fn lost(error: RequestsError) -> Result<Exit, CliError> {
    Err(if error.is_lost() { CliError::Lost(error) } else { error.into() })
}

fn no_request(call: &str) -> CliError {
    CliError::NoRequest(crate::report::plain(call))
}

/// The folder and the run of `DIR/RUN`.
fn place(path: &Path) -> Result<(LedgerFolder, String), CliError> {
    let no_run = || RunError::NoRun(path.to_owned());
    let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(no_run)?;
    let run = name.strip_suffix(".jsonl").unwrap_or(name);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Ok((LedgerFolder::existing(folder), run.to_owned()))
}
