//! `flyball erase LEDGER --seq N`: the values of one record are deleted, and the ledger says so.

use crate::error::CliError;
use crate::exit::Exit;
use crate::output::Output;
use flyball_io::ledger::{Erased, LedgerFolder};
use flyball_io::run::RunError;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "Example: flyball erase ledger/run-1.jsonl --seq 12

Deletes what record 12 keeps in the values file: values that are large, or hold secrets. A record `data.erased` is \
written first. The records themselves stay as they are, so `flyball verify` ends as before and lists what is gone; the \
decision cannot be made again from what is left. Values that stand in the record itself cannot be erased.";

/// Delete the values of one record, and record that
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Erase {
    /// Erase in this run
    ledger: PathBuf,
    /// Erase the values of record N
    #[arg(long, value_name = "N")]
    seq: u64,
}

impl Erase {
    pub(super) fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let (folder, run) = place(&self.ledger).ok_or_else(|| RunError::NoRun(self.ledger.clone()))?;
        let erased = LedgerFolder::existing(folder).erase(run, self.seq)?;
        writeln!(output.out, "{}", told(&erased))?;
        Ok(Exit::Done)
    }
}

/// The folder and the run of a segment that is there.
fn place(path: &Path) -> Option<(&Path, &str)> {
    let (run, _) =
        path.file_name()?.to_str()?.strip_suffix(".jsonl").map(|name| name.split_once('.').unwrap_or((name, "")))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    path.is_file().then_some((folder, run))
}

fn told(erased: &Erased) -> String {
    let seq = erased.seq;
    match (erased.refs.len(), erased.record) {
        (0, _) | (_, None) => format!("record {seq}: it has no value that could be erased"),
        (1, Some(record)) => format!("record {seq}: 1 value erased, as record {record} says"),
        (count, Some(record)) => format!("record {seq}: {count} values erased, as record {record} says"),
    }
}
