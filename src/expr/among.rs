//! The values of an expression that gives one or a list of them, for whoever asks whether another is among them.

use super::evaluate::{Evaluation, evaluate};
use super::program::Program;
use super::types::Kinds;
use super::val::Val;
use super::{Compiler, Expression, Outcome};
use crate::context::BindProblem;
use crate::value::Value;

impl Compiler<'_, '_> {
    /// A program whose value is a scalar or a list.
    ///
    /// # Errors
    /// As [`Compiler::condition`].
    pub fn values(&mut self, expression: &Expression) -> Result<Program, Vec<BindProblem>> {
        self.value_of(expression, Kinds::SCALAR.or(Kinds::LIST))
    }
}

impl Program {
    /// Takes out of some values those that this one gives.
    ///
    /// # Errors
    /// It gives none.
    pub(crate) fn strike_out<'c>(
        &self,
        values: &mut Vec<&'c Value<'c>>,
        evaluation: &mut Evaluation<'c>,
    ) -> Outcome<()> {
        evaluation.refuel();
        let given = evaluate(&self.node, evaluation)?;
        let mut left = Vec::new();
        for value in values.drain(..) {
            if !is_among(&given, value, evaluation)? {
                left.push(value);
            }
        }
        *values = left;
        Ok(())
    }

    /// Its values, one by one.
    ///
    /// # Errors
    /// It gives none.
    pub(crate) fn each_value(&self, evaluation: &mut Evaluation<'_>) -> Outcome<Vec<Value<'static>>> {
        evaluation.refuel();
        let given = evaluate(&self.node, evaluation)?;
        let Some(items) = given.as_list() else { return Ok(given.to_value().into_iter().collect()) };
        evaluation.spend_each(items.len())?;
        Ok(items.iter().filter_map(|item| item.to_value()).collect())
    }
}

/// True if a value is the given one, or stands in it, in whatever lists.
fn is_among<'c>(given: &Val<'c>, value: &'c Value<'c>, evaluation: &mut Evaluation<'c>) -> Outcome<bool> {
    let Some(items) = given.as_list() else { return given.equals(&Val::Json(value), evaluation) };
    for item in items.iter() {
        evaluation.spend(1)?;
        if is_among(&item, value, evaluation)? {
            return Ok(true);
        }
    }
    Ok(false)
}
