//! What the project is built on: the library's dependencies are the agreed ones, every dependency of a default member
//! is argued for in `docs/dependencies.md`, every crate of the lock file has a licence that may be passed on.

use super::{assert_found, assert_none};
use crate::disk::text_of;
use serde_json::Value;

/// What the design agrees to.
const AGREED: &[&str] =
    &["granit-parser", "jsonschema", "regex", "serde", "serde_json", "serde_yaml", "sha2", "strsim", "thiserror"];

/// What `docs/dependencies.md` argues for beside it.
const ARGUED: &[&str] = &["regex-syntax", "siphasher"];

/// Licences that may be passed on under this project's own.
const LICENCES: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// What `cargo metadata` says of a dependency.
#[derive(Clone, Debug)]
struct Dependency {
    of: String,
    name: String,
    is_normal: bool,
    is_optional: bool,
    has_default_features: bool,
    is_own: bool,
}

fn dependency(of: &str, json: &Value) -> Dependency {
    let name = json["rename"].as_str().or(json["name"].as_str()).unwrap();
    Dependency {
        of: of.to_owned(),
        name: name.to_owned(),
        is_normal: json["kind"].is_null(),
        is_optional: json["optional"] == true,
        has_default_features: json["uses_default_features"] == true,
        is_own: json["source"].is_null(),
    }
}

#[expect(clippy::disallowed_methods, clippy::disallowed_macros, reason = "cargo alone knows what is resolved")]
fn metadata() -> Value {
    let arguments = ["metadata", "--format-version", "1", "--locked", "--all-features"];
    let output = std::process::Command::new(env!("CARGO")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The dependencies of every default member.
fn dependencies(metadata: &Value) -> Vec<Dependency> {
    let members = metadata["workspace_default_members"].as_array().unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter().filter(|package| members.contains(&package["id"]));
    let of = |package: &Value| {
        let name = package["name"].as_str().unwrap().to_owned();
        package["dependencies"].as_array().unwrap().iter().map(|json| dependency(&name, json)).collect::<Vec<_>>()
    };
    packages.flat_map(of).collect()
}

/// How the library's own dependencies differ from the agreed ones.
fn disagreements(dependencies: &[Dependency]) -> Vec<String> {
    let own: Vec<&Dependency> = dependencies.iter().filter(|one| one.of == "flyball" && one.is_normal).collect();
    let agreed = || AGREED.iter().chain(ARGUED);
    let mut violations = Vec::new();
    for one in own.iter().filter(|one| !agreed().any(|name| *name == one.name)) {
        violations.push(format!("`{}` is not agreed to", one.name));
    }
    for name in agreed().filter(|name| own.iter().all(|one| one.name != **name)) {
        violations.push(format!("`{name}` is agreed to and not used"));
    }
    for one in own.iter().filter(|one| one.name == "jsonschema" && (!one.is_optional || one.has_default_features)) {
        violations.push(format!("`{}` must be optional and without default features", one.name));
    }
    violations
}

/// The dependencies without a full row in the document's tables (what for, why this one, licence, what would replace
/// it), and the rows without a dependency.
fn unargued(dependencies: &[Dependency], document: &str) -> Vec<String> {
    let rows: Vec<Vec<&str>> = document
        .lines()
        .filter_map(|line| line.strip_prefix('|')?.strip_suffix('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let is_argued = |name: &str| {
        let full = |row: &&Vec<&str>| row.len() == 5 && row.iter().all(|cell| !cell.is_empty());
        rows.iter().filter(full).any(|row| row[0] == format!("`{name}`"))
    };
    let outside = dependencies.iter().filter(|one| !one.is_own && !is_argued(&one.name));
    let missing = outside.map(|one| format!("`{}` of `{}` has no row in docs/dependencies.md", one.name, one.of));
    let is_used = |cell: &str| dependencies.iter().any(|one| cell == format!("`{}`", one.name));
    let stale = rows.iter().filter(|row| row[0].starts_with('`') && !is_used(row[0]));
    missing.chain(stale.map(|row| format!("{} has a row and no member uses it", row[0]))).collect()
}

/// The packages (name, licence) whose licence does not let them be passed on.
fn unlicensed(packages: &[(&str, Option<&str>)]) -> Vec<String> {
    let refused = packages.iter().filter(|(_, licence)| !licence.is_some_and(may_be_passed_on));
    refused.map(|(name, licence)| format!("`{name}` is under {licence:?}")).collect()
}

/// An SPDX expression: `AND` binds closer than `OR`, and the old `/` is an `OR`.
fn may_be_passed_on(licence: &str) -> bool {
    let spaced = licence.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    any(&mut words.as_slice())
}

fn any(words: &mut &[&str]) -> bool {
    let mut holds = all(words);
    while let ["OR", rest @ ..] = words {
        *words = rest;
        holds |= all(words);
    }
    holds
}

fn all(words: &mut &[&str]) -> bool {
    let mut holds = one(words);
    while let ["AND", rest @ ..] = words {
        *words = rest;
        holds &= one(words);
    }
    holds
}

fn one(words: &mut &[&str]) -> bool {
    match words {
        ["(", rest @ ..] => {
            *words = rest;
            let holds = any(words);
            *words = words.get(1..).unwrap_or_default();
            holds
        }
        [licence, "WITH", exception, rest @ ..] => {
            let whole = format!("{licence} WITH {exception}");
            *words = rest;
            LICENCES.contains(&whole.as_str())
        }
        [licence, rest @ ..] => {
            let holds = LICENCES.contains(licence);
            *words = rest;
            holds
        }
        [] => false,
    }
}

#[test]
fn the_dependencies_are_the_agreed_and_argued_ones() {
    let dependencies = dependencies(&metadata());
    assert_none(&disagreements(&dependencies));
    assert_none(&unargued(&dependencies, &text_of("docs/dependencies.md")));
}

#[test]
fn every_crate_may_be_passed_on() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    let licence_of = |name: &str| packages.iter().find(|one| one["name"] == name)?["license"].as_str();
    let lock = text_of("Cargo.lock");
    let names = lock.lines().filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
    let packages: Vec<(&str, Option<&str>)> = names.map(|name| (name, licence_of(name))).collect();
    assert!(packages.len() > 50, "the lock file was not read");
    assert_none(&unlicensed(&packages));
}

#[test]
fn a_dependency_nobody_agreed_to_is_found() {
    let named = |name: &str| Dependency {
        of: "flyball".to_owned(),
        name: name.to_owned(),
        is_normal: true,
        is_optional: name == "jsonschema",
        has_default_features: name != "jsonschema",
        is_own: false,
    };
    let good: Vec<Dependency> = AGREED.iter().chain(ARGUED).map(|name| named(name)).collect();
    assert_none(&disagreements(&good));
    let others = [
        Dependency { is_normal: false, ..named("proptest") },
        Dependency { of: "flyball-cli".to_owned(), ..named("clap") },
    ];
    assert_none(&disagreements(&[good.as_slice(), others.as_slice()].concat()));
    assert_found(&disagreements(&[good.as_slice(), &[named("tokio")]].concat()), &["`tokio` is not agreed to"]);
    assert_found(&disagreements(&good[1..]), &["`granit-parser` is agreed to and not used"]);
    for bad in [
        Dependency { is_optional: false, ..named("jsonschema") },
        Dependency { has_default_features: true, ..named("jsonschema") },
    ] {
        let dependencies: Vec<Dependency> =
            good.iter().filter(|one| one.name != "jsonschema").chain([&bad]).cloned().collect();
        assert_found(&disagreements(&dependencies), &["`jsonschema` must be optional"]);
    }
}

#[test]
fn a_dependency_nobody_argues_for_is_found() {
    let one = |name: &str, is_own| Dependency {
        of: "flyball-cli".to_owned(),
        name: name.to_owned(),
        is_normal: true,
        is_optional: false,
        has_default_features: true,
        is_own,
    };
    let document = "| crate | a | b | c | d |\n| --- | --- | --- | --- | --- |\n\
                    | `clap` | arguments | the usual | MIT | by hand |\n| `half` | something | | MIT | |\nof `loose`\n";
    let good = document.lines().filter(|line| !line.contains("half")).collect::<Vec<_>>().join("\n");
    assert_none(&unargued(&[one("clap", false), one("flyball", true)], &good));
    let bad = [one("clap", false), one("half", false), one("loose", false)];
    assert_found(&unargued(&bad, document), &["`half` of `flyball-cli`", "`loose` of"]);
    assert_found(&unargued(&bad[1..], document), &["`half` of", "`loose` of", "`clap` has a row"]);
}

#[test]
fn a_licence_that_binds_others_is_found() {
    for good in [
        "MIT",
        "MIT/Apache-2.0",
        "Apache-2.0 OR MIT",
        "(MIT OR GPL-3.0) AND Unicode-3.0",
        "MIT OR LGPL-2.1-or-later",
        "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
    ] {
        assert_none(&unlicensed(&[("x", Some(good))]));
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND MPL-2.0", "GPL-2.0 WITH Classpath-exception-2.0", ""] {
        assert_found(&unlicensed(&[("x", Some(bad))]), &["`x` is under"]);
    }
    assert_found(&unlicensed(&[("x", None)]), &["`x` is under None"]);
}
