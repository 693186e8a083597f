//! The end of a run as the files have it: which line is the last whole one, and whether the lines up to it are sound.
//!
//! [`sound_end`] walks back from the end of the last segment to the record the head names and from there follows the
//! chain to the end; in full it follows it from the first record. What it finds wrong it names, it repairs nothing.

use super::error::LedgerError;
use super::file::GrowingFile;
use super::head::Head;
use super::lines::{StoredLines, broken, bytes, last_line_end};
use super::storage::{Disk, Mode};
use flyball::ledger::verify::{Code, Line, Verifier};
use flyball::ledger::{Chain, MAX_LINE, RecordKind};
use std::path::PathBuf;

/// The first guess of how far the head's record lies before the end.
const WINDOW: u64 = 64 << 10;

/// Where a run's files end.
#[derive(Debug)]
pub(super) struct End {
    /// The chain behind the last record.
    pub(super) chain: Chain,
    /// True if the last record closes its segment.
    pub(super) sealed: bool,
    /// Where the last whole line of the last segment ends.
    pub(super) whole: u64,
    /// The number of the last segment's first record.
    pub(super) first: u64,
}

/// Finds the end of a run whose segments are `paths`; `genesis` is its empty chain.
pub(super) fn sound_end(
    disk: &dyn Disk,
    paths: &[PathBuf],
    genesis: &Chain,
    head: Option<Head>,
    is_full: bool,
) -> Result<End, LedgerError> {
    let segments: Result<Vec<Segment>, LedgerError> = paths.iter().map(|path| Segment::open(disk, path)).collect();
    let mut segments = segments?;
    let (start, offset) = if is_full { (0, 0) } else { entry(&mut segments, head)? };
    let mut follow = Follow { run: genesis.run(), head, verifier: None, sealed: false };
    if start == 0 && offset == 0 {
        follow.verifier = Some(follow.anchored(Verifier::genesis()));
    }
    let last = segments.len().saturating_sub(1);
    for (index, segment) in segments.iter_mut().enumerate().skip(start) {
        segment.follow(if index == start { offset } else { 0 }, &mut follow)?;
        if index < last && segment.whole < segment.file.length() {
            return Err(broken(&mut segment.file, segment.whole, Code::BadJson));
        }
    }
    let reached = follow.verifier.and_then(|verifier| verifier.head());
    let chain =
        reached.and_then(|(seq, hash)| Chain::after(genesis.run(), seq, hash)).unwrap_or_else(|| genesis.clone());
    let (mut whole, mut first) = (0, 0);
    if let Some(segment) = segments.last_mut() {
        whole = segment.whole;
        first = segment.first()?.unwrap_or(chain.len());
        if let Some(head) = head.filter(|head| head.seq >= chain.len()) {
            return Err(LedgerError::HeadAhead { path: segment.file.path().to_owned(), head: head.seq });
        }
    }
    Ok(End { chain, sealed: follow.sealed, whole, first })
}

/// The lines from the entry on.
#[derive(Debug)]
struct Follow<'r> {
    run: &'r str,
    head: Option<Head>,
    /// None before the first line of an entry in the middle.
    verifier: Option<Verifier>,
    sealed: bool,
}

impl Follow<'_> {
    fn line(&mut self, bytes: &[u8]) -> Result<(), Code> {
        let mut verifier = match self.verifier.take() {
            Some(verifier) => verifier,
            None => self.before(&Line::read(bytes).map_err(|(code, _)| code)?),
        };
        let line = verifier.push_line(bytes).map_err(|problem| problem.code)?;
        if line.run != self.run {
            return Err(Code::PrevMismatch);
        }
        self.sealed = line.kind == RecordKind::SegmentSeal.name();
        self.verifier = Some(verifier);
        Ok(())
    }

    /// The chain as the entry says it stood before it: that is what the head vouches for.
    fn before(&self, line: &Line<'_>) -> Verifier {
        match line.seq.checked_sub(1) {
            Some(seq) => self.anchored(Verifier::after(self.run, seq, line.prev)),
            None => self.anchored(Verifier::genesis()),
        }
    }

    fn anchored(&self, verifier: Verifier) -> Verifier {
        match self.head {
            Some(head) => verifier.with_anchor(head.anchor(self.run)),
            None => verifier,
        }
    }
}

/// The segment and the offset of a line at or before the record of the head, not much before it.
fn entry(segments: &mut [Segment], head: Option<Head>) -> Result<(usize, u64), LedgerError> {
    let Some(head) = head else { return Ok((0, 0)) };
    for (index, segment) in segments.iter_mut().enumerate().rev() {
        if let Some(offset) = segment.entry(head.seq)? {
            return Ok((index, offset));
        }
    }
    Ok((0, 0))
}

#[derive(Debug)]
struct Segment {
    file: GrowingFile,
    whole: u64,
}

impl Segment {
    fn open(disk: &dyn Disk, path: &std::path::Path) -> Result<Segment, LedgerError> {
        let mut file = GrowingFile::open(disk, path.to_owned(), Mode::Read)?;
        let whole = last_line_end(&mut file)?;
        Ok(Segment { file, whole })
    }

    fn follow(&mut self, from: u64, follow: &mut Follow<'_>) -> Result<(), LedgerError> {
        let mut lines = StoredLines::new(&mut self.file, from, self.whole);
        let mut wrong = None;
        while let Some((offset, line)) = lines.next_line()? {
            if let Err(code) = follow.line(line) {
                wrong = Some((offset, code));
                break;
            }
        }
        wrong.map_or(Ok(()), |(offset, code)| Err(broken(&mut self.file, offset, code)))
    }

    /// Where a line begins that is at or before record `seq`; the first line that is no record is taken too.
    fn entry(&mut self, seq: u64) -> Result<Option<u64>, LedgerError> {
        let mut window = WINDOW;
        loop {
            let from = self.whole.saturating_sub(window);
            let start = if from == 0 { Some(0) } else { self.line_start(from)? };
            if let Some(start) = start.filter(|start| *start < self.whole) {
                let line = self.line_at(start)?;
                if Line::read(&line).map_or(true, |line| line.seq <= seq) {
                    return Ok(Some(start));
                }
            }
            if from == 0 {
                return Ok(None);
            }
            window = window.saturating_mul(2);
        }
    }

    /// Where the first line begins whose predecessor ends behind `from`.
    fn line_start(&mut self, from: u64) -> Result<Option<u64>, LedgerError> {
        let to = from.saturating_add(MAX_LINE as u64).min(self.whole);
        let chunk = bytes(&mut self.file, from, to)?;
        let feed = chunk.iter().position(|byte| *byte == b'\n');
        Ok(feed.map(|at| from.saturating_add(at as u64).saturating_add(1)))
    }

    fn line_at(&mut self, start: u64) -> Result<Vec<u8>, LedgerError> {
        let mut lines = StoredLines::new(&mut self.file, start, self.whole);
        Ok(lines.next_line()?.map(|(_, line)| line.to_vec()).unwrap_or_default())
    }

    /// The number of the first record, if there is one.
    fn first(&mut self) -> Result<Option<u64>, LedgerError> {
        if self.whole == 0 {
            return Ok(None);
        }
        let line = self.line_at(0)?;
        let code = match Line::read(&line) {
            Ok(line) => return Ok(Some(line.seq)),
            Err((code, _)) => code,
        };
        Err(broken(&mut self.file, 0, code))
    }
}
