//! What an expression reads of the arguments without having asked whether it is there, as the linter wants to know.
//!
//! Only plain steps of constant names are followed: what lies behind an index or a variable is not told.

use super::ast::{Access, Expr, Kind, Operator};
use super::{Expression, Let};
use crate::source::{Span, Spanned};
use crate::value::Value;
use std::collections::BTreeSet;

/// The names that lead to an argument, or to a part of one.
pub(crate) type Keys = Vec<String>;

/// A look for what is read and may be absent.
pub(crate) struct Unasked<'e> {
    lets: &'e [Let],
    may_lack: &'e dyn Fn(&[String]) -> bool,
    /// What is known to be there.
    asked: Vec<Keys>,
    /// The lets that were looked into.
    seen: BTreeSet<&'e str>,
    found: Option<Spanned<Keys>>,
}

impl<'e> Unasked<'e> {
    /// A look with nothing known yet.
    pub(crate) fn new(lets: &'e [Let], may_lack: &'e dyn Fn(&[String]) -> bool) -> Unasked<'e> {
        Unasked { lets, may_lack, asked: Vec::new(), seen: BTreeSet::new(), found: None }
    }

    /// Looks at a condition without which nothing that follows is read.
    pub(crate) fn condition(&mut self, expression: &'e Expression) {
        self.value(expression);
        self.asked.extend(known(&expression.root, true));
    }

    /// Looks at an expression.
    pub(crate) fn value(&mut self, expression: &'e Expression) {
        self.walk(&expression.root, &mut Vec::new());
    }

    /// Looks at an argument that is read by its path.
    pub(crate) fn path(&mut self, keys: &[String], span: Span) {
        self.read(keys, span);
    }

    /// What was read first and may be absent.
    pub(crate) fn found(self) -> Option<Spanned<Keys>> {
        self.found
    }

    fn read(&mut self, keys: &[String], span: Span) {
        let lengths = 1..=keys.len();
        let mut parts = lengths.filter_map(|length| keys.get(..length));
        let lacking = parts.find(|part| !self.is_asked(part) && (self.may_lack)(part));
        if let (Some(lacking), None) = (lacking, &self.found) {
            self.found = Some(Spanned::new(lacking.to_vec(), span));
        }
    }

    /// Whoever asked for a part of something asked for the whole.
    fn is_asked(&self, keys: &[String]) -> bool {
        self.asked.iter().any(|asked| asked.starts_with(keys))
    }

    fn walk(&mut self, expr: &'e Expr, variables: &mut Vec<&'e str>) {
        match &expr.kind {
            Kind::Select(..) | Kind::Index(..) => self.chain(expr, variables),
            Kind::Name(name) if !variables.contains(&name.as_str()) => self.named(name),
            Kind::Call(name, _) if name.value == "has" => {}
            Kind::And(parts) => self.in_turn(parts, true, variables),
            Kind::Or(parts) => self.in_turn(parts, false, variables),
            Kind::Conditional(test, yes, no) => {
                self.walk(test, variables);
                self.knowing(known(test, true), |look| look.walk(yes, variables));
                self.knowing(known(test, false), |look| look.walk(no, variables));
            }
            Kind::Method(base, name, parts) if super::parse::is_macro(&name.value) => {
                self.walk(base, variables);
                let count = if super::parse::has_two_variables(&name.value, parts.len()) { 2 } else { 1 };
                let before = variables.len();
                variables.extend(parts.iter().take(count).filter_map(name_of));
                parts.iter().skip(count).for_each(|part| self.walk(part, variables));
                variables.truncate(before);
            }
            _ => expr.parts().into_iter().for_each(|part| self.walk(part, variables)),
        }
    }

    /// Conditions one after another: what one says holds for those behind it.
    fn in_turn(&mut self, parts: &'e [Expr], holds: bool, variables: &mut Vec<&'e str>) {
        let before = self.asked.len();
        for part in parts {
            self.walk(part, variables);
            self.asked.extend(known(part, holds));
        }
        self.asked.truncate(before);
    }

    fn knowing(&mut self, more: Vec<Keys>, look: impl FnOnce(&mut Self)) {
        let before = self.asked.len();
        self.asked.extend(more);
        look(self);
        self.asked.truncate(before);
    }

    /// A path: its plain beginning is read, and so is what stands in brackets.
    fn chain(&mut self, expr: &'e Expr, variables: &mut Vec<&'e str>) {
        if let Some((keys, _)) = plain(expr) {
            self.read(&keys, expr.span);
        }
        let mut inner = expr;
        loop {
            match &inner.kind {
                Kind::Select(base, ..) => inner = base,
                Kind::Index(base, key, _) => {
                    self.walk(key, variables);
                    inner = base;
                }
                Kind::Name(name) if name == "args" => return,
                _ => return self.walk(inner, variables),
            }
        }
    }

    /// A let reads what its expression reads; where it says what a missing value means, that is said.
    fn named(&mut self, name: &str) {
        let lets = self.lets;
        let Some(named) = lets.iter().find(|one| one.name.value == name && one.missing.is_none()) else { return };
        if self.seen.insert(&named.name.value) {
            self.walk(&named.value.root, &mut Vec::new());
        }
    }
}

/// What is there where a condition holds, or does not.
fn known(expr: &Expr, holds: bool) -> Vec<Keys> {
    let all = |parts: &[Expr]| parts.iter().flat_map(|part| known(part, holds)).collect();
    match &expr.kind {
        Kind::And(parts) if holds => all(parts),
        Kind::Or(parts) if !holds => all(parts),
        Kind::Not(part) => known(part, !holds),
        Kind::Call(name, parts) if name.value == "has" && holds => parts.iter().filter_map(whole).collect(),
        Kind::Binary(Operator::In, left, right) if holds => match (literal(left), &right.kind) {
            (Some(Value::String(name)), Kind::Name(root)) if root == "args" => vec![vec![name.to_string()]],
            _ => Vec::new(),
        },
        Kind::Binary(Operator::Equal, left, right) => differs(left, right, !holds),
        Kind::Binary(Operator::NotEqual, left, right) => differs(left, right, holds),
        _ => Vec::new(),
    }
}

/// `args.?x.orValue(null)` that differs from null, or equals something else, is there.
fn differs(left: &Expr, right: &Expr, differs: bool) -> Vec<Keys> {
    let Kind::Method(base, name, parts) = &left.kind else { return Vec::new() };
    let default = parts.first().and_then(literal).filter(|_| name.value == "orValue");
    let is_there = default.zip(literal(right)).is_some_and(|(default, right)| (default == right) == differs);
    if is_there { whole(base).into_iter().collect() } else { Vec::new() }
}

fn literal(expr: &Expr) -> Option<&Value<'static>> {
    if let Kind::Literal(value) = &expr.kind { Some(value) } else { None }
}

fn name_of(expr: &Expr) -> Option<&str> {
    if let Kind::Name(name) = &expr.kind { Some(name) } else { None }
}

/// The names that lead from `args` to a place, whether or not a step may be absent.
fn whole(expr: &Expr) -> Option<Keys> {
    let (mut keys, rest) = plain(expr)?;
    keys.extend(rest);
    Some(keys)
}

/// The names that lead from `args` to a place: those that must be there, and those from the first that may be absent.
fn plain(expr: &Expr) -> Option<(Keys, Keys)> {
    let step = |base: &Expr, key: Option<&str>, access: Access| {
        let (mut keys, mut rest) = plain(base)?;
        // What stands behind an index is another value.
        let Some(key) = key else { return Some((keys, rest)) };
        let is_plain = access == Access::Plain && rest.is_empty() && !ends_in_index(base);
        if is_plain { &mut keys } else { &mut rest }.push(key.to_owned());
        Some((keys, rest))
    };
    match &expr.kind {
        Kind::Name(name) if name == "args" => Some((Vec::new(), Vec::new())),
        Kind::Select(base, name, access) => step(base, Some(&name.value), *access),
        Kind::Index(base, key, access) => step(base, literal(key).and_then(Value::as_str), *access),
        _ => None,
    }
}

/// True where some step is an index that is no constant name.
fn ends_in_index(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Select(base, ..) => ends_in_index(base),
        Kind::Index(base, key, _) => literal(key).and_then(Value::as_str).is_none() || ends_in_index(base),
        _ => false,
    }
}
