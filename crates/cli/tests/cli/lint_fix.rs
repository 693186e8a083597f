//! `flyball lint --fix`: what is mended, what stays as it is, and what is never written.

use crate::support::{Folder, Run, flyball_in, repository};

/// Quoted numbers and booleans, a word that other readers take for something else, a guess; comments and odd layout.
const DESK: &str = "agentspec: 1   # the desk\r\nid:   desk\r\npersona: no\r\n\r\ntools:\r\n  look:   {effect: read, efect: read}\r\n\
                    guards:\r\n  preTool:\r\n    # a cap\r\n    - {id: cap,  kind: argRange, tools: [look], with: {arg: amount, max: '3'}}  # end\r\n";

fn folder(name: &str, text: &str) -> Folder {
    Folder::of(name, &[("specs/desk.yaml", text.as_bytes())])
}

fn lint(folder: &Folder, arguments: &[&str]) -> Run {
    flyball_in(folder.path(), &[&["lint", "specs"], arguments].concat())
}

fn text(folder: &Folder) -> String {
    std::fs::read_to_string(folder.path().join("specs/desk.yaml")).unwrap()
}

#[test]
fn what_can_only_be_meant_is_written_and_every_other_byte_stays() {
    let marked = format!("\u{feff}{DESK}");
    let folder = folder("fix", &marked);
    let run = lint(&folder, &["--fix"]);
    assert_eq!(text(&folder), marked.replace("persona: no", "persona: 'no'").replace("'3'", "3"));
    assert_eq!(run.code, 1, "the guess is left");
    assert!(run.stdout.contains("unknown-key") && !run.stdout.contains("ambiguous-scalar"), "{run}");
    assert_eq!(run.stderr, "note: mended `specs/desk.yaml`: 1 × ambiguous-scalar, 1 × wrong-type\n");
    let names: Vec<_> =
        std::fs::read_dir(folder.path().join("specs")).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(names, ["desk.yaml"], "nothing is left beside it");
    let again = lint(&folder, &["--fix"]);
    assert_eq!((again.code, again.stderr.as_str()), (1, ""));
}

#[test]
fn a_difference_is_shown_and_nothing_is_written() {
    let folder = folder("diff", DESK);
    let run = lint(&folder, &["--diff"]);
    assert_eq!((run.code, text(&folder).as_str()), (1, DESK));
    assert!(run.stdout.starts_with("--- specs/desk.yaml\n+++ specs/desk.yaml\n@@ "), "{run}");
    assert!(run.stdout.contains("\n-persona: no\r\n+persona: 'no'\r\n"), "{run}");
    assert!(!run.stdout.contains("unknown-key"), "{run}");
    assert_eq!(lint(&folder, &["--fix"]).code, 1);
    let nothing = lint(&folder, &["--diff"]);
    assert_eq!((nothing.code, nothing.stdout.as_str(), nothing.stderr.as_str()), (0, "", ""));
}

#[test]
fn a_guess_is_applied_where_it_is_asked_for_and_never_one_that_breaks_the_file() {
    let folder = folder("guess", &DESK.replace("efect: read", "lable: x").replace("no\r\n", "x\r\n"));
    let run = lint(&folder, &["--fix", "--unsafe-fixes"]);
    assert!(text(&folder).contains("label: x") && text(&folder).contains("max: 3}"), "{run}");
    let twice = self::folder("twice", DESK);
    let run = lint(&twice, &["--fix", "--unsafe-fixes"]);
    assert!(text(&twice).contains("efect: read}"), "`effect` would stand twice: {run}");
    assert!(run.stdout.contains("unknown-key"), "{run}");
}

#[test]
fn a_text_that_yaml_cuts_is_quoted_over_several_passes_and_what_stays_broken_is_not_written() {
    let broken = "agentspec: 1\nid: desk\npersona: You are: the desk.\nbehavior:\n  - one: two: three\n  - {a: b: c}\ntools: {look: {effect: read}}\n";
    let folder = folder("passes", &broken.replace("{a: b: c}", "four"));
    let run = lint(&folder, &["--fix"]);
    assert!(text(&folder).contains("persona: 'You are: the desk.'") && text(&folder).contains("two: three'"), "{run}");
    let stays = self::folder("stays", broken);
    let run = lint(&stays, &["--fix"]);
    assert_eq!((run.code, text(&stays).as_str(), run.stderr.as_str()), (1, broken, ""), "{run}");
    assert!(
        run.stdout.contains("-->") && run.stdout.contains("You are: the desk."),
        "the file is told as it is: {run}"
    );
}

#[test]
fn what_a_comment_allows_or_a_level_silences_is_not_mended() {
    let allowed = DESK.replace("persona: no", "persona: no  # flyball: allow ambiguous-scalar -- a name");
    if flyball::lint::Rule::find("ambiguous-scalar").is_some() {
        let folder = folder("allowed", &allowed.replace("'3'", "3"));
        assert!(lint(&folder, &["--fix"]).stderr.is_empty());
        assert!(text(&folder).contains("persona: no  #"));
    }
}

#[test]
fn a_shared_contract_is_mended_once() {
    let contract = "contract: 1\nid: shared\nvoice: [yes]\n";
    let spec = |id: &str| {
        format!(
            "agentspec: 1\nid: {id}\ncontract: ../contracts/shared.yaml\npersona: x\ntools: {{look: {{effect: read}}}}\n"
        )
    };
    let folder = Folder::of(
        "shared-fix",
        &[
            ("contracts/shared.yaml", contract.as_bytes()),
            ("specs/one.yaml", spec("one").as_bytes()),
            ("specs/two.yaml", spec("two").as_bytes()),
        ],
    );
    let told = flyball_in(folder.path(), &["lint", "."]).stdout;
    assert_eq!(told.matches("[ambiguous-scalar]").count(), 1, "{told}");
    let run = flyball_in(folder.path(), &["lint", ".", "--fix"]);
    let mended = std::fs::read_to_string(folder.path().join("contracts/shared.yaml")).unwrap();
    assert!(mended.contains("'yes'"), "{mended}{run}");
    assert_eq!(run.stderr, "note: mended `contracts/shared.yaml`: 1 × ambiguous-scalar\n");
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_rights_and_a_link_stays_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder("rights", DESK);
    let (place, link) = (folder.path().join("specs/desk.yaml"), folder.path().join("specs/link.yaml"));
    std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("desk.yaml", &link).unwrap();
    let run = flyball_in(folder.path(), &["lint", "specs/link.yaml", "--fix"]);
    assert!(text(&folder).contains("persona: 'no'"), "{run}");
    assert_eq!(std::fs::metadata(&place).unwrap().permissions().mode() & 0o777, 0o640);
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
}

/// The mistakes of this repository and what they refer to, in a folder of their own.
fn mistakes(name: &str) -> Folder {
    fn add(folder: &str, files: &mut Vec<(String, Vec<u8>)>) {
        for entry in std::fs::read_dir(repository().join(folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            if entry.path().is_dir() {
                add(&path, files);
            } else {
                files.push((path, std::fs::read(entry.path()).unwrap()));
            }
        }
    }
    let mut files = Vec::new();
    ["specs", "contracts", "guards"].iter().for_each(|folder| add(folder, &mut files));
    let files: Vec<(&str, &[u8])> = files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    Folder::of(name, &files)
}

#[test]
fn of_every_mistake_what_is_mended_is_yaml_and_stays_mended() {
    for guesses in [&[][..], &["--unsafe-fixes"]] {
        let folder = mistakes("mistakes");
        let fix = |last: &[&str]| flyball_in(folder.path(), &[&["lint", "specs/bad"], last, guesses].concat());
        let run = fix(&["--fix"]);
        let mended: Vec<&str> =
            run.stderr.split("mended `").skip(1).filter_map(|rest| rest.split('`').next()).collect();
        assert!(mended.len() >= 8, "{}", run.stderr);
        for path in mended {
            let text = std::fs::read_to_string(folder.path().join(path)).unwrap();
            let value: Result<serde_json::Value, _> = serde_yaml::from_str(&text);
            assert!(value.is_ok(), "{path}: {value:?}");
            assert_ne!(text.as_bytes(), std::fs::read(repository().join(path)).unwrap(), "{path}");
        }
        let again = fix(&["--diff"]);
        assert_eq!((again.code, again.stdout.as_str()), (0, ""), "something is left to mend");
    }
}

#[test]
fn a_guess_about_a_part_of_a_word_leaves_the_rest_of_it() {
    let spec = "agentspec: 1\nid: a\npersona: x\npacks: {money: ../guards/money.yaml}\nparams: {limit: 5}\n\
                tools: {pay: {effect: external, parameters: {type: object, properties: {amount: {type: number}}}}}\n\
                guards:\n  preTool:\n    - {id: cap, kind: argRange, with: {arg: amount, max: params.limt}}\n    \
                - {id: most, kind: 'mony/cap', with: {amount: args.amount, max: 5}}\n";
    let pack = std::fs::read(repository().join("guards/money.yaml")).unwrap();
    let folder = Folder::of("part", &[("specs/a.yaml", spec.as_bytes()), ("guards/money.yaml", &pack)]);
    let run = flyball_in(folder.path(), &["lint", "specs", "--fix", "--unsafe-fixes"]);
    let mended = std::fs::read_to_string(folder.path().join("specs/a.yaml")).unwrap();
    assert!(mended.contains("max: params.limit}") && mended.contains("kind: 'money/cap'"), "{mended}{run}");
}
