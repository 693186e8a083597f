//! What the author wrote for models to read, each text with its place.
//!
//! Only texts of the spec's own file: what a contract or a pack says is shared, and speaks of more tools than these.

use super::Linted;
use crate::expr::Template;
use crate::source::{Span, Spanned};
use crate::spec::EdgeSpec;

/// A text that models read.
pub(super) struct Written<'l> {
    /// What it is.
    pub(super) role: Role,
    /// The text as it is written, values in braces.
    pub(super) text: &'l str,
    /// Where it stands.
    pub(super) span: Span,
}

/// What a text is.
#[derive(Clone, Copy)]
pub(super) enum Role {
    /// Teaches a guard's rule.
    Prose,
    /// Says what to do instead.
    Correction,
    /// How the agent goes about its work: a line of `behavior`, or a rule.
    Conduct,
    /// Anything else.
    Other,
}

/// Every text that models read, in no order that means anything.
pub(super) fn texts<'l>(linted: &'l Linted<'_>) -> Vec<Written<'l>> {
    let spec = linted.spec;
    let mut found = Vec::new();
    for guard in &spec.guards {
        found.extend(of_entry(linted, guard.id.span, "prose", guard.prose.as_ref(), Role::Prose));
        found.extend(of_entry(linted, guard.id.span, "correction", guard.correction.as_ref(), Role::Correction));
    }
    for EdgeSpec { id, correction, .. } in &spec.flow {
        found.extend(of_entry(linted, id.span, "correction", correction.as_ref(), Role::Correction));
    }
    let mut add = |role, texts: &mut dyn Iterator<Item = &'l Spanned<Template>>| {
        found.extend(texts.map(|text| Written { role, text: text.value.text(), span: text.span }));
    };
    let (words, lane) = (&spec.words, spec.lane.as_ref());
    add(Role::Conduct, &mut spec.behavior.iter().chain(&words.rules));
    let others = lane.into_iter().flat_map(|lane| &lane.others);
    let of_lane = lane.map(|lane| &lane.lane).into_iter().chain(others.flat_map(|other| [&other.label, &other.covers]));
    let shared = words.voice.iter().chain(&words.facts).chain(&words.language);
    let directives = spec.directives.iter().map(|directive| &directive.say);
    add(Role::Other, &mut std::iter::once(&spec.persona).chain(of_lane).chain(shared).chain(directives));
    for named in &spec.lets {
        let text = named.missing.as_ref().map(Template::text);
        let node = linted.node(&["let", &named.name.value, "missing"]);
        found.extend(text.zip(node).map(|(text, node)| Written { role: Role::Correction, text, span: node.span }));
    }
    found.retain(|written| linted.is_own(written.span));
    found
}

/// A text of an entry with an id, where the entry itself has it and not its kind.
fn of_entry<'l>(
    linted: &Linted<'_>,
    id: Span,
    key: &str,
    text: Option<&'l Template>,
    role: Role,
) -> Option<Written<'l>> {
    let node = linted.entry(id)?.get(key)?;
    Some(Written { role, text: text?.text(), span: node.span })
}
