//! Runs the binary in a folder, without the environment of whoever runs the tests.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run left behind.
#[must_use]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stdout)?;
        if !self.stderr.is_empty() {
            write!(f, "---- stderr\n{}", self.stderr)?;
        }
        write!(f, "---- exit {}", self.code)
    }
}

pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The root of the repository, where the examples of the documentation run.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub(crate) fn flyball_in(folder: &Path, arguments: &[&str]) -> Run {
    flyball_with(folder, arguments, &[])
}

pub(crate) fn flyball_with(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flyball"));
    command.args(arguments).current_dir(folder).env_clear().envs(environment.iter().copied());
    let output = command.output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs in the folder of the fixtures.
pub(crate) fn flyball(arguments: &[&str]) -> Run {
    flyball_in(&fixtures(), arguments)
}

/// `--rule NAME=off` for every rule that looks at a spec that compiled, but for those named: a test about one of them, or
/// about what loading finds, does not hear of the next that is written.
pub(crate) fn quiet(but_for: &[&str]) -> Vec<String> {
    let checks = flyball::lint::RULES.iter().filter(|rule| matches!(rule.check, flyball::lint::Check::Spec(_)));
    checks.filter(|rule| !but_for.contains(&rule.name)).map(|rule| format!("--rule={}=off", rule.name)).collect()
}

/// As [`flyball_in`], with arguments of [`quiet`] behind the first.
pub(crate) fn flyball_quiet(folder: &Path, arguments: &[&str], but_for: &[&str]) -> Run {
    let (off, (first, rest)) = (quiet(but_for), arguments.split_first().unwrap());
    let off: Vec<&str> = off.iter().map(String::as_str).collect();
    flyball_in(folder, &[&[*first], off.as_slice(), rest].concat())
}

/// Compares with a reviewed file in the root `snapshots/cli/`.
pub(crate) fn assert_snapshot(name: &str, run: &Run) {
    compare("cli", name, run);
}

/// Compares decisions with a reviewed file in the root `snapshots/decisions/`.
pub(crate) fn assert_decisions(name: &str, run: &Run) {
    compare("decisions", name, run);
}

fn compare(folder: &str, name: &str, run: &Run) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(repository().join("snapshots").join(folder));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, run.to_string()));
}

/// A folder that is gone when the test is.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn of(name: &str, files: &[(&str, &[u8])]) -> Folder {
        let path = std::env::temp_dir().join(format!("flyball-cli-{}-{name}", std::process::id()));
        _ = std::fs::remove_dir_all(&path);
        for (file, bytes) in files {
            let file = path.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, bytes).unwrap();
        }
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The folder of published traces; `None` where nobody named one, unless they are required.
pub(crate) fn corpora() -> Option<PathBuf> {
    optional("FLYBALL_CORPORA", std::env::var_os("FLYBALL_CORPORA").map(PathBuf::from), "FLYBALL_REQUIRE_CORPORA")
}

/// What a test can go on without, unless it is required.
pub(crate) fn optional<T>(name: &str, found: Option<T>, required: &str) -> Option<T> {
    let is_required = std::env::var(required).is_ok_and(|value| value == "1");
    assert!(found.is_some() || !is_required, "{required} is set and there is no {name}");
    if found.is_none() {
        eprintln!("skipped: there is no {name}");
    }
    found
}
