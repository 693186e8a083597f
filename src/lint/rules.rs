//! Every rule, one file each, by code.

mod left_observing;
mod persona_on_contract;
mod unused_let;
pub(super) mod unused_suppression;

use super::Rule;

/// Every rule, by code.
pub static RULES: &[&Rule] =
    &[&persona_on_contract::RULE, &unused_let::RULE, &left_observing::RULE, &unused_suppression::RULE];
