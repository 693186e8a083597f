//! What came of a verification.

use super::{Problem, Verifier};
use crate::canon::Digest;

/// What a ledger is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Every record is the one that was written, up to the anchor.
    Intact,
    /// The records fit each other, and nothing says whether the end is missing.
    Unanchored,
    /// Nothing could be proved, neither way.
    CannotJudge,
    /// A record is not the one that was written, or not there.
    Broken,
}

impl Verdict {
    /// The stable word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Intact => "intact",
            Verdict::Unanchored => "unanchored",
            Verdict::CannotJudge => "cannot_judge",
            Verdict::Broken => "broken",
        }
    }
}

/// What came of verifying a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The run, if a record could be read or an anchor names it.
    pub run: Option<Box<str>>,
    /// How many records there are, sound or not.
    pub records: u64,
    /// Number and hash of the last record that could be read.
    pub head: Option<(u64, Digest)>,
    /// The last record up to which the run is what an anchor says.
    pub anchored: Option<u64>,
    /// The bytes behind the last line feed, which are no record.
    pub torn_tail: u64,
    /// All that is wrong, one a record, in the order of the records. The first is the verdict.
    pub problems: Vec<Problem>,
}

impl Report {
    /// The report of a verification to which no line comes any more.
    #[must_use]
    pub fn of(verifier: &Verifier, mut problems: Vec<Problem>, torn_tail: u64) -> Report {
        problems.extend(verifier.finish());
        Report { torn_tail, ..Report::of_part(verifier, problems) }
    }

    /// The report of a verification that had to stop; what is not there was not looked for.
    #[must_use]
    pub fn of_part(verifier: &Verifier, problems: Vec<Problem>) -> Report {
        Report {
            run: verifier.run().map(Into::into),
            records: verifier.records(),
            head: verifier.head(),
            anchored: verifier.anchored(),
            torn_tail: 0,
            problems,
        }
    }

    /// What the ledger is worth.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.problems.first() {
            Some(problem) if problem.code.cannot_judge() => Verdict::CannotJudge,
            Some(_) => Verdict::Broken,
            None if self.records == 0 => Verdict::CannotJudge,
            None if self.anchored.is_some() && self.torn_tail == 0 => Verdict::Intact,
            None => Verdict::Unanchored,
        }
    }
}

/// Verifies lines, each without its line feed.
///
/// ```
/// use flyball::ledger::{Chain, Durability, RecordKind};
/// use flyball::ledger::verify::{Verdict, Verifier, verify_records};
///
/// let mut chain = Chain::genesis("run-1").unwrap();
/// let record = chain.append(None, RecordKind::RunOpen, Durability::Sync, |out| out.extend_from_slice(b"{}"));
/// let lines = || record.line().split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
///
/// let report = verify_records(Verifier::genesis(), lines());
/// assert_eq!((report.records, report.verdict()), (1, Verdict::Unanchored));
///
/// let anchor = format!("0:{}", chain.head()).parse().unwrap();
/// let report = verify_records(Verifier::genesis().with_anchor(anchor), lines());
/// assert_eq!(report.verdict(), Verdict::Intact);
/// ```
pub fn verify_records<L: AsRef<[u8]>>(mut verifier: Verifier, lines: impl IntoIterator<Item = L>) -> Report {
    let mut problems = Vec::new();
    for line in lines {
        problems.extend(verifier.push_line(line.as_ref()).err());
    }
    Report::of(&verifier, problems, 0)
}
