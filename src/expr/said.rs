//! `saidByUser(args.x)`: whether the user typed this argument. What it may ask about is settled here, by its form: an
//! argument of the call, never a word of the author's (law 2).

use super::ast::{Access, Expr, Kind};
use super::check::{Compiler, Typed, named};
use super::evaluate::{Evaluation, evaluate, wrong};
use super::program::Node;
use super::types::Kinds;
use super::val::Val;
use super::{Fault, Outcome};
use crate::facts::Said;
use crate::source::{Span, Spanned};
use crate::value::Value;
use std::borrow::Cow;

/// What to write instead of anything else.
const HELP: &str =
    "write `saidByUser(args.x)`: it asks about a value of the call, and never whether the user typed a word";

impl<'s> Compiler<'s, '_> {
    /// `saidByUser(args.x)`.
    pub(super) fn said_by_user(&mut self, name: &Spanned<String>, parts: &[Expr]) -> Typed<'s> {
        let [operand] = parts else {
            self.problem("bad-call", name.span, "`saidByUser` takes one argument of the call", Some(HELP.into()));
            return Typed::anything();
        };
        let Some(argument) = self.argument(operand) else {
            let message = format!("{} is no path under `args`", named(operand));
            self.problem("bad-call", operand.span, message, Some(HELP.into()));
            return Typed::anything();
        };
        let typed = self.wanted(operand, Kinds::TEXT.or(Kinds::NUMBER));
        self.refuse_constant(operand, &typed);
        self.ask_typed(operand.span, &argument);
        Typed::bool(Node::Said(Box::new(typed.node)))
    }

    /// An argument that can only be one value is a word of the author's.
    fn refuse_constant(&mut self, operand: &Expr, typed: &Typed<'s>) {
        let choices = typed.ty.choices.as_deref().unwrap_or_default();
        if let [only] = choices {
            let message = format!("{} can only be {}", named(operand), crate::text::shown(only));
            let help = "ask about an argument that the model chooses freely".to_owned();
            self.problem("bad-call", operand.span, message, Some(help));
        }
    }

    /// Notes that somebody asks whether the user typed an argument: the whole of it, or a part.
    pub(crate) fn ask_typed(&mut self, span: Span, argument: &str) {
        self.plan.keep_typed();
        self.typed.push((span, argument.to_owned()));
    }

    /// The argument that a path is in, for one under `args`, and for one from a variable that stands for a part of it.
    pub(super) fn argument(&self, expr: &Expr) -> Option<String> {
        match &expr.kind {
            Kind::Name(name) => self.locals.iter().rfind(|local| local.name == *name)?.argument.clone(),
            Kind::Select(base, name, Access::Plain) if self.is_args(base) => Some(name.value.clone()),
            Kind::Select(base, _, Access::Plain) => self.argument(base),
            Kind::Index(base, key, Access::Plain) => {
                if self.is_args(base) {
                    return match &key.kind {
                        Kind::Literal(Value::String(name)) => Some(name.clone().into_owned()),
                        _ => None,
                    };
                }
                matches!(key.kind, Kind::Literal(_) | Kind::Name(_)).then(|| self.argument(base))?
            }
            _ => None,
        }
    }

    fn is_args(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, Kind::Name(name) if name == "args" && !self.locals.iter().any(|local| local.name == *name))
    }
}

/// Whether the user typed the value of a node.
pub(super) fn said(node: &Node, evaluation: &mut Evaluation<'_>) -> Outcome<bool> {
    let value = evaluate(node, evaluation)?;
    if value.as_text().is_none() && value.as_number().is_none() {
        return Err(wrong(node, &value, "a text or a number"));
    }
    value.spend_whole(evaluation)?;
    let json = match &value {
        Val::Json(json) => Cow::Borrowed(*json),
        other => Cow::Owned(other.to_value().unwrap_or_default()),
    };
    match evaluation.context.facts.said(evaluation.context.key, &json) {
        Said::Yes => Ok(true),
        Said::No => Ok(false),
        Said::CannotTell => Err(Fault::IndexFull),
    }
}
