//! Questions to a person and the answers that were taken, on the wire.

use super::Asked;
use crate::canon::{Digest, ObjectWriter, write_array, write_string};
use crate::value::Value;
use std::sync::Arc;

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
