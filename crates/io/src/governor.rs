//! The one way from a host's event to an answer: lock the session, decide, commit, answer.
//!
//! Sessions lie side by side, each under its own lock, and are found by the key in the event only: there is no current
//! session. Whatever goes wrong in between is a deny, never a silent yes.

use flyball::decision::{Answered, CallDecision, Decision, Deny, StepOutcome, Verdict};
use flyball::event::{Body, Event, Rejection};
use flyball::policy::Policy;
use flyball::session::{Session, decide};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A session's place: taken before the session is, so that two openings of one id cannot both succeed.
type Place = Arc<Mutex<Option<Session>>>;

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
    places: Mutex<BTreeMap<String, Place>>,
}

impl Governor {
    /// A governor without sessions.
    #[must_use]
    pub fn new(policy: Arc<Policy>) -> Governor {
        Governor { policy, places: Mutex::new(BTreeMap::new()) }
    }

    /// The policy.
    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Answers one message of the wire, whatever its bytes are.
    #[must_use]
    pub fn handle(&self, bytes: &[u8]) -> Answered {
        match flyball::event::read(bytes) {
            Ok(event) => self.answer(&event),
            Err(rejection) => rejected(rejection),
        }
    }

    /// Answers one event.
    #[must_use]
    pub fn answer(&self, event: &Event<'_>) -> Answered {
        // A fault in between must not end as a yes. Nothing is half-changed: deciding changes nothing.
        let decision =
            catch_unwind(AssertUnwindSafe(|| self.decide(event))).unwrap_or_else(|_| Arc::new(failed(event)));
        Answered { id: Some(event.id.to_string()), session: Some(event.session.to_string()), decision }
    }

    /// Drops a session that will get no more events.
    pub fn forget(&self, session: &str) {
        lock(&self.places).remove(session);
    }

    fn decide(&self, event: &Event<'_>) -> Arc<Decision> {
        let opens = matches!(event.body, Body::SessionOpened(_));
        let Some(place) = self.place(&event.session, opens) else { return Arc::new(unknown_session(event)) };
        let mut place = lock(&place);
        match place.as_mut() {
            Some(session) => {
                let step = decide(&self.policy, session, event);
                // The lock is held since the step was decided, so it cannot be stale.
                session.commit(step).unwrap_or_else(|stale| Arc::new(rejection("stale", stale.to_string())))
            }
            None => Arc::new(match Session::open(&self.policy, event) {
                Ok((mut session, step)) => {
                    let opened = session.commit(step);
                    *place = Some(session);
                    return opened.unwrap_or_else(|stale| Arc::new(rejection("stale", stale.to_string())));
                }
                Err(refusal) => Decision::Refuse { code: refusal.code(), message: refusal.to_string() },
            }),
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

fn rejected(rejection: Rejection) -> Answered {
    let Rejection { code, message, id, session, .. } = rejection;
    Answered { id, session, decision: Arc::new(Decision::Reject { code, message }) }
}

fn rejection(code: &'static str, message: String) -> Decision {
    Decision::Reject { code, message }
}

/// A call on a session that is not open is denied; another event is refused.
fn unknown_session(event: &Event<'_>) -> Decision {
    let message = format!("there is no open session `{}`; begin with `sessionOpened`", event.session);
    denied(event, "session_closed", &message, "The session is not open. Stop calling tools.")
}

fn failed(event: &Event<'_>) -> Decision {
    let message = "the governor failed on this event; nothing was changed";
    denied(
        event,
        "guard_failure",
        message,
        "A guard is unavailable, so this call cannot run now. Say so; do not try another way.",
    )
}

fn denied(event: &Event<'_>, code: &'static str, message: &str, correction: &str) -> Decision {
    let deny = |call: &str| {
        let code: Arc<str> = code.into();
        let deny = Deny {
            guard: code.clone(),
            code,
            outcome: StepOutcome::GuardDenied,
            correction: correction.to_owned(),
            public_reason: None,
            failure: None,
            also: Vec::new(),
        };
        CallDecision { call: call.into(), verdict: Verdict::Deny(Box::new(deny)) }
    };
    match &event.body {
        Body::ToolProposed(call) => Decision::Call(deny(&call.id)),
        Body::ModelTurn { calls } => Decision::Calls(calls.iter().map(|call| deny(&call.id)).collect()),
        _ => Decision::Refuse { code, message: message.to_owned() },
    }
}
