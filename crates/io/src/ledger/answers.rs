//! Answers of people to a run's requests, in a file beside its ledger until the run takes them.
//!
//! The run has one writer, and whoever answers is another process: so an answer is a line of `<run>.answers.jsonl`, a whole
//! event of the wire, and the ledger has it once the run's governor has read and recorded it. The file proves nothing and
//! can be lost: what it held and nobody took is then still to be answered. Nothing in it is ever changed; a line without a
//! line feed is none yet. A file that somebody puts in its place is read from its start: what was taken before is known
//! again by its id, and nothing is recorded of it.

use super::LedgerFolder;
use super::error::LedgerError;
use super::file::GrowingFile;
use super::lines::{StoredLines, bytes, last_line_end};
use super::storage::Mode;
use flyball::event::{Body, Event, WorldChange};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long somebody who appends waits for another.
const PATIENCE: Duration = Duration::from_secs(10);

/// The answers of one run, read on from where the reader stands.
#[derive(Debug)]
pub(crate) struct Answers {
    path: PathBuf,
    offset: u64,
    /// The line that ends at the offset, with its line feed: where another stands there, this is another file.
    last: Vec<u8>,
}

/// A whole line without its line feed, and where it ends.
#[derive(Debug)]
pub(crate) struct AnswerLine {
    end: u64,
    pub(crate) bytes: Vec<u8>,
}

impl AnswerLine {
    /// The line of an answer that stands in no file yet.
    pub(crate) fn of(event: &Event<'_>) -> AnswerLine {
        AnswerLine { end: 0, bytes: event.to_line().into_bytes() }
    }

    /// The answer that stands in the line: to a session of this name, and nothing but an answer.
    pub(crate) fn event(&self, session: &str) -> Option<Event<'_>> {
        let event = flyball::event::read(&self.bytes).ok()?;
        let answers = matches!(event.body, Body::ApprovalDecided(_) | Body::ApprovalRevoked { .. });
        // Who may approve may not say how the world is.
        (answers && event.session == session && event.world == WorldChange::None).then_some(event)
    }
}

impl Answers {
    /// At the start of the run's answers.
    pub(crate) fn of(folder: &LedgerFolder, run: &str) -> Answers {
        Answers { path: folder.answers_path(run), offset: 0, last: Vec::new() }
    }

    /// The whole lines behind the last one that was taken.
    pub(crate) fn fresh(&mut self, folder: &LedgerFolder) -> Result<Vec<AnswerLine>, LedgerError> {
        match GrowingFile::open(&*folder.disk, self.path.clone(), Mode::Read) {
            Err(LedgerError::Missing(_)) => Ok(Vec::new()),
            Err(error) => Err(error),
            Ok(mut file) => self.lines(&mut file),
        }
    }

    fn lines(&mut self, file: &mut GrowingFile) -> Result<Vec<AnswerLine>, LedgerError> {
        if !self.stands(file)? {
            (self.offset, self.last) = (0, Vec::new());
        }
        if file.length() == self.offset {
            return Ok(Vec::new());
        }
        let end = last_line_end(file)?;
        let mut lines = StoredLines::of_answers(file, self.offset, end.max(self.offset));
        let mut fresh = Vec::new();
        while let Some((start, line)) = lines.next_line()? {
            let end = start.saturating_add(line.len() as u64).saturating_add(1);
            fresh.push(AnswerLine { end, bytes: line.to_vec() });
        }
        Ok(fresh)
    }

    /// True if the last line that was taken is still where it was.
    fn stands(&self, file: &mut GrowingFile) -> Result<bool, LedgerError> {
        if file.length() < self.offset {
            return Ok(false);
        }
        let start = self.offset.saturating_sub(self.last.len() as u64);
        Ok(bytes(file, start, self.offset)? == self.last)
    }

    /// Notes that a line was taken, or passed over.
    pub(crate) fn taken(&mut self, line: AnswerLine) {
        (self.offset, self.last) = (line.end, line.bytes);
        self.last.push(b'\n');
    }
}

/// The answers of a run, for one who adds to them: nobody else does until it is dropped.
#[derive(Debug)]
pub(crate) struct AnswersWriter<'f> {
    folder: &'f LedgerFolder,
    file: GrowingFile,
}

impl<'f> AnswersWriter<'f> {
    /// Takes the lock; waits for who has it.
    pub(crate) fn lock(folder: &'f LedgerFolder, run: &str) -> Result<AnswersWriter<'f>, LedgerError> {
        let mut file = GrowingFile::open(&*folder.disk, folder.answers_path(run), Mode::AppendNew)?;
        let begun = Instant::now();
        loop {
            match file.lock() {
                Err(LedgerError::Busy(_)) if begun.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                locked => break locked?,
            }
        }
        Ok(AnswersWriter { folder, file })
    }

    /// Adds a line, durably. What another process left half written was told to nobody, and goes.
    pub(crate) fn append(&mut self, line: &AnswerLine) -> Result<(), LedgerError> {
        let whole = last_line_end(&mut self.file)?;
        if whole < self.file.length() {
            self.file.cut(whole)?;
        }
        let line = [&*line.bytes, b"\n"].concat();
        if let Err(error) = self.file.append(&line).and_then(|()| self.file.sync()) {
            _ = self.file.cut(whole);
            return Err(error);
        }
        self.folder.sync()
    }
}
