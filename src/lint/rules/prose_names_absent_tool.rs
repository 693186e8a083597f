//! `prose-names-absent-tool`: a text that sends the model to a tool it does not have.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::writing::{self, Written};
use crate::lint::{Check, Linted, Rule, walk};
use crate::tool::{Pattern, canonical_name};
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    code: "F670",
    name: "prose-names-absent-tool",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a name in a text for the model that is almost the name of a declared tool, or one that a rule of the contract names, and
that the spec does not declare. It looks at names in backticks and at words with an underscore, and leaves alone what is an
argument, a value, an id or another name of the spec.

## Why
A model does what a correction says. Told to call a tool that there is not, it calls it, is refused, and is told so again.

## Example
```yaml
correction: First call `lookup_orders`.
```

## Use instead
```yaml
correction: First call `lookup_order`.
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let mut known = BTreeSet::new();
    for tree in linted.trees() {
        // What is a name or a value anywhere is no tool; sentences are neither.
        walk::texts(tree, &mut |text, _| _ = is_name(text) && known.insert(text));
    }
    let elsewhere = named_elsewhere(linted);
    for Written { text, span, .. } in writing::texts(linted) {
        let mut told = BTreeSet::new();
        for name in names(text).filter(|name| told.insert(*name)) {
            let tool = canonical_name(name);
            let is_elsewhere = elsewhere.contains(&*tool);
            if linted.spec.tools.iter().any(|known| known.name.value.matches(&tool)) {
                continue;
            }
            let near = near(linted, &tool).filter(|_| !known.contains(name));
            if near.is_none() && !is_elsewhere {
                continue;
            }
            let place = walk::word_in(linted.sources, span, name, is_of_name);
            let at = place.unwrap_or(span);
            let problem = RULE.at(at, format!("this names `{name}`, and the spec declares no such tool"));
            found.push(match (near, place) {
                (Some(near), Some(place)) => problem.help(format!("did you mean `{near}`?")).edit(place, near),
                (Some(near), None) => problem.help(format!("did you mean `{near}`?")),
                (None, _) => problem.help("name a tool that is declared, or declare this one"),
            });
        }
    }
}

/// Tools that the rules of the contract name and this spec does not declare.
fn named_elsewhere(linted: &Linted<'_>) -> BTreeSet<String> {
    let guards = linted.spec.guards.iter();
    let selected = guards.clone().flat_map(|guard| &guard.selection.patterns).map(|pattern| pattern.value.clone());
    let inside = guards.filter_map(|guard| guard.rule.as_ref()).flat_map(|rule| rule.tool_patterns());
    let patterns = selected.chain(inside.map(|(pattern, _)| pattern));
    patterns.filter(Pattern::is_exact).map(|pattern| pattern.text().to_owned()).collect()
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '-' | '/')
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_of_name)
}

/// The names of a text that may be meant as tools: what stands in backticks, and words that hold an underscore.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let quoted = quoted.map(|code| code.split_once('(').map_or(code, |(name, _)| name));
    // A step of a path is no name of its own.
    let words = text.split(|letter: char| !is_of_name(letter) && letter != '.').map(|word| word.trim_end_matches('.'));
    quoted.chain(words.filter(|word| word.contains('_'))).filter(|name| is_name(name))
}

/// The declared tool that a name is almost the name of: one or two letters apart, the same words in another order, or the
/// first words of it.
fn near<'l>(linted: &'l Linted<'_>, name: &str) -> Option<&'l str> {
    let has_shape = name.contains(['_', '/']);
    let tools = linted.spec.tools.iter().map(|tool| &tool.name.value).filter(|tool| tool.is_exact());
    let mut tools = tools.map(Pattern::text).filter(|_| has_shape);
    tools.find(|tool| is_near(name, tool))
}

/// Last words of fields that are called after what a tool does.
const FIELDS: [&str; 10] = ["at", "by", "count", "date", "id", "ids", "name", "status", "time", "total"];

fn is_near(name: &str, tool: &str) -> bool {
    let words = |text: &'_ str| text.split(['_', '-', '/']).map(str::to_owned).collect::<Vec<_>>();
    let (mut ours, mut theirs) = (words(name), words(tool));
    // With one such word more it is a field: `cancel_order_at`.
    let names_field = matches!(ours.strip_prefix(theirs.as_slice()), Some([more]) if FIELDS.contains(&more.as_str()));
    let is_longer = theirs.len() > 1 && ours.starts_with(&theirs) && !names_field;
    let is_start = ours.len() > 1 && (theirs.starts_with(&ours) || is_longer);
    ours.sort();
    theirs.sort();
    is_start || ours == theirs || (name.len() > 6 && !names_field && strsim::damerau_levenshtein(name, tool) <= 2)
}
