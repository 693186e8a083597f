//! What others run the linter with: the action, the hooks of pre-commit, the recipes of the documentation. Each names
//! only options that are there.

use crate::support::{Folder, flyball, repository};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn text(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap()
}

fn yaml(path: &str) -> Value {
    serde_yaml::from_str(&text(path)).unwrap()
}

/// The options of a subcommand that the text runs: every `--word` of a line behind `flyball NAME`.
fn options(text: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        for run in line.split("flyball ").skip(1) {
            let run = run.split('`').next().unwrap_or_default();
            let mut words = run.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
            let command = words.next().unwrap_or_default().to_owned();
            if !command.starts_with(|letter: char| letter.is_ascii_lowercase()) {
                continue;
            }
            let is_option = |word: &&str| word.len() > 2 && word.starts_with("--");
            found.extend(words.filter(is_option).map(|word| (command.clone(), word.to_owned())));
        }
    }
    found
}

fn unknown(text: &str) -> Vec<String> {
    let is_unknown = |(command, option): &(String, String)| {
        let help = flyball(&[command, "--help"]);
        let known = help.stdout.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
        help.code != 0 || !known.into_iter().any(|word| word == option)
    };
    options(text).iter().filter(|one| is_unknown(one)).map(|(command, option)| format!("{command} {option}")).collect()
}

#[test]
fn the_action_the_hooks_and_the_documents_name_options_that_are_there() {
    for path in ["action.yml", ".pre-commit-hooks.yaml", "docs/lint.md", "README.md"] {
        assert_eq!(unknown(&text(path)), [""; 0], "{path}");
    }
    assert_eq!(unknown("run: flyball lint --formt sarif\n"), ["lint --formt"]);
    let recipes = options(&text("action.yml"));
    assert!(recipes.contains(&("lint".to_owned(), "--format".to_owned())), "{recipes:?}");
}

#[test]
fn the_hooks_run_the_command_that_is_installed() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    for hook in hooks.as_array().unwrap() {
        assert!(hook["entry"].as_str().unwrap().starts_with("flyball lint"), "{hook}");
        assert_eq!((&hook["language"], &hook["pass_filenames"]), (&"system".into(), &false.into()));
        assert_eq!(hook["files"], r"(?i)\.(ya?ml|json)$|(^|/)flyball\.toml$");
    }
}

/// The lines that a step of the action runs.
fn step(name: &str) -> String {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_array().unwrap();
    let step = steps.iter().find(|step| step["name"] == name).unwrap();
    step["run"].as_str().unwrap().to_owned()
}

#[test]
fn every_input_of_the_action_is_read_and_every_one_that_is_read_is_declared() {
    let (action, source) = (yaml("action.yml"), text("action.yml"));
    let declared: BTreeSet<&str> = action["inputs"].as_object().unwrap().keys().map(String::as_str).collect();
    let end = |rest: &'static str| rest.split(|letter: char| !letter.is_ascii_alphabetic() && letter != '-').next();
    let source: &'static str = source.leak();
    let read: BTreeSet<&str> = source.split("inputs.").skip(1).filter_map(end).collect();
    assert_eq!(declared, read);
}

#[cfg(unix)]
#[test]
fn the_steps_of_the_action_lint() {
    let spec = b"agentspec: 1\nid: a\npersona: x\nmode: observe\ntools: {look: {description: Look., effect: read}}\n";
    let folder = Folder::of("action", &[("my specs/a.yaml", spec), ("other/b.yaml", b"agentspec: 1\nid: b\n")]);
    let built = Path::new(env!("CARGO_BIN_EXE_flyball")).parent().unwrap().to_owned();
    let path = format!("{}:{}", built.display(), std::env::var("PATH").unwrap());
    let run = |name: &str, environment: &[(&str, &str)]| {
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &step(name)]).current_dir(folder.path());
        let output = bash.env_clear().env("PATH", &path).envs(environment.iter().copied()).output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let lint =
        |paths: &str, deny: &str| run("Lint", &[("PATHS", paths), ("FORMAT", "github"), ("DENY_WARNINGS", deny)]);
    let (code, out) = lint("my specs\n\n", "false");
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("::warning file=my specs/a.yaml,line=4,"), "{out}");
    assert_eq!(lint("my specs\n", "true").0, 1);
    assert_eq!(lint("", "false").0, 1, "everything below is linted");
    let file = folder.path().join("out.sarif");
    let sarif = |paths: &str| run("Write SARIF", &[("PATHS", paths), ("SARIF", file.to_str().unwrap())]).0;
    assert_eq!(sarif(""), 0, "findings do not keep them from being uploaded");
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert!(!written["runs"][0]["results"].as_array().unwrap().is_empty());
    assert_ne!(sarif("nowhere"), 0, "what could not be linted fails");
}
