//! What the linter wants to know of an expression as it is written: the earlier calls it asks for, and the patterns that
//! it requires a text of the call to have.

use super::Expression;
use super::ast::{Expr, Kind};
use super::place::Places;
use crate::source::Span;
use crate::value::Value;
use std::collections::BTreeSet;

/// `args.id.matches('…')` where it must hold.
pub(crate) struct Search<'e> {
    /// What is searched, as it is written.
    pub(crate) text: String,
    /// The pattern.
    pub(crate) pattern: &'e str,
    /// Where the pattern stands, quotes included.
    pub(crate) span: Span,
}

impl Expression {
    /// The expression of a text that a kind keeps as text, at its place as a whole.
    pub(crate) fn of_text(text: &str, span: Span) -> Option<Expression> {
        super::parse::whole(text, &Places::at(span)).ok().map(|root| Expression { root, span })
    }

    /// The names of tools in `done`, `first`, `last` and `count`.
    pub(crate) fn tools_asked(&self) -> BTreeSet<&str> {
        let mut found = BTreeSet::new();
        tools_asked(&self.root, &mut found);
        found
    }

    /// The patterns of which a text of the call must have a match, for the whole to be true. `variables` stand for parts of
    /// the arguments.
    pub(crate) fn required_searches<'e>(&'e self, variables: &[&'e str]) -> Vec<Search<'e>> {
        let mut found = Vec::new();
        required(&self.root, &mut variables.to_vec(), &mut found);
        found
    }

    /// True if it is a path that starts at the arguments.
    pub(crate) fn is_argument(&self) -> bool {
        is_of_call(&self.root, &[])
    }
}

fn tools_asked<'e>(expr: &'e Expr, found: &mut BTreeSet<&'e str>) {
    if let Kind::Call(name, parts) = &expr.kind
        && super::earlier::NAMES.contains(&name.value.as_str())
        && let Some(tools) = parts.first()
    {
        names(tools, found);
    }
    expr.parts().into_iter().for_each(|part| tools_asked(part, found));
}

/// The texts of a constant, or of a list of them.
fn names<'e>(expr: &'e Expr, found: &mut BTreeSet<&'e str>) {
    match &expr.kind {
        Kind::Literal(Value::String(name)) => _ = found.insert(name),
        Kind::List(parts) => parts.iter().for_each(|part| names(part, found)),
        _ => {}
    }
}

/// Adds the searches of which each must find something. Under a `!`, in the test of a conditional and beside a comparison
/// a search is a question like any other.
fn required<'e>(expr: &'e Expr, variables: &mut Vec<&'e str>, found: &mut Vec<Search<'e>>) {
    match &expr.kind {
        Kind::And(parts) | Kind::Or(parts) => parts.iter().for_each(|part| required(part, variables, found)),
        Kind::Conditional(_, yes, no) => {
            required(yes, variables, found);
            required(no, variables, found);
        }
        Kind::Method(text, name, parts) if name.value == "matches" && is_of_call(text, variables) => {
            let Some(pattern) = parts.first() else { return };
            if let Kind::Literal(Value::String(value)) = &pattern.kind {
                found.push(Search { text: text.text(), pattern: value, span: pattern.span });
            }
        }
        Kind::Method(base, name, parts) if name.value == "all" && is_of_call(base, variables) => {
            let (Some(Kind::Name(variable)), Some(body)) =
                (parts.iter().rev().nth(1).map(|part| &part.kind), parts.last())
            else {
                return;
            };
            variables.push(variable);
            required(body, variables, found);
            variables.pop();
        }
        _ => {}
    }
}

/// True for a path that starts at the arguments, or at a variable that stands for a part of them.
fn is_of_call(expr: &Expr, variables: &[&str]) -> bool {
    match &expr.kind {
        Kind::Name(name) => name == "args" || variables.contains(&name.as_str()),
        Kind::Select(base, ..) | Kind::Index(base, ..) => is_of_call(base, variables),
        Kind::Method(base, name, _) => {
            matches!(name.value.as_str(), "lowerAscii" | "orValue") && is_of_call(base, variables)
        }
        _ => false,
    }
}
