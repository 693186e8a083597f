//! Every rule, one file each, by code.

mod automatic_guard_off;
mod costly_expression;
mod duplicate_guard;
mod idle_allow;
mod idle_correction;
mod invisible_character;
mod left_observing;
mod lenient_failure;
mod look_alike;
mod prose_names_absent_tool;
mod unanchored_pattern;
mod unenforced_order;
mod unsaid_missing;
mod unsatisfiable_reply;
mod unused_definition;
mod unused_let;
mod unused_pack;
mod unused_param;
pub(super) mod unused_suppression;

use super::Rule;

/// Every rule, by code.
pub static RULES: &[&Rule] = &[
    &unused_param::RULE,
    &unused_definition::RULE,
    &unused_pack::RULE,
    &unused_let::RULE,
    &costly_expression::RULE,
    &left_observing::RULE,
    &duplicate_guard::RULE,
    &idle_allow::RULE,
    &lenient_failure::RULE,
    &unsaid_missing::RULE,
    &automatic_guard_off::RULE,
    &idle_correction::RULE,
    &prose_names_absent_tool::RULE,
    &unenforced_order::RULE,
    &look_alike::RULE,
    &invisible_character::RULE,
    &unanchored_pattern::RULE,
    &unsatisfiable_reply::RULE,
    &unused_suppression::RULE,
];
