//! `flyball rules`.

use crate::support::{flyball, repository};
use flyball::lint::RULES;
use serde_json::Value;

#[test]
fn every_rule_is_listed_in_a_line() {
    let run = flyball(&["rules"]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    assert_eq!(run.stdout.lines().count(), RULES.len());
    for (line, rule) in run.stdout.lines().zip(RULES) {
        let mut words = line.split_whitespace();
        assert_eq!(
            (words.next(), words.next(), words.next()),
            (Some(rule.code), Some(rule.name), Some(rule.severity.name()))
        );
        assert!(line.chars().count() <= 100, "{line}");
        assert!(words.count() >= 3 && !line.ends_with('.'), "{line}");
    }
}

#[test]
fn a_rule_is_explained_by_its_name_and_by_its_code() {
    let named = flyball(&["rules", "unused-suppression"]);
    assert!(
        named.stdout.starts_with("# unused-suppression (F910)\n\nSeverity: warning.\n\n## What it does\n"),
        "{named}"
    );
    for section in ["## Why\n", "## Example\n```yaml\n", "## Use instead\n```yaml\n"] {
        assert!(named.stdout.contains(section), "{named}");
    }
    assert_eq!(flyball(&["rules", "F910"]).stdout, named.stdout);
    let unknown = flyball(&["rules", "unused-supression"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("there is no rule `unused-supression`"), "{unknown}");
    assert!(unknown.stderr.contains("did you mean `unused-suppression`?"), "{unknown}");
}

#[test]
fn json_is_one_rule_a_line() {
    let run = flyball(&["rules", "--format", "json"]);
    let rules: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rules.len(), RULES.len());
    for (found, rule) in rules.iter().zip(RULES) {
        assert_eq!((&found["code"], &found["name"]), (&rule.code.into(), &rule.name.into()));
        assert!(found["docs"].as_str().unwrap().starts_with("## What it does\n"));
    }
    let one = flyball(&["rules", "F910", "--format", "json"]).stdout;
    assert_eq!(one.lines().count(), 1);
}

#[test]
fn the_document_of_the_rules_has_the_page_of_each() {
    let document = std::fs::read_to_string(repository().join("docs/rules.md")).unwrap();
    for rule in RULES {
        assert!(document.contains(&format!("\n## {} ({})\n", rule.name, rule.code)), "{}", rule.name);
    }
}

#[test]
fn a_rule_is_found_in_any_case() {
    for name in ["f910", "F910", "Unused-Suppression"] {
        let run = flyball(&["rules", name]);
        assert!(run.stdout.starts_with("# unused-suppression (F910)\n"), "{name}: {run}");
    }
}
