//! The text of what an expression computes: what has one text in two versions of a spec has one value.
//!
//! Lets and constants are looked through, so that names do not matter; whatever else decides the value stands in the text.

use super::reading::Reader;
use crate::expr::program::{Chain, Comprehension, Node, Root};
use crate::expr::{Operator, Program, Val};
use crate::observed::TallyScope;
use crate::schema::Slot;
use crate::tool::Pattern;
use std::fmt::Write as _;

impl<'p> Reader<'p, '_> {
    /// The text of what a program computes, the same for every spelling that compiles to the same.
    pub(crate) fn text(&mut self, program: &'p Program) -> String {
        self.key(&program.node)
    }

    /// A text, and whether a let that has one for where it is missing stands in it.
    pub(super) fn noted(&mut self, text: impl FnOnce(&mut Self) -> String) -> (String, bool) {
        let before = std::mem::replace(&mut self.read_let, false);
        let text = text(self);
        (text, std::mem::replace(&mut self.read_let, before))
    }

    /// The path of an argument; a name with a point in it may have the path of another one.
    pub(super) fn slot_text(&self, slot: Slot) -> String {
        let path = self.args.paths().nth(slot.index()).unwrap_or_default();
        if self.args.slot(path) == Some(slot) {
            format!("args.{path}")
        } else {
            format!("args.{path}#{}", slot.index())
        }
    }

    /// The text of a root: of what is another value in another version for the same call, the value.
    pub(super) fn root_text(&self, root: Root) -> String {
        match root {
            Root::CallEffect => format!("{}={}", root.text(), self.effect.name()),
            _ => root.text().to_owned(),
        }
    }

    pub(super) fn chain_text(&mut self, chain: &'p Chain) -> String {
        let mut text = self.place(&chain.base);
        for step in &chain.steps {
            match step.constant().and_then(Val::as_text) {
                Some(name) => member(&mut text, name),
                None => _ = write!(text, "[{}]", self.key(step)),
            }
        }
        text
    }

    pub(super) fn has_text(&mut self, chain: &'p Chain, key: &str) -> String {
        let mut text = self.chain_text(chain);
        member(&mut text, key);
        text
    }

    /// The text of what something is read from or by: null is missing there as it is of a let that has a text for that.
    fn place(&mut self, node: &'p Node) -> String {
        let Node::Let(id, _) = node else { return self.key(node) };
        match self.lets.program(*id) {
            Some((inner, has_text)) => {
                self.read_let |= has_text;
                self.place(inner)
            }
            None => self.key(node),
        }
    }

    fn places(&mut self, nodes: &'p [Node]) -> Vec<String> {
        nodes.iter().map(|node| self.place(node)).collect()
    }

    pub(super) fn compared_text(&mut self, operator: Operator, sides: &'p [Node; 2]) -> String {
        let [left, right] = sides;
        let (left, right) = (self.key(left), self.key(right));
        format!("({left} {} {right})", operator.text())
    }

    /// The text of a node: two nodes with one text have one value.
    pub(super) fn key(&mut self, node: &'p Node) -> String {
        match node {
            Node::Const(value) => constant_text(value),
            Node::Slot(slot, _) => self.slot_text(*slot),
            Node::Root(root) => self.root_text(*root),
            Node::HasRoot(root) => format!("has({})", self.root_text(*root)),
            Node::RootOr(root, default) => format!("({} or {})", self.root_text(*root), self.key(default)),
            Node::Let(id, name) => match self.lets.program(*id) {
                // Null is a value of the one and none of the other.
                Some((inner, true)) => {
                    self.read_let = true;
                    format!("given {}", self.key(inner))
                }
                Some((inner, false)) => self.key(inner),
                None => name.to_string(),
            },
            Node::Local(at, _) => format!("${at}"),
            Node::Path { base, keys, .. } => {
                let mut text = self.place(base);
                keys.iter().for_each(|key| member(&mut text, key));
                text
            }
            Node::Index { base, key, .. } => format!("{}[{}]", self.place(base), self.place(key)),
            Node::OrValue { chain, default } => format!("({} or {})", self.chain_text(chain), self.key(default)),
            Node::Has { chain, key } => format!("has({})", self.has_text(chain, key)),
            Node::List(parts) => format!("[{}]", self.keys(parts)),
            Node::Map(entries) => {
                let entries: Vec<String> =
                    entries.iter().map(|(key, value)| format!("{}: {}", self.key(key), self.key(value))).collect();
                format!("{{{}}}", entries.join(", "))
            }
            Node::Done { .. } | Node::Count { .. } | Node::Recall { .. } => self.earlier_text(node),
            _ => self.operation(node),
        }
    }

    fn operation(&mut self, node: &'p Node) -> String {
        match node {
            Node::Not(part) => format!("!{}", self.key(part)),
            Node::Negate(part) => format!("-{}", self.key(part)),
            Node::And(parts) => format!("and({})", self.keys(parts)),
            Node::Or(parts) => format!("or({})", self.keys(parts)),
            Node::Conditional(parts) => format!("if({})", self.keys(&**parts)),
            Node::Equal { sides, negated } => format!("equal({}, {negated})", self.keys(&**sides)),
            Node::EqualText { left, text, negated } => format!("equal({}, {text:?}, {negated})", self.key(left)),
            Node::Compare { operator, sides } => self.compared_text(*operator, sides),
            Node::CompareNumber { left, operator, number } => {
                format!("({} {} {number})", self.key(left), operator.text())
            }
            Node::In(sides) => format!("in({})", self.keys(&**sides)),
            Node::InSet { left, set } => format!("in({}, {set:?})", self.key(left)),
            Node::Arithmetic { operator, sides } => self.compared_text(*operator, sides),
            Node::DivideRound(parts) => format!("round({})", self.keys(&**parts)),
            Node::Apply { function, parts, offset } => format!("{}({}){offset:?}", function.name, self.keys(parts)),
            Node::Matches { text, regex } => format!("matches({}, {:?})", self.key(text), regex.as_str()),
            Node::Macro(comprehension) => self.macro_text(comprehension),
            Node::Said(part) => format!("said({})", self.key(part)),
            // The others are read, and have their text above.
            _ => format!("{node:?}"),
        }
    }

    /// `done('look', {'id': args.id})`, with the tools and arguments that are meant, whatever they are called.
    fn earlier_text(&mut self, node: &'p Node) -> String {
        let path = |path: &crate::path::Path| path.to_string();
        let plan = self.plan;
        match node {
            Node::Done { index, keys, .. } => {
                let kept = plan.get(*index);
                let names = kept.map(|kept| kept.parts.iter().map(|part| path(&part.at.path)).collect());
                earlier("done", kept.map(|kept| &*kept.tools), names, self.places(keys), "")
            }
            Node::Recall { index, is_first, keys, .. } => {
                let kept = plan.recalled(*index).map(|kept| &kept.calls);
                let names = kept.map(|kept| kept.keys.iter().map(path).collect());
                let which = if *is_first { "first" } else { "last" };
                earlier(which, kept.map(|kept| &*kept.tools), names, self.places(keys), "")
            }
            Node::Count { index, keys, .. } => {
                let kept = plan.tallied(*index);
                let names = kept.map(|kept| kept.calls.keys.iter().map(path).collect());
                let is_of_turn = kept.is_some_and(|kept| kept.scope == TallyScope::Turn);
                let scope = if is_of_turn { "turn" } else { "" };
                earlier("count", kept.map(|kept| &*kept.calls.tools), names, self.places(keys), scope)
            }
            _ => String::new(),
        }
    }

    fn keys(&mut self, parts: &'p [Node]) -> String {
        let texts: Vec<String> = parts.iter().map(|part| self.key(part)).collect();
        texts.join(", ")
    }

    fn macro_text(&mut self, comprehension: &'p Comprehension) -> String {
        let Comprehension { kind, over, variables, test, body } = comprehension;
        let mut text = format!("{kind:?}({}, {variables}", self.key(over));
        // With a test and nothing built, or the other way round, there is one text in either place.
        text.push_str(if test.is_some() { ", where" } else { "" });
        for part in test.iter().chain(body) {
            let _ = write!(text, ", {}", self.key(part));
        }
        text + ")"
    }
}

fn earlier(
    what: &str,
    tools: Option<&[Pattern]>,
    names: Option<Vec<String>>,
    values: Vec<String>,
    scope: &str,
) -> String {
    let tools: Vec<String> = tools.unwrap_or_default().iter().map(|tool| format!("'{}'", tool.text())).collect();
    let mut text = match tools.as_slice() {
        [one] => format!("{what}({one}"),
        many => format!("{what}([{}]", many.join(", ")),
    };
    let pairs = names.unwrap_or_default().into_iter().zip(values);
    let pairs: Vec<String> = pairs.map(|(name, value)| format!("'{name}': {value}")).collect();
    if !pairs.is_empty() {
        let _ = write!(text, ", {{{}}}", pairs.join(", "));
    }
    if !scope.is_empty() {
        let _ = write!(text, ", '{scope}'");
    }
    text + ")"
}

/// A member by its name; what is not a plain name stands in brackets, so that a point in it is none.
fn member(text: &mut String, name: &str) {
    let is_plain = name.chars().all(|one| one.is_alphanumeric() || matches!(one, '_' | '-'));
    let _ = if is_plain {
        write!(text, ".{name}")
    } else {
        write!(text, "[{}]", crate::canon::to_text(&crate::value::Value::from(name.to_owned())))
    };
}

pub(super) fn constant_text(constant: &Val<'_>) -> String {
    match constant.to_value() {
        Some(value) => crate::canon::to_text(&value),
        None => format!("{constant:?}"),
    }
}
