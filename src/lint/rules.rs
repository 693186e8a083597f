//! Every rule, one file each, by code.

mod left_observing;
mod unused_let;
pub(super) mod unused_suppression;

use super::Rule;

/// Every rule, by code.
pub static RULES: &[&Rule] = &[&unused_let::RULE, &left_observing::RULE, &unused_suppression::RULE];
