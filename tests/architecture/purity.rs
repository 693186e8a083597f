//! Law 1: the lints that keep the library pure are alive. Every ban of `clippy.toml` and every lint of `Cargo.toml` is
//! planted once, beside a harmless twin, in a scratch crate under the same rules: each plant is reported, no twin is.

mod cases;

use super::{assert_found, assert_none};
use crate::disk::text_of;
use cases::{CASES, Case, case};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// What the compiler said: per module of the scratch crate, lint and message.
type Reports = BTreeMap<String, Vec<(String, String)>>;

/// What was planted and not reported, and what was reported and harmless.
fn violations(cases: &[Case], reports: &Reports) -> Vec<String> {
    let mut violations = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let of = |kind: &str| reports.get(&format!("{kind}{number}")).map(Vec::as_slice).unwrap_or_default();
        if !of("bad").iter().any(|report| is_about(report, case.ban)) {
            violations.push(format!("planted `{}` and heard {:?}", case.ban, of("bad")));
        }
        if let Some(report) = of("good").first() {
            violations.push(format!("the harmless twin of `{}` is reported: {report:?}", case.ban));
        }
    }
    violations
}

/// A path is in the message of one of the three bans, a lint is the report's own.
fn is_about((lint, message): &(String, String), ban: &str) -> bool {
    let bans = ["clippy::disallowed_types", "clippy::disallowed_methods", "clippy::disallowed_macros"];
    if ban.contains("::") {
        bans.contains(&lint.as_str()) && message.contains(&format!("`{ban}`"))
    } else {
        lint.trim_start_matches("clippy::") == ban
    }
}

/// The bans and lints that stand in the two files, as far as their lines show.
fn rules(clippy: &str, manifest: &str) -> Vec<String> {
    let paths = clippy.lines().filter_map(|line| line.trim().strip_prefix("{ path = \"")?.split('"').next());
    let tables = lints(manifest);
    let lints = tables.lines().filter_map(|line| line.split_once(" = \"").map(|(lint, _)| lint));
    paths.chain(lints.filter(|line| !line.starts_with('#'))).map(str::to_owned).collect()
}

/// The rules without a case, and the cases without a rule.
fn unplanted(rules: &[String], cases: &[Case]) -> Vec<String> {
    let bare = rules.iter().filter(|rule| cases.iter().all(|case| case.ban != **rule));
    let stale = cases.iter().filter(|case| !rules.iter().any(|rule| rule == case.ban));
    let bare = bare.map(|rule| format!("nothing breaks `{rule}` here"));
    bare.chain(stale.map(|case| format!("`{}` is no rule", case.ban))).collect()
}

/// The workspace's tables of lints.
fn lints(manifest: &str) -> String {
    let from_lints = manifest.split_once("[workspace.lints.").unwrap().1;
    let tables = from_lints.split_once("\n[package]").unwrap().0;
    format!("[workspace.lints.{tables}\n")
}

/// A crate without dependencies, one module a case and kind, under the workspace's rules.
#[expect(clippy::disallowed_methods, reason = "the scratch crate is written to disk")]
fn write_scratch(folder: &Path, cases: &[Case]) {
    let mut lib = "//! Scratch.\n".to_owned();
    std::fs::create_dir_all(folder.join("src")).unwrap();
    for (number, case) in cases.iter().enumerate() {
        for (kind, code) in [("bad", case.bad), ("good", case.good)] {
            writeln!(lib, "pub mod {kind}{number};").unwrap();
            let documented = code.replace("pub fn f", "/// F.\npub fn f");
            std::fs::write(folder.join(format!("src/{kind}{number}.rs")), format!("//! Case.\n{documented}\n"))
                .unwrap();
        }
    }
    let package = "[package]\nname = \"scratch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[lints]\nworkspace = true\n[workspace]\n";
    std::fs::write(folder.join("src/lib.rs"), lib).unwrap();
    std::fs::write(folder.join("Cargo.toml"), format!("{package}{}", lints(&text_of("Cargo.toml")))).unwrap();
    std::fs::write(folder.join("clippy.toml"), text_of("clippy.toml")).unwrap();
}

#[expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "clippy is a program")]
fn clippy(folder: &Path) -> Reports {
    let mut command = std::process::Command::new(env!("CARGO"));
    command.args(["clippy", "--offline", "--message-format=json"]).current_dir(folder);
    command.env("CARGO_TARGET_DIR", folder.join("target")).env("CLIPPY_CONF_DIR", folder).env_remove("RUSTFLAGS");
    let output = command.output().unwrap();
    let mut reports = Reports::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let json: Value = serde_json::from_str(line).unwrap();
        let message = &json["message"];
        let (Some(lint), Some(file)) = (message["code"]["code"].as_str(), message["spans"][0]["file_name"].as_str())
        else {
            continue;
        };
        let module = Path::new(file).file_stem().unwrap().to_str().unwrap().to_owned();
        let text = message["message"].as_str().unwrap().to_owned();
        reports.entry(module).or_default().push((lint.to_owned(), text));
    }
    assert!(!reports.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    reports
}

#[test]
#[expect(clippy::disallowed_macros, reason = "cargo says where scratch files go")]
fn every_ban_is_reported_where_it_is_broken_and_nowhere_else() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("purity");
    write_scratch(&folder, CASES);
    assert_none(&violations(CASES, &clippy(&folder)));
}

#[test]
fn every_rule_is_broken_by_a_case() {
    assert_none(&unplanted(&rules(&text_of("clippy.toml"), &text_of("Cargo.toml")), CASES));
}

#[test]
fn a_dead_ban_is_found() {
    let cases = [case("std::fs::read", "", ""), case("panic", "", "")];
    let report = |lint: &str, message: &str| vec![(lint.to_owned(), message.to_owned())];
    let read = ("bad0".to_owned(), report("clippy::disallowed_methods", "use of a disallowed method `std::fs::read`"));
    let panic = ("bad1".to_owned(), report("clippy::panic", "`panic` should not be present"));
    let twin = ("good1".to_owned(), report("clippy::panic", "`panic` should not be present"));
    let found = |reports: &[&(String, Vec<(String, String)>)]| {
        violations(&cases, &reports.iter().map(|report| (*report).clone()).collect())
    };
    assert_none(&found(&[&read, &panic]));
    assert_found(&found(&[&panic]), &["planted `std::fs::read` and heard []"]);
    assert_found(&found(&[&read]), &["planted `panic`"]);
    assert_found(&found(&[&read, &panic, &twin]), &["the harmless twin of `panic`"]);
    let rules = ["panic".to_owned(), "std::fs::write".to_owned()];
    assert_found(&unplanted(&rules, &cases), &["nothing breaks `std::fs::write`", "`std::fs::read` is no rule"]);
}
