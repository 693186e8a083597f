//! The whole lines of a segment, read forwards, and where they end.

use super::error::LedgerError;
use super::file::GrowingFile;
use flyball::ledger::MAX_LINE;
use flyball::ledger::verify::Code;

const CHUNK: usize = 256 << 10;

/// Where the last line feed stands, and one more; 0 in a file without one.
pub(super) fn last_line_end(file: &mut GrowingFile) -> Result<u64, LedgerError> {
    let mut end = file.length();
    while end > 0 {
        let start = end.saturating_sub(CHUNK as u64);
        let chunk = bytes(file, start, end)?;
        if let Some(at) = chunk.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start.saturating_add(at as u64).saturating_add(1));
        }
        end = start;
    }
    Ok(0)
}

/// The bytes of a range.
pub(super) fn bytes(file: &mut GrowingFile, start: u64, end: u64) -> Result<Vec<u8>, LedgerError> {
    let mut bytes = vec![0; usize::try_from(end.saturating_sub(start)).unwrap_or(usize::MAX)];
    file.read(&mut bytes, start)?;
    Ok(bytes)
}

/// Reads lines from an offset at which one begins, up to an offset at which one ends.
#[derive(Debug)]
pub(super) struct StoredLines<'f> {
    file: &'f mut GrowingFile,
    /// Where the next line begins.
    offset: u64,
    /// Where the bytes behind `buffer` begin.
    read: u64,
    end: u64,
    buffer: Vec<u8>,
    at: usize,
    most: usize,
}

impl<'f> StoredLines<'f> {
    /// The records of a segment.
    pub(super) fn new(file: &'f mut GrowingFile, start: u64, end: u64) -> StoredLines<'f> {
        StoredLines { file, offset: start, read: start, end, buffer: Vec::new(), at: 0, most: MAX_LINE }
    }

    /// Lines of any length.
    pub(super) fn of_answers(file: &'f mut GrowingFile, start: u64, end: u64) -> StoredLines<'f> {
        StoredLines { most: usize::MAX, ..StoredLines::new(file, start, end) }
    }

    /// The lines of a values file, which have the length of what they hold.
    pub(super) fn of_values(file: &'f mut GrowingFile, end: u64) -> StoredLines<'f> {
        StoredLines { most: usize::MAX, ..StoredLines::new(file, 0, end) }
    }

    /// The next line without its line feed, and where it begins.
    pub(super) fn next_line(&mut self) -> Result<Option<(u64, &[u8])>, LedgerError> {
        let mut searched = self.at;
        loop {
            let fresh = self.buffer.get(searched..).unwrap_or_default();
            if let Some(length) = fresh.iter().position(|byte| *byte == b'\n') {
                let (start, from) = (self.offset, self.at);
                let to = searched.saturating_add(length);
                self.at = to.saturating_add(1);
                self.offset = start.saturating_add(self.at.saturating_sub(from) as u64);
                return Ok(Some((start, self.buffer.get(from..to).unwrap_or_default())));
            }
            if self.read >= self.end {
                return Ok(None);
            }
            if self.buffer.len().saturating_sub(self.at) >= self.most {
                return Err(broken(self.file, self.offset, Code::BadJson));
            }
            self.fill()?;
            searched = self.buffer.len().min(searched.saturating_sub(self.at));
            self.at = 0;
        }
    }

    /// Drops what was given out and reads on.
    fn fill(&mut self) -> Result<(), LedgerError> {
        self.buffer.drain(..self.at.min(self.buffer.len()));
        let to = self.read.saturating_add(CHUNK as u64).min(self.end);
        self.buffer.extend(bytes(self.file, self.read, to)?);
        self.read = to;
        Ok(())
    }
}

/// The error for a line that begins at an offset.
pub(super) fn broken(file: &mut GrowingFile, offset: u64, code: Code) -> LedgerError {
    let mut line = 1_u64;
    let mut start = 0;
    while start < offset {
        let end = start.saturating_add(CHUNK as u64).min(offset);
        let Ok(chunk) = bytes(file, start, end) else { break };
        line = line.saturating_add(chunk.iter().filter(|byte| **byte == b'\n').count() as u64);
        start = end;
    }
    LedgerError::Broken { path: file.path().to_owned(), line, code }
}
