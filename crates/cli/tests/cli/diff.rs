//! `flyball diff`: two versions of a spec, and the exit codes a pipeline goes by.

use crate::support::{Folder, assert_snapshot, flyball_in, repository};

const SPEC: &str = "agentspec: 1\nid: desk\npersona: You are the desk.\ntools:\n  pay:\n    effect: external\n    parameters: {type: object, required: [amount], properties: {amount: {type: number}}}\nguards:\n  preTool:\n    - {id: cap, tools: [pay], kind: argRange, with: {arg: amount, max: 500}}\n";

/// Compares the spec with another.
fn against(name: &str, new: &str, more: &[&str]) -> crate::support::Run {
    let folder = Folder::of(name, &[("old.yaml", SPEC.as_bytes()), ("new.yaml", new.as_bytes())]);
    flyball_in(folder.path(), &[&["diff", "old.yaml", "new.yaml"], more].concat())
}

#[test]
fn a_raised_cap_is_shown_with_a_call_and_fails_where_loosening_is_denied() {
    let raised = SPEC.replace("max: 500", "max: 600");
    let run = against("diff-raised", &raised, &[]);
    assert_eq!(run.code, 0, "{run}");
    assert!(
        run.stdout.contains("looser    `pay` was denied by `cap`, is allowed\n            pay {\"amount\":600}\n"),
        "{run}"
    );
    assert_eq!(against("diff-raised", &raised, &["--deny-loosening"]).code, 1);
}

#[test]
fn a_lowered_cap_and_other_words_for_the_same_are_no_loosening() {
    let lowered = against("diff-lowered", &SPEC.replace("max: 500", "max: 400"), &["--deny-loosening"]);
    assert_eq!(lowered.code, 0, "{lowered}");
    assert!(lowered.stdout.contains("stricter  `pay` was allowed, is denied by `cap`"), "{lowered}");
    let same = SPEC.replace(
        "{id: cap, tools: [pay], kind: argRange, with: {arg: amount, max: 500}}",
        "{id: limit, tools: [pay], check: '!(args.amount > 500)', prose: pay at most 500, correction: Pay at most 500.}",
    );
    let same = against("diff-same", &same, &["--deny-loosening"]);
    assert_eq!((same.code, same.stdout.as_str()), (0, "0 looser, 0 stricter, 0 undecided; 1 tool proved unchanged\n"));
}

#[test]
fn what_cannot_be_ruled_out_is_said_and_is_no_success_where_loosening_is_denied() {
    let other = SPEC.replace("effect: external\n", "effect: external\n    untrusted: ['']\n");
    let run = against("diff-undecided", &other, &["--deny-loosening"]);
    assert_eq!(run.code, 3, "{run}");
    assert!(run.stdout.contains("undecided `untrusted` of `pay` differs, and is not compared"), "{run}");
}

#[test]
fn a_comparison_is_one_json_object_for_programs() {
    let arguments = ["diff", "tests/diffs/base.yaml", "tests/diffs/loosened/when-narrowed.yaml", "--format", "json"];
    let run = flyball_in(&repository(), &arguments);
    assert_eq!(run.code, 0, "{run}");
    assert_snapshot("diff-json", &run);
}

#[test]
fn a_version_with_errors_is_no_version() {
    let run = against("diff-bad", "agentspec: 1\n", &[]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("`new.yaml` has errors"), "{run}");
}
