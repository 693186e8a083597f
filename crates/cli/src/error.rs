//! What keeps a command from its work. What is wrong inside a spec is a diagnostic, never an error.

use crate::exit::Exit;
use flyball_io::IoError;
use std::path::PathBuf;

/// What prevented the work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error(transparent)]
    Io(#[from] IoError),
    #[error("the output cannot be written: {0}")]
    Output(#[from] std::io::Error),
    #[error("there is no kind `{name}`")]
    UnknownKind { name: String, help: String },
    #[error("there is no spec below {0}")]
    NothingToLint(String),
    #[error("everything below {paths} is excluded by `{configuration}`")]
    AllExcluded { paths: String, configuration: String },
    #[error("{place}: {message}")]
    Config { place: String, message: String, help: Option<String> },
    #[error("the configuration `{}` cannot be read: {reason}", path.display())]
    ConfigUnreadable { path: PathBuf, reason: String },
    #[error("the report cannot be written: {0}")]
    Report(String),
    #[error("`{path}` cannot be mended: {reason}")]
    NotFixed { path: String, reason: String },
    #[error("`{}` is no file of tools: {reason}", path.display())]
    BadTools { path: PathBuf, reason: String },
    #[error("`{}` cannot be written: {reason}", path.display())]
    NotWritten { path: PathBuf, reason: String },
    #[error("the tools were not used: `{0}` is there already")]
    SpecExists(String),
    #[error("there is no rule `{name}`")]
    UnknownRule { name: String, help: String },
    #[error("there is no pack below {0}")]
    NothingToTest(String),
    #[error("there is no ledger in `{}`", .0.display())]
    NoLedger(PathBuf),
    #[error("`{}` has errors", .0.display())]
    SpecHasErrors(PathBuf),
    #[error("`{}` has errors", .0.display())]
    PackHasErrors(PathBuf),
    #[error("`{}` is no pack", .0.display())]
    NotAPack(PathBuf),
    #[error(transparent)]
    Run(#[from] flyball_io::run::RunError),
    #[error(transparent)]
    Ledger(#[from] flyball_io::ledger::LedgerError),
    #[error(transparent)]
    Requests(#[from] flyball_io::approvals::RequestsError),
    #[error("nothing of this run can be granted: {0}")]
    Lost(flyball_io::approvals::RequestsError),
    #[error("nobody is asked about the call `{0}`")]
    NoRequest(String),
    #[error("`--edit` is no JSON: {0}")]
    BadEdit(String),
    #[error("`--until` is `{0}`, which is no time")]
    BadUntil(String),
    #[error("the session does not open under that spec: {0}")]
    Against(String),
    #[error("there is no decision in record {seq}: {reason}")]
    NoDecision { seq: u64, reason: String },
    #[error("name a spec and its traces, or one ledger")]
    NothingToReplay,
    #[error("name a trace to decide by `{}`", .0.display())]
    NoTrace(PathBuf),
    #[error("name one run of `{}`", folder.display())]
    ManyRuns { folder: PathBuf, runs: Vec<PathBuf> },
    #[error("`--args` is no JSON: {0}")]
    BadArguments(String),
    #[error("`{}:{line}`: {reason}", path.display())]
    BadTrace { path: PathBuf, line: u64, reason: String },
    #[error("the run `{run}` cannot be scored, its session does not open: {reason}")]
    NotScored { run: String, reason: String },
    #[error("`--at` is `{0}`, which is no time")]
    BadTime(String),
    #[error("no trace has the id `{0}`")]
    NoSuchTrace(String),
    #[error("the run `{run}` cannot be recorded: {reason}")]
    NotRecorded { run: String, reason: String },
    #[error("the prompt cannot be written as JSON: {0}")]
    PromptJson(String),
    #[error(transparent)]
    Unnameable(#[from] flyball::render::UnnameableTool),
    #[error("two specs have the snapshot `{}`", .0.display())]
    OneSnapshot(PathBuf),
    #[error("the snapshot `{}` cannot be written: {reason}", path.display())]
    Snapshot { path: PathBuf, reason: String },
    #[error("the conversation with the editor broke off: {0}")]
    Editor(String),
    #[error("the effective spec cannot be written as YAML: {0}")]
    Yaml(String),
}

impl CliError {
    /// A prompt that is no JSON.
    #[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` takes")]
    pub(crate) fn of_json(error: serde_json::Error) -> CliError {
        CliError::PromptJson(error.to_string())
    }

    /// How the command ends.
    pub(crate) fn exit(&self) -> Exit {
        if matches!(self, CliError::Lost(_)) { Exit::Findings } else { Exit::CouldNot }
    }

    /// What to do about it, where there is something.
    pub(crate) fn help(&self) -> Option<String> {
        match self {
            CliError::Io(error) => error.help().map(str::to_owned),
            CliError::BadTools { .. } => Some("OpenAI's, Anthropic's and MCP's lists of tools are known".into()),
            CliError::SpecExists(_) => Some("nothing was written; name another folder, or move the spec away".into()),
            CliError::UnknownKind { help, .. } | CliError::UnknownRule { help, .. } => Some(help.clone()),
            CliError::Config { help, .. } => help.clone(),
            CliError::NothingToLint(_) => Some("a spec is a `*.yaml` or `*.yml` file with the key `agentspec`".into()),
            CliError::AllExcluded { .. } => Some("a file that is named is linted even where it is excluded".into()),
            CliError::NothingToTest(_) => Some("a pack is a `*.yaml` or `*.yml` file with the key `pack`".into()),
            CliError::NoLedger(_) => Some("a ledger is a file `<run>.jsonl`".into()),
            CliError::PackHasErrors(path) | CliError::SpecHasErrors(path) => {
                Some(format!("`flyball lint {}` lists them", path.display()))
            }
            CliError::NotAPack(path) => {
                Some(format!("`flyball guards --of {}` lists the rules of a spec", path.display()))
            }
            CliError::BadTrace { .. } => {
                Some("a conversation has `steps` or `messages`; `flyball replay --help` lists the forms".into())
            }
            CliError::NotRecorded { .. } => {
                Some("give `--ledger` a new folder; a run is named with 1 to 64 of `0-9A-Za-z_-`".into())
            }
            CliError::NothingToReplay => Some("`flyball replay SPEC TRACE…` or `flyball replay DIR/RUN.jsonl`".into()),
            CliError::NoTrace(spec) => Some(format!("`flyball replay {} TRACE…`", spec.display())),
            CliError::ManyRuns { runs, .. } => Some(named(runs)),
            CliError::Ledger(error) => error.help().map(str::to_owned),
            CliError::Lost(error) | CliError::Requests(error) => error.help().map(str::to_owned),
            CliError::NoRequest(_) => Some("`flyball approvals list DIR --all` lists every request".into()),
            CliError::BadTime(_) | CliError::BadUntil(_) => Some("write it like `2031-03-04T09:00:00Z`".into()),
            CliError::NoSuchTrace(_) => Some("`--except` names the `task_id` of a trace".into()),
            CliError::OneSnapshot(_) => {
                Some("give one of them another name, or snapshot them with two `--dir`s".into())
            }
            CliError::Run(_)
            | CliError::ConfigUnreadable { .. }
            | CliError::Report(_)
            | CliError::NotFixed { .. }
            | CliError::NotWritten { .. }
            | CliError::BadEdit(_)
            | CliError::Against(_)
            | CliError::NotScored { .. }
            | CliError::NoDecision { .. }
            | CliError::Output(_)
            | CliError::Editor(_)
            | CliError::Yaml(_)
            | CliError::PromptJson(_)
            | CliError::Unnameable(_)
            | CliError::Snapshot { .. }
            | CliError::BadArguments(_) => None,
        }
    }
}

/// The first runs of a folder, and how many more there are.
fn named(runs: &[PathBuf]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = runs.iter().take(SHOWN).map(|run| format!("`{}`", run.display())).collect();
    let more = runs.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("it has {}{more}", shown.join(", "))
}
