//! `flyball snapshot`: the prompts of specs as files, so that a change of a prompt is seen where it is reviewed.

#![expect(clippy::disallowed_methods, reason = "snapshots are files, which this command reads and writes")]

use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::Sound;
use crate::output::Output;
use crate::report::prompt::{Part, Rendered};
use flyball_io::sources::{self, FileKind};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  flyball snapshot specs                        write a prompt for every spec below a folder
  flyball snapshot --check specs                in CI: exit 1 and show what changed without its snapshot

The prompt of `specs/refunds.yaml` is `snapshots/refunds.prompt.txt`. Exit 0 if every snapshot is as it was, or was written; 1 if
`--check` found one that differs, is missing, or belongs to no spec any more.";

/// Write the prompts of specs to files, or check that they are as reviewed
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Snapshot {
    /// Take these specs, and every one below these folders
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Write nothing; show what differs
    #[arg(long)]
    check: bool,
    /// Keep the snapshots in this folder
    #[arg(long, value_name = "DIR", default_value = "snapshots")]
    dir: PathBuf,
}

/// How the name of a snapshot ends.
const ENDING: &str = ".prompt.txt";

impl Snapshot {
    pub(super) fn run(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        let mut prompts: BTreeMap<PathBuf, (PathBuf, String)> = BTreeMap::new();
        for (spec, name) in self.specs()? {
            let place = self.dir.join(name);
            let text = prompt(&spec, root)?;
            if prompts.insert(place.clone(), (spec, text)).is_some() {
                return Err(CliError::OneSnapshot(place));
            }
        }
        let mut differing: usize = 0;
        for (place, (spec, text)) in &prompts {
            let known = std::fs::read_to_string(place).ok();
            if known.as_deref() == Some(text) {
                continue;
            }
            differing = differing.saturating_add(1);
            if self.check {
                write!(output.out, "{}", difference(spec, place, known.as_deref(), text))?;
            } else {
                write_whole(place, text)?;
                writeln!(output.out, "{} {}", if known.is_some() { "changed" } else { "new" }, place.display())?;
            }
        }
        let gone = self.gone(&prompts)?;
        for place in &gone {
            writeln!(output.out, "{} belongs to no spec; take it away", place.display())?;
        }
        writeln!(
            output.err,
            "{} prompts, {differing} {}",
            prompts.len(),
            if self.check { "differ" } else { "written" }
        )?;
        let is_finding = self.check && (differing > 0 || !gone.is_empty());
        Ok(if is_finding { Exit::Findings } else { Exit::Done })
    }

    /// The specs, each with its snapshot's name: its path below the folder that was named.
    fn specs(&self) -> Result<Vec<(PathBuf, PathBuf)>, CliError> {
        let mut specs = Vec::new();
        for path in &self.paths {
            if !path.is_dir() {
                let name = path.file_name().map(PathBuf::from).unwrap_or_default();
                specs.push((path.clone(), snapshot_name(&name)));
                continue;
            }
            for found in sources::find(path)?.into_iter().filter(|found| found.kind == FileKind::Spec) {
                let name = found.path.strip_prefix(path).unwrap_or(&found.path).to_path_buf();
                specs.push((found.path, snapshot_name(&name)));
            }
        }
        if specs.is_empty() {
            let paths: Vec<String> = self.paths.iter().map(|path| format!("`{}`", path.display())).collect();
            return Err(CliError::NothingToLint(paths.join(", ")));
        }
        Ok(specs)
    }

    /// Snapshots of specs that are gone; only told where whole folders were named.
    fn gone(&self, prompts: &BTreeMap<PathBuf, (PathBuf, String)>) -> Result<Vec<PathBuf>, CliError> {
        let mut gone = Vec::new();
        let mut folders = vec![self.dir.clone()];
        while let Some(folder) = folders.pop().filter(|_| self.paths.iter().all(|path| path.is_dir())) {
            let Ok(entries) = std::fs::read_dir(&folder) else { continue };
            for entry in entries {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.to_string_lossy().ends_with(ENDING) && !prompts.contains_key(&path) {
                    gone.push(path);
                }
            }
        }
        gone.sort();
        Ok(gone)
    }
}

fn snapshot_name(spec: &Path) -> PathBuf {
    let stem = spec.file_stem().unwrap_or_default().to_string_lossy();
    spec.with_file_name(format!("{stem}{ENDING}"))
}

/// All that a model is told of a spec, before anything happened.
fn prompt(spec: &Path, root: Option<&Path>) -> Result<String, CliError> {
    let Sound { sources, policy, .. } = Sound::of(spec, root)?;
    let tail = super::render::tail(&policy, None)?;
    Rendered { prompt: policy.prompt(), sources: &sources, tail }.text(Part::All).map_err(CliError::of_json)
}

fn difference(spec: &Path, place: &Path, known: Option<&str>, text: &str) -> String {
    let Some(known) = known else {
        return format!("{} has no snapshot; `flyball snapshot {}` writes it\n", spec.display(), spec.display());
    };
    let diff = TextDiff::from_lines(known, text);
    let names = (place.display().to_string(), spec.display().to_string());
    diff.unified_diff().context_radius(2).header(&names.0, &names.1).to_string()
}

/// Writes a file beside its place and moves it there, so that a reader never sees half of it.
fn write_whole(place: &Path, text: &str) -> Result<(), CliError> {
    let failed = |error: std::io::Error| CliError::Snapshot { path: place.to_owned(), reason: error.to_string() };
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let beside = place.with_extension("tmp");
    std::fs::write(&beside, text).map_err(failed)?;
    std::fs::rename(&beside, place).map_err(failed)
}
