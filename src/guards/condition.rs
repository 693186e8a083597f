//! The `check:` parameter of the kinds that bring their own words to an expression: `precondition`,
//! `consentRequired` and `resultInvariant`.
//!
//! It reads what its name says: the world before a call, the result after one. A check that reads neither belongs on a
//! guard without a kind, with words of its own.

use super::ToolFacts;
use crate::context::{BindProblem, Failure, Finding};
use crate::decode::{Decoder, Field, Type};
use crate::expr::{Compiler, Evaluation, Expression, Fault, Program};
use crate::value::{Object, Value};
use crate::yaml::Node;

/// The parameter that holds an expression on the world.
pub(super) const WORLD_CHECK: Field =
    Field::required("check", Type::Expression, "What must be true of the host's state, such as `world.shopOpen`.");

/// The parameter that holds an expression on the result.
pub(super) const RESULT_CHECK: Field = Field::required(
    "check",
    Type::Expression,
    "What must be true of the result, such as `result.status == 'settled'`.",
);

/// A condition as its author wrote it.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    check: Expression,
}

impl Condition {
    /// Reads the expression at a node.
    pub(super) fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<Condition> {
        Expression::decode(decoder, node).map(|check| Condition { check })
    }

    /// The expression, for prose and corrections.
    pub(super) fn text(&self) -> String {
        self.check.text()
    }

    /// The parameters, as `with:` would say them.
    pub(super) fn parameters(&self) -> Value<'static> {
        Object::of([("check", Value::from(self.check.text()))]).into()
    }

    /// The program for one tool.
    pub(super) fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Program, Vec<BindProblem>> {
        let program = compiler.condition(&self.check)?;
        let Some(always) = program.always() else { return Ok(program) };
        let what =
            if always { "holds whatever the call, so it never fires" } else { "never holds, so it always fires" };
        Err(vec![BindProblem {
            rule: "constant-condition",
            span: self.check.span(),
            message: format!("`check` {what} for `{}`", tool.name),
            help: Some("compare something of the call, the world or the session".into()),
        }])
    }
}

/// Passes where it holds; what is absent, null or of another type is missing.
pub(super) fn ask(program: &Program, evaluation: &mut Evaluation<'_>) -> Finding {
    match program.test(evaluation) {
        Ok(true) => Finding::Pass,
        Ok(false) => Finding::Fires,
        Err(Fault::Missing(_)) => Finding::Missing,
        Err(fault) => finding_of(fault),
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
