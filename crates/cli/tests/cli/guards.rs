//! `flyball guards`.

use crate::support::{assert_snapshot, flyball};

#[test]
fn the_catalog_has_a_line_for_every_kind() {
    let run = flyball(&["guards"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_snapshot("guards", &run);
}

#[test]
fn automatic_kinds_are_listed_alone() {
    let run = flyball(&["guards", "--auto"]);
    assert!(run.stdout.lines().all(|line| flyball(&["guards"]).stdout.contains(line.split("  ").next().unwrap())));
    assert_snapshot("guards-auto", &run);
}

#[test]
fn every_kind_is_explained() {
    let catalog = flyball(&["guards"]).stdout;
    for kind in catalog.lines().map(|line| line.split(' ').next().unwrap()) {
        let run = flyball(&["guards", kind]);
        assert_eq!(run.code, 0);
        for section in [&format!("# {kind}\n"), "## What it checks\n", "## Example\n", "## Parameters\n"] {
            assert!(run.stdout.contains(section), "{kind} has no {section}");
        }
    }
    assert_snapshot("guards-argRange", &flyball(&["guards", "argRange"]));
    assert!(flyball(&["guards", "forbid"]).stdout.ends_with("## Parameters\nnone\n"));
}

#[test]
fn an_unknown_kind_could_not_be_explained_and_the_nearest_is_named() {
    let run = flyball(&["guards", "argrange"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("did you mean `argRange`?"), "{}", run.stderr);
    assert!(flyball(&["guards", "zzz"]).stderr.contains("`flyball guards` lists the kinds"));
}

#[test]
fn the_rules_of_a_spec_are_listed_by_tool_and_the_tools_by_rule() {
    assert_snapshot("guards-of", &flyball(&["guards", "--of", "specs/refunds.yaml"]));
    assert_eq!(flyball(&["guards", "--of", "bad/specs/cycle.yaml"]).code, 2);
}
