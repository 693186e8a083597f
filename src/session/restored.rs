//! A session that came back from its ledger: which events it was told before, and which calls are not finished.
//!
//! A record holds an event's digest salted, so a session that is made of records knows its events by that; where the
//! salt of a repeat is another than the first one's, by what they told. Nothing here changes what a session decides.

use super::record::salted_digest;
use super::{Remembered, Session, Status};
use crate::canon::Digest;
use crate::decision::Decision;
use crate::event::{Event, EventSalt};
use std::sync::Arc;

/// A call that has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenCall {
    /// The call.
    pub call: Arc<str>,
    /// The tool's canonical name.
    pub tool: Arc<str>,
    /// Where it stands.
    pub status: Status,
}

impl Status {
    /// True for a call of which something is still to come.
    #[must_use]
    pub fn is_open(self) -> bool {
        match self {
            Status::Asked | Status::Waiting | Status::Allowed | Status::Started => true,
            Status::Denied | Status::Succeeded | Status::Ended => false,
        }
    }

    /// True for a call that may have had an effect, and of whose end nobody has heard.
    #[must_use]
    pub fn is_running(self) -> bool {
        matches!(self, Status::Allowed | Status::Started)
    }

    /// The stable word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Status::Denied => "denied",
            Status::Asked => "asked",
            Status::Waiting => "waiting",
            Status::Allowed => "allowed",
            Status::Started => "started",
            Status::Succeeded => "succeeded",
            Status::Ended => "ended",
        }
    }
}

impl Session {
    /// The calls that have not ended, by their ids.
    #[must_use]
    pub fn open_calls(&self) -> Vec<OpenCall> {
        // A call that was asked about has ended where another one took its place, or ran on its approval.
        let waits = |call: &str, status| status != Status::Asked || self.approvals.waits_for(call);
        let open = self.calls.iter().filter(|(call, state)| state.status.is_open() && waits(call, state.status));
        let mut calls: Vec<OpenCall> = open
            .map(|(call, state)| OpenCall { call: call.clone(), tool: state.tool.clone(), status: state.status })
            .collect();
        calls.sort_unstable_by(|one, other| one.call.cmp(&other.call));
        calls
    }

    /// True if an event whose id was used before is the same one again.
    pub(super) fn is_repeat(&self, earlier: &Remembered, event: &Event<'_>) -> bool {
        let Some(told) = self.retold.get(event.id.as_ref()) else { return earlier.digest == event.digest };
        match &event.salt {
            EventSalt::Drawn(_) => {
                // Of a refused event no more is recorded than its outline.
                let is_refusal = matches!(*earlier.decision, Decision::Refuse { .. });
                let outline = || event.outline().filter(|_| is_refusal).map(|outline| what_is_told(&outline));
                *told == what_is_told(event) || Some(*told) == outline()
            }
            EventSalt::OfRun | EventSalt::Host(_) | EventSalt::Known(_) => earlier.digest == salted_digest(self, event),
        }
    }

    /// Notes what an event told that was decided again from its record.
    pub(crate) fn retell(&mut self, event: &Event<'_>) {
        let is_taken = self.answered.get(event.id.as_ref()).is_some_and(|earlier| earlier.digest == event.digest);
        if is_taken {
            self.retold.insert(event.id.as_ref().into(), what_is_told(event));
        }
    }

    /// Passes over a record of bytes that were no event: a step that changed nothing.
    pub(crate) fn pass_over(&mut self) {
        self.version = self.version.saturating_add(1);
    }
}

/// SHA-256 of an event whose salt is no part of its bytes.
fn what_is_told(event: &Event<'_>) -> Digest {
    Digest::of(event.to_line().as_bytes())
}
