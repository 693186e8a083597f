//! Questions to a person and the answers that were taken, on the wire.

use super::Match;
use crate::canon::{Digest, ObjectWriter, write_array, write_string};
use crate::time::Timestamp;
use crate::value::Value;
use std::sync::Arc;

/// A call that waits for somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Who asks: a guard's id, or `default`.
    pub guard: Arc<str>,
    /// Why a guard that could not judge asks, for the record.
    pub failure: Option<&'static str>,
    /// Everybody else who asks: it is one question.
    pub also: Vec<Match>,
    /// Who is asked.
    pub by: &'static str,
    /// The arguments that were judged, where they are not those that were sent.
    pub args: Option<Box<Value<'static>>>,
    /// The reasons that guards have for a person, none where they have none.
    pub reasons: Vec<String>,
    /// What an answer must name, and what a person is shown; `None` where the spec only observes.
    pub request: Option<Asked>,
}

/// What a person is shown who is asked about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The digest of the exact call, which an answer names.
    pub digest: Digest,
    /// What is asked about.
    pub label: String,
    /// Why.
    pub reasons: Vec<String>,
    /// The last moment at which it can be answered; `None`: it never can, for the host has no clock.
    pub not_after: Option<Timestamp>,
    /// What the user may type to consent, and the question with it.
    pub code: Option<Coded>,
}

/// A code and the question that asks for it, in the words of the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coded {
    /// The code.
    pub code: String,
    /// The question, for the person alone: no model need see it.
    pub question: String,
}

impl Ask {
    /// The question of a spec that asks where no guard has an opinion.
    #[must_use]
    pub fn by_default() -> Ask {
        Ask {
            guard: "default".into(),
            failure: None,
            also: Vec::new(),
            by: "approver",
            args: None,
            reasons: Vec::new(),
            request: None,
        }
    }

    /// The question of a guard.
    pub(crate) fn of(first: Option<Match>) -> Ask {
        match first {
            Some(first) => Ask { guard: first.guard, failure: first.failure, ..Ask::by_default() },
            None => Ask::by_default(),
        }
    }
}

/// An answer that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The call.
    pub call: Arc<str>,
    /// Whether it may run now: the host proposes it again, exactly so.
    pub granted: bool,
    /// What it must be proposed with, where the person changed it.
    pub args: Option<Value<'static>>,
    /// The digest of what was granted, which the call spends.
    pub digest: Digest,
    /// By which the answer can be revoked, where it is remembered.
    pub remembered: Option<Arc<str>>,
}

/// The members in key order; `middle` stands where `id` does, `end` where the rest of the envelope does.
pub(super) fn write<'o>(
    accepted: &'o [Accepted],
    object: &mut ObjectWriter<'o>,
    middle: impl FnOnce(&mut ObjectWriter<'o>),
    end: impl FnOnce(&mut ObjectWriter<'o>),
) {
    object.field("calls", |out| {
        write_array(accepted, out, |one, out| {
            let mut object = ObjectWriter::new(out);
            object.optional("args", one.args.as_ref(), crate::canon::write).string("call", &one.call);
            object.field("digest", |out| one.digest.write_json(out)).bool("granted", one.granted);
            object.optional("remembered", one.remembered.as_deref(), write_string);
            object.finish();
        });
    });
    object.string("decision", "accepted");
    middle(object);
    end(object);
}

/// What a person is shown.
pub(super) fn write_request(asked: &Asked, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::new(out);
    object.optional("code", asked.code.as_ref(), |code, out| write_string(&code.code, out));
    object.field("digest", |out| asked.digest.write_json(out));
    object.optional("expires", asked.not_after, |at, out| write_string(&at.to_string(), out));
    object.string("label", &asked.label);
    object.optional("question", asked.code.as_ref(), |code, out| write_string(&code.question, out));
    object.field("reasons", |out| write_array(&asked.reasons, out, |reason, out| write_string(reason, out)));
    object.finish();
}
