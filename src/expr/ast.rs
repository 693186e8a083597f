//! The tree of an expression, every node with its place, and its text in one spelling.
//!
//! Data only: what a name means is not known here.

use crate::source::{Span, Spanned};
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A node and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expr {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A constant. Lists and maps only where an author gave one as YAML.
    Literal(Value<'static>),
    Name(String),
    /// `base.name`, or `base.?name`.
    Select(Box<Expr>, Spanned<String>, Access),
    /// `base[key]`, or `base[?key]`.
    Index(Box<Expr>, Box<Expr>, Access),
    /// `name(…)`.
    Call(Spanned<String>, Vec<Expr>),
    /// `base.name(…)`, macros among them.
    Method(Box<Expr>, Spanned<String>, Vec<Expr>),
    List(Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    Not(Box<Expr>),
    Negate(Box<Expr>),
    /// Two or more, from left to right.
    And(Vec<Expr>),
    /// Two or more, from left to right.
    Or(Vec<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// How a member is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// It must be there.
    Plain,
    /// It may be absent or null.
    Optional,
}

/// An operator between two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// How close a node holds its parts together; a part that holds less closely stands in parentheses.
const CONDITIONAL: u8 = 0;
const OR: u8 = 1;
const AND: u8 = 2;
const RELATION: u8 = 3;
const SUM: u8 = 4;
const PRODUCT: u8 = 5;
const UNARY: u8 = 6;
const MEMBER: u8 = 7;

impl Operator {
    pub(super) const ALL: &'static [(&'static str, Operator)] = &[
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessOrEqual),
        (">=", Operator::GreaterOrEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
        ("in", Operator::In),
        ("+", Operator::Add),
        ("-", Operator::Subtract),
        ("*", Operator::Multiply),
        ("/", Operator::Divide),
        ("%", Operator::Remainder),
    ];

    pub(crate) fn text(self) -> &'static str {
        Operator::ALL.iter().find(|(_, operator)| *operator == self).map_or("", |(text, _)| text)
    }

    /// How closely it binds: relations, sums, products.
    pub(super) fn binding(self) -> u8 {
        match self {
            Operator::Add | Operator::Subtract => SUM,
            Operator::Multiply | Operator::Divide | Operator::Remainder => PRODUCT,
            _ => RELATION,
        }
    }

    /// The operator that says the same with its sides exchanged.
    pub(crate) fn flipped(self) -> Operator {
        match self {
            Operator::Less => Operator::Greater,
            Operator::LessOrEqual => Operator::GreaterOrEqual,
            Operator::Greater => Operator::Less,
            Operator::GreaterOrEqual => Operator::LessOrEqual,
            other => other,
        }
    }
}

impl Expr {
    pub(super) fn new(kind: Kind, span: Span) -> Expr {
        Expr { kind, span }
    }

    /// The parts in the order they are written.
    pub(super) fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            Kind::Literal(_) | Kind::Name(_) => Vec::new(),
            Kind::Select(base, ..) | Kind::Not(base) | Kind::Negate(base) => vec![base],
            Kind::Index(left, right, _) | Kind::Binary(_, left, right) => vec![left, right],
            Kind::Call(_, parts) | Kind::List(parts) | Kind::And(parts) | Kind::Or(parts) => parts.iter().collect(),
            Kind::Method(base, _, parts) => std::iter::once(&**base).chain(parts).collect(),
            Kind::Map(entries) => entries.iter().flat_map(|(key, value)| [key, value]).collect(),
            Kind::Conditional(test, yes, no) => vec![test, yes, no],
        }
    }

    fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match &mut self.kind {
            Kind::Literal(_) | Kind::Name(_) => Vec::new(),
            Kind::Select(base, ..) | Kind::Not(base) | Kind::Negate(base) => vec![base],
            Kind::Index(left, right, _) | Kind::Binary(_, left, right) => vec![left, right],
            Kind::Call(_, parts) | Kind::List(parts) | Kind::And(parts) | Kind::Or(parts) => parts.iter_mut().collect(),
            Kind::Method(base, _, parts) => std::iter::once(&mut **base).chain(parts).collect(),
            Kind::Map(entries) => entries.iter_mut().flat_map(|(key, value)| [key, value]).collect(),
            Kind::Conditional(test, yes, no) => vec![test, yes, no],
        }
    }

    /// How many nodes there are.
    pub(super) fn size(&self) -> usize {
        self.parts().into_iter().map(Expr::size).fold(1, usize::saturating_add)
    }

    /// How many nodes stand inside each other.
    pub(super) fn depth(&self) -> usize {
        self.parts().into_iter().map(Expr::depth).max().unwrap_or(0).saturating_add(1)
    }

    /// The parameter that this reads: `limit` of `params.limit`.
    fn parameter(&self) -> Option<&Spanned<String>> {
        let (base, name) = match &self.kind {
            Kind::Select(base, name, Access::Plain) => (base, name),
            _ => return None,
        };
        matches!(&base.kind, Kind::Name(root) if root == "params").then_some(name)
    }

    /// Adds the parameters it reads.
    pub(super) fn parameters(&self, found: &mut Vec<Spanned<String>>) {
        found.extend(self.parameter().cloned());
        for part in self.parts() {
            part.parameters(found);
        }
    }

    /// Adds the names that are read and are no variable of a macro around them.
    pub(super) fn roots(&self, variables: &mut Vec<String>, found: &mut Vec<Spanned<String>>) {
        match &self.kind {
            Kind::Name(name) if !variables.contains(name) && !super::names::TYPES.contains(&name.as_str()) => {
                found.push(Spanned::new(name.clone(), self.span));
            }
            Kind::Call(name, parts) => {
                if super::earlier::NAMES.contains(&name.value.as_str()) {
                    // No let: it may have the same name.
                    found.push(Spanned::new(format!("{}(…)", name.value), name.span));
                }
                parts.iter().for_each(|part| part.roots(variables, found));
            }
            Kind::Method(base, name, parts) if super::parse::is_macro(&name.value) => {
                base.roots(variables, found);
                let before = variables.len();
                let names = if super::parse::has_two_variables(&name.value, parts.len()) { 2 } else { 1 };
                let named = parts.iter().take(names).filter_map(|part| match &part.kind {
                    Kind::Name(name) => Some(name.clone()),
                    _ => None,
                });
                variables.extend(named);
                parts.iter().skip(names).for_each(|part| part.roots(variables, found));
                variables.truncate(before);
            }
            _ => self.parts().into_iter().for_each(|part| part.roots(variables, found)),
        }
    }

    /// Adds each place where `params` stands for more than one parameter: alone, behind `.?` or in front of `[…]`.
    pub(super) fn bare_parameters(&self, found: &mut Vec<Span>) {
        match &self.kind {
            _ if self.parameter().is_some() => {}
            Kind::Name(name) if name == "params" => found.push(self.span),
            _ => self.parts().into_iter().for_each(|part| part.bare_parameters(found)),
        }
    }

    /// Adds every name, variables among them.
    pub(super) fn names(&self, found: &mut BTreeSet<String>) {
        if let Kind::Name(name) = &self.kind {
            found.insert(name.clone());
        }
        self.parts().into_iter().for_each(|part| part.names(found));
    }

    /// Gives names new ones, wherever they stand.
    pub(super) fn rename(&mut self, new: &BTreeMap<String, String>) {
        if let Kind::Name(name) = &mut self.kind
            && let Some(other) = new.get(name)
        {
            name.clone_from(other);
        }
        self.parts_mut().into_iter().for_each(|part| part.rename(new));
    }

    /// Puts expressions in place of the parameters they are given for.
    pub(super) fn replace(&mut self, parameters: &BTreeMap<String, Expr>) {
        if let Some(with) = self.parameter().and_then(|name| parameters.get(&name.value)) {
            *self = with.clone();
            return;
        }
        for part in self.parts_mut() {
            part.replace(parameters);
        }
    }

    /// The text of the tree in one spelling.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        self.write(CONDITIONAL, &mut out);
        out
    }

    fn binding(&self) -> u8 {
        match &self.kind {
            Kind::Conditional(..) => CONDITIONAL,
            Kind::Or(_) => OR,
            Kind::And(_) => AND,
            Kind::Binary(operator, ..) => operator.binding(),
            Kind::Not(_) | Kind::Negate(_) => UNARY,
            Kind::Literal(Value::Number(number)) if number.is_negative() => UNARY,
            _ => MEMBER,
        }
    }

    /// Writes the tree where only what binds at least so closely stands without parentheses.
    fn write(&self, at_least: u8, out: &mut String) {
        if self.binding() < at_least {
            out.push('(');
            self.write_bare(out);
            out.push(')');
        } else {
            self.write_bare(out);
        }
    }

    fn write_bare(&self, out: &mut String) {
        match &self.kind {
            Kind::Literal(value) => write_literal(value, out),
            Kind::Name(name) => out.push_str(name),
            Kind::Select(base, name, access) => {
                base.write(MEMBER, out);
                out.push_str(if *access == Access::Optional { ".?" } else { "." });
                out.push_str(&name.value);
            }
            Kind::Index(base, key, access) => {
                base.write(MEMBER, out);
                out.push_str(if *access == Access::Optional { "[?" } else { "[" });
                key.write(CONDITIONAL, out);
                out.push(']');
            }
            Kind::Call(name, parts) => write_between(&name.value, "(", parts, ")", out),
            Kind::Method(base, name, parts) => {
                base.write(MEMBER, out);
                out.push('.');
                write_between(&name.value, "(", parts, ")", out);
            }
            Kind::List(parts) => write_between("", "[", parts, "]", out),
            Kind::Map(entries) => write_map(entries, out),
            Kind::Not(part) => write_unary('!', part, out),
            Kind::Negate(part) => write_unary('-', part, out),
            Kind::And(parts) => write_chain(" && ", parts, RELATION, out),
            Kind::Or(parts) => write_chain(" || ", parts, AND, out),
            Kind::Binary(operator, left, right) => {
                left.write(operator.binding(), out);
                let _ = write!(out, " {} ", operator.text());
                right.write(operator.binding().saturating_add(1), out);
            }
            Kind::Conditional(test, yes, no) => {
                test.write(OR, out);
                out.push_str(" ? ");
                yes.write(OR, out);
                out.push_str(" : ");
                no.write(CONDITIONAL, out);
            }
        }
    }
}

fn write_unary(mark: char, part: &Expr, out: &mut String) {
    out.push(mark);
    part.write(UNARY, out);
}

fn write_chain(between: &str, parts: &[Expr], at_least: u8, out: &mut String) {
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push_str(between);
        }
        part.write(at_least, out);
    }
}

fn write_between(name: &str, open: &str, parts: &[Expr], close: &str, out: &mut String) {
    out.push_str(name);
    out.push_str(open);
    write_chain(", ", parts, CONDITIONAL, out);
    out.push_str(close);
}

fn write_map(entries: &[(Expr, Expr)], out: &mut String) {
    out.push('{');
    for (at, (key, value)) in entries.iter().enumerate() {
        out.push_str(if at > 0 { ", " } else { "" });
        key.write(CONDITIONAL, out);
        out.push_str(": ");
        value.write(CONDITIONAL, out);
    }
    out.push('}');
}

/// Writes a constant.
pub(super) fn write_literal(value: &Value<'_>, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => write_text(text, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_literal(item, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (at, (key, item)) in object.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_text(key, out);
                out.push_str(": ");
                write_literal(item, out);
            }
            out.push('}');
        }
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('\'');
    for character in text.chars() {
        match character {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            _ if character.is_control() || crate::text::is_invisible(character) => {
                let _ = write!(out, "\\U{:08x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('\'');
}
