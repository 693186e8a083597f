//! What a program reads, for whoever asks why it came out as it did: paths, lets and earlier calls, each with its value,
//! and the one change with which a plain comparison would hold.
//!
//! Nothing here is evaluated before a call is explained.

use super::ast::Operator;
use super::evaluate::{Evaluation, evaluate};
use super::program::{Chain, Node, Program, Root, Set};
use crate::value::Value;

/// A path, a let or an earlier call, and what stood there, or why nothing did.
pub type Reading = (String, Result<Value<'static>, &'static str>);

impl Program {
    /// What it reads of the call and the session, in the order in which it is written; not what it reads of elements.
    #[must_use]
    pub fn reads(&self, evaluation: &mut Evaluation<'_>) -> Vec<Reading> {
        let mut nodes = Vec::new();
        collect(&self.node, &mut nodes);
        let mut reads: Vec<Reading> = Vec::new();
        for node in nodes {
            let what = node.what().trim_matches('`').to_owned();
            if !reads.iter().any(|(known, _)| *known == what) {
                reads.push((what, evaluation.told(node)));
            }
        }
        reads
    }

    /// The change of the one thing that a plain comparison reads with which it holds: what it reads, and what to write.
    #[must_use]
    pub fn flip(&self, evaluation: &mut Evaluation<'_>) -> Option<String> {
        let (node, wanted) = wish(&self.node)?;
        Some(match evaluation.told(node) {
            Err(STALE) => "the world, sent again".to_owned(),
            Err(why) => format!("{} {why} → {wanted}", node.what()),
            Ok(value) => format!("{} {} → {wanted}", node.what(), crate::text::shown(&value)),
        })
    }
}

impl Evaluation<'_> {
    /// The value of a node, for people.
    fn told(&mut self, node: &Node) -> Result<Value<'static>, &'static str> {
        self.refuel();
        let value = evaluate(node, self).ok().and_then(|value| value.to_value());
        let is_old = || self.context.world_is_stale && reads(node, &|node| matches!(node, Node::Root(Root::World)));
        value.ok_or_else(|| if is_old() { STALE } else { "absent" })
    }
}

/// Why nothing is read of a world that a write may have changed.
const STALE: &str = "not known since the last write";

/// The nodes that read something by name, without those that read of elements.
fn collect<'n>(node: &'n Node, out: &mut Vec<&'n Node>) {
    let asks_by_keys = matches!(node, Node::Done { .. } | Node::Count { .. });
    let names = matches!(
        node,
        Node::Slot(..) | Node::Let(..) | Node::Path { .. } | Node::Index { .. } | Node::Recall { .. } | Node::Root(_)
    );
    let is_whole = matches!(
        node,
        Node::Root(Root::Args | Root::Declared | Root::Result | Root::Reply | Root::World | Root::Session)
    );
    let is_told = (names || asks_by_keys) && !is_whole && !reads_element(node);
    if is_told {
        out.push(node);
    }
    if !is_told || asks_by_keys {
        children(node, &mut |child| collect(child, out));
    }
}

/// True if the node reads of an element, which is gone when somebody asks.
fn reads_element(node: &Node) -> bool {
    reads(node, &|node| matches!(node, Node::Local(..)))
}

/// True for a node of some sort, or around one.
fn reads(node: &Node, is_one: &impl Fn(&Node) -> bool) -> bool {
    let mut found = is_one(node);
    children(node, &mut |child| found |= reads(child, is_one));
    found
}

fn children<'n>(node: &'n Node, visit: &mut impl FnMut(&'n Node)) {
    let mut chain = |chain: &'n Chain| {
        visit(&chain.base);
        chain.steps.iter().for_each(&mut *visit);
    };
    match node {
        Node::Const(_) | Node::Slot(..) | Node::Root(_) | Node::HasRoot(_) | Node::Let(..) | Node::Local(..) => {}
        Node::RootOr(_, node) | Node::Not(node) | Node::Negate(node) | Node::Said(node) => visit(node),
        Node::Path { base, .. } => visit(base),
        Node::Index { base, key, .. } => [base, key].into_iter().for_each(|node| visit(node)),
        Node::OrValue { chain: found, default } => {
            chain(found);
            visit(default);
        }
        Node::Has { chain: found, .. } => chain(found),
        Node::List(nodes) | Node::And(nodes) | Node::Or(nodes) => nodes.iter().for_each(visit),
        Node::Map(entries) => entries.iter().flat_map(|(key, value)| [key, value]).for_each(visit),
        Node::Conditional(nodes) | Node::DivideRound(nodes) => nodes.iter().for_each(visit),
        Node::Equal { sides, .. } | Node::Compare { sides, .. } | Node::Arithmetic { sides, .. } | Node::In(sides) => {
            sides.iter().for_each(visit);
        }
        Node::EqualText { left, .. } | Node::CompareNumber { left, .. } | Node::InSet { left, .. } => visit(left),
        Node::Apply { parts, .. } => parts.iter().for_each(visit),
        Node::Matches { text, .. } => visit(text),
        Node::Macro(comprehension) => {
            visit(&comprehension.over);
            comprehension.test.iter().chain(&comprehension.body).for_each(visit);
        }
        Node::Done { keys, .. } | Node::Recall { keys, .. } | Node::Count { keys, .. } => keys.iter().for_each(visit),
    }
}

/// What a plain comparison reads, and what would hold there.
fn wish(node: &Node) -> Option<(&Node, String)> {
    let is_named =
        |node: &Node| matches!(node, Node::Slot(..) | Node::Path { .. } | Node::Index { .. } | Node::Let(..));
    let (read, wanted) = match node {
        Node::Not(inner) => (&**inner, "false".to_owned()),
        Node::EqualText { left, text, negated } => {
            let text = crate::text::quoted(text);
            (&**left, if *negated { format!("anything but {text}") } else { text })
        }
        Node::Equal { sides, negated } => {
            let [left, right] = &**sides;
            let shown = crate::text::shown(&right.constant()?.to_value()?);
            (left, if *negated { format!("anything but {shown}") } else { shown })
        }
        Node::CompareNumber { left, operator, number } => (&**left, within(*operator, &number.to_string())?),
        Node::InSet { left, set } => (&**left, first_of(set)?),
        Node::Said(argument) => (&**argument, "what the user typed".to_owned()),
        named => (named, "true".to_owned()),
    };
    is_named(read).then_some((read, wanted))
}

fn within(operator: Operator, number: &str) -> Option<String> {
    match operator {
        Operator::LessOrEqual | Operator::GreaterOrEqual => Some(number.to_owned()),
        Operator::Less => Some(format!("less than {number}")),
        Operator::Greater => Some(format!("more than {number}")),
        _ => None,
    }
}

fn first_of(set: &Set) -> Option<String> {
    let text = set.texts.first().map(|text| crate::text::quoted(text));
    text.or_else(|| set.numbers.first().map(ToString::to_string))
}
