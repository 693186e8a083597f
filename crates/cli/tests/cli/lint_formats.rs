//! The formats of `flyball lint`: what each program that reads one gets.

use crate::support::{Folder, Run, assert_snapshot, fixtures, flyball_in, flyball_quiet};
use flyball::lint::{RULES, Rule};
use serde_json::{Value, json};

/// Errors, warnings, edits and a second place, in two specs and a contract.
const LINTED: [&str; 4] =
    ["bad/specs/keys.yaml", "bad/specs/places.yaml", "bad/specs/warns.yaml", "specs/refunds.yaml"];

fn linted(format: &str) -> Run {
    let folder = repository_of_fixtures(format);
    flyball_quiet(folder.path(), &[&["lint"][..], &LINTED, &["--format", format]].concat(), &[])
}

/// The fixtures as a repository of their own: programs get paths from its root.
fn repository_of_fixtures(name: &str) -> Folder {
    let read = |path: &'static str| (path, std::fs::read(fixtures().join(path)).unwrap());
    let others =
        ["bad/contracts/fits.yaml", "contracts/shop.yaml", "specs/schemas/refund.json", "specs/schemas/world.json"];
    let files: Vec<(&str, Vec<u8>)> = LINTED.into_iter().chain(others).map(read).collect();
    let files = files.iter().map(|(path, bytes)| (*path, bytes.as_slice())).chain([(".git/HEAD", &b""[..])]);
    Folder::of(&format!("formats-{name}"), &files.collect::<Vec<_>>())
}

#[test]
fn programs_get_paths_from_the_root_of_the_repository_wherever_the_command_runs() {
    let folder = repository_of_fixtures("below");
    let from_root = flyball_quiet(folder.path(), &["lint", "bad/specs/keys.yaml", "--format", "github"], &[]);
    let below = folder.path().join("bad/specs");
    for format in ["github", "gitlab", "sarif", "junit"] {
        let run = flyball_quiet(&below, &["lint", "keys.yaml", "--format", format], &[]);
        assert!(run.stdout.contains("bad/specs/keys.yaml"), "{run}");
        assert!(format != "github" || run.stdout == from_root.stdout, "{run}");
    }
    let run = flyball_quiet(&below, &["lint", "keys.yaml", "--format", "json"], &[]);
    assert!(run.stdout.starts_with(r#"{"path":"keys.yaml","#), "{run}");
}

fn json_of(run: &Run) -> Value {
    serde_json::from_str(&run.stdout).unwrap()
}

/// The schema of SARIF 2.1.0 as its standard has it: the crate that writes the format is made from this file.
fn sarif_schema() -> Value {
    let arguments = ["metadata", "--format-version", "1", "--locked", "--offline"];
    let output = std::process::Command::new(env!("CARGO")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let manifest = std::path::Path::new(package["manifest_path"].as_str().unwrap());
    let text = std::fs::read_to_string(manifest.with_file_name("src").join("schema.json")).unwrap();
    // One bracket too many: such a pattern is valid only for a lenient reader.
    serde_json::from_str(&text.replace("{2}]?$", "{2}\\\\]?$")).unwrap()
}

#[test]
fn sarif_fits_the_schema_of_its_standard_and_a_mangled_document_does_not() {
    let schema = sarif_schema();
    assert_eq!(schema["properties"]["version"]["enum"], json!(["2.1.0"]));
    let schema = jsonschema::validator_for(&schema).unwrap();
    let document = json_of(&linted("sarif"));
    let problems: Vec<String> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(problems, [""; 0]);
    let none = json_of(&flyball_quiet(&fixtures(), &["lint", "specs", "--format", "sarif"], &[]));
    assert!(schema.is_valid(&none) && none["runs"][0]["results"] == json!([]));

    let mangled = [
        ("/version", json!("2.0.0")),
        ("/runs/0/tool/driver/name", Value::Null),
        ("/runs/0/results/0/level", json!("fatal")),
        ("/runs/0/results/0/message", json!("text")),
        ("/runs/0/results/0/locations/0/physicalLocation/region/startLine", json!(0)),
        ("/runs/0/tool/driver/rules/0/colour", json!("red")),
    ];
    for (pointer, value) in mangled {
        let mut document = document.clone();
        let (place, key) = pointer.rsplit_once('/').unwrap();
        document.pointer_mut(place).unwrap()[key] = value;
        assert!(!schema.is_valid(&document), "{pointer}");
    }
}

#[test]
fn sarif_names_every_rule_with_its_page_and_each_finding_points_to_its_own() {
    let document = json_of(&linted("sarif"));
    let driver = &document["runs"][0]["tool"]["driver"];
    assert_eq!((&driver["name"], &driver["version"]), (&json!("flyball"), &json!(env!("CARGO_PKG_VERSION"))));
    let rules = driver["rules"].as_array().unwrap();
    assert_eq!(rules.len(), RULES.len());
    for (found, rule) in rules.iter().zip(RULES) {
        assert_eq!((&found["id"], &found["name"]), (&json!(rule.code), &json!(rule.name)));
        assert_eq!(found["defaultConfiguration"]["level"], rule.severity.name());
        assert!(found["help"]["markdown"].as_str().unwrap().contains("## Use instead"), "{found}");
        assert!(!found["shortDescription"]["text"].as_str().unwrap().is_empty());
    }
    for result in document["runs"][0]["results"].as_array().unwrap() {
        let Some(index) = result["ruleIndex"].as_u64() else { continue };
        assert_eq!(rules[usize::try_from(index).unwrap()]["id"], result["ruleId"]);
    }
}

/// The results alone, by the names of their rules: codes and pages are the registry's.
#[test]
fn sarif_results_are_as_reviewed() {
    let run = linted("sarif");
    let mut results = json_of(&run)["runs"][0]["results"].take();
    for result in results.as_array_mut().unwrap() {
        let result = result.as_object_mut().unwrap();
        result.remove("ruleIndex");
        if let Some(rule) = Rule::find(result["ruleId"].as_str().unwrap()) {
            result["ruleId"] = json!(rule.name);
        }
    }
    let stdout = serde_json::to_string_pretty(&results).unwrap() + "\n";
    assert_snapshot("lint-sarif", &Run { stdout, ..run });
}

#[test]
fn github_annotates_lines() {
    assert_snapshot("lint-github", &linted("github"));
}

#[test]
fn gitlab_gets_its_report_of_code_quality() {
    let run = linted("gitlab");
    let issues = json_of(&run);
    let prints: std::collections::BTreeSet<&str> =
        issues.as_array().unwrap().iter().map(|issue| issue["fingerprint"].as_str().unwrap()).collect();
    assert_eq!(prints.len(), issues.as_array().unwrap().len(), "a fingerprint stands twice");
    assert_snapshot("lint-gitlab", &run);
    assert_eq!(flyball_quiet(&fixtures(), &["lint", "specs", "--format", "gitlab"], &[]).stdout, "[]\n");
}

#[test]
fn junit_has_a_suite_for_each_file() {
    let run = linted("junit");
    assert_snapshot("lint-junit", &run);
    assert!(run.stdout.contains("<testsuite name=\"specs/refunds.yaml\" tests=\"1\""), "{run}");
}

#[test]
fn a_fingerprint_goes_along_when_its_line_moves_and_not_when_it_changes() {
    let spec = "agentspec: 1\nid: moved\npersona: x\nmode: observe\ntools: {look: {effect: read}}\n";
    let prints = |text: &str| {
        let folder = Folder::of("moved", &[("specs/a.yaml", text.as_bytes())]);
        let gitlab = json_of(&flyball_in(folder.path(), &["lint", ".", "--format", "gitlab"]));
        let sarif = json_of(&flyball_in(folder.path(), &["lint", ".", "--format", "sarif"]));
        let found = gitlab.as_array().unwrap().iter().find(|one| one["check_name"] == "left-observing").unwrap();
        let print = found["fingerprint"].as_str().unwrap().to_owned();
        let results = sarif["runs"][0]["results"].as_array().unwrap();
        assert!(results.iter().any(|one| one["partialFingerprints"]["flyballFinding/v1"] == *print));
        print
    };
    let (first, moved) = (prints(spec), prints(&spec.replace("id:", "# moved\n\nid:")));
    assert_eq!(first, moved);
    assert_ne!(first, prints(&spec.replace("mode: observe", "mode: 'observe'")));
}

#[test]
fn a_note_is_told_in_every_format_and_is_no_finding() {
    let spec = b"agentspec: 1\nid: noted\npersona: x\nmode: observe\ntools: {look: {effect: read}}\n";
    let folder = Folder::of("noted", &[("specs/a.yaml", spec)]);
    let run = |format: &str| {
        let arguments = ["lint", "specs", "--rule", "left-observing=note", "--deny", "warnings", "--format", format];
        let run = flyball_quiet(folder.path(), &arguments, &["left-observing"]);
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
        run.stdout
    };
    assert!(run("human").starts_with("note[left-observing]: this spec only observes"));
    assert!(run("human").ends_with("\n1 spec, 0 errors, 0 warnings, 1 note\n"), "{}", run("human"));
    assert!(run("github").starts_with("::notice file=specs/a.yaml,line=4,endLine=4,col=7,endColumn=14,title="));
    assert!(run("json").contains(r#""severity":"note""#));
    assert!(run("gitlab").contains(r#""severity": "info""#));
    assert!(run("sarif").contains(r#""level": "note""#));
    assert!(run("junit").contains(r#"failures="0""#) && run("junit").contains("<system-out>"), "{}", run("junit"));
}
