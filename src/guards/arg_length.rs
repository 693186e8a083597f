//! `argLength`: a text of so many characters, or a list of so many items.

use super::argument::{Argument, ArgumentPath, Unfit, Visit};
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decimal::Decimal;
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::schema::TypeSet;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `argLength`.
#[derive(Debug)]
pub struct ArgLength;

static ABOUT: About = About {
    name: "argLength",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Input,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `argLength`",
        fields: &[
            Field::required("arg", Type::Text, "The argument, as a path: `a`, `a.b`, `a[].b`."),
            Field::optional("min", Type::Count, "The least length allowed."),
            Field::optional("max", Type::Count, "The greatest length allowed."),
        ],
    },
    docs: "\
## What it checks
The argument is a text of at least `min` and at most `max` characters, or a list of so many items. Characters are
Unicode code points, as in a schema's `minLength`. Anything else than a text or a list fires. `a` measures a list, `a[]`
each of its elements.

## Why
A bulk call that touches a thousand records, a note that carries a whole conversation. Beside the schema's `maxLength`
and `maxItems` it carries the prose and the correction, and can be tightened per agent.

## Example
```yaml
- {id: few-at-once, tools: [cancel_orders], kind: argLength, with: {arg: order_ids, min: 1, max: 10}}
```

## Correction
`order_ids` must have at least 1 and at most 10 items; you sent 12.
",
};

#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: Option<u64>,
    max: Option<u64>,
}

/// How long a text or a list is; `None` for anything else.
fn length(value: &Value<'_>) -> Option<u64> {
    let length = match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        _ => return None,
    };
    u64::try_from(length).ok()
}

impl Bounds {
    fn contains(&self, value: &Value<'_>) -> bool {
        length(value).is_some_and(|length| {
            self.min.is_none_or(|bound| length >= bound) && self.max.is_none_or(|bound| length <= bound)
        })
    }

    fn words(&self) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) if min == max => format!("exactly {min}"),
            (Some(min), Some(max)) => format!("at least {min} and at most {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => String::new(),
        }
    }
}

#[derive(Debug)]
struct Length {
    arg: ArgumentPath,
    bounds: Bounds,
}

impl Kind for ArgLength {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let arg = with.get("arg").and_then(|node| ArgumentPath::decode(decoder, node));
        let before = decoder.problems();
        let mut bound = |key| with.get(key).and_then(|node| decoder.count(node)).map(|count| count.value);
        let bounds = Bounds { min: bound("min"), max: bound("max") };
        if decoder.problems() > before {
            return None;
        }
        match (bounds.min, bounds.max) {
            (None, None) => {
                let message = "a length without a bound allows everything";
                let problem = Diagnostic::error("range-without-bounds", with.head(), message);
                decoder.report(problem.help("give `min`, `max` or both"));
                return None;
            }
            (Some(min), Some(max)) if min > max => {
                let message = format!("nothing is {} long", bounds.words());
                let problem = Diagnostic::error("impossible-range", with.head(), message);
                decoder.report(problem.help("`min` is at most `max`"));
                return None;
            }
            _ => {}
        }
        Some(Arc::new(Length { arg: arg?, bounds }))
    }
}

impl Rule for Length {
    fn parameters(&self) -> Value<'static> {
        let count = |bound: Option<u64>| bound.map(|bound| Value::Number(Decimal::from(bound)));
        Object::of_some([
            ("arg", Some(self.arg.value())),
            ("min", count(self.bounds.min)),
            ("max", count(self.bounds.max)),
        ])
        .into()
    }

    fn prose(&self) -> String {
        format!("`{}` must have {} characters (items, where it is a list)", self.arg.text(), self.bounds.words())
    }

    fn bind(&self, tool: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let arg = self.arg.locate(tool, TypeSet::STRING.or(TypeSet::ARRAY))?;
        Ok(Some(Box::new(Bound { arg, bounds: self.bounds })))
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

    fn correction(&self, context: &Context<'_>) -> String {
        let (mut unit, mut sent) = ("characters or items", "it is missing".to_owned());
        self.arg.visit(context, |value| {
            let fits = self.bounds.contains(value);
            if !fits {
                unit = if matches!(value, Value::Array(_)) { "items" } else { "characters" };
                let shown = length(value).map_or_else(|| crate::text::shown(value), |length| length.to_string());
                sent = format!("you sent {shown}");
            }
            fits
        });
        let place = self.arg.unfit(context, |value| self.bounds.contains(value)).place;
        format!("`{place}` must have {} {unit}; {sent}.", self.bounds.words())
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        self.arg.reads(context)
    }

    fn flips(&self, context: &Context<'_>) -> Option<String> {
        let unfit = self.arg.only_unfit(context, |value| self.bounds.contains(value))?;
        let (sent, unit) = match unfit {
            Unfit::Value(Value::Array(items)) => (items.len().to_string(), " items"),
            Unfit::Value(Value::String(text)) => (text.chars().count().to_string(), " characters"),
            Unfit::Value(_) => return None,
            Unfit::Absent => ("absent".to_owned(), ""),
        };
        Some(format!("`{}` {sent}{unit} → {}", self.arg.text(), self.bounds.words()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_code_points_and_items_are_elements() {
        let bounds = Bounds { min: Some(2), max: Some(3) };
        for text in ["ab", "日本語", "🦀🦀"] {
            assert!(bounds.contains(&Value::from(text)), "{text}");
        }
        for text in ["", "é", "abcd"] {
            assert!(!bounds.contains(&Value::from(text)), "{text}");
        }
        let list = |items: usize| Value::Array(vec![Value::Null; items]);
        assert!(bounds.contains(&list(2)));
        assert!(!bounds.contains(&list(4)));
        assert!(!bounds.contains(&Value::from(3)));
    }
}
