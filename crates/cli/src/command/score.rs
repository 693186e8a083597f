//! `flyball replay --score`: which traces count, and what is printed of them. What the figures mean is the library's.

use crate::error::CliError;
use crate::output::Output;
use crate::report::{Format, score};
use flyball::replay::score::{Labels, Score};
use flyball_io::IoError;
use flyball_io::lines::{self, Lines};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// The figures of a run, and the traces that are left out of them.
#[derive(Debug)]
pub(super) struct Scoring {
    pub(super) score: Score,
    /// The traces that are left out, and whether one was seen.
    except: BTreeMap<String, bool>,
}

impl Scoring {
    /// Figures without the traces of some tasks: ids, and files of them.
    pub(super) fn new(except: &[String]) -> Result<Scoring, CliError> {
        let mut ids = BTreeMap::new();
        for named in except {
            match named.strip_prefix('@') {
                None => _ = ids.insert(named.clone(), false),
                Some(file) => read_ids(Path::new(file), &mut ids)?,
            }
        }
        Ok(Scoring { score: Score::default(), except: ids })
    }

    /// True unless a trace is left out.
    pub(super) fn takes(&mut self, labels: &Labels) -> bool {
        match self.except.get_mut(labels.task()) {
            Some(seen) => {
                *seen = true;
                false
            }
            None => true,
        }
    }

    pub(super) fn print(&self, format: Format, output: &mut Output) -> Result<(), CliError> {
        // A misspelt id would leave in what somebody believes is left out.
        if let Some((unseen, _)) = self.except.iter().find(|(_, seen)| !**seen) {
            return Err(CliError::NoSuchTrace(unseen.clone()));
        }
        match format {
            Format::Json => writeln!(output.out, "{}", self.score.to_json())?,
            Format::Human => write!(output.out, "{}", score::figures(&self.score))?,
        }
        Ok(())
    }
}

/// The ids of a file, one a line.
fn read_ids(path: &Path, ids: &mut BTreeMap<String, bool>) -> Result<(), CliError> {
    let unreadable = |error: std::io::Error| IoError::unreadable_file(path, &error);
    let mut lines = Lines::new(lines::open(path).map_err(unreadable)?);
    while let Some((number, line)) = lines.next_line().map_err(unreadable)? {
        let bad = |_| CliError::BadTrace { path: path.to_owned(), line: number, reason: "the line is no text".into() };
        ids.insert(std::str::from_utf8(line).map_err(bad)?.trim().to_owned(), false);
    }
    Ok(())
}
