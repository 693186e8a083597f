//! What is left of a line that is no event: who sent it, and of a finished call that only its result is lost.

use super::super::{Body, Event, EventSalt, Outcome, Unknown};
use super::{Envelope, Raw, Rejection};
use crate::canon::Digest;
use crate::json::{JsonCode, JsonError, Limits, Reader};
use std::borrow::Cow;

/// How far a broken line is looked through.
const SALVAGED_BYTES: usize = 64 << 10;

/// The id and the session of a line that cannot be read, from what stands before the fault.
fn salvage(bytes: &[u8]) -> (Option<String>, Option<String>) {
    let (mut id, mut session) = (None, None);
    let text = String::from_utf8_lossy(bytes.get(..SALVAGED_BYTES).unwrap_or(bytes));
    if let Ok(mut reader) = Reader::new(text.as_bytes(), Limits::default()) {
        // The fault itself ends the walk; what was read before it is what there is.
        let _ = reader.object(|reader, key| {
            match key.as_ref() {
                "id" => id = Some(reader.string()?.into_owned()),
                "session" => session = Some(reader.string()?.into_owned()),
                _ => reader.skip()?,
            }
            Ok(())
        });
    }
    (id, session)
}

/// Where the result of a finished call begins, if the fault stands in it.
fn result_with(fault: usize, bytes: &[u8]) -> Option<usize> {
    // Up to the fault the text is that of the bytes, so the places before it are right.
    let text = String::from_utf8_lossy(bytes);
    let mut found = None;
    let mut reader = Reader::new(text.as_bytes(), Limits { bytes: usize::MAX, ..Limits::default() }).ok()?;
    let _ = reader.object(|reader, key| {
        let start = reader.offset();
        let read = reader.skip();
        let reaches = read.is_err() || fault < reader.offset();
        if matches!(key.as_ref(), "result" | "error") && start <= fault && reaches {
            found = Some(start);
        }
        read
    });
    found
}

/// A finished call of which only the result cannot be read. What stands before the result must be a whole envelope.
pub(super) fn unreadable_result<'a>(bytes: &[u8], error: &JsonError) -> Option<Event<'a>> {
    let searched = if error.code == JsonCode::TooLarge { bytes.get(..SALVAGED_BYTES)? } else { bytes };
    let start = result_with(error.offset, searched)?;
    let head = [bytes.get(..start)?, b"null}"].concat();
    let mut raw = Raw::default();
    let reader = raw.read(&head).ok()?;
    let envelope = raw.envelope(&reader).ok()?;
    let Body::ToolFinished { call, .. } = raw.body(&envelope).ok()? else { return None };
    let body = Body::ToolFinished { call: owned(call), outcome: Outcome::Unknown(Unknown::Unreadable) };
    let Envelope { id, session, agent, turn, at, salt, .. } = envelope;
    let salt = match salt {
        EventSalt::Host(salt) => EventSalt::Host(owned(salt)),
        EventSalt::OfRun | EventSalt::Drawn(_) | EventSalt::Known(_) => EventSalt::OfRun,
    };
    Some(Event {
        id: owned(id),
        session: owned(session),
        agent: agent.map(owned),
        turn,
        at: at.map(owned),
        salt,
        digest: Digest::of(bytes),
        world: raw.world.into_owned(),
        body,
    })
}

fn owned<'a>(text: Cow<'_, str>) -> Cow<'a, str> {
    Cow::Owned(text.into_owned())
}

pub(super) fn rejection(bytes: &[u8], error: &JsonError) -> Rejection {
    let (id, session) = salvage(bytes);
    Rejection {
        code: error.code.as_str(),
        message: error.to_string(),
        id: id.map(String::into_boxed_str),
        session: session.map(String::into_boxed_str),
        length: bytes.len(),
        digest: Digest::of(bytes),
    }
}
