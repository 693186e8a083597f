//! The examples of the README: they run, they print what the README says, and the README shows them as they are.

use crate::support::{Run, assert_snapshot, optional, repository};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A file, or what stands in it between its own marks, as a block of Markdown.
pub(crate) fn fenced(path: &str) -> String {
    let text = std::fs::read_to_string(repository().join(path)).unwrap();
    let part = text.split_once("// begin: the loop\n").and_then(|(_, rest)| rest.split_once("// end: the loop\n"));
    let language = match path.rsplit_once('.').unwrap().1 {
        "rs" => "rust",
        "py" => "python",
        _ => "json",
    };
    format!("```{language}\n{}```\n", part.map_or(text.as_str(), |(part, _)| part))
}

fn python() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join("python3")).find(|file| file.is_file());
    optional("python3", found, "FLYBALL_REQUIRE_PYTHON")
}

/// `PATH` with the folder of the built command in front, as the README says.
fn path() -> std::ffi::OsString {
    let built = Path::new(env!("CARGO_BIN_EXE_flyball")).parent().unwrap().to_owned();
    let before = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(built).chain(std::env::split_paths(&before))).unwrap()
}

#[test]
fn the_python_example_prints_what_is_reviewed() {
    let Some(python) = python() else { return };
    let output = Command::new(python).arg("examples/stdio.py").current_dir(repository()).env("PATH", path()).output();
    let output = output.unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let run = Run { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) };
    assert_snapshot("examples-stdio", &run);
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    assert!(readme.contains(&format!("```text\n{}```\n", run.stdout)), "the README shows another transcript");
}

#[test]
fn the_examples_are_as_short_as_promised() {
    let lines = |path: &str| fenced(path).lines().count() - 2;
    assert!(lines("crates/io/examples/wrap_a_loop.rs") < 30);
    let python = std::fs::read_to_string(repository().join("examples/stdio.py")).unwrap();
    assert!(python.split_once("\n# ").unwrap().0.lines().count() <= 15);
}

#[test]
fn the_readme_names_commands_that_are_there() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    assert!(readme.contains("cargo run --release -- replay specs/refunds.yaml specs/refunds.trace.jsonl\n"));
    assert!(readme.contains("cargo run -p flyball-io --example wrap_a_loop\n"));
    for part in ["file crates/io/examples/wrap_a_loop.rs", "file examples/stdio.py", "commands"] {
        assert!(readme.contains(&format!("<!-- begin: {part} -->")), "the README does not show `{part}`");
    }
}
