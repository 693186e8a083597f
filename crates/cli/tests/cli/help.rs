//! `--help`, wrong usage, and colours.

use crate::support::{fixtures, flyball, flyball_with};

const SUBCOMMANDS: &[&str] = &[
    "approvals",
    "check",
    "diff",
    "erase",
    "guards",
    "init",
    "lint",
    "lsp",
    "render",
    "replay",
    "resolve",
    "rules",
    "schema",
    "serve",
    "snapshot",
    "test",
    "verify",
    "why",
];

#[test]
fn every_subcommand_has_an_example_and_no_summary_ends_with_a_full_stop() {
    let overview = flyball(&["--help"]);
    assert_eq!(overview.code, 0);
    let codes = "Exit codes: 0 done, 1 findings, 2 could not, 3 not certain (verify: no anchor; diff: undecided)\n";
    assert!(overview.stdout.ends_with(codes), "{overview}");
    assert!(overview.stdout.contains("\nExample: flyball replay specs/refunds.yaml specs/refunds.trace.jsonl\n"));
    for name in SUBCOMMANDS {
        assert!(overview.stdout.contains(&format!("  {name} ")), "{name} is not listed");
        let help = flyball(&[name, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.stdout.contains(&format!("flyball {name}")), "{name} has no usage");
        assert!(help.stdout.contains("Example"), "{name} has no example");
        let (summaries, _) = help.stdout.split_once("\nExample").unwrap();
        let ends = |line: &str| line.trim_end().ends_with('.') && !line.ends_with("...");
        assert!(!summaries.lines().any(ends), "{summaries}");
    }
}

#[test]
fn wrong_usage_could_not_be_done() {
    for arguments in [
        &[][..],
        &["lnt"],
        &["lint", "--rule", "x"],
        &["lint", "x", "--format", "xml"],
        &["guards", "forbid", "--auto"],
    ] {
        assert_eq!(flyball(arguments).code, 2, "{arguments:?}");
    }
    assert!(flyball(&["lnt"]).stderr.contains("'lint'"));
}

#[test]
fn colours_are_only_for_terminals_and_those_who_force_them() {
    let run = |environment: &[(&str, &str)]| flyball_with(&fixtures(), &["lint", "bad/specs/cycle.yaml"], environment);
    assert!(!run(&[("TERM", "xterm-256color")]).stdout.contains('\u{1b}'));
    assert!(run(&[("TERM", "xterm-256color"), ("CLICOLOR_FORCE", "1")]).stdout.contains('\u{1b}'));
    assert!(!run(&[("NO_COLOR", "1")]).stdout.contains('\u{1b}'));
}
