//! What guards say of a result and of text beside calls, and the line of the former on the wire.

use super::{Deny, Match, matches_member};
use crate::canon::{ObjectWriter, write_array, write_string};
use crate::value::Value;
use std::sync::Arc;

/// What becomes of text beside calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interim {
    /// What is shown of it; `None`: nothing.
    pub shown: Option<String>,
    /// What stands against it.
    pub violations: Vec<Match>,
    /// Guards that fired and only watch.
    pub audited: Vec<Match>,
}

/// What guards say of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// Why the result is kept from the model, and what the model gets in its place.
    pub withheld: Option<Deny>,
    /// What a reply must take up.
    pub warnings: Vec<Match>,
    /// Guards that fired and only watch.
    pub audited: Vec<Match>,
    /// Why the result would have been withheld, where the spec only observes.
    pub would: Option<Deny>,
    /// What the model gets in place of the result, where it is not withheld.
    pub rewritten: Option<Rewritten>,
    /// What is owed now, before the reply.
    pub owes: Vec<Owed>,
}

/// A call that is owed after another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owed {
    /// Its tool.
    pub tool: Arc<str>,
    note: String,
}

impl Owed {
    /// A call of a tool.
    #[must_use]
    pub fn new(tool: Arc<str>) -> Owed {
        let note = format!("Call `{tool}` before you reply.");
        Owed { tool, note }
    }

    /// What the model is told of it.
    #[must_use]
    pub fn note(&self) -> &str {
        &self.note
    }
}

/// A result with something taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewritten {
    /// What the model gets.
    pub result: Value<'static>,
    /// The guards that took something out, in their order.
    pub by: Vec<Arc<str>>,
}

impl Judged {
    /// The wire's word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match (&self.withheld, &self.rewritten) {
            (Some(_), _) => "withhold",
            (None, Some(_)) => "rewrite",
            (None, None) => "accept",
        }
    }

    /// The members in key order; `middle` stands where `id` does, `end` where the rest of the envelope does.
    pub(super) fn write<'o>(
        &'o self,
        object: &mut ObjectWriter<'o>,
        middle: impl FnOnce(&mut ObjectWriter<'o>),
        end: impl FnOnce(&mut ObjectWriter<'o>),
    ) {
        let withheld = self.withheld.as_ref();
        matches_member(object, "also", withheld.map(|deny| &deny.also));
        matches_member(object, "audited", Some(&self.audited));
        object
            .optional("code", withheld, |deny, out| write_string(&deny.first.code, out))
            .string("decision", self.name());
        object.optional("failure", withheld.and_then(|deny| deny.first.failure), write_string);
        object.optional("guard", withheld, |deny, out| write_string(&deny.first.guard, out));
        middle(object);
        object.optional("message", withheld, |deny, out| write_string(&deny.correction, out));
        let owes = Some(&self.owes).filter(|owes| !owes.is_empty());
        object.optional("owes", owes, |owes, out| write_array(owes, out, |owed, out| write_string(&owed.tool, out)));
        let rewritten = self.rewritten.as_ref().filter(|_| withheld.is_none());
        object.optional("redacted", rewritten, |rewritten, out| {
            write_array(&rewritten.by, out, |guard, out| write_string(guard, out));
        });
        object.optional("result", rewritten, |rewritten, out| crate::canon::write(&rewritten.result, out));
        end(object);
        matches_member(object, "warnings", Some(&self.warnings));
        object.optional("would", self.would.as_ref(), |deny, out| {
            let mut object = ObjectWriter::new(out);
            object.string("code", &deny.first.code).string("decision", "withhold").string("guard", &deny.first.guard);
            object.string("message", &deny.correction);
            object.finish();
        });
    }
}
