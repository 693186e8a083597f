//! What is said of a turn that begins, and its line on the wire: by guards under `onInput`, by the tail and its directives,
//! by the control `terminal` (`replyOnly`), and of the questions that the message answers (`consents`).
//!
//! A refused turn is a turn: it has its number, and nothing is done in it. No model is called; the person gets the reply.

use super::{Match, Verdict, matches_member};
use crate::canon::{ObjectWriter, write_array, write_bool, write_string};
use std::sync::Arc;

/// What is said of a turn that begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnDecision {
    /// Why nothing is done in it.
    pub refused: Option<TurnRefusal>,
    /// Guards that fired and only watch.
    pub audited: Vec<Match>,
    /// Why it would have been refused, where the spec only observes.
    pub would: Option<TurnRefusal>,
    /// What the host puts at the end of the user's message; empty where there is nothing to show.
    pub prompt_tail: String,
    /// The directives that hold on this turn, by id; their texts stand in the tail.
    pub directives: Vec<Arc<str>>,
    /// True if the turn must end with a reply, and not with a question.
    pub reply_only: bool,
    /// The calls to which the message is a consent: each may be proposed once more in this turn, exactly so.
    pub consents: Vec<Arc<str>>,
}

/// Why nothing is done in a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRefusal {
    /// The first rule that was matched.
    pub first: Match,
    /// Every other one.
    pub also: Vec<Match>,
    /// What the person gets in place of a model's answer.
    pub reply: String,
}

impl TurnRefusal {
    /// The wire's word.
    pub const WORD: &'static str = "refuse";

    fn matches(&self) -> impl Iterator<Item = &Match> {
        std::iter::once(&self.first).chain(&self.also)
    }
}

impl TurnDecision {
    /// The wire's word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        if self.refused.is_some() { TurnRefusal::WORD } else { "proceed" }
    }

    /// The guards that were matched, as a record names them: of a refusal the shown one first, and at most
    /// [`Verdict::MAX_MATCHED`].
    #[must_use]
    pub fn matched(&self) -> Vec<&str> {
        let refusing = self.refused.iter().chain(&self.would).flat_map(TurnRefusal::matches);
        refusing.chain(&self.audited).map(|one| &*one.guard).take(Verdict::MAX_MATCHED).collect()
    }

    /// The members in key order; `middle` stands where `id` does, `end` where the rest of the envelope does.
    pub(super) fn write<'o>(
        &'o self,
        object: &mut ObjectWriter<'o>,
        middle: impl FnOnce(&mut ObjectWriter<'o>),
        end: impl FnOnce(&mut ObjectWriter<'o>),
    ) {
        let refused = self.refused.as_ref();
        matches_member(object, "also", refused.map(|refused| &refused.also));
        matches_member(object, "audited", Some(&self.audited));
        object.optional("code", refused, |refused, out| write_string(&refused.first.code, out));
        let consents = Some(&self.consents).filter(|consents| !consents.is_empty());
        object.optional("consents", consents, |consents, out| {
            write_array(consents, out, |call, out| write_string(call, out));
        });
        object.string("decision", self.name());
        object.optional("failure", refused.and_then(|refused| refused.first.failure), write_string);
        object.optional("guard", refused, |refused, out| write_string(&refused.first.guard, out));
        middle(object);
        let tail = Some(&self.prompt_tail).filter(|tail| !tail.is_empty());
        object.optional("promptTail", tail, |tail, out| write_string(tail, out));
        object.optional("reply", refused, |refused, out| write_string(&refused.reply, out));
        object.optional("replyOnly", self.reply_only.then_some(true), write_bool);
        end(object);
        object.optional("would", self.would.as_ref(), |would, out| {
            let mut object = ObjectWriter::new(out);
            object.string("code", &would.first.code).string("decision", TurnRefusal::WORD);
            object.optional("failure", would.first.failure, write_string);
            object.string("guard", &would.first.guard).string("reply", &would.reply);
            object.finish();
        });
    }
}
