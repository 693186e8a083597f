//! `unanchored-pattern`: a pattern that is meant to describe a whole text, and is only searched in it.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule, checks, expressions};
use crate::source::{Sources, Span};
use crate::tool::Effect;
use crate::yaml::{Data, Node, Style};
use regex_syntax::hir::{HirKind, Look, LookSet};
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    code: "F674",
    name: "unanchored-pattern",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a pattern without `^` at its beginning or `$` at its end: in `args.x.matches('…')` where a check requires it, and in
`pattern` of the arguments of a tool that writes. Each alternative needs both, so `^a|b$` is found too. A side on which `.*`
stands is taken as meant, and so is a pattern of one character.

## Why
A pattern is searched for. `ORD-[0-9]+` is found in `x'; DROP TABLE ORD-1`, so whatever stands around a match gets through.

## Example
```yaml
ticket: {type: string, pattern: 'T-[0-9]+'}
check: args.room.matches('^[A-Z][0-9]{2}')
```

## Use instead
```yaml
ticket: {type: string, pattern: '^T-[0-9]+$'}
check: args.room.matches('^[A-Z][0-9]{2}$')
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for guard in &linted.spec.guards {
        let Some(check) = checks::of(linted, guard) else { continue };
        // A check that is a let requires what that says.
        let named = check.path().filter(|path| path.steps.is_empty());
        let named = named.and_then(|path| expressions::named(linted.spec, &path.root));
        let check = named.map_or(check, |named| named.value.clone());
        let over = guard.each.as_ref().filter(|each| each.over.is_argument());
        let element = over.and_then(|each| each.variables.last()).map(|name| name.value.as_str());
        for search in check.required_searches(element.as_slice()) {
            let what = format!(" in `{}`", search.text);
            let inner = inside_quotes(linted.sources, search.span, search.pattern);
            found.extend(problem(&what, search.pattern, search.span, inner));
        }
    }
    let mut seen = BTreeSet::new();
    for tool in linted.spec.tools.iter().filter(|tool| tool.effect != Effect::Read) {
        if let Some(parameters) = &tool.parameters {
            schema(linted, &parameters.node, &mut seen, found);
        }
    }
}

/// Where the pattern stands between quotes letter for letter.
fn inside_quotes(sources: &Sources, span: Span, pattern: &str) -> Option<Span> {
    let inner = Span { start: span.start.saturating_add(1), end: span.end.saturating_sub(1), ..span };
    (sources.slice(inner) == pattern).then_some(inner)
}

/// The patterns of a schema and of those inside it or named by it, each once.
fn schema(linted: &Linted<'_>, node: &Node, seen: &mut BTreeSet<Span>, found: &mut Vec<Diagnostic>) {
    let Data::Map(entries) = &node.data else { return };
    if !seen.insert(node.span) {
        return;
    }
    for entry in entries {
        match (&*entry.key, &entry.value.data) {
            ("pattern", Data::Text(pattern)) if linted.is_own(entry.value.span) => {
                let inner = entry.value.verbatim(linted.sources).filter(|_| entry.value.style != Style::Block);
                found.extend(problem("", pattern, entry.value.span, inner));
            }
            ("$ref", Data::Text(name)) => {
                let named = name.strip_prefix("#/$defs/").and_then(|name| linted.node(&["$defs", name]));
                named.into_iter().for_each(|named| schema(linted, named, seen, found));
            }
            ("properties" | "patternProperties" | "$defs", Data::Map(schemas)) => {
                schemas.iter().for_each(|one| schema(linted, &one.value, seen, found));
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Data::List(schemas)) => {
                schemas.iter().for_each(|one| schema(linted, one, seen, found));
            }
            ("items" | "additionalProperties" | "propertyNames", _) => schema(linted, &entry.value, seen, found),
            _ => {}
        }
    }
}

fn problem(what: &str, pattern: &str, span: Span, inner: Option<Span>) -> Option<Diagnostic> {
    let open = Sides::of(pattern)?;
    let (lacks, place) = match (open.start, open.end) {
        (true, true) => ("`^` at its beginning and `$` at its end", "anything may stand around a match"),
        (true, false) => ("`^` at its beginning", "anything may stand before a match"),
        (false, true) => ("`$` at its end", "anything may stand behind a match"),
        (false, false) => return None,
    };
    let each = if open.has_alternatives { ", for each of its alternatives" } else { "" };
    let problem = RULE.at(span, format!("{place} of this pattern{what}"));
    let problem = problem.help(format!("it lacks {lacks}{each}"));
    let inner = inner.filter(|_| !pattern.contains("(?"));
    let Some(inner) = inner else { return Some(problem) };
    let bare =
        if open.has_alternatives { format!("(?:{})", unanchored(pattern)) } else { unanchored(pattern).to_owned() };
    let starts = if open.start || pattern.starts_with(['^']) { "^" } else { "" };
    let ends = if open.end || pattern.ends_with('$') { "$" } else { "" };
    Some(problem.edit(inner, format!("{starts}{bare}{ends}")))
}

/// A pattern without the anchors at its two ends.
fn unanchored(pattern: &str) -> &str {
    let pattern = pattern.strip_prefix('^').unwrap_or(pattern);
    pattern.strip_suffix('$').filter(|rest| !rest.ends_with('\\')).unwrap_or(pattern)
}

/// True if `|` stands outside of all parentheses and classes.
fn has_alternatives(pattern: &str) -> bool {
    let (mut depth, mut is_class, mut letters) = (0_usize, false, pattern.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => _ = letters.next(),
            '[' => is_class = true,
            ']' => is_class = false,
            '(' if !is_class => depth = depth.saturating_add(1),
            ')' if !is_class => depth = depth.saturating_sub(1),
            '|' if !is_class && depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// On which sides a match need not end where the text does.
struct Sides {
    start: bool,
    end: bool,
    has_alternatives: bool,
}

impl Sides {
    /// `None` for a pattern of which nobody can tell, or that says that some character is there.
    fn of(pattern: &str) -> Option<Sides> {
        let hir = regex_syntax::parse(pattern).ok()?;
        let is_one_character = match hir.kind() {
            HirKind::Class(_) => true,
            HirKind::Literal(literal) => std::str::from_utf8(&literal.0).is_ok_and(|text| text.chars().count() == 1),
            _ => false,
        };
        if is_one_character {
            return None;
        }
        let properties = hir.properties();
        let lacks = |set: LookSet, look| !set.contains(look);
        let has_alternatives = has_alternatives(pattern);
        Some(Sides {
            start: lacks(properties.look_set_prefix(), Look::Start) && !pattern.starts_with(".*"),
            end: lacks(properties.look_set_suffix(), Look::End) && !pattern.ends_with(".*"),
            has_alternatives,
        })
    }
}
