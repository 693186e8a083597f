//! `flyball init`: a first spec, a configuration and a workflow, from what can be found out. Nothing is overwritten.

#![expect(clippy::disallowed_methods, reason = "it looks at a folder and writes files into it")]

use crate::config;
use crate::error::CliError;
use crate::exit::Exit;
use crate::json_schema;
use crate::output::Output;
use crate::report::human;
use crate::starter;
use crate::tools_file::{Tools, problem_of};
use flyball::spec::shapes::SPEC;
use flyball_io::sources::{self, FileKind};
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Examples:
  flyball init                        a spec to fill in, its schema, `flyball.toml`, a workflow
  flyball init desk --tools tools.json    a spec with the tools of a file in OpenAI's, Anthropic's or MCP's shape";

/// The workflow's place in a repository.
const WORKFLOW: &str = ".github/workflows/flyball.yml";

/// Write a first spec, a configuration and a workflow
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Init {
    /// Write into this folder
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Declare the tools of FILE, each with its effect to be reviewed
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
}

impl Init {
    pub(super) fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let tools = self.tools.as_deref().map(read_tools).transpose()?;
        let id = id_of(&self.folder);
        let spec = format!("specs/{id}.yaml");
        if tools.is_some() && self.folder.join(&spec).exists() {
            return Err(CliError::SpecExists(shown(&self.folder.join(&spec))));
        }
        let text = starter::spec(&id, tools.as_ref());
        if let (Some(problem), Some(file)) = (problem_of(&text), &self.tools) {
            let reason = format!("the spec made of it would not load: {problem}");
            return Err(CliError::BadTools { path: file.clone(), reason });
        }
        std::fs::create_dir_all(&self.folder).map_err(|error| not_written(&self.folder, &error))?;
        let known = self.known_specs()?;
        let mut files = Vec::new();
        let mut paths = known.clone();
        if known.is_empty() || tools.is_some() {
            files.push((spec, text));
            files.push((starter::SCHEMA.to_owned(), format!("{:#}\n", json_schema::of_document(&SPEC, "agentspec"))));
            paths.insert("specs".to_owned());
        }
        let paths: Vec<String> = if paths.contains(".") { vec![".".to_owned()] } else { paths.into_iter().collect() };
        files.push((config::NAME.to_owned(), starter::configuration(&paths)));
        let is_repository = self.folder.join(".git").exists();
        if is_repository {
            files.push((WORKFLOW.to_owned(), starter::workflow()));
        }
        for (path, text) in files {
            let place = self.folder.join(&path);
            let done = if write_new(&place, &text)? { "wrote" } else { "kept " };
            writeln!(output.out, "{done} {}", shown(&place))?;
        }
        if !is_repository {
            let text =
                format!("no workflow was written: `{}` is not the root of a git repository", self.folder.display());
            write!(output.err, "{}", human::note(&text))?;
        }
        let text = match tools.map_or(0, |tools| tools.left_out) {
            0 => None,
            1 => Some("1 tool was left out; a comment in the spec says which, and why".to_owned()),
            many => Some(format!("{many} tools were left out; comments in the spec say which, and why")),
        };
        if let Some(text) = text {
            write!(output.err, "{}", human::note(&text))?;
        }
        writeln!(output.out, "\nNext: fill the spec in, and run `flyball lint`.")?;
        if is_repository && starter::NEEDS_ADDRESS {
            writeln!(
                output.out,
                "The workflow needs the variable FLYBALL_REPOSITORY, the address of Flyball's source."
            )?;
        }
        Ok(Exit::Done)
    }

    /// The folders in which specs are already, `.` for the folder itself.
    fn known_specs(&self) -> Result<BTreeSet<String>, CliError> {
        let found = sources::find(&self.folder)?;
        let specs = found.iter().filter(|found| found.kind == FileKind::Spec);
        let folder_of = |place: &Path| {
            let below = place.strip_prefix(&self.folder).unwrap_or(place).parent()?.components().next()?;
            Some(below.as_os_str().to_string_lossy().into_owned())
        };
        Ok(specs.map(|found| folder_of(&found.path).unwrap_or_else(|| ".".to_owned())).collect())
    }
}

fn read_tools(file: &Path) -> Result<Tools, CliError> {
    let bad = |reason: String| CliError::BadTools { path: file.to_owned(), reason };
    let bytes = std::fs::read(file).map_err(|error| bad(reason(&error)))?;
    Tools::read(&bytes).map_err(bad)
}

/// The folder's name as an id.
fn id_of(folder: &Path) -> String {
    let place = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let name = place.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let parts = name.split(|letter: char| !letter.is_ascii_lowercase() && !letter.is_ascii_digit());
    let id = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-");
    let id: String = id.chars().take(64).collect();
    if id.is_empty() { "agent".to_owned() } else { id }
}

/// Writes a file where there is none; false where there is one.
fn write_new(place: &Path, text: &str) -> Result<bool, CliError> {
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder).map_err(|error| not_written(folder, &error))?;
    }
    match OpenOptions::new().write(true).create_new(true).open(place) {
        Ok(mut file) => file.write_all(text.as_bytes()).map(|()| true).map_err(|error| not_written(place, &error)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(not_written(place, &error)),
    }
}

fn not_written(place: &Path, error: &std::io::Error) -> CliError {
    CliError::NotWritten { path: place.to_owned(), reason: reason(error) }
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    }
}

fn shown(place: &Path) -> String {
    place.strip_prefix(".").unwrap_or(place).display().to_string()
}
