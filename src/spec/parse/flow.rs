//! `flow`: which call comes before which.

use super::Parser;
use crate::decode::Fields;
use crate::guards::Rule;
use crate::guards::requires_before::{Requires, decode_patterns, decode_same, decode_within};
use crate::source::Spanned;
use crate::spec::EdgeSpec;
use crate::spec::shapes::EDGE;
use crate::tool::{Effect, Pattern, Selector};
use crate::value::{Object, Value};
use crate::yaml::Node;
use std::sync::Arc;

impl Parser<'_, '_> {
    pub(super) fn edges(&mut self, fields: &Fields<'_>) -> Vec<EdgeSpec> {
        let items = fields.get("flow").map(|node| self.decoder.list(node)).unwrap_or_default();
        items.iter().filter_map(|item| self.edge(item)).collect()
    }

    fn edge(&mut self, node: &Node) -> Option<EdgeSpec> {
        let fields = self.decoder.open(node, &EDGE)?;
        let id = self.id(&fields);
        let mut selection = self.selection(&fields, "to");
        let correction = self.template(&fields, "correction");
        let before = self.decoder.problems();
        let from = fields.get("from");
        let from = from.map(|node| decode_patterns(&mut self.decoder, node, "name a tool")).unwrap_or_default();
        let same = fields.get("same").and_then(|node| decode_same(&mut self.decoder, node)).unwrap_or_default();
        let within = fields.get("within").and_then(|node| decode_within(&mut self.decoder, node));
        let empty_counts = fields.get("emptyCounts").and_then(|node| self.decoder.bool(node)).unwrap_or(false);
        let is_fresh = fields.get("fresh").and_then(|node| self.decoder.bool(node)).unwrap_or(false);
        if from.is_empty() || self.decoder.problems() > before {
            return None;
        }
        spare_named(&from, &mut selection.selector);
        let fresh =
            is_fresh.then(|| Selector { effects: vec![Effect::Write, Effect::External], ..selection.selector.clone() });
        let rule: Arc<dyn Rule> = Arc::new(Requires { deps: vec![from], same, within, empty_counts, fresh });
        let written = self.written_edge(node, &rule)?;
        Some(EdgeSpec { id: id?, selection, rule, written, correction })
    }

    /// The edge in its one spelling, for the effective spec.
    fn written_edge(&mut self, node: &Node, rule: &Arc<dyn Rule>) -> Option<Value<'static>> {
        let Value::Object(parameters) = rule.parameters() else { return None };
        let Some(Value::Object(mut edge)) = self.decoder.value(node) else { return None };
        for key in ["same", "within", "fresh", "emptyCounts"] {
            edge.remove(key);
            if let Some(value) = parameters.get(key) {
                edge.insert(key.into(), value.clone());
            }
        }
        let mut spelled = Object::new();
        for (key, value) in edge.iter() {
            let value = if ["from", "to", "except"].contains(&key) { names(value) } else { value.clone() };
            spelled.insert(key.to_owned().into(), value);
        }
        Some(spelled.into())
    }
}

/// A tool that `from` names does not wait for itself because a glob of `to` takes it in.
fn spare_named(from: &[Spanned<Pattern>], to: &mut Selector) {
    let named = from.iter().map(|pattern| &pattern.value).filter(|pattern| pattern.is_exact());
    let spared: Vec<Pattern> = named.filter(|pattern| !to.tools.contains(pattern)).cloned().collect();
    to.except.extend(spared);
}

/// Tool patterns in their one spelling, always as a list.
fn names(value: &Value<'_>) -> Value<'static> {
    let one = |value: &Value<'_>| Value::from(Pattern::selector(value.as_str().unwrap_or_default()).text().to_owned());
    match value {
        Value::Array(items) => Value::Array(items.iter().map(one).collect()),
        one_name => Value::Array(vec![one(one_name)]),
    }
}
