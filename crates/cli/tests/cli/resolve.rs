//! `flyball resolve`: what it writes means what it read.

use crate::support::{Folder, assert_snapshot, fixtures, flyball, flyball_in, flyball_quiet};
use std::path::{Path, PathBuf};

fn specs_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            specs_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
}

#[test]
fn the_effective_spec_has_the_same_digest_and_lints_without_a_warning() {
    let mut specs = Vec::new();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    specs_below(&fixtures().join("specs"), &mut specs);
    specs_below(&repository.join("specs"), &mut specs);
    let folder = Folder::of("effective", &[]);
    std::fs::create_dir_all(folder.path()).unwrap();
    let mut compared = 0;
    // Below `bad` are mistakes, and contracts and packs are no specs.
    let is_spec =
        |spec: &Path| std::fs::read_to_string(spec).unwrap().lines().any(|line| line.starts_with("agentspec:"));
    let is_of = |spec: &Path| !spec.components().any(|part| part.as_os_str() == "bad") && is_spec(spec);
    for spec in specs.iter().filter(|spec| is_of(spec)) {
        let spec = spec.to_str().unwrap();
        let of_spec = |arguments: &[&str]| flyball_in(&repository, &[arguments, &[spec]].concat());
        let effective = of_spec(&["resolve", "--root", "."]);
        assert_eq!(effective.code, 0, "{spec}: {}", effective.stderr);
        std::fs::write(folder.path().join("effective.yaml"), &effective.stdout).unwrap();
        let digest = of_spec(&["resolve", "--root", ".", "--digest"]).stdout;
        assert_eq!(digest.trim().len(), 64);
        assert_eq!(flyball_in(folder.path(), &["resolve", "--digest", "effective.yaml"]).stdout, digest, "{spec}");
        assert_eq!(flyball_in(folder.path(), &["resolve", "effective.yaml"]).stdout, effective.stdout, "{spec}");
        // Comments are not resolved, so what they allow is found again; loading it finds nothing.
        let lint = flyball_quiet(folder.path(), &["lint", "--deny", "warnings", "effective.yaml"], &[]);
        assert_eq!(lint.code, 0, "{spec}: {lint}");
        compared += 1;
    }
    assert!(compared >= 2);
}

#[test]
fn contract_and_references_are_put_in() {
    assert_snapshot("resolve-refunds", &flyball(&["resolve", "specs/refunds.yaml"]));
}

#[test]
fn numbers_keep_every_digit_and_texts_stay_texts() {
    assert_snapshot("resolve-exact", &flyball(&["resolve", "specs/exact.yaml"]));
}

#[test]
fn another_spelling_has_the_same_digest_and_another_meaning_has_not() {
    let digest = |text: &str| {
        let folder = Folder::of("spelling", &[("a.yaml", text.as_bytes())]);
        flyball_in(folder.path(), &["resolve", "--digest", "a.yaml"]).stdout
    };
    let text = std::fs::read_to_string(fixtures().join("specs/exact.yaml")).unwrap();
    let same = text.replace("500.00", "5.0e2").replace("persona: 'no'", "persona: \"no\"");
    assert_eq!(digest(&text), digest(&same));
    assert_ne!(digest(&text), digest(&text.replace("9007199254740993", "9007199254740992")));
}

#[test]
fn a_spec_with_errors_has_no_effective_spec() {
    let run = flyball(&["resolve", "bad/specs/cycle.yaml"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.stderr.contains("`flyball lint bad/specs/cycle.yaml` lists them"), "{}", run.stderr);
}
