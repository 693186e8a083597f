//! `argRange`: a number within bounds.

use super::argument::{Argument, ArgumentPath, Unfit, Visit};
use super::screen::{Among, Claim};
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decimal::Decimal;
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::schema::TypeSet;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `argRange`.
#[derive(Debug)]
pub struct ArgRange;

static ABOUT: About = About {
    name: "argRange",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Input,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `argRange`",
        fields: &[
            Field::required("arg", Type::Text, "The argument, as a path: `a`, `a.b`, `a[].b`."),
            Field::optional("min", Type::Number, "The least value allowed."),
            Field::optional("max", Type::Number, "The greatest value allowed."),
            Field::optional("exclusiveMin", Type::Number, "The value must be greater than this."),
            Field::optional("exclusiveMax", Type::Number, "The value must be less than this."),
        ],
    },
    docs: "\
## What it checks
The argument is a number within the bounds, compared exactly (no rounding, no floating point). A text that looks like
a number is not one and fires. With `[]` every element must be within them.

## Why
A cap is the commonest rule about money and counts. Beside the schema's `maximum` it carries the prose and the
correction, and can be tightened per agent.

## Example
```yaml
- {id: cap, tools: [refund], kind: argRange, with: {arg: amount, exclusiveMin: 0, max: 500.00}}
```

## Correction
`amount` must be above 0 and at most 500; you sent 900.
",
};

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) min: Option<Decimal>,
    pub(crate) max: Option<Decimal>,
    pub(crate) exclusive_min: Option<Decimal>,
    pub(crate) exclusive_max: Option<Decimal>,
}

impl Bounds {
    /// The numbers within both.
    pub(crate) fn and(&self, other: &Bounds) -> Bounds {
        let least = |one: Option<Decimal>, two: Option<Decimal>| one.into_iter().chain(two).min();
        Bounds {
            min: self.min.max(other.min),
            max: least(self.max, other.max),
            exclusive_min: self.exclusive_min.max(other.exclusive_min),
            exclusive_max: least(self.exclusive_max, other.exclusive_max),
        }
    }

    pub(crate) fn contains(&self, value: &Value<'_>) -> bool {
        let Value::Number(number) = value else { return false };
        self.min.is_none_or(|bound| *number >= bound)
            && self.max.is_none_or(|bound| *number <= bound)
            && self.exclusive_min.is_none_or(|bound| *number > bound)
            && self.exclusive_max.is_none_or(|bound| *number < bound)
    }

    /// True if some number is within.
    fn is_possible(&self) -> bool {
        let low = self.min.max(self.exclusive_min);
        let high = [self.max, self.exclusive_max].into_iter().flatten().min();
        let (Some(low), Some(high)) = (low, high) else { return true };
        let open = self.exclusive_min == Some(low) || self.exclusive_max == Some(high);
        low < high || (low == high && !open)
    }

    fn words(&self) -> String {
        let parts = [
            self.min.map(|bound| format!("at least {bound}")),
            self.exclusive_min.map(|bound| format!("above {bound}")),
            self.max.map(|bound| format!("at most {bound}")),
            self.exclusive_max.map(|bound| format!("below {bound}")),
        ];
        crate::text::joined(&parts.into_iter().flatten().collect::<Vec<_>>(), "and")
    }
}

#[derive(Debug)]
struct Range {
    arg: ArgumentPath,
    bounds: Bounds,
}

impl Kind for ArgRange {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let arg = with.get("arg").and_then(|node| ArgumentPath::decode(decoder, node));
        let before = decoder.problems();
        let mut bound = |key| with.get(key).and_then(|node| decoder.number(node)).map(|number| number.value);
        let bounds = Bounds {
            min: bound("min"),
            max: bound("max"),
            exclusive_min: bound("exclusiveMin"),
            exclusive_max: bound("exclusiveMax"),
        };
        if decoder.problems() > before {
            return None;
        }
        if bounds.words().is_empty() {
            let problem =
                Diagnostic::error("range-without-bounds", with.head(), "a range without a bound allows everything");
            decoder.report(problem.help("give `min`, `max`, `exclusiveMin` or `exclusiveMax`"));
            return None;
        }
        if !bounds.is_possible() {
            let message = format!("no number is {}", bounds.words());
            let help = "raise the upper bound or lower the lower one; the kind `forbid` refuses every call";
            decoder.report(Diagnostic::error("impossible-range", with.head(), message).help(help));
            return None;
        }
        Some(Arc::new(Range { arg: arg?, bounds }))
    }
}

impl Rule for Range {
    fn parameters(&self) -> Value<'static> {
        let number = |bound: Option<Decimal>| bound.map(Value::Number);
        Object::of_some([
            ("arg", Some(self.arg.value())),
            ("min", number(self.bounds.min)),
            ("max", number(self.bounds.max)),
            ("exclusiveMin", number(self.bounds.exclusive_min)),
            ("exclusiveMax", number(self.bounds.exclusive_max)),
        ])
        .into()
    }

    fn prose(&self) -> String {
        format!("`{}` must be {}", self.arg.text(), self.bounds.words())
    }

    fn bind(&self, tool: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(Bound { arg: self.arg.locate(tool, TypeSet::NUMBER)?, bounds: self.bounds })))
    }
}

#[derive(Debug)]
struct Bound {
    arg: Argument,
    bounds: Bounds,
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        match self.arg.visit(context, |value| self.bounds.contains(value)) {
            Visit::Fits => Finding::Pass,
            Visit::Unfit => Finding::Fires,
            Visit::Missing => Finding::Missing,
        }
    }

    fn claim(&self) -> Option<Claim> {
        Some(Claim { slot: self.arg.plain_slot()?, among: Among::Range(self.bounds) })
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let unfit = self.arg.unfit(context, |value| self.bounds.contains(value));
        format!("`{}` must be {}; {}.", unfit.place, self.bounds.words(), unfit.words())
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        self.arg.reads(context)
    }

    fn flips(&self, context: &Context<'_>) -> Option<String> {
        let unfit = self.arg.only_unfit(context, |value| self.bounds.contains(value))?;
        let sent = if let Unfit::Value(value) = unfit { value.as_number() } else { None };
        let nearest = sent.and_then(|sent| self.nearest(sent));
        let to = nearest.map_or_else(|| format!("a number {}", self.bounds.words()), |number| number.to_string());
        Some(self.arg.change(unfit, &to))
    }
}

impl Bound {
    /// The nearest number that is within and that the schema lets stand here. A bound that is excluded has none beside
    /// it, unless only whole numbers count.
    fn nearest(&self, sent: Decimal) -> Option<Decimal> {
        let Bounds { min, max, exclusive_min, exclusive_max } = self.bounds;
        let one = Decimal::from(1_u64);
        let whole = self.arg.types().and(TypeSet::NUMBER).within(TypeSet::INTEGER);
        let mut candidates: Vec<Option<Decimal>> = self.arg.listed_numbers().map(Some).collect();
        candidates.extend([min, max]);
        if whole {
            candidates.extend([min.and_then(ceiling), max.and_then(floor)]);
            candidates.push(exclusive_min.and_then(floor).and_then(|number| number.checked_add(&one)));
            candidates.push(exclusive_max.and_then(ceiling).and_then(|number| number.checked_sub(&one)));
        }
        let fits = |number: &Decimal| {
            let value = Value::Number(*number);
            self.bounds.contains(&value) && self.arg.may_be(&value)
        };
        let within = candidates.into_iter().flatten().filter(fits);
        let distances = within.filter_map(|number| Some((number.checked_sub(&sent)?.abs(), number)));
        distances.min().map(|(_, number)| number)
    }
}

/// The greatest whole number that is not greater.
fn floor(number: Decimal) -> Option<Decimal> {
    let near = number.round(0)?;
    if near > number { near.checked_sub(&Decimal::from(1_u64)) } else { Some(near) }
}

/// The least whole number that is not less.
fn ceiling(number: Decimal) -> Option<Decimal> {
    Some(floor(number.neg())?.neg())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(min: Option<i64>, max: Option<i64>, above: Option<i64>, below: Option<i64>) -> Bounds {
        let number = |bound: Option<i64>| bound.map(Decimal::from);
        Bounds { min: number(min), max: number(max), exclusive_min: number(above), exclusive_max: number(below) }
    }

    #[test]
    fn the_bounds_themselves_are_in_unless_excluded() {
        let inclusive = bounds(Some(1), Some(5), None, None);
        let exclusive = bounds(None, None, Some(1), Some(5));
        for (number, inside, strictly) in
            [(0, false, false), (1, true, false), (3, true, true), (5, true, false), (6, false, false)]
        {
            let value = Value::from(number);
            assert_eq!(inclusive.contains(&value), inside);
            assert_eq!(exclusive.contains(&value), strictly);
        }
        assert!(!inclusive.contains(&Value::from("3")));
    }

    #[test]
    fn an_empty_range_is_noticed() {
        assert!(!bounds(Some(5), Some(1), None, None).is_possible());
        assert!(!bounds(Some(5), None, None, Some(5)).is_possible());
        assert!(bounds(Some(5), Some(5), None, None).is_possible());
    }
}
