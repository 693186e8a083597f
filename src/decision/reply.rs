//! What becomes of a reply, and its line on the wire.

use super::{Match, Verdict, matches_member, write_query};
use crate::acts::End;
use crate::canon::{Digest, ObjectWriter, write_array, write_bool, write_string};
use crate::context::Query;
use std::sync::Arc;

/// What is decided on a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyDecision {
    /// What becomes of it.
    pub verdict: ReplyVerdict,
    /// What stands against the reply as it was proposed: of one that is delivered, where the spec only observes.
    pub violations: Vec<Match>,
    /// Guards that fired and only watch.
    pub audited: Vec<Match>,
    /// Guards that did not judge it: those that ask the host, where others object already; all but `emptyReply` where
    /// there is nothing to read.
    pub not_run: Vec<Arc<str>>,
    /// What would have become of it, where the spec only observes.
    pub would: Option<&'static str>,
    /// What the turn came to, where the reply goes out.
    pub turn: Option<Box<TurnResult>>,
}

/// What becomes of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplyVerdict {
    /// This is said.
    Deliver {
        /// The text with everything that the engine puts below it.
        text: String,
        /// True if it is an earlier reply of this turn, in place of the one that was proposed.
        salvaged: bool,
    },
    /// It is not shown. The model writes another, with tools off.
    Redrive {
        /// What the model is told, as the next message.
        instruction: String,
        /// True if there was no reply at all.
        forced: bool,
    },
    /// It is not shown. This is said in its place, made of what verifiably happened.
    Abstain {
        /// The text.
        text: String,
    },
    /// The host must answer first.
    Need(Vec<Query>),
}

impl ReplyVerdict {
    /// The wire's word.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            ReplyVerdict::Deliver { .. } => "deliver",
            ReplyVerdict::Redrive { .. } => "redrive",
            ReplyVerdict::Abstain { .. } => "abstain",
            ReplyVerdict::Need(_) => "need",
        }
    }

    /// What the user gets, where the turn ends with it.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            ReplyVerdict::Deliver { text, .. } | ReplyVerdict::Abstain { text } => Some(text),
            ReplyVerdict::Redrive { .. } | ReplyVerdict::Need(_) => None,
        }
    }
}

/// What a turn came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnResult {
    /// What the engine corrected in the turn, in order: `dim:kind:tool` for a refused call, `onInput:kind`, `mutate:kind`,
    /// `redrive:kind`, `forced-terminal`, `exhaustion-salvage` and `exhaustion-terminal`.
    pub corrections: Vec<Arc<str>>,
    /// True if no reply passed, and the engine spoke.
    pub exhausted: bool,
    /// The calls of the turn.
    pub observed: Vec<ObservedCall>,
    /// What took effect, what is asked, what failed and what nobody knows: from effects, never from claims.
    pub record: Vec<RecordLine>,
    /// Where the ledger stands behind the record of this decision.
    pub head: Option<Digest>,
}

/// A call of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedCall {
    /// The call.
    pub call: Arc<str>,
    /// Its tool.
    pub tool: Arc<str>,
    /// What became of it.
    pub end: End,
}

/// What became of a call that was to change something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLine {
    /// The call.
    pub call: Arc<str>,
    /// Its tool.
    pub tool: Arc<str>,
    /// What became of it.
    pub end: End,
    /// The line as the user reads it.
    pub text: String,
}

impl ReplyDecision {
    pub(crate) fn new(verdict: ReplyVerdict, violations: Vec<Match>, audited: Vec<Match>) -> ReplyDecision {
        ReplyDecision { verdict, violations, audited, not_run: Vec::new(), would: None, turn: None }
    }

    /// The guards that were matched, as a record names them, at most [`Verdict::MAX_MATCHED`].
    #[must_use]
    pub fn matched(&self) -> Vec<&str> {
        self.violations.iter().chain(&self.audited).map(|one| &*one.guard).take(Verdict::MAX_MATCHED).collect()
    }

    /// The members in key order; `middle` stands where `id` does, `end` where the rest of the envelope does.
    pub(super) fn write<'o>(
        &'o self,
        object: &mut ObjectWriter<'o>,
        middle: impl FnOnce(&mut ObjectWriter<'o>),
        end: impl FnOnce(&mut ObjectWriter<'o>, &mut dyn FnMut(&mut ObjectWriter<'o>)),
    ) {
        let turn = self.turn.as_deref();
        matches_member(object, "audited", Some(&self.audited));
        object.optional("corrections", turn, |turn, out| {
            write_array(&turn.corrections, out, |tag, out| write_string(tag, out));
        });
        object.string("decision", self.verdict.name());
        object.optional("exhausted", turn.map(|turn| turn.exhausted), write_bool);
        let forced = matches!(self.verdict, ReplyVerdict::Redrive { forced: true, .. });
        object.optional("forced", forced.then_some(true), write_bool);
        object.optional("head", turn.and_then(|turn| turn.head), |head, out| head.write_json(out));
        middle(object);
        let instruction =
            if let ReplyVerdict::Redrive { instruction, .. } = &self.verdict { Some(instruction) } else { None };
        object.optional("instruction", instruction, |text, out| write_string(text, out));
        let not_run = (!self.not_run.is_empty()).then_some(&self.not_run);
        object.optional("notRun", not_run, |codes, out| {
            write_array(codes, out, |code, out| write_string(code, out));
        });
        object.optional("observed", turn, |turn, out| write_array(&turn.observed, out, write_observed));
        let queries = if let ReplyVerdict::Need(queries) = &self.verdict { Some(queries) } else { None };
        object.optional("queries", queries, |queries, out| write_array(queries, out, write_query));
        object.optional("record", turn, |turn, out| write_array(&turn.record, out, write_line));
        let salvaged = matches!(self.verdict, ReplyVerdict::Deliver { salvaged: true, .. });
        object.optional("salvaged", salvaged.then_some(true), write_bool);
        end(object, &mut |object| _ = object.optional("text", self.verdict.text(), write_string));
        matches_member(object, "violations", Some(&self.violations));
        object.optional("would", self.would, write_string);
    }
}

fn write_observed(one: &ObservedCall, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::new(out);
    object.string("call", &one.call).string("outcome", one.end.name()).string("tool", &one.tool);
    object.finish();
}

fn write_line(line: &RecordLine, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::new(out);
    object.string("call", &line.call).string("outcome", line.end.name());
    object.string("text", &line.text).string("tool", &line.tool);
    object.finish();
}
