//! A reply that comes in pieces: what of it may be shown before it is whole, and its end.
//!
//! With `hold` nothing is. With `window` what lies before the longest thing that a guard looks for, as long as no such
//! guard objects; every other guard judges the whole, and where one changes replies nothing is shown before. With `after`
//! everything is, and nothing can be taken back.

use super::decide::Moment;
use super::reply::Replies;
use super::replying::{Piece, ReplyChange};
use super::{Change, Session};
use crate::decision::Decision;
use crate::event::{Claims, Event, Said};
use crate::policy::Policy;
use crate::spec::{Mode, Streaming};

/// The most bytes of a reply that comes in pieces.
const MAX_STREAMED: usize = 1 << 20;

/// What a pattern may look at beyond its match: one character on either side.
const BESIDE: usize = 4;

/// The next piece of a reply.
pub(super) fn piece(
    policy: &Policy,
    session: &Session,
    moment: Moment<'_>,
    event: &Event<'_>,
    text: &str,
    changes: &mut Vec<Change>,
) -> Decision {
    let stream = &session.replying.stream;
    let whole = stream.text.len().saturating_add(text.len());
    if whole > MAX_STREAMED {
        let message = format!("a streamed reply of more than {MAX_STREAMED} bytes; end it, or propose it whole");
        return Decision::Refuse { code: "too_large", message };
    }
    let so_far = [stream.text.as_str(), text].concat();
    let (until, stops) = match policy.bounds.stream {
        _ if stream.is_stopped => (stream.released, true),
        Streaming::Hold => (stream.released, false),
        Streaming::After => (so_far.len(), false),
        Streaming::Window => within_window(policy, session, moment, &so_far),
    };
    let until = until.max(stream.released);
    let released = so_far.get(stream.released..until).unwrap_or_default().to_owned();
    changes.push(Change::Reply(ReplyChange::Streamed {
        text: text.into(),
        released: released.len(),
        stops,
        event: event.id.as_ref().into(),
        digest: event.digest,
    }));
    shown(released)
}

fn shown(released: String) -> Decision {
    if released.is_empty() { Decision::Hold } else { Decision::Release(released) }
}

/// How far a text may be shown of which more is to come, and whether something stands against it already.
fn within_window(policy: &Policy, session: &Session, moment: Moment<'_>, so_far: &str) -> (usize, bool) {
    let window = policy.reply.window.saturating_add(BESIDE);
    if policy.mode == Mode::Enforce && Replies::objects_to_part(policy, session, moment, so_far) {
        return (0, true);
    }
    let mut until = so_far.len().saturating_sub(window);
    while !so_far.is_char_boundary(until) {
        until = until.saturating_sub(1);
    }
    (until, false)
}

/// A streamed reply that is whole.
pub(super) struct Ended<'e> {
    pub(super) claims: Option<&'e Claims<'e>>,
    /// What was streamed, where the event is made of its record.
    pub(super) streamed: Option<&'e str>,
}

impl Ended<'_> {
    /// Decides on the whole.
    pub(super) fn decide(self, mut replies: Replies<'_>) -> Decision {
        let text = self.streamed.unwrap_or(&replies.session.replying.stream.text).to_owned();
        replies.changes.push(Change::Reply(ReplyChange::StreamEnded));
        let said = Said { text: text.into(), claims: self.claims.cloned() };
        replies.decide(&said, None)
    }
}

impl Session {
    /// The answer to the last piece of a streamed reply again, where an event is that piece.
    pub(super) fn repeated_piece(&self, event: &Event<'_>) -> Option<Decision> {
        let stream = &self.replying.stream;
        let Piece { event: id, digest, released } = stream.last.as_ref()?;
        if **id != *event.id {
            return None;
        }
        if *digest != event.digest {
            let message = format!("the event id `{}` was used for another piece; give each event its own", event.id);
            return Some(Decision::Reject { code: "duplicate_event", message });
        }
        let from = stream.released.saturating_sub(*released);
        Some(shown(stream.text.get(from..stream.released).unwrap_or_default().to_owned()))
    }
}
