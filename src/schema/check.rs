//! The one pass over a call's arguments: every keyword checked, every slot filled.
//!
//! The same walk serves two readers. [`Fast`] only wants to know whether all is well, allocates nothing and stops at the
//! first failure; [`Explain`] runs after a failure and collects every problem with its path. There is one set of
//! rules, so the two cannot disagree.

use super::problem::{ArgProblem, Failure, MOST, under};
use super::{Additional, Bound, Choices, ListRules, Node, NumberRules, ObjectRules, Slot, TextRules, TypeSet};
use crate::decimal::Decimal;
use crate::value::{Object, Value, compare_keys};

/// Where a walk reports to.
pub(super) trait Sink<'v> {
    /// Whether the walk may end at the first failure.
    const STOPS: bool;
    fn bind(&mut self, slot: Slot, value: &'v Value<'v>);
    fn enter_key(&mut self, key: &str);
    fn enter_item(&mut self, at: usize);
    fn leave(&mut self);
    fn fail(&mut self, failure: &Failure<'_>, value: &Value<'_>);
}

/// Fills slots, explains nothing.
pub(super) struct Fast<'b, 'v>(pub(super) &'b mut Bound<'v>);

impl<'v> Sink<'v> for Fast<'_, 'v> {
    const STOPS: bool = true;
    #[inline]
    fn bind(&mut self, slot: Slot, value: &'v Value<'v>) {
        self.0.set(slot, value);
    }
    #[inline]
    fn enter_key(&mut self, _: &str) {}
    #[inline]
    fn enter_item(&mut self, _: usize) {}
    #[inline]
    fn leave(&mut self) {}
    #[inline]
    fn fail(&mut self, _: &Failure<'_>, _: &Value<'_>) {}
}

/// Only asks whether a value fits: branches of `anyOf` and `oneOf`.
struct Probe;

impl<'v> Sink<'v> for Probe {
    const STOPS: bool = true;
    fn bind(&mut self, _: Slot, _: &'v Value<'v>) {}
    fn enter_key(&mut self, _: &str) {}
    fn enter_item(&mut self, _: usize) {}
    fn leave(&mut self) {}
    fn fail(&mut self, _: &Failure<'_>, _: &Value<'_>) {}
}

/// Collects problems, up to [`MOST`].
#[derive(Default)]
pub(super) struct Explain {
    pub(super) problems: Vec<ArgProblem>,
    path: String,
    ends: Vec<usize>,
}

impl<'v> Sink<'v> for Explain {
    const STOPS: bool = false;
    fn bind(&mut self, _: Slot, _: &'v Value<'v>) {}
    fn enter_key(&mut self, key: &str) {
        self.ends.push(self.path.len());
        self.path = under(&self.path, key);
    }
    fn enter_item(&mut self, at: usize) {
        self.ends.push(self.path.len());
        self.path.push_str(&format!("[{at}]"));
    }
    fn leave(&mut self) {
        self.path.truncate(self.ends.pop().unwrap_or(0));
    }
    fn fail(&mut self, failure: &Failure<'_>, value: &Value<'_>) {
        if self.problems.len() >= MOST {
            return;
        }
        let path = match failure {
            Failure::Missing(key) | Failure::Unknown(key, _) => under(&self.path, key),
            _ => self.path.clone(),
        };
        let message = failure.message(&self.path, value);
        self.problems.push(ArgProblem { path, code: failure.code(), message });
    }
}

/// True if the value satisfies the schema.
pub(super) fn fits(node: &Node, value: &Value<'_>) -> bool {
    walk(node, value, &mut Probe)
}

/// The problems of the value that is called `path`.
pub(super) fn explain(node: &Node, value: &Value<'_>, path: &str) -> Vec<ArgProblem> {
    let mut sink = Explain { path: path.into(), ..Explain::default() };
    walk(node, value, &mut sink);
    sink.problems
}

/// Checks one value against one schema; true if nothing failed.
pub(super) fn walk<'v, S: Sink<'v>>(node: &Node, value: &'v Value<'v>, sink: &mut S) -> bool {
    if !node.declared.accepts(value) {
        return fail(sink, &Failure::Type(node.types), value);
    }
    if let Some(slot) = node.slot {
        sink.bind(slot, value);
    }
    let good = match value {
        Value::String(text) => node.text.as_deref().is_none_or(|rules| check_text(rules, text, value, sink)),
        Value::Number(number) => node.number.as_deref().is_none_or(|rules| check_number(rules, number, value, sink)),
        Value::Array(items) => node.list.as_deref().is_none_or(|rules| check_list(rules, items, value, sink)),
        Value::Object(object) => node.object.as_deref().is_none_or(|rules| check_object(rules, object, value, sink)),
        Value::Null | Value::Bool(_) => true,
    };
    if node.is_simple() || (S::STOPS && !good) {
        return good;
    }
    good & node.choices.as_deref().is_none_or(|choices| check_choices(choices, value, sink))
        & check_forms(node, value, sink)
}

/// Reports and says no.
#[cold]
fn fail<'v, S: Sink<'v>>(sink: &mut S, failure: &Failure<'_>, value: &Value<'_>) -> bool {
    sink.fail(failure, value);
    false
}

/// True, or the failure reported.
fn demand<'v, S: Sink<'v>>(holds: bool, failure: &Failure<'_>, value: &Value<'_>, sink: &mut S) -> bool {
    holds || fail(sink, failure, value)
}

fn check_text<'v, S: Sink<'v>>(rules: &TextRules, text: &str, value: &Value<'_>, sink: &mut S) -> bool {
    let mut good = true;
    if let Some(min) = rules.min {
        good &= demand(!shorter(text, min), &Failure::MinLength(min), value, sink);
    }
    if let Some(max) = rules.max {
        good &= demand(!longer(text, max), &Failure::MaxLength(max), value, sink);
    }
    if let Some(pattern) = &rules.pattern {
        good &= demand(pattern.regex.is_match(text), &Failure::Pattern(&pattern.source), value, sink);
    }
    if let Some(format) = rules.format {
        good &= demand(format.matches(text), &Failure::Format(format), value, sink);
    }
    good
}

/// True if the text has fewer than `min` characters.
fn shorter(text: &str, min: u64) -> bool {
    let Ok(min) = usize::try_from(min) else { return true };
    text.len() < min || (text.len() < min.saturating_mul(4) && text.chars().count() < min)
}

/// True if the text has more than `max` characters.
fn longer(text: &str, max: u64) -> bool {
    let Ok(max) = usize::try_from(max) else { return false };
    text.len() > max && text.chars().nth(max).is_some()
}

fn check_number<'v, S: Sink<'v>>(rules: &NumberRules, number: &Decimal, value: &Value<'_>, sink: &mut S) -> bool {
    let mut good = true;
    if let Some(min) = &rules.min {
        good &= demand(number >= min, &Failure::Minimum(min), value, sink);
    }
    if let Some(max) = &rules.max {
        good &= demand(number <= max, &Failure::Maximum(max), value, sink);
    }
    if let Some(min) = &rules.above {
        good &= demand(number > min, &Failure::Above(min), value, sink);
    }
    if let Some(max) = &rules.below {
        good &= demand(number < max, &Failure::Below(max), value, sink);
    }
    if let Some(step) = &rules.multiple_of {
        good &= demand(number.is_multiple_of(step), &Failure::MultipleOf(step), value, sink);
    }
    good
}

fn check_list<'v, S: Sink<'v>>(rules: &ListRules, items: &'v [Value<'v>], value: &'v Value<'v>, sink: &mut S) -> bool {
    let length = u64::try_from(items.len()).unwrap_or(u64::MAX);
    let mut good = true;
    if let Some(min) = rules.min {
        good &= demand(length >= min, &Failure::MinItems(min), value, sink);
    }
    if let Some(max) = rules.max {
        good &= demand(length <= max, &Failure::MaxItems(max), value, sink);
    }
    if let Some(node) = &rules.items {
        for (at, item) in items.iter().enumerate() {
            sink.enter_item(at);
            good &= walk(node, item, sink);
            sink.leave();
            if S::STOPS && !good {
                return false;
            }
        }
    }
    if rules.unique
        && let Some((first, second)) = super::order::repeated(items)
    {
        good &= fail(sink, &Failure::Unique(first, second), value);
    }
    good
}

/// Walks the members and the declared properties side by side: both are sorted by name.
fn check_object<'v, S: Sink<'v>>(
    rules: &ObjectRules,
    object: &'v Object<'v>,
    whole: &'v Value<'v>,
    sink: &mut S,
) -> bool {
    let mut good = true;
    let mut properties = rules.properties.iter();
    let mut next = properties.next();
    for (key, value) in object.members() {
        while let Some(property) = next
            && property.name.as_str() != key
            && compare_keys(&property.name, key).is_lt()
        {
            good &= demand(!property.required, &Failure::Missing(&property.name), whole, sink);
            next = properties.next();
        }
        good &= match next {
            Some(property) if property.name.as_str() == key => {
                next = properties.next();
                enter(&property.node, key, value, sink)
            }
            _ => check_extra(rules, key, value, whole, sink),
        };
        if S::STOPS && !good {
            return false;
        }
    }
    for property in next.into_iter().chain(properties) {
        good &= demand(!property.required, &Failure::Missing(&property.name), whole, sink);
    }
    for name in &rules.also_required {
        good &= demand(object.get(name).is_some(), &Failure::Missing(name), whole, sink);
    }
    good
}

fn enter<'v, S: Sink<'v>>(node: &Node, key: &str, value: &'v Value<'v>, sink: &mut S) -> bool {
    sink.enter_key(key);
    let good = walk(node, value, sink);
    sink.leave();
    good
}

fn check_extra<'v, S: Sink<'v>>(
    rules: &ObjectRules,
    key: &str,
    value: &'v Value<'v>,
    whole: &'v Value<'v>,
    sink: &mut S,
) -> bool {
    match &rules.additional {
        Additional::Open => true,
        Additional::Closed => fail(sink, &Failure::Unknown(key, rules), whole),
        Additional::Each(node) => enter(node, key, value, sink),
    }
}

fn check_choices<'v, S: Sink<'v>>(choices: &Choices, value: &Value<'_>, sink: &mut S) -> bool {
    let known = match value {
        Value::String(text) => choices.strings.binary_search_by(|known| known.as_str().cmp(text)).is_ok(),
        other => choices.values.iter().any(|choice| choice == other),
    };
    demand(known, &Failure::Choice(&choices.values), value, sink)
}

/// `anyOf` and `oneOf`.
fn check_forms<'v, S: Sink<'v>>(node: &Node, value: &'v Value<'v>, sink: &mut S) -> bool {
    let mut good = true;
    if let Some(forms) = &node.any_of {
        good &=
            forms.iter().any(|form| fits(form, value)) || explain_form(forms, value, &Failure::AnyOf(node.types), sink);
    }
    if let Some(forms) = &node.one_of {
        let fitting = forms.iter().filter(|form| fits(form, value)).count();
        good &= fitting == 1 || explain_form(forms, value, &Failure::OneOf(fitting), sink);
    }
    good
}

/// If only one form allows the value's type, what fails in that form is the useful message.
fn explain_form<'v, S: Sink<'v>>(forms: &[Node], value: &'v Value<'v>, failure: &Failure<'_>, sink: &mut S) -> bool {
    let mut likely = forms.iter().filter(|form| form.types.accepts(value));
    match (likely.next(), likely.next(), failure) {
        (Some(form), None, Failure::AnyOf(_) | Failure::OneOf(0)) if !S::STOPS => walk(form, value, sink),
        (None, _, Failure::AnyOf(_) | Failure::OneOf(0)) => {
            let types = forms.iter().fold(TypeSet::NONE, |sum, form| sum.or(form.types));
            fail(sink, &Failure::Type(types), value)
        }
        _ => fail(sink, failure, value),
    }
}
