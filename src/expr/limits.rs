//! What a condition says of one argument, where it says nothing else, so that several conditions can be tested as one.
//!
//! Only plain comparisons with constants are told; what is not told here is evaluated as ever.

use super::ast::Operator;
use super::program::{Node, Program, Set};
use crate::decimal::Decimal;
use crate::schema::Slot;
use crate::value::Value;

/// A bound on an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    AtLeast(Decimal),
    MoreThan(Decimal),
    AtMost(Decimal),
    LessThan(Decimal),
    OneOf(Vec<Value<'static>>),
    NoneOf(Vec<Value<'static>>),
}

impl Program {
    /// The one argument it is about, and its bounds: where the argument is there, not null, and within all of them,
    /// the condition holds. Where it is not, this tells nothing.
    pub(crate) fn limits(&self) -> Option<(Slot, Vec<Limit>)> {
        let parts = match &self.node {
            Node::And(parts) => &**parts,
            node => std::slice::from_ref(node),
        };
        let limits: Vec<(Slot, Limit)> = parts.iter().map(limit).collect::<Option<_>>()?;
        let slot = limits.first()?.0;
        let is_one = limits.iter().all(|(other, _)| *other == slot);
        is_one.then(|| (slot, limits.into_iter().map(|(_, limit)| limit).collect()))
    }
}

fn limit(node: &Node) -> Option<(Slot, Limit)> {
    match node {
        Node::CompareNumber { left, operator, number } => Some((slot(left)?, compared(*operator, *number)?)),
        Node::EqualText { left, text, negated } => {
            Some((slot(left)?, listed(vec![Value::from(text.as_ref().to_owned())], *negated)))
        }
        Node::InSet { left, set } => Some((slot(left)?, listed(values(set), false))),
        Node::Not(inner) => match &**inner {
            Node::InSet { left, set } => Some((slot(left)?, listed(values(set), true))),
            _ => None,
        },
        _ => None,
    }
}

fn slot(node: &Node) -> Option<Slot> {
    if let Node::Slot(slot, _) = node { Some(*slot) } else { None }
}

/// Whatever is no number is missing under `!=`, so that is no bound.
fn compared(operator: Operator, number: Decimal) -> Option<Limit> {
    match operator {
        Operator::Less => Some(Limit::LessThan(number)),
        Operator::LessOrEqual => Some(Limit::AtMost(number)),
        Operator::Greater => Some(Limit::MoreThan(number)),
        Operator::GreaterOrEqual => Some(Limit::AtLeast(number)),
        _ => None,
    }
}

fn listed(values: Vec<Value<'static>>, negated: bool) -> Limit {
    if negated { Limit::NoneOf(values) } else { Limit::OneOf(values) }
}

/// The values of a set but null, which no bound is about.
fn values(set: &Set) -> Vec<Value<'static>> {
    let texts = set.texts.iter().map(|text| Value::from(text.as_ref().to_owned()));
    let numbers = set.numbers.iter().copied().map(Value::Number);
    let truths = [set.has_true.then_some(true), set.has_false.then_some(false)];
    texts.chain(numbers).chain(truths.into_iter().flatten().map(Value::Bool)).collect()
}
