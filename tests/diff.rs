//! Two versions of a spec compared: seeded loosenings are told with a call that shows each, refactorings are not.
//!
//! `tests/diffs/base.yaml` is the old version, every file in a folder beside it a new one.

#![expect(clippy::disallowed_macros, reason = "insta's macros read the build environment")]

use crate::disk::{files, load, stem};
use flyball::diff::{Change, Comparison, compare};

/// The base against one of its versions.
fn compared(path: &str) -> Comparison {
    let (old, new) = (load("tests/diffs/base.yaml"), load(path));
    let parts = [old, new].map(|loaded| {
        assert!(loaded.policy.is_some(), "{path}: {:?}", loaded.lines());
        (loaded.spec.unwrap(), loaded.policy.unwrap())
    });
    let [old, new] = &parts;
    compare((&old.0, &old.1), (&new.0, &new.1))
}

fn shown(comparison: &Comparison) -> String {
    let changes = comparison.changes.iter().map(|change| {
        let Change { tool, from, to, by, scene } = change;
        match change.loosens() {
            true => format!("`{tool}` was {} by `{by}`, is {}: {scene}", from.name(), to.name()),
            false => format!("`{tool}` was {}, is {} by `{by}`: {scene}", from.name(), to.name()),
        }
    });
    let undecided = comparison.undecided.iter().map(|line| format!("undecided: {line}"));
    changes.chain(undecided).chain([format!("{} unchanged", comparison.unchanged)]).collect::<Vec<_>>().join("\n")
}

fn assert_shown(folder: &str, path: &str, comparison: &Comparison) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots/diffs");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("{folder}.{}", stem(path)), shown(comparison)));
}

#[test]
fn every_loosening_is_told_with_a_call_that_shows_it() {
    let paths = files("tests/diffs/loosened", ".yaml");
    assert!(paths.len() >= 10);
    for path in paths {
        let comparison = compared(&path);
        assert!(comparison.is_loosened(), "{path}: {}", shown(&comparison));
        assert_shown("loosened", &path, &comparison);
    }
}

#[test]
fn no_refactoring_is_told_as_a_change() {
    let paths = files("tests/diffs/refactored", ".yaml");
    assert!(paths.len() >= 10);
    for path in paths {
        let comparison = compared(&path);
        assert_eq!((&comparison.changes, &comparison.undecided), (&Vec::new(), &Vec::new()), "{path}");
        assert_eq!(comparison.unchanged, 3, "{path}");
    }
}

#[test]
fn what_is_only_stricter_is_told_and_is_no_loosening() {
    for path in files("tests/diffs/tightened", ".yaml") {
        let comparison = compared(&path);
        assert!(!comparison.changes.is_empty() && !comparison.is_loosened(), "{path}: {}", shown(&comparison));
        assert_shown("tightened", &path, &comparison);
    }
}

#[test]
fn a_loosening_the_other_way_round_is_a_tightening() {
    for path in files("tests/diffs/loosened", ".yaml") {
        let (old, new) = (load(&path), load("tests/diffs/base.yaml"));
        let [old, new] = [old, new].map(|loaded| (loaded.spec.unwrap(), loaded.policy.unwrap()));
        let comparison = compare((&old.0, &old.1), (&new.0, &new.1));
        let stricter = comparison.changes.iter().any(|change| !change.loosens());
        assert!(stricter, "{path}: {}", shown(&comparison));
    }
}
