//! The page of a rule, and what tables say of it.

use flyball::lint::Rule;

/// Everything a page says, as Markdown.
pub(crate) fn page(rule: &Rule) -> String {
    format!("# {} ({})\n\nSeverity: {}.\n\n{}\n", rule.name, rule.code, rule.severity.name(), rule.docs.trim())
}

/// What the rule does, on one line.
pub(crate) fn what_it_does(rule: &Rule) -> String {
    let section = rule.docs.split("## ").find_map(|section| section.strip_prefix("What it does\n"));
    section.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first sentence of that.
pub(crate) fn summary(rule: &Rule) -> String {
    let words = what_it_does(rule);
    let sentence = words.split_once(". ").map_or(words.as_str(), |(first, _)| first);
    sentence.trim_end_matches('.').to_owned()
}
