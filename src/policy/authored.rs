//! What the author tells the agent besides its tools: a reply may repeat the figures in it.
//!
//! Tools are left out, for a model takes an example in the description of an argument for a value.

use crate::expr::Template;
use crate::spec::Spec;
use crate::value::Value;

/// The constants, and every text and number of contract and spec that the model is taught or corrected with.
pub(super) fn authored(spec: &Spec) -> Vec<Value<'_>> {
    let words = &spec.words;
    let shared = words.voice.iter().chain(&words.rules).chain(&words.facts).map(|text| &text.value);
    let lane = spec.lane.iter().flat_map(|lane| {
        let others = lane.others.iter().flat_map(|other| [&other.label.value, &other.covers.value]);
        others.chain([&lane.lane.value])
    });
    let own = spec.behavior.iter().chain([&spec.persona]).map(|text| &text.value);
    let directives = spec.directives.iter().map(|directive| &directive.say.value);
    let of_guards =
        spec.guards.iter().flat_map(|guard| [&guard.prose, &guard.correction, &guard.public_reason]).flatten();
    let of_edges = spec.flow.iter().filter_map(|edge| edge.correction.as_ref());
    let templates = shared.chain(lane).chain(own).chain(directives).chain(of_guards).chain(of_edges);
    let texts = templates.map(|template: &Template| Value::from(template.text()));
    let rules = spec.guards.iter().filter_map(|guard| guard.rule.as_ref()).map(|rule| rule.parameters());
    let budgets = spec.budgets.iter().map(|budget| Value::Number(budget.terms.max));
    [spec.params.clone()].into_iter().chain(texts).chain(rules).chain(budgets).collect()
}
