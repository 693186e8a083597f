//! Every rule, one file each, by code.

mod allow_with_check;
mod always_fires;
mod ambiguous_scalar;
mod bad_budget;
mod bad_call;
mod bad_count;
mod bad_duration;
mod bad_each;
mod bad_expression;
mod bad_id;
mod bad_name;
mod bad_offset;
mod bad_path;
mod bad_pattern;
mod bad_rewrite;
mod bad_schema;
mod bad_source;
mod bad_tool_name;
mod bad_within;
mod blank_text;
mod blind_question;
mod business_word_in_pack;
mod by_without_ask;
mod chain_to_itself;
mod changes_what_is_shown;
mod colon_in_text;
mod comma_splits_text;
mod constant_condition;
mod contradicting_guards;
mod core_outcome;
mod does_not_fit;
mod duplicate_id;
mod duplicate_key;
mod duplicate_tool;
mod each_with_kind;
mod empty_file;
mod empty_list;
mod endless_streak;
mod extends_cycle;
mod file_too_large;
mod flow_cycle;
mod impossible_range;
mod inexact_number;
mod keyed_to_intent;
mod kind_and_check;
mod left_observing;
mod loosened_base;
mod many_documents;
mod matches_nothing;
mod merge_key;
mod missing_file;
mod missing_key;
mod needs_clock;
mod negative_sum;
mod never_equal;
mod never_fires;
mod non_text_key;
mod not_utf8;
mod one_list;
mod one_space_comment;
mod open_object;
mod partial_wording;
mod path_outside;
mod persona_on_contract;
mod proved;
mod range_without_bounds;
mod repeated_value;
mod shadowed_guard;
mod shadowed_name;
mod shows_secret;
mod slow_schema;
mod streams_unjudged;
mod sum_without_per;
mod too_deep;
mod too_many_tools;
mod tools_without_call;
mod type_mismatch;
mod unbounded_list;
mod unbounded_text;
mod unconfirmed_destruction;
mod undescribed_tool;
mod ungranted_tool;
mod unguarded_flow;
mod unguarded_tool;
mod unknown_field;
mod unknown_key;
mod unknown_kind;
mod unknown_name;
mod unknown_tool;
mod unknown_version;
mod unknown_word;
mod unquoted_brace;
mod unreachable_budget;
mod unreachable_tool;
mod untested_kind;
mod untrusted_source;
mod unused_grant;
mod unused_let;
pub(super) mod unused_suppression;
mod value_in_text;
mod when_is_check;
mod with_without_kind;
mod wrong_action;
mod wrong_file;
mod wrong_hook;
mod wrong_type;
mod yaml_alias;
mod yaml_anchor;
mod yaml_directive;
mod yaml_syntax;
mod yaml_tag;
mod zero_budget;

use super::Rule;

/// Every rule, by code.
pub static RULES: &[&Rule] = &[
    &empty_file::RULE,
    &file_too_large::RULE,
    &not_utf8::RULE,
    &many_documents::RULE,
    &wrong_file::RULE,
    &unknown_version::RULE,
    &missing_file::RULE,
    &extends_cycle::RULE,
    &yaml_syntax::RULE,
    &yaml_directive::RULE,
    &yaml_tag::RULE,
    &yaml_anchor::RULE,
    &yaml_alias::RULE,
    &merge_key::RULE,
    &too_deep::RULE,
    &duplicate_key::RULE,
    &non_text_key::RULE,
    &colon_in_text::RULE,
    &comma_splits_text::RULE,
    &one_space_comment::RULE,
    &unquoted_brace::RULE,
    &ambiguous_scalar::RULE,
    &inexact_number::RULE,
    &unknown_key::RULE,
    &missing_key::RULE,
    &wrong_type::RULE,
    &unknown_word::RULE,
    &empty_list::RULE,
    &repeated_value::RULE,
    &bad_id::RULE,
    &duplicate_id::RULE,
    &bad_name::RULE,
    &shadowed_name::RULE,
    &bad_tool_name::RULE,
    &bad_count::RULE,
    &bad_duration::RULE,
    &bad_offset::RULE,
    &bad_path::RULE,
    &bad_pattern::RULE,
    &range_without_bounds::RULE,
    &impossible_range::RULE,
    &persona_on_contract::RULE,
    &bad_expression::RULE,
    &unknown_name::RULE,
    &unknown_field::RULE,
    &unknown_tool::RULE,
    &bad_call::RULE,
    &type_mismatch::RULE,
    &never_equal::RULE,
    &constant_condition::RULE,
    &unused_let::RULE,
    &duplicate_tool::RULE,
    &bad_schema::RULE,
    &slow_schema::RULE,
    &does_not_fit::RULE,
    &bad_rewrite::RULE,
    &ungranted_tool::RULE,
    &undescribed_tool::RULE,
    &unconfirmed_destruction::RULE,
    &open_object::RULE,
    &unbounded_text::RULE,
    &unbounded_list::RULE,
    &unused_grant::RULE,
    &unguarded_tool::RULE,
    &too_many_tools::RULE,
    &unknown_kind::RULE,
    &wrong_hook::RULE,
    &wrong_action::RULE,
    &kind_and_check::RULE,
    &with_without_kind::RULE,
    &allow_with_check::RULE,
    &when_is_check::RULE,
    &bad_each::RULE,
    &each_with_kind::RULE,
    &by_without_ask::RULE,
    &left_observing::RULE,
    &tools_without_call::RULE,
    &matches_nothing::RULE,
    &one_list::RULE,
    &untested_kind::RULE,
    &never_fires::RULE,
    &always_fires::RULE,
    &shadowed_guard::RULE,
    &contradicting_guards::RULE,
    &business_word_in_pack::RULE,
    &flow_cycle::RULE,
    &bad_within::RULE,
    &chain_to_itself::RULE,
    &bad_budget::RULE,
    &endless_streak::RULE,
    &negative_sum::RULE,
    &unreachable_tool::RULE,
    &zero_budget::RULE,
    &sum_without_per::RULE,
    &unreachable_budget::RULE,
    &blank_text::RULE,
    &value_in_text::RULE,
    &partial_wording::RULE,
    &blind_question::RULE,
    &shows_secret::RULE,
    &streams_unjudged::RULE,
    &changes_what_is_shown::RULE,
    &core_outcome::RULE,
    &path_outside::RULE,
    &loosened_base::RULE,
    &bad_source::RULE,
    &untrusted_source::RULE,
    &keyed_to_intent::RULE,
    &needs_clock::RULE,
    &unguarded_flow::RULE,
    &unused_suppression::RULE,
];
