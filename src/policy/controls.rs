//! The controls of a spec, ready for its sessions: limits, and the sentence of a run that a limit ended.

use crate::spec::{Controls, Streaming, TextWithCalls};
use std::sync::Arc;

/// What bounds the run besides budgets and guards.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// How many refused calls in a row end the turn.
    pub(crate) veto_streak: Option<u64>,
    /// How many calls of one model turn are judged.
    pub(crate) calls_per_step: Option<u64>,
    /// What becomes of text beside calls.
    pub(crate) text_with_calls: TextWithCalls,
    /// How many times a reply that did not pass is asked for again.
    pub(crate) redrives: u64,
    /// When a streamed reply is shown.
    pub(crate) stream: Streaming,
    /// What the host says where a limit ends the run and the model has said nothing.
    pub(crate) exhausted: Arc<str>,
}

/// The controls of a spec; `exhausted` is what its engine says where a limit ends the run.
pub(super) fn bounds(controls: &Controls, exhausted: &str) -> Bounds {
    Bounds {
        veto_streak: controls.veto_streak,
        calls_per_step: controls.calls_per_step,
        text_with_calls: controls.text_with_calls.unwrap_or_default(),
        redrives: controls.redrives.unwrap_or(1),
        stream: controls.stream,
        exhausted: exhausted.into(),
    }
}
