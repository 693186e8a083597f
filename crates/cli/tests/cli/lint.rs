//! `flyball lint`.

use crate::support::{Folder, Run, assert_snapshot, fixtures, flyball, flyball_in, flyball_quiet};

#[test]
fn specs_without_problems_end_with_0() {
    let run = flyball_quiet(&fixtures(), &["lint", "specs", "contracts"], &[]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "2 specs, 0 errors, 0 warnings\n", ""));
}

#[test]
fn every_problem_is_shown_with_its_lines_and_what_to_do() {
    for name in ["keys", "cycle", "gone"] {
        let run = flyball(&["lint", &format!("bad/specs/{name}.yaml")]);
        assert_eq!(run.code, 1);
        assert_snapshot(&format!("lint-{name}"), &run);
    }
}

#[test]
fn a_problem_that_two_files_make_shows_both() {
    assert_snapshot("lint-places", &flyball(&["lint", "bad/specs/places.yaml"]));
}

#[test]
fn json_is_one_object_per_line_with_the_edit_that_mends_it() {
    let run = flyball(&["lint", "bad/specs/keys.yaml", "--format", "json"]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    for line in run.stdout.lines() {
        let finding: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(finding["path"], "bad/specs/keys.yaml");
        assert!(finding["endColumn"].as_u64() >= finding["column"].as_u64());
    }
    assert_snapshot("lint-json", &without_codes(run));
}

/// Codes are the registry's, and a finding is read by its rule's name.
fn without_codes(run: Run) -> Run {
    let codes = flyball::lint::RULES.iter().map(|rule| format!("\"code\":\"{}\",", rule.code));
    Run { stdout: codes.fold(run.stdout, |text, code| text.replace(&code, "")), ..run }
}

#[test]
fn json_has_the_code_and_the_further_places_of_a_finding() {
    let run = flyball(&["lint", "bad/specs/keys.yaml", "--format", "json"]);
    let label = r#""labels":[{"path":"bad/specs/keys.yaml","line":9,"column":12,"endLine":9,"endColumn":15,"message":"first used here"}]"#;
    assert!(run.stdout.contains(label), "{run}");
    let observes = b"agentspec: 1\nid: a\npersona: x\nmode: observe\ntools: {look: {effect: read}}\n";
    let folder = Folder::of("codes", &[("specs/a.yaml", observes)]);
    let run = flyball_in(folder.path(), &["lint", ".", "--format", "json"]);
    let code = flyball::lint::Rule::find("left-observing").unwrap().code;
    assert!(run.stdout.contains(&format!(r#""rule":"left-observing","code":"{code}","message""#)), "{run}");
}

#[test]
fn the_edits_of_the_json_mend_the_file() {
    let text = std::fs::read_to_string(fixtures().join("bad/specs/keys.yaml")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let run = flyball(&["lint", "bad/specs/keys.yaml", "--format", "json"]);
    let mut edits = 0;
    for finding in run.stdout.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()) {
        let Some(edit) = finding.get("edit") else { continue };
        let number = |key: &str| usize::try_from(edit[key].as_u64().unwrap()).unwrap();
        assert_eq!(number("line"), number("endLine"));
        lines[number("line") - 1]
            .replace_range(number("column") - 1..number("endColumn") - 1, edit["text"].as_str().unwrap());
        edits += 1;
    }
    assert_eq!(edits, 5);
    assert!(lines.contains(&"default: ask".to_owned()));
    assert!(lines.contains(&"persona: 'no'".to_owned()));
}

#[test]
fn warnings_are_findings_only_where_they_are_denied() {
    assert_eq!(flyball(&["lint", "bad/specs/warns.yaml"]).code, 0);
    let denied = flyball_quiet(&fixtures(), &["lint", "bad/specs/warns.yaml", "--deny", "warnings"], &[]);
    assert_eq!(denied.code, 1);
    assert_snapshot("lint-warnings", &denied);
}

#[test]
fn a_contract_pattern_is_wrong_where_it_matches_nothing_in_any_spec_that_shares_it() {
    let both = flyball_quiet(&fixtures(), &["lint", "bad/specs/share-one.yaml", "bad/specs/share-two.yaml"], &[]);
    assert_snapshot("lint-shared-contract", &both);
    let one = flyball(&["lint", "bad/specs/share-two.yaml", "--format", "json"]);
    assert!(
        one.stdout.contains("`only_one` matches no tool"),
        "alone, the second spec does not use it: {}",
        one.stdout
    );
}

#[test]
fn nothing_is_said_of_a_shared_contract_while_one_of_its_specs_cannot_be_read() {
    let contract = include_bytes!("../fixtures/bad/contracts/shared.yaml");
    let one = include_bytes!("../fixtures/bad/specs/share-one.yaml");
    let broken =
        b"agentspec: 1\nid: broken\ncontract: ../contracts/shared.yaml\npersona: x\ntools: {nowhere: {efect: read}}\n";
    let files: [(&str, &[u8]); 3] =
        [("contracts/shared.yaml", contract), ("specs/a.yaml", one), ("specs/b.yaml", broken)];
    let folder = Folder::of("unread", &files);
    let run = flyball_in(folder.path(), &["lint", "."]);
    assert!(run.stdout.contains("unknown-key") && !run.stdout.contains("matches-nothing"), "{run}");
}

#[test]
fn a_contract_that_no_linted_spec_shares_is_noted() {
    let alone = flyball(&["lint", "bad/contracts/unused.yaml"]);
    assert_snapshot("lint-unused-contract", &alone);
    assert_eq!(alone.code, 0);
}

#[test]
fn what_a_base_does_not_use_is_left_to_the_linted_specs_that_extend_it() {
    let base =
        b"agentspec: 1\nid: base\npersona: x\nparams: {most: 5}\ntools: {look: {effect: read, description: Look.}}\n";
    let child = b"agentspec: 1\nid: child\nextends: base.yaml\npersona: x\n";
    let folder = Folder::of("base", &[("specs/base.yaml", base), ("specs/child.yaml", child)]);
    let told = |args: &[&str]| flyball_in(folder.path(), args).stdout.matches("[unused-param]").count();
    assert_eq!(told(&["lint", "specs/base.yaml"]), 1);
    assert_eq!(told(&["lint", "specs"]), 0);
}

#[test]
fn files_that_are_no_text_or_break_off_are_refused_with_a_place() {
    let deep = "[".repeat(100_000);
    let long = format!("agentspec: 1\npersona: {}\n", "x".repeat(1 << 20));
    let cases: [(&str, &[u8]); 8] = [
        ("empty.yaml", b""),
        ("not-utf8.yaml", b"agentspec: 1\nid: caf\xe9\n"),
        ("escape.yaml", b"agentspec: 1\nid: \x1b[31m\n"),
        ("mark.yaml", b"\xef\xbb\xbfagentspec: 1\r\nid: \xe6\x97\xa5 # x\r\n"),
        ("open.yaml", b"agentspec: 1\nid: 'a"),
        ("tab.yaml", b"agentspec: 1\ntools:\n\tx: {}\n"),
        ("deep.yaml", deep.as_bytes()),
        ("long.yaml", long.as_bytes()),
    ];
    let folder = Folder::of("broken", &cases);
    for (file, _) in cases {
        let run = flyball_in(folder.path(), &["lint", file]);
        assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{file}");
        assert!(run.stdout.contains(&format!("--> {file}:")), "{file}: {}", run.stdout);
        assert!(!run.stdout.contains('\u{1b}'), "{file}");
    }
}

#[test]
fn what_is_not_there_could_not_be_linted() {
    let folder = Folder::of("nothing", &[("notes.yaml", b"title: x\n")]);
    let run = flyball_in(folder.path(), &["lint", "."]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("error: there is no spec below `.`\n"), "{}", run.stderr);
    let run = flyball_in(folder.path(), &["lint", "gone.yaml"]);
    assert_eq!((run.code, run.stderr.as_str()), (2, "error: `gone.yaml` cannot be read: there is no such file\n"));
}

#[test]
fn a_spec_elsewhere_is_linted_in_the_parent_of_its_folder_and_root_overrides() {
    let elsewhere = Folder::of("elsewhere", &[]);
    std::fs::create_dir_all(elsewhere.path()).unwrap();
    let spec = fixtures().join("specs/refunds.yaml");
    let run = flyball_quiet(elsewhere.path(), &["lint", spec.to_str().unwrap()], &[]);
    assert_eq!((run.code, run.stdout.as_str()), (0, "1 spec, 0 errors, 0 warnings\n"));
    let run = flyball(&["lint", "specs/refunds.yaml", "--root", "specs"]);
    assert_eq!(run.code, 1);
    assert!(run.stdout.contains("path-outside") && run.stdout.contains("--> specs/refunds.yaml:3:11"), "{run}");
    let run = flyball(&["lint", "specs/refunds.yaml", "--root", "contracts"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("lies outside the workspace root `contracts`"), "{run}");
}

#[test]
fn a_spec_is_linted_from_within_its_own_folder() {
    let run = flyball_quiet(&fixtures().join("specs"), &["lint", "refunds.yaml"], &[]);
    assert_eq!((run.code, run.stdout.as_str(), run.stderr.as_str()), (0, "1 spec, 0 errors, 0 warnings\n", ""));
    let run = flyball_in(&fixtures().join("bad/specs"), &["lint", "places.yaml"]);
    assert!(run.stdout.contains("--> ../contracts/fits.yaml:5:"), "{run}");
}

const DESK: &str = "agentspec: 1\nid: desk\npersona: x\ntools: {look: {description: Look., effect: read}}\n";

#[test]
fn whatever_is_meant_as_a_spec_is_linted_and_the_rest_is_counted() {
    let behind = "id: behind\nagentspec: 1\npersona: x\ntools: {look: {effect: raed}}\n";
    for (name, text) in [
        ("behind.yaml", behind.to_owned()),
        ("short.yml", behind.replace("behind", "short")),
        ("LOUD.YAML", behind.replace("behind", "loud")),
        ("quoted.yaml", DESK.replace("agentspec:", "\"agentspec\":").replace("read", "raed")),
        ("flow.yaml", "{agentspec: 1, id: flow, persona: x, tools: {look: {effect: raed}}}\n".to_owned()),
        ("near.yaml", DESK.replace("agentspec", "agentspek")),
        ("case.yaml", DESK.replace("agentspec", "Agentspec")),
        ("without.yaml", DESK.replace("agentspec: 1\n", "")),
        ("empty.yaml", "# nothing yet\n".to_owned()),
    ] {
        let files = [(name, text.as_bytes()), ("desk.yaml", DESK.as_bytes())];
        let folder = Folder::of("meant", &files);
        let run = flyball_in(folder.path(), &["lint", "."]);
        assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{name}: {run}");
        assert!(run.stdout.contains(&format!("--> {name}:")) && run.stdout.contains("2 specs, "), "{name}: {run}");
    }
    let files: [(&str, &[u8]); 5] = [
        ("desk.yaml", DESK.as_bytes()),
        ("notes.yaml", b"title: x\n"),
        ("ci/build.yml", b"on: push\njobs: {}\n"),
        ("ci/template.yaml", b"a: {{ .b }}\n"),
        ("ci/empty.yaml", b""),
    ];
    let folder = Folder::of("passed-over", &files);
    let run = flyball_in(folder.path(), &["lint"]);
    let wanted = "1 spec, 0 errors, 0 warnings; 4 other YAML files passed over\n";
    assert_eq!((run.code, run.stdout.as_str()), (0, wanted), "{run}");
}

#[test]
fn a_named_file_that_is_none_of_the_format_is_one_error() {
    let folder = Folder::of("stray", &[("notes.yaml", b"title: x\nbody: y\n"), ("tools.json", b"[1]")]);
    for file in ["notes.yaml", "tools.json"] {
        let run = flyball_in(folder.path(), &["lint", file]);
        assert_eq!(run.code, 1, "{run}");
        assert!(run.stdout.starts_with("error[wrong-file]: this file is no spec, no contract and no pack\n"), "{run}");
        assert!(run.stdout.ends_with("\n0 specs, 1 error, 0 warnings\n"), "{run}");
    }
}

#[test]
fn what_cannot_be_read_among_others_is_told_and_the_others_are_linted() {
    let folder = Folder::of("among", &[("desk.yaml", DESK.as_bytes())]);
    let run = flyball_in(folder.path(), &["lint", "gone.yaml", "desk.yaml", "away"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, "1 spec, 0 errors, 0 warnings\n"), "{run}");
    assert!(run.stderr.contains("`gone.yaml` cannot be read") && run.stderr.contains("`away` cannot be read"), "{run}");
    let run = flyball_in(folder.path(), &["lint", "gone.yaml", "away"]);
    assert_eq!((run.code, run.stderr.matches("cannot be read").count()), (2, 2), "{run}");
}

#[test]
fn a_path_that_leaves_the_workspace_is_told_with_the_workspace() {
    let run = flyball(&["lint", "specs/refunds.yaml", "--root", "specs"]);
    assert!(run.stdout.contains("which is `specs` here; `--root DIR` names another"), "{run}");
    let text = DESK.replace("persona", "contract: ../../shop.yaml\npersona");
    let folder = Folder::of("leaves", &[("specs/desk.yaml", text.as_bytes())]);
    let run = flyball_in(folder.path(), &["lint", "specs"]);
    assert!(run.stdout.contains("which is `.` here"), "{run}");
}

#[test]
fn guesses_are_applied_only_with_fix_or_diff() {
    let run = flyball(&["lint", "specs", "--unsafe-fixes"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
    assert!(run.stderr.contains("<--fix|--diff>"), "{run}");
    assert_eq!(flyball(&["lint", "specs", "--fix", "--diff"]).code, 2);
}

#[test]
fn a_contract_that_nobody_shares_is_read_alone() {
    let contract = "contract: 1\nid: shared\nruls: [Be brief.]\nguards:\n  preTool:\n    - {id: cap, tools: [look], check: args.n <, prose: x, correction: y}\n";
    let folder =
        Folder::of("unshared", &[("contracts/shared.yaml", contract.as_bytes()), ("desk.yaml", DESK.as_bytes())]);
    for (path, counted) in
        [(".", "1 spec, 1 contract, 2 errors, "), ("contracts/shared.yaml", "0 specs, 1 contract, 2 errors, ")]
    {
        let run = flyball_in(folder.path(), &["lint", path]);
        assert_eq!(run.code, 1, "{run}");
        assert!(run.stdout.contains("error[unknown-key]: ") && run.stdout.contains("error[bad-expression]: "), "{run}");
        assert!(run.stdout.contains(counted), "{run}");
        assert!(run.stderr.starts_with("note: `contracts/shared.yaml` was only read, not checked: "), "{run}");
    }
    let shares = DESK.replace("persona", "contract: contracts/shared.yaml\npersona");
    let folder =
        Folder::of("shared", &[("contracts/shared.yaml", contract.as_bytes()), ("desk.yaml", shares.as_bytes())]);
    let run = flyball_in(folder.path(), &["lint"]);
    assert!(run.stdout.contains("1 spec, 2 errors, ") && run.stderr.is_empty(), "it is told once: {run}");
    let fixed = flyball_in(folder.path(), &["lint", "--diff", "--unsafe-fixes", "contracts"]);
    assert!(fixed.stdout.contains("+rules: [Be brief.]"), "{fixed}");
}
