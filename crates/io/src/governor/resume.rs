//! Sessions that are in the ledger alone: taken up again by name, or when the first event comes.
//!
//! A session is taken up under the lock of its place, so that no two events do it at once; the writer's lock keeps other
//! processes out. What cannot be taken up leaves no session: its events get a no.

use super::{Governor, No, Seat, lock};
use crate::ledger::{Answers, LedgerFolder};
use crate::restore::{Restored, ResumeError, closing_record, restore, told};
use flyball::event::{Body, Event};
use flyball::replay::restore::Unrestorable;

impl Governor {
    /// Whether an event of a session that is not here, but in the ledger, takes it up again first. Without it such a
    /// session is not open.
    #[must_use]
    pub fn resuming(mut self, resumes: bool) -> Governor {
        self.resumes = resumes;
        self
    }

    /// Takes a recorded session up again, by the name of its run or its own. One that is open here already is told of as
    /// it stands.
    ///
    /// # Errors
    /// There is no such run, it cannot go on, or another process has it.
    pub fn resume(&self, name: &str) -> Result<Restored, ResumeError> {
        let folder = self.ledger.as_ref().ok_or(ResumeError::NoLedger)?;
        let gone = || ResumeError::NoRun(name.to_owned());
        let (run, session) = {
            let mut runs = lock(&self.runs);
            let run = match runs.session(folder, name) {
                Some(_) => name.to_owned(),
                None => runs.of_session(folder, name)?.ok_or_else(gone)?,
            };
            let session = runs.session(folder, &run).ok_or_else(gone)?;
            (run, session)
        };
        let place = self.place(&session, true).ok_or_else(gone)?;
        let mut seated = lock(&place);
        let result = match seated.as_ref() {
            Some(seat) => open_already(seat, &run),
            None => taken_up(self, folder, &run, &session).map(|(seat, restored)| {
                *seated = Some(seat);
                restored
            }),
        };
        drop(seated);
        if result.is_err() {
            self.leave(&session, place);
        }
        result
    }

    /// The seat of an event's session where the ledger has it and this governor resumes.
    pub(super) fn seat_of(&self, event: &Event<'_>) -> Result<Option<Seat>, No> {
        let run = match &event.body {
            Body::SessionOpened(opening) => Some(opening.run.as_deref().unwrap_or(&event.session)),
            _ => None,
        };
        self.seat_in_ledger(&event.session, run)
    }

    /// The seat of a session, in the run that it opens or in the one it has.
    pub(super) fn seat_in_ledger(&self, session: &str, opens: Option<&str>) -> Result<Option<Seat>, No> {
        let Some(folder) = self.ledger.as_ref().filter(|_| self.resumes) else { return Ok(None) };
        let run = match opens {
            Some(run) => lock(&self.runs).session(folder, run).map(|_| run.to_owned()),
            None => lock(&self.runs).of_session(folder, session).map_err(No::Resume)?,
        };
        let Some(run) = run else { return Ok(None) };
        let (seat, _) = taken_up(self, folder, &run, session).map_err(No::Resume)?;
        Ok(Some(seat))
    }
}

fn taken_up(
    governor: &Governor,
    folder: &LedgerFolder,
    run: &str,
    session: &str,
) -> Result<(Seat, Restored), ResumeError> {
    let other = |found: String| ResumeError::OtherSession { run: run.to_owned(), found, wanted: session.to_owned() };
    // Looked at first: of a run that is another's, or closed, nothing is touched.
    let (found, closed) = {
        let runs = lock(&governor.runs);
        (runs.known(run).filter(|found| found != session), runs.known_closed(run))
    };
    if let Some(found) = found {
        return Err(other(found));
    }
    if let Some(seq) = closed.map_or_else(|| closing_record(folder, run), |seq| Ok(Some(seq)))? {
        lock(&governor.runs).note_closed(run, seq);
        return Err(ResumeError::Unrestorable { run: run.to_owned(), reason: Unrestorable::Closed { seq } });
    }
    let (restored, writer, told) = restore(folder, &governor.policy, run)?;
    if restored.id() != session {
        return Err(other(restored.id().to_owned()));
    }
    let answers = Some(Answers::of(folder, run));
    Ok((Seat { session: restored, writer: Some(writer), answers }, told))
}

fn open_already(seat: &Seat, run: &str) -> Result<Restored, ResumeError> {
    match seat.session.chain().map(|chain| chain.run().to_owned()) {
        Some(current) if current == run => Ok(told(run, &seat.session, None, None)),
        current => {
            let (session, run) = (seat.session.id().to_owned(), current.unwrap_or_default());
            Err(ResumeError::Open { session, run })
        }
    }
}
