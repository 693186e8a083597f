//! What a reply may name because it came up: the amounts, ids and dates of results and of the world, as keyed hashes.
//!
//! Texts are not kept. Nothing is judged here.

/// What came up in a session so far, as far as some guard asks.
#[derive(Clone, Debug, Default)]
pub struct Grounds {}
