//! One rule as one sentence: the prose of its kind with what its author said beside it, or the author's own.

use crate::expr::{Expression, Template};
use crate::guards::max_calls::Limit;
use crate::guards::{Firing, Hook};
use crate::spec::{Action, By, EdgeSpec, GuardSpec, Selection, Spec, Terms};
use crate::text::{capitalised, joined};
use crate::tool::Pattern;

/// Texts of constants as what they come to.
pub(super) type Constant<'c> = &'c mut dyn FnMut(&Template) -> String;

/// Where a rule is told, which decides what it must say of whom it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told<'t> {
    /// In the prompt, to whatever tool.
    Everywhere,
    /// On the card of one tool.
    OnCard(&'t str),
}

/// What a guard teaches; `None` for one that only watches, or lifts without a word.
pub(super) fn of_guard(spec: &Spec, guard: &GuardSpec, told: Told<'_>, constant: Constant<'_>) -> Option<String> {
    match (&guard.prose, guard.action) {
        (_, Action::Audit) => None,
        (Some(prose), _) => Some(constant(prose)),
        (None, Action::Allow) => None,
        (None, _) => {
            let rule = guard.rule.as_ref()?;
            let prose = match rule.limit() {
                Some(limit) => of_limit(spec, guard, limit, told),
                None => rule.prose_where(firing(guard)),
            };
            Some(qualified(guard, &prose, told))
        }
    }
}

/// What becomes of what a guard stops.
fn firing(guard: &GuardSpec) -> Firing {
    match (guard.hook, guard.action, guard.by) {
        (Hook::OnInput, ..) => Firing::RefusesTurn,
        (_, Action::Deny, _) => Firing::Denies,
        (_, Action::Ask, By::User) => Firing::AsksUser,
        (_, Action::Ask, By::Approver) => Firing::AsksApprover,
        (_, Action::Warn | Action::Audit | Action::Allow, _) => Firing::Warns,
    }
}

/// A count of calls speaks of its tool, unless it counts more than one.
fn of_limit(spec: &Spec, guard: &GuardSpec, limit: Limit, told: Told<'_>) -> String {
    let rule = guard.rule.as_ref().map(|rule| rule.prose()).unwrap_or_default();
    match told {
        Told::OnCard(_) if spec.selected(&guard.selection).count() < 2 => rule,
        _ => {
            let terms = Terms::of(limit, crate::spec::OnSpent::Deny);
            super::budget::words(spec, &terms, &guard.selection, told)
        }
    }
}

/// The prose of a kind, with what stands beside it: whom it is about, when, for each of what, and whether one can ask.
fn qualified(guard: &GuardSpec, prose: &str, told: Told<'_>) -> String {
    let mut text = String::new();
    if told == Told::Everywhere && guard.rule.as_ref().is_none_or(|rule| rule.limit().is_none()) {
        text.push_str(&about(&guard.selection));
    }
    if let Some(each) = &guard.each {
        text.push_str(&format!("for each `{}`: ", each.text()));
    }
    if let Some(when) = &guard.when {
        text.push_str(&format!("where `{}`: ", when.text()));
    }
    text.push_str(prose);
    // A kind that asks says itself who is asked.
    let says_who = guard.rule.as_ref().is_some_and(|rule| rule.asks_user());
    match (guard.action, guard.by) {
        _ if says_who => {}
        (Action::Ask, By::User) => text.push_str("; otherwise the user is asked first"),
        (Action::Ask, By::Approver) => text.push_str("; otherwise somebody who may approve it is asked first"),
        _ => {}
    }
    text
}

/// What `approvals.require` teaches, and a profile.
pub(super) fn of_required(selection: &Selection) -> String {
    format!("{}a call waits until somebody who may approve it has done so", about(selection))
}

/// An expression in a sentence: an argument by its name alone.
pub(super) fn shown(expression: &Expression) -> String {
    let text = expression.text();
    match text.strip_prefix("args.") {
        Some(name) if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.".contains(&byte)) => {
            format!("`{name}`")
        }
        _ => format!("`{text}`"),
    }
}

/// What a flow edge teaches.
pub(super) fn of_edge(edge: &EdgeSpec) -> String {
    let selector = &edge.selection.selector;
    let to: Vec<String> = selector.tools.iter().map(quoted).collect();
    let before: Vec<Pattern> = edge.rule.requires().into_iter().flatten().collect();
    let spared = selector.except.iter().filter(|pattern| !before.contains(pattern)).map(quoted).collect::<Vec<_>>();
    let spared = if spared.is_empty() { String::new() } else { format!(" (not {})", joined(&spared, "and")) };
    format!("{}{spared} {}", joined(&to, "and"), edge.rule.prose())
}

/// Whom a rule that names no declared tool is about, as the head of a sentence.
pub(super) fn about(selection: &Selection) -> String {
    let selector = &selection.selector;
    let tools: Vec<String> = selector.tools.iter().filter(|pattern| !is_every(pattern)).map(quoted).collect();
    let effects: Vec<String> = selector.effects.iter().map(|effect| format!("`{}`", effect.name())).collect();
    let except: Vec<String> = selector.except.iter().map(quoted).collect();
    let mut parts = Vec::new();
    if !tools.is_empty() {
        parts.push(joined(&tools, "and"));
    } else if !effects.is_empty() || !except.is_empty() {
        parts.push("every tool".to_owned());
    }
    if !effects.is_empty() {
        parts.push(format!("with the effect {}", joined(&effects, "or")));
    }
    if !except.is_empty() {
        parts.push(format!("but {}", joined(&except, "and")));
    }
    if parts.is_empty() { String::new() } else { format!("for {}: ", parts.join(" ")) }
}

pub(super) fn is_every(pattern: &Pattern) -> bool {
    *pattern == Pattern::selector("*")
}

pub(super) fn quoted(pattern: &Pattern) -> String {
    format!("`{pattern}`")
}

/// A sentence as every line of a prompt has it: one line, a capital, one full stop.
pub(super) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut out = String::with_capacity(text.len().saturating_add(1));
    if text.contains("  ") || text.contains(|letter: char| letter.is_whitespace() && letter != ' ') {
        for word in text.split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
        }
    } else {
        out.push_str(text);
    }
    out.truncate(out.trim_end_matches(['.', ';', ' ']).len());
    if out.starts_with(char::is_lowercase) {
        out = capitalised(&out);
    }
    if !out.ends_with(['!', '?', ':', '…']) {
        out.push('.');
    }
    out
}

/// True if two lines are two spellings of one sentence.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    match one.is_ascii() && other.is_ascii() {
        true => one.eq_ignore_ascii_case(other),
        false => one.to_lowercase() == other.to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_one_line_one_capital_and_one_full_stop() {
        let cases = [
            ("never twice", "Never twice."),
            ("  a rule.  ", "A rule."),
            ("one;\n two.;", "One; two."),
            ("`amount` at most 5", "`amount` at most 5."),
            ("is it so?", "Is it so?"),
            ("écrire en français", "Écrire en français."),
        ];
        for (text, wanted) in cases {
            assert_eq!(sentence(text), wanted);
        }
        assert!(is_same(&sentence("Never  TWICE."), &sentence("never twice")));
        assert!(is_same("ÉCRIRE.", "Écrire."));
        assert!(!is_same("Never twice.", "Never thrice."));
    }
}
