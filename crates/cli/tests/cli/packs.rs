//! `flyball test`, and `flyball lint` and `flyball guards` of packs.

use crate::support::{Folder, Run, assert_snapshot, flyball_in, repository};

const SOUND: &str = "\
pack: 1
id: loans
kinds:
  atMost:
    hook: preTool
    params: {have: {expr: int}, max: {type: integer, default: 3}}
    check: params.have < params.max
    prose: only so many at once
    correction: '{params.have} of {params.max} are out.'
    cases:
      - {note: room, with: {have: 2}, want: allow}
      - {note: full, with: {have: 3}, want: deny, correction: 3 of 3 are out.}
";

/// A workspace with packs in its folder `guards`, and another folder without any.
fn workspace(name: &str, packs: &[(&str, &str)]) -> Folder {
    let packs: Vec<(String, &str)> = packs.iter().map(|(file, text)| (format!("guards/{file}"), *text)).collect();
    let mut files: Vec<(&str, &[u8])> = packs.iter().map(|(file, text)| (file.as_str(), text.as_bytes())).collect();
    files.push(("elsewhere/note.txt", b"no pack"));
    Folder::of(name, &files)
}

fn run(folder: &Folder, arguments: &[&str]) -> Run {
    flyball_in(folder.path(), arguments)
}

/// A pack whose `allow` case is stopped.
fn failing() -> String {
    SOUND.replace("with: {have: 2}", "with: {have: 4}").replace("of {params.max} are", "of {params.max} books are")
}

/// A pack that cannot be read.
fn broken() -> String {
    SOUND.replace("prose:", "proes:").replace("id: loans", "id: broken")
}

#[test]
fn the_help_of_test_shows_what_to_write() {
    assert_snapshot("help-test", &flyball_in(&repository(), &["test", "--help"]));
}

#[test]
fn cases_that_come_out_as_they_say_pass() {
    let folder = workspace("sound", &[("loans.yaml", SOUND)]);
    for arguments in [&["test", "guards"][..], &["test", "guards/loans.yaml", "guards"]] {
        let done = run(&folder, arguments);
        assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (0, "2 passed, 0 failed\n", ""));
    }
    assert_eq!(run(&folder, &["lint", "guards"]).stdout, "0 specs, 1 pack, 0 errors, 0 warnings\n");
    let shipped = flyball_in(&repository(), &["test", "guards"]);
    assert!(shipped.code == 0 && shipped.stdout.ends_with(" passed, 0 failed\n"), "{shipped}");
}

#[test]
fn a_case_that_comes_out_otherwise_is_told_with_its_place() {
    let folder = workspace("failing", &[("loans.yaml", &failing())]);
    let done = run(&folder, &["test", "guards"]);
    assert_eq!(done.code, 1);
    assert_snapshot("test-failing", &done);
    // What is wrong with a case is found by running it, not by reading.
    assert_eq!(run(&folder, &["lint", "guards"]).code, 0);
}

#[test]
fn a_pack_with_errors_is_told_and_the_others_still_run() {
    let folder = workspace("broken", &[("broken.yaml", &broken()), ("loans.yaml", SOUND)]);
    let done = run(&folder, &["test", "guards"]);
    assert_eq!(done.code, 1);
    assert!(done.stdout.ends_with("\n2 passed, 0 failed, 2 errors\n"), "{done}");
    assert_snapshot("test-broken", &done);
    assert_eq!(run(&folder, &["lint", "guards"]).code, 1);
    assert!(run(&folder, &["test", "guards/broken.yaml"]).stdout.ends_with("\n0 passed, 0 failed, 2 errors\n"));
}

#[test]
fn where_no_pack_is_nothing_can_be_tested() {
    let folder = workspace("none", &[("loans.yaml", SOUND)]);
    for (path, said) in [("elsewhere", "there is no pack below `elsewhere`"), ("nowhere", "no such file")] {
        let done = run(&folder, &["test", path]);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{path}");
        assert!(done.stderr.contains(said), "{done}");
    }
    assert_eq!(run(&folder, &["test"]).code, 2);
}

#[test]
fn a_spec_is_no_pack() {
    let done = flyball_in(&repository(), &["test", "specs/refunds.yaml"]);
    assert_eq!(done.code, 1);
    assert!(done.stdout.contains("this file is a spec, not a pack"), "{done}");
    let done = flyball_in(&repository(), &["guards", "specs/refunds.yaml"]);
    assert_eq!((done.code, done.stdout.as_str()), (2, ""));
    assert!(done.stderr.contains("`flyball guards --of specs/refunds.yaml`"), "{done}");
}

#[test]
fn the_kinds_of_a_pack_are_explained_by_its_file_and_by_their_names() {
    let whole = flyball_in(&repository(), &["guards", "guards/money.yaml"]);
    assert_eq!(whole.code, 0);
    assert_snapshot("guards-money", &whole);
    let one = flyball_in(&repository(), &["guards", "money/cap"]);
    assert_eq!(one.code, 0);
    let (name, about) = one.stdout.split_once('\n').unwrap();
    assert_eq!(name, "# money/cap");
    assert!(whole.stdout.contains(about), "{one}");
    let unknown = flyball_in(&repository(), &["guards", "money/capp"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("did you mean `money/cap`?"), "{unknown}");
    let elsewhere = flyball_in(&repository(), &["guards", "zzz/zzz"]);
    assert!(elsewhere.stderr.contains("name its file"), "{elsewhere}");
}

#[test]
fn the_list_of_kinds_has_those_of_the_workspace_and_names_what_it_leaves_out() {
    let native = run(&workspace("native", &[]), &["guards"]).stdout;
    assert!(!native.contains("loans/atMost"));
    let folder = workspace("listed", &[("broken.yaml", &broken()), ("loans.yaml", SOUND)]);
    let listed = run(&folder, &["guards"]);
    assert_eq!(listed.code, 0);
    let names =
        |text: &str| -> Vec<String> { text.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect() };
    assert_eq!(names(&listed.stdout), [names(&native), vec!["loans/atMost".to_owned()]].concat());
    assert_eq!(
        listed.stderr,
        "note: `guards/broken.yaml` has errors and is left out; `flyball lint guards/broken.yaml` lists them\n"
    );
    let automatic = run(&folder, &["guards", "--auto"]);
    assert!(automatic.stderr.is_empty() && !automatic.stdout.contains("loans/"), "{automatic}");
    assert_eq!(run(&folder, &["guards", "guards/broken.yaml"]).code, 2);
}
