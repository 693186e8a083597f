//! What a check may read of a reply: its text, what it claims as data, and what verifiably happened.
//!
//! Of what the user typed nothing stands here but that a question mark was among it (law 2).

use crate::acts::{Act, Claim};
use crate::grounds::Grounds;
use crate::value::Value;

/// A reply that is judged, under `onReply`.
#[derive(Clone, Copy, Debug)]
pub struct Reply<'c> {
    /// What would go out, behind every change that a kind makes of it.
    pub text: &'c str,
    /// `{text, claims}`, as expressions read it.
    pub value: &'c Value<'c>,
    /// What it says was done, as data; `None` where the host sends no claims at all.
    pub claims: Option<&'c [Claim<'c>]>,
    /// The calls of this turn, in the order in which they were proposed, writes of earlier turns that still run among them.
    pub acts: &'c [Act],
    /// What it may name: what results and the world told.
    pub grounds: &'c Grounds,
    /// True if the message that began the turn has a question mark.
    pub question_typed: bool,
    /// True if the text stands beside calls, and the turn goes on.
    pub is_interim: bool,
}
