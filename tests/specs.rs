//! The specs of this repository: the examples are clean, each mistake under `specs/bad` is told, its twin under
//! `specs/ok` is not.

#![expect(clippy::disallowed_macros, reason = "insta's macros read the build environment")]

mod corpora;
mod desks;
mod dojo;
mod effective;
mod flow;
mod lets;
mod oracle;
mod peer_gaps;
mod peer_lints;
mod peers;
mod prompts;
mod provenance;
mod user_cases;

use crate::disk::{
    Loaded, files, files_below, linted, load, load_bytes, load_linted, load_pack, shown_text_of, stem, text_of,
};
use flyball::lint::{Check, RULES, Rule};
use std::collections::BTreeSet;

/// Mistakes that are too big to keep as files.
fn made() -> Vec<(&'static str, Loaded)> {
    let long = format!("{}# {}\n", text_of("specs/refunds.yaml"), "x".repeat(flyball::yaml::MAX_BYTES));
    vec![("file-too-large", load_bytes("specs/bad/file-too-large.yaml", long))]
}

/// A file is named after its rule; a second one for the same rule goes on behind a dot.
fn rule_of(name: &str) -> &str {
    name.split('.').next().unwrap()
}

fn examples() -> Vec<String> {
    files("specs", ".yaml")
}

#[test]
fn every_example_is_clean() {
    for path in examples() {
        let loaded = load_linted(&path);
        assert_eq!(loaded.lines(), [""; 0], "{path}");
        assert!(loaded.policy.is_some(), "{path}");
    }
}

#[test]
fn a_harmless_twin_loads_and_does_not_break_the_rule_it_is_named_after() {
    for path in files("specs/ok", ".yaml") {
        let loaded = load(&path);
        assert!(loaded.lines().is_empty() && loaded.policy.is_some(), "{path}: {:?}", loaded.lines());
        let rules = linted(loaded).rules();
        assert!(!rules.contains(&rule_of(stem(&path))), "{path}: {rules:?}");
    }
}

#[test]
fn every_rule_has_a_harmless_twin() {
    let quiet: BTreeSet<String> =
        files_below("specs/ok", ".yaml").iter().map(|path| rule_of(stem(path)).to_owned()).collect();
    let loud = RULES.iter().filter(|rule| !quiet.contains(rule.name)).map(|rule| rule.name);
    // No file that loads is harmless where the mistake is that there is nothing in it, too much of it, or a newer format.
    assert_eq!(loud.collect::<Vec<_>>(), ["empty-file", "file-too-large", "unknown-version"]);
}

/// The lines of the code of a section, without its indentation.
fn code_of<'d>(rule: &Rule, section: &str) -> Vec<&'d str>
where
    'static: 'd,
{
    let text =
        rule.docs.split_once(section).and_then(|(_, rest)| rest.split_once("```yaml\n")).map_or("", |(_, rest)| rest);
    let code = text.split_once("```").map_or("", |(code, _)| code);
    code.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_examples_of_a_rule_stand_in_its_bad_file_and_the_cure_in_its_twin() {
    let lines_of = |folder: &str, rule: &Rule| {
        let paths = files_below(folder, ".yaml").into_iter().filter(|path| rule_of(stem(path)) == rule.name);
        let lines = |text: String| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
        paths.flat_map(|path| lines(shown_text_of(&path))).collect()
    };
    for rule in RULES {
        for (section, folder) in [("## Example", "specs/bad"), ("## Use instead", "specs/ok")] {
            let known: BTreeSet<String> = lines_of(folder, rule);
            let code = code_of(rule, section);
            // What is made by the tests stands in no file, and some have no twin.
            assert!(known.is_empty() || !code.is_empty(), "{}: no code under `{section}`", rule.name);
            for line in code.into_iter().filter(|_| !known.is_empty()) {
                assert!(known.contains(line), "{}: `{line}` stands in no file of {folder}", rule.name);
            }
        }
    }
}

/// What is said of a file; where it loads, only what its own rule says.
fn about(loaded: Loaded, rule: &str) -> Loaded {
    if loaded.policy.is_none() {
        assert!(loaded.rules().contains(&rule), "{rule}: {:#?}", loaded.lines());
        return loaded;
    }
    let mut loaded = linted(loaded);
    loaded.diagnostics.retain(|diagnostic| diagnostic.rule == rule);
    loaded
}

/// Every mistake, by the name of its file.
fn mistakes() -> impl Iterator<Item = (String, Loaded)> {
    let specs = files("specs/bad", ".yaml").into_iter().map(|path| (stem(&path).to_owned(), load(&path)));
    let packs = files("specs/bad/packs", ".yaml").into_iter().map(|path| (stem(&path).to_owned(), load_pack(&path)));
    specs.chain(packs).chain(made().into_iter().map(|(rule, loaded)| (rule.to_owned(), loaded)))
}

#[test]
fn a_finding_is_as_bad_as_its_rule_says() {
    for (file, loaded) in mistakes() {
        for found in &loaded.diagnostics {
            let rule = Rule::find(found.rule).unwrap_or_else(|| panic!("{file}: `{}` is no rule", found.rule));
            assert_eq!(found.severity, rule.severity, "{file}: {}", found.rule);
        }
    }
}

#[test]
fn every_mistake_is_told_in_reviewed_words() {
    for (rule, loaded) in mistakes() {
        let loaded = about(loaded, rule_of(&rule));
        assert!(!loaded.diagnostics.is_empty(), "{rule}");
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../snapshots/diagnostics");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(rule, loaded.lines().join("\n")));
    }
}

#[test]
fn the_packs_of_this_repository_are_clean_and_do_what_their_cases_say() {
    for path in files("guards", ".yaml").into_iter().chain(files("specs/ok/packs", ".yaml")) {
        assert_eq!(load_pack(&path).lines(), [""; 0], "{path}");
        let pack = flyball::spec::parse_pack(&flyball::source::Sources::new(&*path, text_of(&path))).pack.unwrap();
        let results = pack.run_cases();
        assert!(!results.is_empty(), "{path}");
        for result in results {
            assert_eq!(result.problem, None, "{path}: {}: {}", result.kind, result.case);
        }
    }
}

#[test]
fn a_case_that_a_pack_does_not_keep_is_told() {
    let wrong = text_of("guards/money.yaml").replace("params.amount <= params.max", "params.amount < params.max");
    let pack = flyball::spec::parse_pack(&flyball::source::Sources::new("guards/money.yaml", wrong)).pack.unwrap();
    let told: Vec<String> = pack
        .run_cases()
        .into_iter()
        .filter_map(|result| Some(format!("{}: {}: {}", result.kind, result.case, result.problem?)))
        .collect();
    assert_eq!(told, ["cap: exactly the limit: wants `allow`, got `deny`"]);
}

#[test]
fn a_mistake_prevents_a_policy_unless_it_is_only_a_warning() {
    for path in files("specs/bad", ".yaml") {
        let loaded = load(&path);
        let is_error = loaded.diagnostics.iter().any(flyball::diagnostic::Diagnostic::is_error);
        assert_eq!(loaded.policy.is_none(), is_error, "{path}");
    }
}

#[test]
fn every_rule_has_a_spec_that_breaks_it_and_a_snapshot() {
    let mut shown: BTreeSet<String> =
        files_below("specs/bad", ".yaml").iter().map(|path| stem(path).to_owned()).collect();
    shown.extend(made().iter().map(|(rule, _)| (*rule).to_owned()));
    let snapshots: BTreeSet<String> =
        files("snapshots/diagnostics", ".snap").iter().map(|path| stem(path).to_owned()).collect();
    assert_eq!(
        snapshots.symmetric_difference(&shown).collect::<Vec<_>>(),
        [""; 0],
        "a file or its snapshot is missing"
    );
    let broken: BTreeSet<String> = shown.iter().map(|name| rule_of(name).to_owned()).collect();
    assert_eq!(RULES.iter().map(|rule| rule.name.to_owned()).collect::<BTreeSet<_>>(), broken);
    let of_loading = RULES.iter().filter(|rule| matches!(rule.check, Check::Loading));
    assert_eq!(of_loading.map(|rule| rule.name.to_owned()).collect::<BTreeSet<_>>(), rules_in_sources());
}

#[test]
fn the_trace_of_the_running_example_is_events_and_one_line_that_is_none() {
    let trace = text_of("specs/refunds.trace.jsonl");
    let rejected: Vec<&str> = trace
        .lines()
        .filter_map(|line| flyball::event::read(line.as_bytes()).err())
        .map(|refusal| refusal.code)
        .collect();
    assert_eq!(rejected, ["duplicate_key"]);
}

#[test]
fn a_file_that_breaks_off_anywhere_never_panics() {
    for path in ["specs/refunds.yaml", "specs/bad/yaml-tag.yaml", "specs/bad/unquoted-brace.yaml"] {
        let text = text_of(path);
        let ends = text.char_indices().map(|(at, _)| at);
        ends.for_each(|end| _ = load_bytes(path, text.get(..end).unwrap()));
    }
}

#[test]
fn a_harmless_twin_has_its_mistake() {
    let mistakes = files_below("specs/bad", ".yaml");
    for path in files_below("specs/ok", ".yaml") {
        assert!(mistakes.iter().any(|mistake| stem(mistake) == stem(&path)), "{path}");
    }
}

/// The names that stand behind `Diagnostic::error(` and `Diagnostic::warning(`, and in the problems of a guard or an
/// expression with a tool.
fn rules_in_sources() -> BTreeSet<String> {
    let mut rules = BTreeSet::new();
    for path in files_below("src", ".rs") {
        let text = text_of(&path);
        for call in ["Diagnostic::error(", "Diagnostic::warning(", "BindProblem { rule: ", ".problem("] {
            let behind = text.split(call).skip(1).map(str::trim_start);
            let named = behind.filter_map(|rest| rest.strip_prefix('"')?.split_once('"'));
            let is_rule = |rule: &&str| {
                rule.len() > 1 && rule.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            };
            rules.extend(named.map(|(rule, _)| rule).filter(is_rule).map(str::to_owned));
        }
    }
    rules
}
