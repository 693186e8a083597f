//! `unenforced-order`: a text that puts two tools in an order, and no rule that does.

use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::Expression;
use crate::guards;
use crate::lint::writing::{self, Role, Written};
use crate::lint::{Check, Linted, Rule, checks, expressions};
use crate::spec::{GuardSpec, Selection};
use crate::tool::Pattern;
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    code: "F671",
    name: "unenforced-order",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a sentence in a guard's prose or in `behavior` that names two declared tools with `before`, `first`, `then`, `after` or
`until`, where no rule keeps an order between the two: no flow edge, no chain, no `requiresBefore`, no `done(…)`, `first(…)`
or `last(…)` in a guard. It knows English only.

## Why
A model keeps to an order most of the time. Where it matters the engine has to keep it, and it knows only of what a rule says.

## Example
```yaml
behavior:
- Call `lookup_order` before `cancel_order`.
```

## Use instead
```yaml
behavior:
- Call `lookup_order` before `cancel_order`.
flow:
- {id: look-first, from: lookup_order, to: cancel_order}
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let orders = Orders::of(linted);
    let names: Vec<&str> = linted
        .spec
        .tools
        .iter()
        .map(|tool| &tool.name.value)
        .filter(|name| name.is_exact())
        .map(Pattern::text)
        .collect();
    for Written { role, text, span } in writing::texts(linted) {
        if !matches!(role, Role::Prose | Role::Conduct) {
            continue;
        }
        for sentence in sentences(text) {
            let unknown = ordered(sentence, &names).into_iter().find(|(one, other)| !orders.knows(one, other));
            let Some((one, other)) = unknown else { continue };
            let message = format!("this says which of `{one}` and `{other}` comes first, and no rule keeps to it");
            let help = "add an edge under `flow`, or ask with `done(…)` in a guard; else leave it out of the text";
            found.push(RULE.at(span, message).help(help));
        }
    }
}

/// The sentences of a text. `First …; then …` is one.
fn sentences(text: &str) -> Vec<&str> {
    let (mut found, mut start) = (Vec::new(), 0_usize);
    for (at, sign) in text.match_indices(['.', ';', '\n']) {
        let behind = text.get(at..).unwrap_or_default().trim_start_matches(sign);
        if sign != ";" || !words(behind).take(2).any(|word| matches!(word.as_str(), "then" | "afterwards")) {
            found.extend(text.get(start..at));
            start = at.saturating_add(sign.len());
        }
    }
    found.extend(text.get(start..));
    found
}

/// The tools that a sentence puts in an order, two by two.
fn ordered<'n>(sentence: &str, names: &[&'n str]) -> Vec<(&'n str, &'n str)> {
    let mut mentions: Vec<(usize, &'n str)> =
        names.iter().filter_map(|name| Some((mention(sentence, name)?, *name))).collect();
    mentions.sort_unstable();
    let has = |text: &str, wanted: &[&str]| words(text).any(|word| wanted.contains(&word.as_str()));
    let part = |from: usize, to: usize| sentence.get(from..to).unwrap_or_default();
    let before = part(0, mentions.first().map_or(0, |(at, _)| *at));
    // A condition on what one of them came to is no order; one that a comma ends is about something else.
    let condition = before.rsplit(',').next().unwrap_or_default();
    if has(condition, &["if", "unless", "when", "where", "whether"]) || has(sentence, ALTERNATIVES) {
        return Vec::new();
    }
    let pairs =
        mentions.windows(2).filter_map(|pair| if let [one, other] = pair { Some((*one, *other)) } else { None });
    let ordered = pairs.filter(|((start, name), (end, _))| {
        let between = part(start.saturating_add(name.len()), *end);
        orders(between) || (opens(before) && words(between).any(|word| !JOINING.contains(&word.as_str())))
    });
    ordered.map(|((_, one), (_, other))| (one, other)).collect()
}

/// True for what stands between two tools where one comes first.
fn orders(between: &str) -> bool {
    let words: Vec<String> = words(between).collect();
    let is_adverb = |at: usize| {
        let next = words.get(at.saturating_add(1)).map(String::as_str);
        between.to_lowercase().contains("first,") || matches!(next, None | Some("and" | "then"))
    };
    let mut all = words.iter().enumerate();
    // The first page of something is no order.
    all.any(|(at, word)| ORDERING.contains(&word.as_str()) || (word == "first" && is_adverb(at)))
}

/// True for the beginning of a clause that says before or after what something else is done: `Before you call …`.
fn opens(before: &str) -> bool {
    const NEAR: usize = 4;
    let clause = before.rsplit(',').next().unwrap_or_default();
    let words: Vec<String> = words(clause).collect();
    words.iter().rev().take(NEAR).any(|word| matches!(word.as_str(), "after" | "before" | "until"))
}

const ORDERING: &[&str] = &["after", "afterwards", "before", "then", "until"];

/// Words that make one thing of two tools.
const JOINING: &[&str] = &["and", "both", "nor"];

/// Words of a sentence in which one tool stands in for another.
const ALTERNATIVES: &[&str] = &["else", "fail", "failed", "fails", "instead", "nothing", "or", "otherwise", "rather"];

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Where a text names a tool: as a whole, and in backticks where the name could be a plain word.
fn mention(text: &str, name: &str) -> Option<usize> {
    if !name.contains(['_', '/']) {
        return text.find(&format!("`{name}`")).or_else(|| text.find(&format!("`{name}(")));
    }
    let is_of_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '/' | '-');
    text.match_indices(name).map(|(at, _)| at).find(|at| {
        let (before, behind) = text.split_at_checked(*at).unwrap_or_default();
        let behind = behind.strip_prefix(name).unwrap_or_default();
        !before.ends_with(is_of_name) && !behind.starts_with(is_of_name)
    })
}

/// What stands before what, as far as rules say.
struct Orders<'l> {
    /// Whose calls, and what those wait for.
    pairs: Vec<(&'l Selection, Vec<Pattern>)>,
    chains: Vec<[&'l Pattern; 2]>,
    linted: &'l Linted<'l>,
}

impl<'l> Orders<'l> {
    fn of(linted: &'l Linted<'_>) -> Orders<'l> {
        let spec = linted.spec;
        let of_rule = |rule: &dyn guards::Rule| {
            let required = rule.requires().into_iter().flatten();
            required.chain(rule.tool_patterns().into_iter().map(|(pattern, _)| pattern)).collect::<Vec<_>>()
        };
        let edges = spec.flow.iter().map(|edge| (&edge.selection, of_rule(&*edge.rule)));
        let guards = spec.guards.iter().map(|guard| {
            let mut waits = guard.rule.as_ref().map(|rule| of_rule(&**rule)).unwrap_or_default();
            waits.extend(asked(linted, guard).iter().map(|name| Pattern::selector(name)));
            (&guard.selection, waits)
        });
        let chains = spec.chains.iter().map(|chain| [&chain.after.value, &chain.call.value]);
        Orders { pairs: edges.chain(guards).collect(), chains: chains.collect(), linted }
    }

    /// True if one waits for the other, by whatever way.
    fn knows(&self, one: &str, other: &str) -> bool {
        self.leads(one, other) || self.leads(other, one)
    }

    /// True if calls of a tool wait for another: at once, or by others that they wait for.
    fn leads(&self, from: &str, to: &str) -> bool {
        let (mut seen, mut open) = (BTreeSet::from([from.to_owned()]), vec![from.to_owned()]);
        while let Some(name) = open.pop() {
            for next in self.waits(&name) {
                if next == to {
                    return true;
                }
                if seen.insert(next.to_owned()) {
                    open.push(next.to_owned());
                }
            }
        }
        false
    }

    /// The declared tools that calls of a tool wait for.
    fn waits(&self, name: &str) -> Vec<&'l str> {
        let tools = &self.linted.spec.tools;
        let about = |selection: &Selection| {
            tools.iter().any(|tool| tool.name.value.text() == name && selection.may_match(tool))
        };
        let of_rules = self.pairs.iter().filter(|(selection, _)| about(selection)).flat_map(|(_, waits)| waits);
        let of_chains = self.chains.iter().filter(|[_, call]| call.matches(name)).map(|[after, _]| *after);
        let wanted: Vec<&Pattern> = of_rules.chain(of_chains).collect();
        let names = tools.iter().map(|tool| tool.name.value.text());
        names.filter(|known| wanted.iter().any(|pattern| pattern.matches(known))).collect()
    }
}

/// The tools of earlier calls that a guard asks for, itself or by the lets that it reads.
fn asked(linted: &Linted<'_>, guard: &GuardSpec) -> BTreeSet<String> {
    let check = checks::of(linted, guard);
    let written = guard.when.iter().chain(&check).chain(guard.each.as_ref().map(|each| &each.over));
    let all = written.flat_map(|expression| expressions::with_lets(linted.spec, expression));
    all.flat_map(Expression::tools_asked).map(str::to_owned).collect()
}
