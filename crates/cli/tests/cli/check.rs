//! `flyball check`: one call decided, and why.

use crate::support::{Folder, Run, assert_snapshot, flyball_in, repository};

const REFUND: &str = r#"{"order_id": "ORD-000017", "amount": 40, "currency": "EUR", "reason": "broken"}"#;

/// Checks a call under `specs/refunds.yaml`.
fn check(tool: &str, args: &str, more: &[&str]) -> Run {
    let arguments = ["check", "specs/refunds.yaml", "--tool", tool, "--args", args];
    flyball_in(&repository(), &[&arguments, more].concat())
}

/// Checks a call under a spec with these lines more.
fn under(name: &str, lines: &str, arguments: &[&str]) -> Run {
    let text =
        format!("agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {{look: {{effect: read}}}}\n{lines}");
    let folder = Folder::of(name, &[("desk.yaml", text.as_bytes())]);
    flyball_in(folder.path(), &[&["check", "desk.yaml", "--tool", "look"], arguments].concat())
}

#[test]
fn a_call_that_runs_exits_0_and_names_the_rules_that_judged_it() {
    let run = check("lookup_order", r#"{"order_id": "ORD-000017"}"#, &[]);
    assert_eq!(run.code, 0, "{run}");
    assert_snapshot("check-allow", &run);
}

#[test]
fn a_denied_call_exits_1_and_says_everything_that_was_matched() {
    let world = Folder::of("check-world", &[("world.json", br#"{"shopOpen": false}"#)]);
    let world = world.path().join("world.json");
    let run = check("refund", &REFUND.replace("40", "900"), &["--world", world.to_str().unwrap()]);
    assert_eq!(run.code, 1, "{run}");
    assert_snapshot("check-deny", &run);
}

#[test]
fn the_world_decides_and_without_one_what_reads_it_fires() {
    let world = |text: &str| {
        let folder = Folder::of("check-open", &[("world.json", text.as_bytes())]);
        let path = folder.path().join("world.json");
        check("refund", REFUND, &["--world", path.to_str().unwrap()]).stdout
    };
    assert!(!world(r#"{"shopOpen": true}"#).contains("open: "));
    assert!(world(r#"{"shopOpen": false}"#).contains("also open: The shop is closed"));
    assert!(world("{\"table\": \"shopOpen\", \"rows\": false}\n").contains("also open: The shop is closed"));
    assert!(check("refund", REFUND, &[]).stdout.contains("also open: The shop is closed"));
}

#[test]
fn as_json_it_is_the_line_of_the_wire() {
    let run = check("refnud", REFUND, &["--format", "json"]);
    assert_eq!(run.code, 1);
    let answer: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&answer["decision"], &answer["code"]), (&"deny".into(), &"unknown_tool".into()));
    assert_eq!(answer["correction"], "There is no tool \"refnud\". Did you mean `refund`?");
}

#[test]
fn a_spec_that_asks_by_default_does_not_run_the_call() {
    let run = under("check-ask", "default: ask\n", &[]);
    assert_eq!((run.code, run.stdout.lines().next()), (1, Some("ask look")), "{run}");
    assert!(run.stdout.contains("default asks the approver"), "{run}");
    assert_eq!(under("check-ask", "default: allow\n", &[]).code, 0);
}

#[test]
fn a_spec_that_observes_runs_the_call_and_says_what_would_have_been() {
    let deny = "guards: {preTool: [{id: never, kind: forbid, correction: Do not look.}]}\n";
    let run = under("check-observe", &format!("mode: observe\n{deny}"), &[]);
    assert_eq!(run.code, 0, "{run}");
    assert!(run.stdout.starts_with("allow look\n  would be deny: the spec only observes\n  never: Do not look.\n"));
    assert_eq!(under("check-observe", deny, &[]).code, 1);
}

#[test]
fn what_cannot_be_decided_exits_2() {
    let broken = check("refund", "{\"order_id\": ", &[]);
    assert_eq!((broken.code, broken.stdout.as_str()), (2, ""));
    assert!(broken.stderr.starts_with("error: `--args` is no JSON: "), "{}", broken.stderr);
    let twice = check("refund", r#"{"amount": 1, "amount": 2}"#, &[]);
    assert_eq!(twice.code, 2);
    assert!(twice.stderr.contains("the key `amount` stands twice"), "{}", twice.stderr);
    let gone = check("refund", REFUND, &["--world", "gone.json"]);
    assert_eq!((gone.code, gone.stderr.as_str()), (2, "error: `gone.json` cannot be read: there is no such file\n"));
    assert_eq!(under("check-broken", "tols: {}\n", &[]).code, 2);
}

#[test]
fn arguments_that_are_no_object_are_denied_not_refused() {
    let run = check("refund", "[1]", &[]);
    assert_eq!(run.code, 1, "{run}");
    assert!(run.stdout.contains("invalid_arguments: "), "{run}");
}

#[test]
fn a_guard_that_cannot_judge_is_named_with_the_reason() {
    let lines = "guards:\n  preTool:\n    - {id: open, check: world.open, prose: open, correction: It is closed.}\n";
    let denied = under("check-cannot-judge", lines, &[]);
    assert_eq!(denied.code, 1);
    assert!(denied.stdout.contains("\n  guard_failure of `open` (missing): "), "{denied}");
    let asks = lines.replace("prose:", "onFailure: ask, prose:");
    let asked = under("check-cannot-judge-asks", &asks, &[]);
    assert!(asked.stdout.contains("\n  open asks the approver, as it cannot judge (missing)\n"), "{asked}");
    let watched = under("check-cannot-judge-watched", &lines.replace("prose:", "action: audit, prose:"), &[]);
    assert!(watched.stdout.contains("\n  watched by guard_failure of `open` (missing): "), "{watched}");
    let judged = under("check-can-judge", &lines.replace("check: world.open", "check: session.turn > 5"), &[]);
    assert!(judged.stdout.contains("\n  open: It is closed."), "{judged}");
}
