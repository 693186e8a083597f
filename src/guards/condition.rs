//! The `check:` parameter of the kinds that bring their own words to an expression: `precondition`,
//! `consentRequired` and `resultInvariant`.
//!
//! It reads what its name says: the world before a call, the result after one. A check that reads neither belongs on a
//! guard without a kind, with words of its own.

use super::{Check, Firing, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Failure, Finding};
use crate::decode::{Decoder, Field, Fields, Type};
use crate::expr::{Compiler, Evaluation, Expression, Fault, Program};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The parameter that holds an expression on the world.
pub(super) const WORLD_CHECK: Field =
    Field::required("check", Type::Expression, "What must be true of the host's state, such as `world.shopOpen`.");

/// The parameter that holds an expression on the result.
pub(super) const RESULT_CHECK: Field = Field::required(
    "check",
    Type::Expression,
    "What must be true of the result, such as `result.status == 'settled'`.",
);

/// The words that a kind has for its expression.
#[derive(Debug)]
pub(super) struct Words {
    /// Teaches the rule.
    pub(super) prose: fn(check: &str) -> String,
    /// The same where a turn begins, of a kind that can stand there.
    pub(super) of_turn: Option<fn(check: &str) -> String>,
    /// Says what to do where it does not hold.
    pub(super) correction: fn(&Broken<'_>) -> String,
}

/// A rule whose expression does not hold, and the call it is about; without a tool a turn begins.
#[derive(Debug)]
pub(super) struct Broken<'a> {
    pub(super) tool: &'a str,
    pub(super) rule: &'a str,
    pub(super) check: &'a str,
}

/// Reads `check` of the parameters of a kind with these words.
pub(super) fn decode(decoder: &mut Decoder<'_>, with: &Fields<'_>, words: &'static Words) -> Option<Arc<dyn Rule>> {
    let check = Expression::decode(decoder, with.get("check")?)?;
    Some(Arc::new(Condition { check, words }))
}

#[derive(Debug)]
struct Condition {
    check: Expression,
    words: &'static Words,
}

impl Rule for Condition {
    fn parameters(&self) -> Value<'static> {
        Object::of([("check", Value::from(self.check.text()))]).into()
    }

    fn prose(&self) -> String {
        (self.words.prose)(&self.check.text())
    }

    fn prose_where(&self, firing: Firing) -> String {
        match self.words.of_turn.filter(|_| firing == Firing::RefusesTurn) {
            Some(of_turn) => of_turn(&self.check.text()),
            None => self.prose(),
        }
    }

    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let program = compiler.condition(&self.check)?;
        let Some(always) = program.always() else {
            let (rule, check) = (tool.rule.to_owned(), self.check.text());
            return Ok(Some(Box::new(Bound { rule, check, program, words: self.words })));
        };
        let (what, whose, help) = match tool.name {
            "" => ("the turn", String::new(), "compare something of the world, the session or what came in"),
            name => ("the call", format!(" for `{name}`"), "compare something of the call, the world or the session"),
        };
        let what = match always {
            true => format!("holds whatever {what}, so it never fires"),
            false => String::from("never holds, so it always fires"),
        };
        Err(vec![BindProblem {
            rule: "constant-condition",
            span: self.check.span(),
            message: format!("`check` {what}{whose}"),
            help: Some(help.into()),
        }])
    }
}

#[derive(Debug)]
struct Bound {
    rule: String,
    check: String,
    program: Program,
    words: &'static Words,
}

impl Check for Bound {
    /// Passes where it holds; what is absent, null or of another type is missing.
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        match self.program.test(evaluation) {
            Ok(true) => Finding::Pass,
            Ok(false) => Finding::Fires,
            Err(Fault::Missing(_)) => Finding::Missing,
            Err(fault) => finding_of(fault),
        }
    }

    fn program(&self) -> Option<&Program> {
        Some(&self.program)
    }

    fn correction(&self, context: &Context<'_>) -> String {
        (self.words.correction)(&Broken { tool: context.tool, rule: &self.rule, check: &self.check })
    }
}

/// What a guard finds whose expression has no value.
pub(crate) fn finding_of(fault: Fault) -> Finding {
    match fault {
        Fault::Let(id) => Finding::NoLet(id),
        Fault::Missing(what) => Finding::Fails(Failure::Missing(what)),
        Fault::IndexFull => Finding::Fails(Failure::IndexFull),
        Fault::OutOfFuel => Finding::Fails(Failure::OutOfFuel),
        Fault::OutOfRange(what) => Finding::Fails(Failure::OutOfRange(what)),
    }
}
