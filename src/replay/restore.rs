//! A run of a ledger back to its session: what goes on after a restart goes on from here.
//!
//! Every line is verified, every event decided again under the same policy, and every byte of its records compared. What
//! cannot be proved the same does not go on: a difference, an input that is gone, another policy and a closed run are
//! errors, and nobody makes a session of them. An event of which a crash left only the first records was never answered;
//! it changes nothing, and may be told again.

use super::ledger::{BadLedger, Events, LedgerEvent, Lost, Rederived, Rederiver, StoredValues};
use crate::canon::Digest;
use crate::json::{Limits, parse};
use crate::ledger::verify::{Code, Line, Problem, Verifier};
use crate::ledger::{CORE_VERSION, Chain, RecordKind};
use crate::policy::Policy;
use crate::session::Session;
use crate::value::Value;

/// Why a run cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrestorable {
    /// There is no record.
    #[error("it has no record")]
    Empty,
    /// A line is not what a ledger holds there.
    #[error("record {seq} does not verify (`{}`)", code.as_str())]
    Broken {
        /// The record.
        seq: u64,
        /// What is wrong, as `verify` says it.
        code: Code,
    },
    /// A record that nobody here knows to read.
    #[error("record {seq} is of the kind `{kind}`, which is not known here")]
    UnknownKind {
        /// The record.
        seq: u64,
        /// Its kind.
        kind: String,
    },
    /// A record that is none of a session.
    #[error("record {seq}: {reason}")]
    Unreadable {
        /// The record.
        seq: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The run was decided by another version of this library.
    #[error("record 0 was written by version {recorded}, and this is {}", CORE_VERSION)]
    Version {
        /// The version that wrote it.
        recorded: String,
    },
    /// The run was decided by another policy.
    #[error("record 0 names the policy {recorded}, and this is {given}")]
    Policy {
        /// The policy it was decided by.
        recorded: Digest,
        /// The policy that is to go on with it.
        given: Digest,
    },
    /// An event's inputs are gone.
    #[error("the inputs of record {seq} are gone (`{}`)", lost.name())]
    Lost {
        /// The record.
        seq: u64,
        /// Why.
        lost: Lost,
    },
    /// An event is not decided again as it is recorded.
    #[error("record {seq} came out differently")]
    Differs {
        /// The record.
        seq: u64,
    },
    /// The session is over.
    #[error("record {seq} closes it")]
    Closed {
        /// The record.
        seq: u64,
    },
}

impl Unrestorable {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Unrestorable::Empty => "open the session again: nothing of it was decided",
            Unrestorable::Broken { .. } => "`flyball verify` says what is sound; go on under another run",
            Unrestorable::UnknownKind { .. } | Unrestorable::Version { .. } => {
                "go on with the version that wrote the run, or under another run"
            }
            Unrestorable::Unreadable { .. } => "`flyball verify` says whether it was altered; go on under another run",
            Unrestorable::Policy { .. } => {
                "go on with the spec that the run was begun with, or under another run; `flyball replay --against` says what differs"
            }
            Unrestorable::Lost { .. } => {
                "what was erased or never kept cannot be decided with: go on under another run"
            }
            Unrestorable::Differs { .. } => "`flyball replay` names what differs; go on under another run",
            Unrestorable::Closed { .. } => "open another session, or the same under another run",
        }
    }
}

impl From<Problem> for Unrestorable {
    fn from(problem: Problem) -> Unrestorable {
        Unrestorable::Broken { seq: problem.record, code: problem.code }
    }
}

impl From<BadLedger> for Unrestorable {
    fn from(BadLedger { seq, reason }: BadLedger) -> Unrestorable {
        Unrestorable::Unreadable { seq, reason }
    }
}

/// A session as it stood when its process stopped.
#[derive(Clone, Debug)]
pub struct Restoration {
    /// The session; its chain stands behind the last record.
    pub session: Session,
    /// The first record of an event at the end that was never answered.
    pub unanswered: Option<u64>,
}

/// Makes a session of the records of its run.
///
/// ```
/// use flyball::event::{Body, Event, Opening};
/// use flyball::replay::ledger::StoredValues;
/// use flyball::replay::restore::Restorer;
/// use flyball::session::Session;
/// use flyball::source::Sources;
///
/// let text = "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {look: {effect: read}}\n";
/// let spec = flyball::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap();
/// let policy = flyball::policy::compile(&spec).unwrap();
///
/// let opening = Event::new("e1", "s1", Body::SessionOpened(Opening::default()));
/// let (_, step) = Session::open_recorded(&policy, &opening).unwrap();
/// let line = step.records().unwrap().records[0].line();
///
/// let mut restorer = Restorer::new(&policy);
/// restorer.push(line.strip_suffix(b"\n").unwrap(), &StoredValues::new()).unwrap();
/// let restored = restorer.finish(&StoredValues::new()).unwrap();
/// assert_eq!((restored.session.id(), restored.session.chain().unwrap().len()), ("s1", 1));
/// ```
#[derive(Debug)]
pub struct Restorer<'p> {
    policy: &'p Policy,
    verifier: Verifier,
    events: Events,
    rederiver: Rederiver<'p>,
    closed: Option<u64>,
}

impl<'p> Restorer<'p> {
    /// Before the first record of a run that is to go on under this policy.
    #[must_use]
    pub fn new(policy: &'p Policy) -> Restorer<'p> {
        let (verifier, events, rederiver) = (Verifier::genesis(), Events::default(), Rederiver::new(policy));
        Restorer { policy, verifier, events, rederiver, closed: None }
    }

    /// The next line of the run, without its line feed.
    ///
    /// # Errors
    /// Why the run cannot go on; it is not to be pushed to any more.
    pub fn push(&mut self, line: &[u8], values: &StoredValues) -> Result<(), Unrestorable> {
        let read = self.verifier.push_line(line)?;
        let seq = read.seq;
        let Some(kind) = RecordKind::named(read.kind) else {
            return Err(Unrestorable::UnknownKind { seq, kind: read.kind.to_owned() });
        };
        if seq == 0 {
            self.fits(kind, &read)?;
        }
        for told in self.events.push(line, values)? {
            self.decide(&told)?;
        }
        if kind == RecordKind::RunClose {
            self.closed = self.closed.or(Some(seq));
        }
        Ok(())
    }

    /// The session behind the last line.
    ///
    /// # Errors
    /// There was none, or it is closed.
    pub fn finish(mut self, values: &StoredValues) -> Result<Restoration, Unrestorable> {
        let unanswered = self.events.end(values).map(|event| event.seq);
        if let Some(seq) = self.closed {
            return Err(Unrestorable::Closed { seq });
        }
        let (head, run) = (self.verifier.head(), self.verifier.run().unwrap_or_default());
        let chain = head.and_then(|(seq, hash)| Chain::after(run, seq, hash)).ok_or(Unrestorable::Empty)?;
        let mut session = self.rederiver.into_session().ok_or(Unrestorable::Empty)?;
        session.take_chain(chain);
        Ok(Restoration { session, unanswered })
    }

    /// Whether this policy and this version are those the run was begun with.
    fn fits(&self, kind: RecordKind, line: &Line<'_>) -> Result<(), Unrestorable> {
        let unreadable = |reason: &str| Unrestorable::Unreadable { seq: line.seq, reason: reason.to_owned() };
        if kind != RecordKind::RunOpen {
            return Err(unreadable("a run begins with `run.open`"));
        }
        let data = parse(line.data.as_bytes(), &Limits { depth: Limits::DEEPEST, ..Limits::default() });
        let data = data.map_err(|error| unreadable(&error.to_string()))?;
        let text = |key: &str| data.get(key).and_then(Value::as_str);
        let recorded =
            text("policy").and_then(|hex| hex.parse().ok()).ok_or_else(|| unreadable("it names no policy"))?;
        let version = text("core").ok_or_else(|| unreadable("it names no version"))?;
        if recorded != self.policy.digest() {
            return Err(Unrestorable::Policy { recorded, given: self.policy.digest() });
        }
        if version != CORE_VERSION {
            return Err(Unrestorable::Version { recorded: version.to_owned() });
        }
        Ok(())
    }

    fn decide(&mut self, told: &LedgerEvent) -> Result<(), Unrestorable> {
        let seq = told.seq;
        let rederived = match &told.event {
            Err(Lost::Unanswered) => return Ok(()),
            Err(Lost::Refused) if told.was_rejected => match self.rederiver.push_refused(told) {
                Some(rederived) => rederived,
                None => return Ok(()),
            },
            Err(Lost::Refused) => {
                return Err(Unrestorable::Unreadable { seq, reason: "it is not as a session writes it".into() });
            }
            Err(lost) => return Err(Unrestorable::Lost { seq, lost: *lost }),
            Ok(_) => self.rederiver.push(told),
        };
        match rederived {
            Rederived::Same => Ok(()),
            Rederived::Differs { seq, .. } => Err(Unrestorable::Differs { seq }),
            Rederived::Lost(lost) => Err(Unrestorable::Lost { seq, lost }),
        }
    }
}
