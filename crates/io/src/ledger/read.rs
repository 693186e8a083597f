//! A run read back through its folder's disk: which runs there are, their lines, their values.
//!
//! Nothing is judged here but whether a value is the one its reference was made of.

use super::LedgerFolder;
use super::error::LedgerError;
use super::file::GrowingFile;
use super::lines::{StoredLines, last_line_end};
use super::storage::Mode;
use flyball::ledger::Chain;
use flyball::replay::ledger::StoredValues;

impl LedgerFolder {
    /// The runs that have a first segment, by name.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn runs(&self) -> Result<Vec<String>, LedgerError> {
        let names = self.disk.names(&self.path).map_err(LedgerError::io("readdir", &self.path))?;
        let run = |name: &String| Some(name.strip_suffix(".jsonl").filter(|run| !run.contains('.'))?.to_owned());
        let mut runs: Vec<String> = names.iter().filter_map(run).collect();
        runs.sort_unstable();
        Ok(runs)
    }

    /// Hands over the whole lines of a run, in order, until one is refused.
    pub(crate) fn each_line<E: From<LedgerError>>(
        &self,
        run: &str,
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for path in self.segments(run)? {
            let mut file = GrowingFile::open(&*self.disk, path, Mode::Read)?;
            let end = last_line_end(&mut file)?;
            let mut lines = StoredLines::new(&mut file, 0, end);
            while let Some((_, line)) = lines.next_line()? {
                each(line)?;
            }
        }
        Ok(())
    }

    /// The first line of a run; `None` where there is no whole one, and of a name that no run has.
    pub(crate) fn first_line(&self, run: &str) -> Result<Option<Vec<u8>>, LedgerError> {
        if Chain::genesis(run).is_none() {
            return Ok(None);
        }
        let mut file = match GrowingFile::open(&*self.disk, self.segment(run, 0), Mode::Read) {
            Err(LedgerError::Missing(_)) => return Ok(None),
            opened => opened?,
        };
        let end = last_line_end(&mut file)?;
        let mut lines = StoredLines::new(&mut file, 0, end);
        Ok(lines.next_line()?.map(|(_, line)| line.to_vec()))
    }

    /// The values of a run that are there and right.
    pub(crate) fn stored_values(&self, run: &str) -> Result<StoredValues, LedgerError> {
        let mut file = match GrowingFile::open(&*self.disk, self.values_path(run), Mode::Read) {
            Err(LedgerError::Missing(_)) => return Ok(StoredValues::new()),
            opened => opened?,
        };
        let end = last_line_end(&mut file)?;
        let mut lines = StoredLines::of_values(&mut file, end);
        let mut values = StoredValues::new();
        while let Some((_, line)) = lines.next_line()? {
            if let Some((reference, salt, value)) = crate::verify::value_line(line)
                && salt.reference(value) == reference
            {
                values.insert(reference, (salt, value.to_vec()));
            }
        }
        Ok(values)
    }
}
