//! Mistakes that other engines take for a rule that never fires: here each is an error, or means what it says.

use super::user_cases::{spec, told};

const TOOLS: &str = "tools: {pay: {effect: external, parameters: {type: object, required: [amount, kind], properties: {amount: {type: number}, kind: {type: string}, vip: {type: boolean}}}}}\n";

/// What is told of a deny on one check.
fn of_check(check: &str) -> Vec<String> {
    told(&spec(&format!(
        "{TOOLS}guards:\n  preTool:\n    - id: rule\n      check: {check}\n      prose: it must hold\n      correction: It must hold.\n"
    )))
}

#[test]
fn an_argument_that_is_misspelt_in_a_deny_is_an_error_and_its_right_name_is_none() {
    assert_eq!(of_check("args.amuont <= 500"), ["8: unknown-field"]);
    assert_eq!(of_check("args.amount <= 500"), [""; 0]);
}

#[test]
fn not_in_is_no_operator_and_its_right_form_is() {
    assert_eq!(of_check("args.kind not in ['a', 'b']"), ["8: bad-expression"]);
    assert_eq!(of_check("'!(args.kind in [''a'', ''b''])'"), [""; 0]);
}

#[test]
fn an_arrow_and_one_equals_sign_compare_nothing() {
    assert_eq!(of_check("args.amount => 500"), ["8: bad-expression"]);
    assert_eq!(of_check("args.amount = 500"), ["8: bad-expression"]);
    assert_eq!(of_check("args.amount >= 500"), [""; 0]);
}

#[test]
fn a_kind_that_is_misspelt_is_an_error() {
    let of_kind = |kind: &str| {
        told(&spec(&format!(
            "{TOOLS}guards: {{preTool: [{{id: rule, kind: {kind}, with: {{arg: amount, max: 5}}}}]}}\n"
        )))
    };
    assert_eq!(of_kind("argRang"), ["5: unknown-kind"]);
    assert_eq!(of_kind("argRange"), [""; 0]);
}

#[test]
fn a_comparison_of_two_types_is_an_error() {
    assert_eq!(of_check("args.amount == '0'"), ["8: never-equal"]);
    assert_eq!(of_check("args.kind == 0"), ["8: never-equal"]);
    assert_eq!(of_check("args.amount == 0"), [""; 0]);
}
