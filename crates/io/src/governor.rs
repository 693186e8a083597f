//! The one way from a host's event to an answer: lock the session, decide, write and sync as the class demands, commit,
//! answer.
//!
//! Sessions lie side by side, each under its own lock, and are found by the key in the event only: there is no current
//! session. Whatever goes wrong in between is a deny, never a silent yes: what cannot be recorded does not happen.

mod answers;
mod resume;

use crate::entropy::Entropy;
use crate::ledger::{Answers, LedgerError, LedgerFolder, LedgerWriter};
use crate::restore::{ResumeError, Runs};
use flyball::decision::{Answered, CallDecision, Decision, Deny, Interim, Match, StepOutcome, Verdict};
use flyball::event::{Body, Event, EventSalt};
use flyball::policy::Policy;
use flyball::session::{Session, Step, decide};
use flyball::source::Sources;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A session's place: taken before the session is, so that two openings of one id cannot both succeed.
type Place = Arc<Mutex<Option<Seat>>>;

/// A session and the writer of its ledger, if it has one.
#[derive(Debug)]
struct Seat {
    session: Session,
    writer: Option<LedgerWriter>,
    /// What people answer beside the ledger, where there is one.
    answers: Option<Answers>,
}

/// Governs the sessions of one policy.
///
/// ```
/// use flyball::source::Sources;
/// use flyball_io::Governor;
/// use std::sync::Arc;
///
/// let text = "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {look: {effect: read}}\n";
/// let spec = flyball::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap();
/// let governor = Governor::new(Arc::new(flyball::policy::compile(&spec).unwrap()));
///
/// let opened = governor.handle(br#"{"v":"flyball/1","type":"sessionOpened","id":"e1","session":"s1"}"#);
/// assert_eq!(opened.to_line(), r#"{"decision":"proceed","id":"e1","session":"s1","v":"flyball/1"}"#);
///
/// let call = br#"{"v":"flyball/1","type":"toolProposed","id":"e2","session":"s1","call":"c1","tool":"erase","args":{}}"#;
/// assert!(governor.handle(call).to_line().contains(r#""code":"unknown_tool""#));
/// ```
#[derive(Debug)]
pub struct Governor {
    policy: Arc<Policy>,
    ledger: Option<LedgerFolder>,
    entropy: Option<Entropy>,
    resumes: bool,
    runs: Mutex<Runs>,
    places: Mutex<BTreeMap<String, Place>>,
}

impl Governor {
    /// A governor without sessions and without a ledger.
    #[must_use]
    pub fn new(policy: Arc<Policy>) -> Governor {
        Governor {
            policy,
            ledger: None,
            entropy: None,
            resumes: false,
            runs: Mutex::default(),
            places: Mutex::default(),
        }
    }

    /// A governor that records every session in a folder, beside the sources of its policy.
    ///
    /// # Errors
    /// The sources cannot be kept.
    pub fn with_ledger(policy: Arc<Policy>, sources: &Sources, folder: LedgerFolder) -> Result<Governor, LedgerError> {
        folder.keep_policy(policy.digest(), sources)?;
        Ok(Governor { ledger: Some(folder), ..Governor::new(policy) })
    }

    /// Salts the records of events that bring no `salt` of their own, so that what is erased cannot be guessed. Two runs
    /// over the same events then write different bytes.
    #[must_use]
    pub fn with_entropy(mut self, entropy: Entropy) -> Governor {
        self.entropy = Some(entropy);
        self
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Answers one message of the wire, whatever its bytes are.
    #[must_use]
    pub fn handle(&self, bytes: &[u8]) -> Answered {
        let rejection = match flyball::event::read(bytes) {
            Ok(event) => return self.answer(&event),
            Err(rejection) => rejection,
        };
        let place = rejection.session.as_deref().and_then(|session| self.place(session, self.resumes));
        if let Some((place, session)) = place.zip(rejection.session.as_deref()) {
            let mut seated = lock(&place);
            if seated.is_none() {
                *seated = self.seat_in_ledger(session, None).unwrap_or_default();
            }
            if let Some(seat) = seated.as_mut() {
                // A rejection stands whether it could be written or not: it allows nothing.
                let step = seat.session.reject(&rejection);
                let _ = self.commit(seat, step);
            }
            drop(seated);
            self.leave(session, place);
        }
        Answered::rejected(rejection)
    }

    /// Answers one event.
    #[must_use]
    pub fn answer(&self, event: &Event<'_>) -> Answered {
        // A fault in between must not end as a yes. Nothing is half-changed: deciding changes nothing.
        let decision = catch_unwind(AssertUnwindSafe(|| match self.salted(event) {
            Ok(event) => self.decide(&event),
            Err(why) => Arc::new(no(event, &why)),
        }));
        let decision = decision.unwrap_or_else(|_| Arc::new(no(event, &No::Fault)));
        Answered { id: Some(event.id.to_string()), session: Some(event.session.to_string()), decision }
    }

    /// Drops a session that will get no more events.
    pub fn forget(&self, session: &str) {
        lock(&self.places).remove(session);
    }

    /// The event with a salt, where its records need one that it does not bring.
    fn salted<'e>(&self, event: &'e Event<'e>) -> Result<Cow<'e, Event<'e>>, No> {
        match (&self.entropy, &event.salt) {
            (Some(entropy), EventSalt::OfRun) if self.ledger.is_some() => {
                let salt = entropy.salt().ok_or(No::Fault)?;
                Ok(Cow::Owned(Event { salt: EventSalt::Drawn(salt.into()), ..event.clone() }))
            }
            _ => Ok(Cow::Borrowed(event)),
        }
    }

    fn decide(&self, event: &Event<'_>) -> Arc<Decision> {
        let opens = matches!(event.body, Body::SessionOpened(_));
        let Some(place) = self.place(&event.session, opens || self.resumes) else {
            return Arc::new(no(event, &No::Session));
        };
        let result = self.decide_at(&place, opens, event);
        if result.is_err() {
            self.leave(&event.session, place);
        }
        result.unwrap_or_else(|why| Arc::new(no(event, &why)))
    }

    fn decide_at(&self, place: &Place, opens: bool, event: &Event<'_>) -> Result<Arc<Decision>, No> {
        let mut place = lock(place);
        if place.is_none() {
            *place = self.seat_of(event)?;
        }
        match place.as_mut() {
            Some(seat) => {
                self.take_answers(seat)?;
                let step = decide(&self.policy, &seat.session, event);
                self.commit(seat, step)
            }
            // A place whose opening was refused holds no session.
            None if !opens => Err(No::Session),
            None => match self.open(event) {
                Ok((seat, decision)) => {
                    *place = Some(seat);
                    Ok(decision)
                }
                Err(no) => Err(no),
            },
        }
    }

    /// Gives a place back, and takes it off the map if no session came to be there. Whoever got it meanwhile may still
    /// seat one, so the last to leave takes it off. The place is unlocked by now: the map is never locked from within one.
    fn leave(&self, session: &str, place: Place) {
        let mut places = lock(&self.places);
        let is_listed = places.get(session).is_some_and(|listed| Arc::ptr_eq(listed, &place));
        // Places are only handed out under the map's lock: two holders are the map and this one.
        if is_listed && Arc::strong_count(&place) == 2 && lock(&place).is_none() {
            places.remove(session);
        }
        // Before the map is unlocked, or the next one to leave would count this holder.
        drop(place);
    }

    /// Writes a step and commits it. The lock is held since it was decided, so it cannot be stale.
    fn commit(&self, seat: &mut Seat, step: Step) -> Result<Arc<Decision>, No> {
        if let Some(records) = step.records() {
            let appended = self.writer(seat)?.append(&records.records, &records.values);
            if let Err(error) = appended {
                // A writer that may not go on is let go; the next event takes the file up again, by its own rules.
                seat.writer = seat.writer.take().filter(|writer| !writer.is_poisoned());
                return Err(error.into());
            }
        }
        let decision = seat.session.commit(step).map_err(|_| No::Fault)?;
        self.rotate(seat);
        Ok(decision)
    }

    fn open(&self, event: &Event<'_>) -> Result<(Seat, Arc<Decision>), No> {
        let opened = match &self.ledger {
            None => Session::open(&self.policy, event),
            Some(_) => Session::open_recorded(&self.policy, event),
        };
        let (session, step) = match opened {
            Ok(opened) => opened,
            Err(refusal) => return Err(No::Refused(refusal.code(), refusal.to_string())),
        };
        let (writer, answers) = match (&self.ledger, session.chain()) {
            (Some(folder), Some(chain)) => (Some(folder.create(chain.run())?), Some(Answers::of(folder, chain.run()))),
            _ => (None, None),
        };
        let mut seat = Seat { session, writer, answers };
        let decision = self.commit(&mut seat, step)?;
        Ok((seat, decision))
    }

    /// The writer of a session's ledger; taken up again where a closed session let it go.
    fn writer<'s>(&self, seat: &'s mut Seat) -> Result<&'s mut LedgerWriter, No> {
        if seat.writer.is_none() {
            let (Some(folder), Some(chain)) = (&self.ledger, seat.session.chain()) else { return Err(No::Fault) };
            let (writer, resumed, _) = folder.resume(chain.run())?;
            seat.session.take_chain(resumed);
            seat.writer = Some(writer);
        }
        seat.writer.as_mut().ok_or(No::Fault)
    }

    /// Begins the next segment where one is full, and lets a closed session's file go.
    fn rotate(&self, seat: &mut Seat) {
        let Some(writer) = &mut seat.writer else { return };
        if let Some(mut chain) = seat.session.chain().cloned()
            && writer.rotate_if_due(&mut chain).is_ok()
        {
            seat.session.take_chain(chain);
        }
        if !seat.session.is_open() {
            seat.writer = None;
        }
    }

    /// A session's place; an opening makes one.
    fn place(&self, session: &str, opens: bool) -> Option<Place> {
        let mut places = lock(&self.places);
        match places.get(session) {
            Some(place) => Some(place.clone()),
            None if opens => Some(places.entry(session.to_owned()).or_default().clone()),
            None => None,
        }
    }
}

/// Locks, also after a fault in another thread: state is only ever changed whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why an event gets a no that no session decided.
#[derive(Debug)]
enum No {
    /// There is no such session.
    Session,
    /// The session is not opened.
    Refused(&'static str, String),
    /// The record cannot be written.
    Ledger(LedgerError),
    /// The session is in the ledger, and cannot be taken up again.
    Resume(ResumeError),
    /// A fault of the governor itself.
    Fault,
}

impl From<LedgerError> for No {
    fn from(error: LedgerError) -> No {
        No::Ledger(error)
    }
}

/// A call is denied, what a host reports is refused.
fn no(event: &Event<'_>, why: &No) -> Decision {
    let unavailable = "cannot run now. Say so; do not try another way.";
    let (code, message, correction) = match why {
        No::Session => {
            let message = format!("there is no open session `{}`; begin with `sessionOpened`", event.session);
            ("session_closed", message, "The session is not open. Stop calling tools.".to_owned())
        }
        No::Refused(code, message) => {
            (*code, message.clone(), "The session is not open. Stop calling tools.".to_owned())
        }
        No::Ledger(error) => {
            let message = format!("the record cannot be written, so nothing was changed: {error}");
            (LedgerError::CODE, message, format!("The record of this call cannot be written, so it {unavailable}"))
        }
        No::Resume(error) => {
            let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
            let message = format!("the session `{}` cannot be taken up again: {error}{help}", event.session);
            (error.code(), message, not_taken_up(error, unavailable))
        }
        No::Fault => {
            let message = "the governor failed on this event; nothing was changed".to_owned();
            ("guard_failure", message, format!("A guard is unavailable, so this call {unavailable}"))
        }
    };
    let deny = |call: &str| {
        let code: Arc<str> = code.into();
        let matched = Match {
            guard: code.clone(),
            code,
            outcome: StepOutcome::GuardDenied,
            correction: correction.clone(),
            public_reason: None,
            failure: None,
            is_final: true,
        };
        CallDecision { call: call.into(), verdict: Verdict::Deny(Box::new(Deny::of(matched, Vec::new()))) }
    };
    match &event.body {
        Body::ToolProposed(call) => Decision::Call(deny(&call.id)),
        Body::ModelTurn { calls, text } => {
            let calls: Vec<CallDecision> = calls.iter().map(|call| deny(&call.id)).collect();
            // What nobody judged is not shown.
            let beside = (text.says_something() && !calls.is_empty()).then(Interim::default);
            Decision::Calls { beside, calls }
        }
        _ => Decision::Refuse { code, message },
    }
}

/// What the model is told of a session that cannot be taken up again: why, but no path of the host's.
fn not_taken_up(error: &ResumeError, unavailable: &str) -> String {
    match error {
        _ if error.code() == "session_closed" => "The session is closed. Stop calling tools.".to_owned(),
        ResumeError::Unrestorable { reason, .. } => {
            format!("The record of this conversation cannot be taken up again ({reason}), so this call {unavailable}")
        }
        _ => format!("The record of this conversation cannot be taken up again, so this call {unavailable}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    fn governor() -> Governor {
        let text = "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {look: {effect: read}}\n";
        let spec = flyball::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap();
        Governor::new(Arc::new(flyball::policy::compile(&spec).unwrap()))
    }

    /// Whether the session opens, for an agent that is this policy's or is not.
    fn open(governor: &Governor, session: &str, id: usize, agent: &str) -> bool {
        let rest = format!(r#""id":"e{id}","session":"{session}","agent":"{agent}""#);
        let answer = governor.handle(format!(r#"{{"v":"flyball/1","type":"sessionOpened",{rest}}}"#).as_bytes());
        assert!(matches!(*answer.decision, Decision::Proceed | Decision::Refuse { .. }), "{answer:?}");
        matches!(*answer.decision, Decision::Proceed)
    }

    fn places(governor: &Governor) -> usize {
        lock(&governor.places).len()
    }

    #[test]
    fn refused_openings_leave_no_places() {
        let governor = governor();
        for number in 0..1_000 {
            assert!(!open(&governor, &format!("s{number}"), 1, "other"));
        }
        assert_eq!(places(&governor), 0);
        assert!(open(&governor, "s1", 1, "desk"));
        assert!(!open(&governor, "s1", 2, "desk"), "it is open");
        assert_eq!(places(&governor), 1, "a second opening takes nothing away");
    }

    #[test]
    fn openings_of_one_session_at_once_leave_a_place_only_where_one_succeeds() {
        let governor = governor();
        for round in 0..200 {
            let (session, start) = (format!("s{round}"), Barrier::new(4));
            let agents = if round % 2 == 0 {
                [(0, "desk"), (1, "other"), (2, "other"), (3, "other")]
            } else {
                [(0, "other"), (1, "other"), (2, "other"), (3, "other")]
            };
            let one = &|(id, agent): (usize, &str)| {
                start.wait();
                open(&governor, &session, id, agent)
            };
            let opened = std::thread::scope(|scope| {
                let threads = agents.map(|agent| scope.spawn(move || one(agent)));
                threads.map(|thread| thread.join().unwrap()).iter().filter(|opened| **opened).count()
            });
            assert_eq!(opened, usize::from(round % 2 == 0));
            assert_eq!(places(&governor), round / 2 + 1, "round {round}");
        }
    }
}
