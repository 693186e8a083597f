//! Whether the records of a run are the ones that were written: a fold over lines that can stop and go on anywhere.
//!
//! [`Verifier::push_line`] measures one line: its form (`scan.rs` accepts it or `fault.rs` says what is wrong), its
//! hash, and its link to the record before. [`Verifier::finish`] asks whether the anchors were reached. What is wrong
//! comes back as a [`Problem`]; the first one is the verdict. The codes are defined in `docs/ledger-format.md`, from
//! which `scripts/verify.py` was written.
//!
//! No file is read here, and no line is repaired, skipped or written again to be compared.

mod anchor;
mod fault;
mod grammar;
mod report;
mod scan;
mod state;

pub use anchor::{Anchor, BadAnchor, HEAD_LINE};
pub use report::{Report, Verdict, verify_records};

use crate::canon::Digest;
use fault::{Fault, Stands};

/// The deepest arrays and objects of a body, the body among them: a foreign value has at most 64.
pub const BODY_DEPTH: usize = 80;

/// What is wrong, in the order in which it is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// A file cannot be read, or is not what its name says.
    Unreadable,
    /// A line is not JSON.
    BadJson,
    /// A line is JSON in another form.
    BadEnvelope,
    /// The body is not an object.
    NotAnObject,
    /// The record is of a version nobody here knows.
    UnknownVersion,
    /// The body has not the members of a record.
    MissingFields,
    /// The body is not in canonical form.
    UnserialisablePayload,
    /// The body is not the one that was hashed.
    HashMismatch,
    /// A record is missing, or stands twice.
    SeqGap,
    /// The record does not go on from the one before.
    PrevMismatch,
    /// The record at the anchor is another.
    AnchorMismatch,
    /// Records that the anchor names are not there.
    SizeLessThanAnchor,
    /// A value is not the one its record names.
    ValueMismatch,
}

impl Code {
    /// The stable word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Code::Unreadable => "unreadable",
            Code::BadJson => "bad_json",
            Code::BadEnvelope => "bad_envelope",
            Code::NotAnObject => "not_an_object",
            Code::UnknownVersion => "unknown_version",
            Code::MissingFields => "missing_fields",
            Code::UnserialisablePayload => "unserialisable_payload",
            Code::HashMismatch => "hash_mismatch",
            Code::SeqGap => "seq_gap",
            Code::PrevMismatch => "prev_mismatch",
            Code::AnchorMismatch => "anchor_mismatch",
            Code::SizeLessThanAnchor => "size_less_than_anchor",
            Code::ValueMismatch => "value_mismatch",
        }
    }

    /// True where nothing was proved wrong, and nothing right.
    #[must_use]
    pub fn cannot_judge(self) -> bool {
        matches!(self, Code::Unreadable | Code::UnknownVersion)
    }
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {message}", code.as_str())]
pub struct Problem {
    /// Which record: 0 is the first of the run.
    pub record: u64,
    /// Its line in its file, from 1; 0 where no line is at fault.
    pub line: u64,
    /// Its file: 0 is the first of the run.
    pub segment: u32,
    /// What is wrong.
    pub code: Code,
    /// The same for people.
    pub message: String,
}

/// A sound record of a ledger, borrowed from its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The host's clock.
    pub at: Option<&'a str>,
    /// The canonical text of its data.
    pub data: &'a str,
    /// What it tells.
    pub kind: &'a str,
    /// The hash of the record before.
    pub prev: Digest,
    /// Its run.
    pub run: &'a str,
    /// Its number in the run.
    pub seq: u64,
    /// SHA-256 of its body.
    pub hash: Digest,
    /// The bytes that are hashed.
    pub body: &'a [u8],
    /// False if its data surely names no value of the values file.
    pub names_values: bool,
}

impl<'a> Line<'a> {
    /// Reads one line, without its line feed, and checks all that can be checked of it alone.
    ///
    /// # Errors
    /// What is wrong with it, as in [`Problem`].
    ///
    /// ```
    /// use flyball::ledger::{Chain, Durability, RecordKind, verify::Line};
    ///
    /// let mut chain = Chain::genesis("run-1").unwrap();
    /// let record = chain.append(None, RecordKind::RunOpen, Durability::Sync, |out| out.extend_from_slice(b"{}"));
    /// let line = Line::read(record.line().strip_suffix(b"\n").unwrap()).unwrap();
    /// assert_eq!((line.kind, line.seq, line.data), ("run.open", 0, "{}"));
    /// ```
    pub fn read(line: &'a [u8]) -> Result<Line<'a>, (Code, String)> {
        read(line).map_err(|fault| (fault.code, fault.message))
    }

    fn stands(&self) -> Stands {
        Stands { run: self.run.into(), seq: self.seq, hash: self.hash }
    }
}

fn read(bytes: &[u8]) -> Result<Line<'_>, Fault> {
    let short = bytes.len() < super::MAX_LINE;
    let Some(line) = short.then(|| scan::line(bytes)).flatten() else {
        // INVARIANT: `scan` and `fault` accept the same lines; a test holds them to it.
        return Err(fault::of(bytes).unwrap_or_else(|| Fault::new(Code::BadEnvelope, "the line is no record")));
    };
    if Digest::of(line.body) == line.hash {
        return Ok(line);
    }
    Err(Fault { stands: Some(line.stands()), ..fault::hash_mismatch(line.body, line.hash) })
}

/// Where a verification stands.
///
/// ```
/// use flyball::ledger::{Chain, Durability, RecordKind, verify::{Code, Verifier}};
///
/// let mut chain = Chain::genesis("run-1").unwrap();
/// let mut verifier = Verifier::genesis();
/// for kind in [RecordKind::RunOpen, RecordKind::TurnOpen] {
///     let record = chain.append(None, kind, Durability::Sync, |out| out.extend_from_slice(b"{}"));
///     verifier.push_line(record.line().strip_suffix(b"\n").unwrap()).unwrap();
/// }
/// assert_eq!(verifier.head(), Some((1, chain.head())));
/// assert_eq!(verifier.push_line(b"not a record").unwrap_err().code, Code::BadJson);
///
/// // Later, and somewhere else.
/// let again = Verifier::from_line(&verifier.to_line()).unwrap();
/// assert_eq!(again, verifier);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verifier {
    run: Option<Box<str>>,
    /// The number the next record must have.
    next: u64,
    /// The hash it must carry; unknown behind a line that is no record.
    prev: Option<Digest>,
    /// The last record that could be read.
    head: Option<(u64, Digest)>,
    /// How many lines there were.
    records: u64,
    /// The index of the next line.
    index: u64,
    segment: u32,
    line: u64,
    anchors: Vec<Anchor>,
    /// The record up to which an anchor holds.
    anchored: Option<u64>,
}

impl Verifier {
    /// Before the first record of a run.
    #[must_use]
    pub fn genesis() -> Verifier {
        Verifier {
            run: None,
            next: 0,
            prev: Some(Digest::ZERO),
            head: None,
            records: 0,
            index: 0,
            segment: 0,
            line: 0,
            anchors: Vec::new(),
            anchored: None,
        }
    }

    /// Behind the record `seq` of a run, whose hash is known to be right.
    #[must_use]
    pub fn after(run: &str, seq: u64, hash: Digest) -> Verifier {
        let next = seq.saturating_add(1);
        let (run, head) = (Some(run.into()), Some((seq, hash)));
        Verifier { run, next, prev: Some(hash), head, index: next, ..Verifier::genesis() }
    }

    /// Asks for a record that is known from elsewhere, which lies ahead.
    #[must_use]
    pub fn with_anchor(mut self, anchor: Anchor) -> Verifier {
        self.run = self.run.or_else(|| anchor.run.clone());
        self.anchors.push(anchor);
        self
    }

    /// The run, once a record was read or an anchor named it.
    #[must_use]
    pub fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    /// Number and hash of the last record that could be read.
    #[must_use]
    pub fn head(&self) -> Option<(u64, Digest)> {
        self.head
    }

    /// How many lines were pushed.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The last record up to which the run is what an anchor says.
    #[must_use]
    pub fn anchored(&self) -> Option<u64> {
        self.anchored
    }

    /// What follows stands in the run's next file; lines count anew.
    pub fn next_segment(&mut self) {
        self.segment = self.segment.saturating_add(1);
        self.line = 0;
    }

    /// Measures one line, given without its line feed, and stands behind it afterwards, whatever it was.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn push_line<'l>(&mut self, line: &'l [u8]) -> Result<Line<'l>, Problem> {
        let index = self.step();
        let judged = match read(line) {
            Ok(line) => {
                let linked = self.linked(&line);
                self.go_on(line.run, line.seq, line.hash);
                linked.map(|()| line)
            }
            Err(fault) => {
                self.go_on_behind(&fault);
                Err(fault)
            }
        };
        judged.map_err(|Fault { code, message, .. }| self.problem(index, code, message))
    }

    /// Bytes at the end of a file that another follows, though no line feed ends them.
    pub fn push_unended(&mut self) -> Problem {
        let index = self.step();
        self.go_on_blindly();
        self.problem(index, Code::BadJson, "the line has no line feed, and another file follows".into())
    }

    /// What is missing now that no line follows.
    #[must_use]
    pub fn finish(&self) -> Option<Problem> {
        let missed = self.anchors.iter().find(|anchor| anchor.seq >= self.next)?;
        let message = format!(
            "the anchor names record {}, and the last one here is {}",
            missed.seq,
            self.head.map_or("none".into(), |(seq, _)| seq.to_string())
        );
        Some(Problem { line: 0, ..self.problem(self.index, Code::SizeLessThanAnchor, message) })
    }

    fn step(&mut self) -> u64 {
        let index = self.index;
        self.index = index.saturating_add(1);
        self.records = self.records.saturating_add(1);
        self.line = self.line.saturating_add(1);
        index
    }

    fn problem(&self, record: u64, code: Code, message: String) -> Problem {
        Problem { record, line: self.line, segment: self.segment, code, message }
    }

    /// Whether a sound line goes on from where the chain stands.
    fn linked(&mut self, line: &Line<'_>) -> Result<(), Fault> {
        if line.seq != self.next {
            return Err(Fault::new(Code::SeqGap, gap(self.next, line.seq)));
        }
        if let Some(prev) = self.prev.filter(|prev| *prev != line.prev) {
            let message = format!("`prev` is `{}`, and the record before has the hash `{prev}`", line.prev);
            return Err(Fault::new(Code::PrevMismatch, message));
        }
        if let Some(run) = self.run.as_deref().filter(|run| *run != line.run) {
            let message = format!("the record is of run `{}`, not of run `{run}`", line.run);
            return Err(Fault::new(Code::PrevMismatch, message));
        }
        self.meets_anchors(line)
    }

    fn meets_anchors(&mut self, line: &Line<'_>) -> Result<(), Fault> {
        let here = self.anchors.iter().filter(|anchor| anchor.seq == line.seq);
        for anchor in here {
            anchor.meets(line).map_err(|message| Fault::new(Code::AnchorMismatch, message))?;
            self.anchored = self.anchored.max(Some(anchor.seq));
        }
        Ok(())
    }

    // The next record is measured against what stands here, so that one fault is told once.
    fn go_on(&mut self, run: &str, seq: u64, hash: Digest) {
        if self.run.as_deref() != Some(run) {
            self.run = Some(run.into());
        }
        self.next = seq.saturating_add(1);
        self.prev = Some(hash);
        self.head = Some((seq, hash));
    }

    fn go_on_behind(&mut self, fault: &Fault) {
        match &fault.stands {
            Some(Stands { run, seq, hash }) => self.go_on(run, *seq, *hash),
            None => self.go_on_blindly(),
        }
    }

    /// Behind a line of which nothing is known but that it stands there.
    fn go_on_blindly(&mut self) {
        self.next = self.next.saturating_add(1);
        self.prev = None;
    }
}

fn gap(next: u64, found: u64) -> String {
    match found.checked_sub(1) {
        Some(last) if last == next => format!("record {next} is missing: `seq` is {found}"),
        Some(last) if last > next => format!("records {next} to {last} are missing: `seq` is {found}"),
        _ => format!("`seq` is {found} where {next} is next"),
    }
}

#[cfg(test)]
mod tests;
