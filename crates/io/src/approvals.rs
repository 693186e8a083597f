//! The requests of recorded runs, seen and answered from beside the run, also while another process goes on with it.
//!
//! Nothing here writes a ledger or takes its lock. A run is read as far as it is written and decided again; what cannot be
//! proved the same has lost its requests. An answer is decided on what was read before it is put down, and its run decides
//! once more when it takes it: what counts is what the run says.

use crate::entropy::Entropy;
use crate::ledger::{AnswerLine, Answers, AnswersWriter, LedgerError, LedgerFolder};
use crate::restore::{ResumeError, restore_to_read};
use crate::run::{RunError, load_policy, named_policy};
use flyball::decision::{Answered, Decision};
use flyball::event::{Approval, Body, Event, EventSalt, utc};
use flyball::policy::Policy;
use flyball::session::{Request, RequestState, Session, decide};
use flyball::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Why the requests of a run cannot be had or answered.
#[derive(Debug, thiserror::Error)]
pub enum RequestsError {
    /// The run cannot be read, or what it holds cannot be proved.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// There is no such run, or no policy of it.
    #[error(transparent)]
    Run(#[from] RunError),
    /// There is no entropy for the name of an answer.
    #[error("the system gives no entropy to name the answer with")]
    Entropy,
    /// What was to be put down is no answer to a request.
    #[error("only `approvalDecided` and `approvalRevoked` are answers")]
    NoAnswer,
}

impl From<LedgerError> for RequestsError {
    fn from(error: LedgerError) -> RequestsError {
        RequestsError::Resume(error.into())
    }
}

impl RequestsError {
    /// True where the run itself is at fault: it is broken, cannot be proved the same, or has no policy any more. Otherwise
    /// it is not there, or could not be looked at.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        match self {
            RequestsError::Resume(ResumeError::Ledger(error)) => matches!(
                error,
                LedgerError::Missing(_)
                    | LedgerError::Unreadable { .. }
                    | LedgerError::Broken { .. }
                    | LedgerError::HeadAhead { .. }
            ),
            RequestsError::Resume(error) => matches!(error, ResumeError::Unrestorable { .. }),
            RequestsError::Run(error) => !matches!(error, RunError::NoRun(_)),
            RequestsError::Entropy | RequestsError::NoAnswer => false,
        }
    }

    /// What to do about it, where there is something.
    #[must_use]
    pub fn help(&self) -> Option<&'static str> {
        if let RequestsError::Resume(error) = self { error.help() } else { None }
    }

    /// True of a run that is over: it waits for nobody.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self, RequestsError::Resume(error @ ResumeError::Unrestorable { .. }) if error.code() == "session_closed")
    }
}

/// An answer that waits beside the ledger until the run takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingAnswer {
    /// Whether it is a grant.
    pub granted: bool,
    /// Who gave it.
    pub approver: Option<String>,
}

/// The requests of one run as they stand.
#[derive(Debug)]
pub struct Requests {
    policy: Policy,
    recorded: Session,
    /// The session as it will stand once it has taken what waits.
    ahead: Session,
    waiting: BTreeMap<String, WaitingAnswer>,
    revoked: BTreeSet<String>,
    passed_over: usize,
}

impl Requests {
    /// Reads a run as far as it is written.
    ///
    /// # Errors
    /// There is no such run, its policy is gone, or it cannot be proved the same.
    pub fn read(folder: &LedgerFolder, run: &str) -> Result<Requests, RequestsError> {
        let policy = policy_of(folder, run)?;
        let recorded = restore_to_read(folder, &policy, run)?;
        let ahead = recorded.clone();
        let (waiting, revoked) = Default::default();
        let mut requests = Requests { policy, recorded, ahead, waiting, revoked, passed_over: 0 };
        for line in Answers::of(folder, run).fresh(folder)? {
            // The run may have salted what it took: it is known again by what it tells.
            let salt = EventSalt::Drawn("0".repeat(32).into());
            let event = line.event(requests.recorded.id()).map(|event| Event { salt, ..event });
            if !event.is_some_and(|event| requests.foresee(&event)) {
                requests.passed_over = requests.passed_over.saturating_add(1);
            }
        }
        Ok(requests)
    }

    /// Decides an answer that waits as the run will; false if the run will pass it over.
    fn foresee(&mut self, event: &Event<'_>) -> bool {
        let step = decide(&self.policy, &self.ahead, event);
        // What the run has taken is answered again, and nothing is recorded of it.
        if step.records().is_none() {
            return true;
        }
        match (step.decision(), &event.body) {
            (Decision::Reject { .. }, _) => return false,
            (Decision::Accepted(_), Body::ApprovalDecided(approvals)) => {
                self.waiting.extend(approvals.iter().map(waiting));
            }
            (Decision::Proceed, Body::ApprovalRevoked { remembered }) => {
                self.revoked.insert(remembered.to_string());
            }
            _ => {}
        }
        self.ahead.commit(step).is_ok()
    }

    /// The policy of the run.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The session as it is recorded.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.recorded
    }

    /// A request, as an answer to it would find it.
    #[must_use]
    pub fn request(&self, call: &str) -> Option<&Request> {
        self.ahead.requests().find(|request| &*request.call == call)
    }

    /// The answer to a call that the run has not taken yet.
    #[must_use]
    pub fn waiting(&self, call: &str) -> Option<&WaitingAnswer> {
        self.waiting.get(call)
    }

    /// True if the run is still to take that a remembered answer is revoked.
    #[must_use]
    pub fn is_being_revoked(&self, remembered: &str) -> bool {
        self.revoked.contains(remembered)
    }

    /// How many lines beside the ledger are no answer to this session.
    #[must_use]
    pub fn passed_over(&self) -> usize {
        self.passed_over
    }

    /// True if somebody can still answer a request at a time of the machine's clock.
    #[must_use]
    pub fn can_be_answered(&self, request: &Request, now: Timestamp) -> bool {
        let now = self.recorded.clock().map_or(now, |clock| clock.max(now));
        request.state == RequestState::Open && !request.is_expired(Some(now))
    }
}

fn waiting(approval: &Approval<'_>) -> (String, WaitingAnswer) {
    let approver = approval.approver.as_ref().map(ToString::to_string);
    (approval.call.to_string(), WaitingAnswer { granted: approval.granted, approver })
}

/// Puts an answer down for a run, if the run as it stands would take it. `body` makes it of the requests that are there.
/// Nobody else answers beside the ledger meanwhile. What counts is what the line says when it is read: where no event can be
/// read of it the answer is `reject`, as the run's would be, and nothing is written.
///
/// # Errors
/// The requests cannot be had, `body` makes none or no answer, or the answer cannot be written.
pub fn answer<E: From<RequestsError>>(
    folder: &LedgerFolder,
    run: &str,
    now: Timestamp,
    body: impl FnOnce(&Requests) -> Result<Body<'static>, E>,
) -> Result<Answered, E> {
    // Before anything is made beside a run that is none.
    policy_of(folder, run)?;
    let mut writer = AnswersWriter::lock(folder, run).map_err(RequestsError::from)?;
    let requests = Requests::read(folder, run)?;
    let entropy = Entropy::of_system().ok().and_then(|entropy| entropy.salt());
    let id = format!("answer-{}", entropy.ok_or(RequestsError::Entropy)?);
    let session = requests.ahead.id().to_owned();
    let mut event = Event::new(&id, &session, body(&requests)?);
    event.at = utc(now.to_string().into());
    let line = AnswerLine::of(&event);
    if let Err(rejection) = flyball::event::read(&line.bytes) {
        return Ok(Answered::rejected(rejection));
    }
    let read = line.event(&session).ok_or(RequestsError::NoAnswer)?;
    let step = decide(&requests.policy, &requests.ahead, &read);
    let decision = Arc::new(step.decision().clone());
    if matches!(*decision, Decision::Accepted(_) | Decision::Proceed) {
        writer.append(&line).map_err(RequestsError::from)?;
    }
    Ok(Answered { id: Some(id), session: Some(session), decision })
}

/// The machine's clock.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(i128::try_from(since.as_nanos()).unwrap_or(i128::MAX))
}

/// The policy that a run was begun with, from the sources its folder keeps.
fn policy_of(folder: &LedgerFolder, run: &str) -> Result<Policy, RequestsError> {
    let no_run = || RunError::NoRun(folder.path().join(run));
    let first = folder.first_line(run)?.ok_or_else(no_run)?;
    let digest = named_policy(&first).ok_or_else(no_run)?;
    Ok(load_policy(folder, digest)?)
}
