//! The check of a guard as an expression, whoever keeps it: the guard itself, or a kind that has words for it.

use super::Linted;
use crate::expr::Expression;
use crate::spec::GuardSpec;
use crate::value::Value;

/// The kinds whose `check` is an expression.
const KINDS: &[&str] = &["consentRequired", "precondition", "resultInvariant"];

/// What must be true, where that is written out.
pub(super) fn of(linted: &Linted<'_>, guard: &GuardSpec) -> Option<Expression> {
    if guard.check.is_some() {
        return guard.check.clone();
    }
    guard.kind.filter(|kind| KINDS.contains(kind))?;
    let parameters = guard.rule.as_ref()?.parameters();
    let text = parameters.get("check").and_then(Value::as_str)?;
    Expression::of_text(text, linted.said(guard.id.span, &["with", "check"]))
}
