//! What became of the calls of many conversations, counted.

use crate::canon::{ObjectWriter, write_array, write_string};
use crate::decision::{CallDecision, Decision, ReplyDecision, ReplyVerdict, Verdict};
use std::collections::BTreeMap;

/// Counts over decisions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Conversations.
    pub conversations: u64,
    /// Calls that got a verdict.
    pub calls: u64,
    /// Calls that run, those left to the host's own prompt among them.
    pub allowed: u64,
    /// Calls that do not.
    pub denied: u64,
    /// Repeats that were answered with the result of the call they repeat.
    pub answered: u64,
    /// Calls that wait for somebody.
    pub asked: u64,
    /// Turns that were refused.
    pub turns_refused: u64,
    /// Replies that went out as they were proposed, or as the engine changed them.
    pub replies_delivered: u64,
    /// Replies that were asked for again.
    pub replies_redriven: u64,
    /// Replies in whose place the engine spoke.
    pub replies_abstained: u64,
    /// Events that were refused.
    pub rejected: u64,
    /// Recorded results left out because their call does not run here.
    pub results_left_out: u64,
    /// The ledger of each conversation, where they are recorded.
    pub ledgers: Vec<String>,
    /// Denies by the code of the rule that is shown, and replies by every code that stood against them.
    pub by_guard: BTreeMap<String, u64>,
}

fn count(number: &mut u64) {
    *number = number.saturating_add(1);
}

impl Summary {
    /// Counts a decision.
    pub fn add(&mut self, decision: &Decision) {
        match decision {
            Decision::Call(call) => self.add_call(call),
            Decision::Calls { calls, .. } => calls.iter().for_each(|call| self.add_call(call)),
            Decision::Reject { code: "unknown_call", .. } => count(&mut self.results_left_out),
            Decision::Reject { .. } => count(&mut self.rejected),
            Decision::Turn(turn) if turn.refused.is_some() => count(&mut self.turns_refused),
            Decision::Reply(reply) => self.add_reply(reply),
            Decision::Proceed
            | Decision::Accept
            | Decision::Hold
            | Decision::Release(_)
            | Decision::Withhold { .. }
            | Decision::Judged(_)
            | Decision::Turn(_)
            | Decision::Accepted(_)
            | Decision::Refuse { .. } => {}
        }
    }

    fn add_reply(&mut self, reply: &ReplyDecision) {
        match &reply.verdict {
            ReplyVerdict::Deliver { .. } => count(&mut self.replies_delivered),
            ReplyVerdict::Redrive { .. } => count(&mut self.replies_redriven),
            ReplyVerdict::Abstain { .. } => count(&mut self.replies_abstained),
            ReplyVerdict::Need(_) => return,
        }
        for one in &reply.violations {
            count(self.by_guard.entry(one.code.to_string()).or_default());
        }
    }

    fn add_call(&mut self, call: &CallDecision) {
        count(&mut self.calls);
        match &call.verdict {
            Verdict::Allow(_) | Verdict::Defer(_) => count(&mut self.allowed),
            Verdict::Answer(_) => count(&mut self.answered),
            Verdict::Ask(_) | Verdict::Need(_) => count(&mut self.asked),
            Verdict::Deny(deny) => {
                count(&mut self.denied);
                count(self.by_guard.entry(deny.first.code.to_string()).or_default());
            }
        }
    }

    /// The summary as one line of canonical JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        let mut object = ObjectWriter::new(&mut out);
        object.number("allowed", self.allowed).number("answered", self.answered).number("asked", self.asked);
        object.field("byGuard", |out| {
            let mut guards = ObjectWriter::new(out);
            for (code, denies) in &self.by_guard {
                guards.number(code, *denies);
            }
            guards.finish();
        });
        object.number("calls", self.calls).number("conversations", self.conversations).number("denied", self.denied);
        object.field("ledgers", |out| write_array(&self.ledgers, out, |path, out| write_string(path, out)));
        object.number("rejected", self.rejected).number("repliesAbstained", self.replies_abstained);
        object.number("repliesDelivered", self.replies_delivered).number("repliesRedriven", self.replies_redriven);
        object.number("resultsLeftOut", self.results_left_out);
        object.number("turnsRefused", self.turns_refused);
        object.finish();
        String::from_utf8(out).unwrap_or_default()
    }
}
