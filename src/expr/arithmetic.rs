//! Operators on numbers, texts, lists, times and spans: exact, or refused.

use super::ast::Operator;
use super::evaluate::{Evaluation, MAX_TEXT};
use super::val::Val;
use super::{Fault, Outcome};
use crate::decimal::Decimal;
use crate::time::Timestamp;
use std::sync::Arc;

/// A number beyond 34 digits.
pub(super) const TOO_LARGE: Fault = Fault::OutOfRange("a number with more than 34 digits");
const TOO_LONG: Fault = Fault::OutOfRange("a text longer than 64 KiB");
const NO_TIME: Fault = Fault::OutOfRange("a time outside of the years 1 to 9999");
const NO_SPAN: Fault = Fault::OutOfRange("a duration longer than the years 1 to 9999");

/// The value of two operands; `None` if they do not go together.
pub(super) fn compute<'c>(
    operator: Operator,
    left: &Val<'c>,
    right: &Val<'c>,
    evaluation: &mut Evaluation<'c>,
) -> Outcome<Option<Val<'c>>> {
    if let (Some(left), Some(right)) = (left.as_number(), right.as_number()) {
        return numbers(operator, &left, &right).map(|number| Some(Val::Number(number)));
    }
    match (operator, left, right) {
        (Operator::Add, Val::Time(time), Val::Span(span)) | (Operator::Add, Val::Span(span), Val::Time(time)) => {
            time.checked_add(*span).map(|time| Some(Val::Time(time))).ok_or(NO_TIME)
        }
        (Operator::Subtract, Val::Time(time), Val::Span(span)) => {
            time.checked_add(span.reversed()).map(|time| Some(Val::Time(time))).ok_or(NO_TIME)
        }
        (Operator::Subtract, Val::Time(time), Val::Time(earlier)) => Ok(Some(Val::Span(since(*time, *earlier)))),
        (Operator::Add, Val::Span(left), Val::Span(right)) => {
            left.checked_add(*right).map(|span| Some(Val::Span(span))).ok_or(NO_SPAN)
        }
        (Operator::Subtract, Val::Span(left), Val::Span(right)) => {
            left.checked_add(right.reversed()).map(|span| Some(Val::Span(span))).ok_or(NO_SPAN)
        }
        (Operator::Add, _, _) => joined(left, right, evaluation),
        _ => Ok(None),
    }
}

fn since(time: Timestamp, earlier: Timestamp) -> crate::time::Duration {
    time.since(earlier)
}

fn joined<'c>(left: &Val<'c>, right: &Val<'c>, evaluation: &mut Evaluation<'c>) -> Outcome<Option<Val<'c>>> {
    if let (Some(left), Some(right)) = (left.as_text(), right.as_text()) {
        return text(&[left, right], evaluation).map(Some);
    }
    let (Some(left), Some(right)) = (left.as_list(), right.as_list()) else { return Ok(None) };
    evaluation.spend_each(left.len().saturating_add(right.len()))?;
    Ok(Some(Val::List(Arc::new(left.iter().chain(right.iter()).collect()))))
}

/// The texts one behind the other.
pub(super) fn text<'c>(parts: &[&str], evaluation: &mut Evaluation<'c>) -> Outcome<Val<'c>> {
    let length = parts.iter().map(|part| part.len()).fold(0, usize::saturating_add);
    evaluation.spend_text(length)?;
    if length > MAX_TEXT {
        return Err(TOO_LONG);
    }
    Ok(Val::Text(parts.concat().into()))
}

fn numbers(operator: Operator, left: &Decimal, right: &Decimal) -> Outcome<Decimal> {
    match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Multiply => left.checked_mul(right),
        _ => return divided(operator, left, right),
    }
    .ok_or(TOO_LARGE)
}

/// Quotient and remainder of whole numbers, cut towards zero as CEL does.
fn divided(operator: Operator, left: &Decimal, right: &Decimal) -> Outcome<Decimal> {
    if !left.is_integer() || !right.is_integer() {
        return Err(Fault::OutOfRange("a division of a fraction outside of `round(a / b, places)`"));
    }
    if right.is_zero() {
        return Err(Fault::OutOfRange("a division by zero"));
    }
    let rounded = left.checked_div_round(right, 0).ok_or(TOO_LARGE)?;
    let product = rounded.checked_mul(right).ok_or(TOO_LARGE)?;
    // Half away from zero may be one too far from zero.
    let is_too_far = product.abs() > left.abs();
    let one = if left.is_negative() == right.is_negative() { Decimal::ONE } else { Decimal::ONE.neg() };
    let quotient = if is_too_far { rounded.checked_sub(&one).ok_or(TOO_LARGE)? } else { rounded };
    if operator == Operator::Divide {
        return Ok(quotient);
    }
    quotient.checked_mul(right).and_then(|whole| left.checked_sub(&whole)).ok_or(TOO_LARGE)
}

/// How many places to round to.
pub(super) fn places(number: Decimal) -> Outcome<u32> {
    let places = number.to_u64().and_then(|places| u32::try_from(places).ok()).filter(|places| *places <= 34);
    places.ok_or(Fault::OutOfRange("places to round to other than 0 to 34"))
}
