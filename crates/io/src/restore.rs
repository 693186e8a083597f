//! A run taken up again after a restart: its writer, its session as it stood, and what there is to say of it.
//!
//! The lock comes first, so that two processes cannot both go on; then every line is checked and every event decided
//! again. A run that cannot be proved the same is not taken up, whoever asks.

use crate::ledger::{LedgerError, LedgerFolder, LedgerWriter, Recovered};
use flyball::json::{Limits, parse};
use flyball::ledger::RecordKind;
use flyball::ledger::verify::Line;
use flyball::policy::Policy;
use flyball::replay::restore::{Restoration, Restorer, Unrestorable};
use flyball::session::{OpenCall, Session};
use std::collections::BTreeMap;

/// What a run was found to hold when it was taken up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restored {
    /// The run.
    pub run: String,
    /// The session.
    pub session: String,
    /// Its turn.
    pub turn: u32,
    /// How many records the run has.
    pub records: u64,
    /// The calls that have not ended. Nobody runs one of them again; how it ended can still be told.
    pub open_calls: Vec<OpenCall>,
    /// The first record of an event that was never answered, and may be told again.
    pub unanswered: Option<u64>,
    /// A torn tail that was set aside now.
    pub recovered: Option<Recovered>,
}

/// Why a run is not taken up.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// Its file cannot be read or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// What it holds cannot go on.
    #[error("the run `{run}` cannot go on: {reason}")]
    Unrestorable {
        /// The run.
        run: String,
        /// Why.
        reason: Unrestorable,
    },
    /// The governor keeps no ledger.
    #[error("there is no ledger to go on from")]
    NoLedger,
    /// There is no such run, and no session of the name in any.
    #[error("no run is named `{0}`, and none is of a session `{0}`")]
    NoRun(String),
    /// More than one run of the session is not closed.
    #[error("the session `{session}` has more than one run that is not closed: {}", listed(runs))]
    Several {
        /// The session.
        session: String,
        /// Its runs.
        runs: Vec<String>,
    },
    /// The run is another session's.
    #[error("the run `{run}` is of the session `{found}`, not of `{wanted}`")]
    OtherSession {
        /// The run.
        run: String,
        /// Whose it is.
        found: String,
        /// Whose it would have to be.
        wanted: String,
    },
    /// The session goes on already, under another run.
    #[error("the session `{session}` is open under the run `{run}`")]
    Open {
        /// The session.
        session: String,
        /// The run it is recorded in.
        run: String,
    },
}

fn listed(runs: &[String]) -> String {
    let runs: Vec<String> = runs.iter().map(|run| format!("`{run}`")).collect();
    runs.join(", ")
}

impl ResumeError {
    /// The code of the answer to an event that needed it.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            ResumeError::Ledger(_) => LedgerError::CODE,
            ResumeError::Unrestorable { reason: Unrestorable::Closed { .. }, .. } | ResumeError::NoRun(_) => {
                "session_closed"
            }
            _ => "cannot_resume",
        }
    }

    /// What to do about it, where there is something.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        match self {
            ResumeError::Ledger(error) => error.help(),
            ResumeError::Unrestorable { reason, .. } => Some(reason.help()),
            ResumeError::NoLedger => Some("a governor with a ledger can resume"),
            ResumeError::NoRun(_) => Some("begin with `sessionOpened`"),
            ResumeError::Several { .. } => Some("resume one by its name, or send its `sessionOpened` again"),
            ResumeError::OtherSession { .. } => Some("give each session a run of its own"),
            ResumeError::Open { .. } => Some("forget the session first"),
        }
    }
}

/// Takes a run up: its session as it stood, and the one writer of its file.
pub(crate) fn restore(
    folder: &LedgerFolder,
    policy: &Policy,
    run: &str,
) -> Result<(Session, LedgerWriter, Restored), ResumeError> {
    let (writer, chain, recovered) = folder.resume_checking_all(run)?;
    let values = folder.stored_values(run)?;
    let failed = |reason| ResumeError::Unrestorable { run: run.to_owned(), reason };
    let mut restorer = Restorer::new(policy);
    folder.each_line(run, |line| restorer.push(line, &values).map_err(failed))?;
    let Restoration { mut session, unanswered } = restorer.finish(&values).map_err(failed)?;
    if session.chain() != Some(&chain) {
        return Err(failed(Unrestorable::Differs { seq: chain.len() }));
    }
    session.take_chain(chain);
    let restored = told(run, &session, unanswered, recovered);
    Ok((session, writer, restored))
}

/// The session of a run as far as it is written, for who only looks: no lock is taken, and the writer may go on meanwhile.
pub(crate) fn restore_to_read(folder: &LedgerFolder, policy: &Policy, run: &str) -> Result<Session, ResumeError> {
    let failed = |reason| ResumeError::Unrestorable { run: run.to_owned(), reason };
    // In the other order in which they are written, so that what one names is there in the next.
    let head = folder.head(run)?;
    let mut lines = Vec::new();
    folder.each_line(run, |line| {
        lines.push(line.to_vec());
        Ok::<(), LedgerError>(())
    })?;
    let values = folder.stored_values(run)?;
    let mut restorer = Restorer::new(policy);
    lines.iter().try_for_each(|line| restorer.push(line, &values)).map_err(failed)?;
    let Restoration { session, .. } = restorer.finish(&values).map_err(failed)?;
    let Some(head) = head else { return Ok(session) };
    let records = session.chain().map_or(0, flyball::ledger::Chain::len);
    if head.seq >= records {
        return Err(LedgerError::HeadAhead { path: folder.path().join(format!("{run}.jsonl")), head: head.seq }.into());
    }
    let is_last = head.seq.saturating_add(1) == records;
    match is_last && session.chain().is_some_and(|chain| chain.head() != head.hash) {
        true => Err(failed(Unrestorable::Differs { seq: head.seq })),
        false => Ok(session),
    }
}

/// What is there to say of a session under its run.
pub(crate) fn told(run: &str, session: &Session, unanswered: Option<u64>, recovered: Option<Recovered>) -> Restored {
    Restored {
        run: run.to_owned(),
        session: session.id().to_owned(),
        turn: session.turn(),
        records: session.chain().map_or(0, flyball::ledger::Chain::len),
        open_calls: session.open_calls(),
        unanswered,
        recovered,
    }
}

/// What was asked for of each run of a folder and cannot change: whose it is, and that it was closed.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    sessions: BTreeMap<String, String>,
    /// The record that closes a run.
    closed: BTreeMap<String, u64>,
}

impl Runs {
    /// The run that a session goes on in; `None` if there is none.
    pub(crate) fn of_session(&mut self, folder: &LedgerFolder, session: &str) -> Result<Option<String>, ResumeError> {
        let mut runs = Vec::new();
        for run in folder.runs()? {
            if self.session(folder, &run).is_some_and(|found| found == session) {
                runs.push(run);
            }
        }
        if runs.len() > 1 {
            let mut open = Vec::new();
            for run in &runs {
                if !self.is_closed(folder, run)? {
                    open.push(run.clone());
                }
            }
            if let [_, _, ..] = open.as_slice() {
                return Err(ResumeError::Several { session: session.to_owned(), runs: open });
            }
            runs = if open.is_empty() { runs } else { open };
        }
        Ok(runs.pop())
    }

    /// The session of a run whose first record was read.
    pub(crate) fn known(&self, run: &str) -> Option<String> {
        self.sessions.get(run).cloned()
    }

    /// The session of a run. One whose first record cannot be read is taken for that of its name, to be told why.
    pub(crate) fn session(&mut self, folder: &LedgerFolder, run: &str) -> Option<String> {
        if let Some(session) = self.sessions.get(run) {
            return Some(session.clone());
        }
        let line = folder.first_line(run).ok()??;
        match session_of(&line) {
            Some(session) => {
                self.sessions.insert(run.to_owned(), session.clone());
                Some(session)
            }
            None => Some(run.to_owned()),
        }
    }

    /// The record that closes a run, as far as it was seen.
    pub(crate) fn known_closed(&self, run: &str) -> Option<u64> {
        self.closed.get(run).copied()
    }

    /// Notes the record that closes a run.
    pub(crate) fn note_closed(&mut self, run: &str, seq: u64) {
        self.closed.insert(run.to_owned(), seq);
    }

    fn is_closed(&mut self, folder: &LedgerFolder, run: &str) -> Result<bool, LedgerError> {
        if self.known_closed(run).is_none() {
            closing_record(folder, run)?.iter().for_each(|seq| self.note_closed(run, *seq));
        }
        Ok(self.known_closed(run).is_some())
    }
}

/// The record that closes a run; `None` while it is open. It is only read: of a closed run nothing is touched.
pub(crate) fn closing_record(folder: &LedgerFolder, run: &str) -> Result<Option<u64>, LedgerError> {
    let mut closing = None;
    folder.each_line(run, |line| {
        let closes = |line: &Line<'_>| line.kind == RecordKind::RunClose.name();
        closing = closing.or_else(|| Line::read(line).ok().filter(closes).map(|line| line.seq));
        Ok::<(), LedgerError>(())
    })?;
    Ok(closing)
}

/// The session that a run's first record opens.
fn session_of(line: &[u8]) -> Option<String> {
    let line = Line::read(line).ok().filter(|line| line.kind == RecordKind::RunOpen.name())?;
    let limits = Limits { depth: Limits::DEEPEST, ..Limits::default() };
    let data = parse(line.data.as_bytes(), &limits).ok()?;
    data.get("session")?.as_str().map(str::to_owned)
}
