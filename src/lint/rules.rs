//! Every rule, one file each, by code.

mod business_word_in_pack;
mod keyed_to_intent;
mod left_observing;
mod needs_clock;
mod open_object;
mod persona_on_contract;
mod sum_without_per;
mod too_many_tools;
mod unbounded_list;
mod unbounded_text;
mod unconfirmed_destruction;
mod undescribed_tool;
mod unguarded_flow;
mod unguarded_tool;
mod unreachable_budget;
mod unreachable_tool;
mod unused_grant;
mod unused_let;
mod zero_budget;
pub(super) mod unused_suppression;

use super::Rule;

/// Every rule, by code.
pub static RULES: &[&Rule] = &[
    &persona_on_contract::RULE,
    &unused_let::RULE,
    &undescribed_tool::RULE,
    &unconfirmed_destruction::RULE,
    &open_object::RULE,
    &unbounded_text::RULE,
    &unbounded_list::RULE,
    &unused_grant::RULE,
    &unguarded_tool::RULE,
    &too_many_tools::RULE,
    &left_observing::RULE,
    &business_word_in_pack::RULE,
    &unreachable_tool::RULE,
    &zero_budget::RULE,
    &sum_without_per::RULE,
    &unreachable_budget::RULE,
    &keyed_to_intent::RULE,
    &needs_clock::RULE,
    &unguarded_flow::RULE,
    &unused_suppression::RULE,
];
