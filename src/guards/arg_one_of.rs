//! `argOneOf`: an argument that is, or is not, one of a list of values.

use super::argument::{Argument, ArgumentPath, Unfit, Visit};
use super::screen::{Among, Claim};
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decimal::Decimal;
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::hash::Set;
use crate::schema::TypeSet;
use crate::source::Spanned;
use crate::value::{Object, Value};
use crate::yaml::Node;
use std::sync::Arc;

/// The kind `argOneOf`.
#[derive(Debug)]
pub struct ArgOneOf;

static ABOUT: About = About {
    name: "argOneOf",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Input,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `argOneOf`",
        fields: &[
            Field::required("arg", Type::Text, "The argument, as a path: `a`, `a.b`, `a[].b`."),
            Field::optional("values", Type::List(&Type::Any), "The only values allowed."),
            Field::optional("not", Type::List(&Type::Any), "Values that are not allowed."),
        ],
    },
    docs: "\
## What it checks
With `values` the argument equals one of them; with `not` it equals none of them. Texts compare by code point and
case, numbers by value (`1` is `1.0`). With `[]` every element is judged. Long lists cost no more than short ones.

## Why
Allow lists and deny lists of currencies, regions, accounts, commands.

## Example
```yaml
- {id: currency, tools: [refund], kind: argOneOf, with: {arg: currency, values: [EUR, USD]}}
- {id: frozen, tools: [transfer], kind: argOneOf, with: {arg: account, not: [9007199254740993]}}
```

## Correction
`currency` must be one of \"EUR\", \"USD\"; you sent \"GBP\".
",
};

/// How many values a correction or the prose names.
const NAMED: usize = 8;

/// As many texts are compared one by one.
const FEW: usize = 8;

/// The values of a list, by type, so that one look-up answers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Listed {
    /// Few texts are compared one by one, which is faster than a look-up.
    few: Vec<Box<str>>,
    texts: Set<Box<str>>,
    numbers: Set<Decimal>,
    off: bool,
    on: bool,
}

impl Listed {
    pub(crate) fn of<'v>(values: impl Iterator<Item = &'v Value<'static>>) -> Listed {
        let mut listed = Listed::default();
        for value in values {
            match value {
                Value::String(text) => listed.few.push(text.as_ref().into()),
                Value::Number(number) => _ = listed.numbers.insert(*number),
                Value::Bool(false) => listed.off = true,
                Value::Bool(true) => listed.on = true,
                Value::Null | Value::Array(_) | Value::Object(_) => {}
            }
        }
        if listed.few.len() > FEW {
            listed.texts = std::mem::take(&mut listed.few).into_iter().collect();
        }
        listed
    }

    pub(crate) fn contains(&self, value: &Value<'_>) -> bool {
        match value {
            Value::String(text) if self.texts.is_empty() => self.few.iter().any(|listed| **listed == **text),
            Value::String(text) => self.texts.contains(text.as_ref()),
            Value::Number(number) => self.numbers.contains(number),
            Value::Bool(value) => {
                if *value {
                    self.on
                } else {
                    self.off
                }
            }
            Value::Null | Value::Array(_) | Value::Object(_) => false,
        }
    }
}

#[derive(Debug)]
struct OneOf {
    arg: ArgumentPath,
    values: Vec<Spanned<Value<'static>>>,
    listed: Arc<Listed>,
    allowed: bool,
}

pub(super) fn scalars(decoder: &mut Decoder<'_>, node: &Node, empty: &str) -> Option<Vec<Spanned<Value<'static>>>> {
    let mut values = Vec::new();
    let before = decoder.problems();
    let items = decoder.list(node);
    for item in decoder.some(node, items, empty) {
        match decoder.value(item) {
            Some(value @ (Value::Bool(_) | Value::Number(_) | Value::String(_))) => {
                values.push(Spanned::new(value, item.span));
            }
            Some(_) => decoder.wrong_type(item, "a text, a number or a boolean"),
            None => {}
        }
    }
    decoder.distinct(values.iter().map(|value| (crate::text::shown(&value.value), value.span)));
    (decoder.problems() == before).then_some(values)
}

impl Kind for ArgOneOf {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let arg = with.get("arg").and_then(|node| ArgumentPath::decode(decoder, node));
        let (node, allowed, empty) = match (with.get("values"), with.get("not")) {
            (Some(node), None) => (node, true, "list a value; the kind `forbid` refuses every call"),
            (None, Some(node)) => (node, false, "list a value, or take the guard out"),
            _ => {
                let problem = Diagnostic::error("one-list", with.head(), "`argOneOf` takes one list");
                decoder.report(problem.help("give `values`, the only ones allowed, or `not`, those refused"));
                return None;
            }
        };
        let values = scalars(decoder, node, empty)?;
        let listed = Arc::new(Listed::of(values.iter().map(|value| &value.value)));
        Some(Arc::new(OneOf { arg: arg?, values, listed, allowed }))
    }
}

impl OneOf {
    fn words(&self) -> String {
        let values = self.values.iter().map(|value| &value.value);
        let mut named: Vec<String> = values.take(NAMED).map(crate::text::shown).collect();
        let rest = self.values.len().saturating_sub(NAMED);
        if rest > 0 {
            named.push(format!("{rest} more"));
        }
        if self.allowed {
            format!("must be one of {}", named.join(", "))
        } else {
            format!("must not be {}", crate::text::joined(&named, "or"))
        }
    }
}

impl Rule for OneOf {
    fn parameters(&self) -> Value<'static> {
        let list = Value::Array(self.values.iter().map(|value| value.value.clone()).collect());
        Object::of([("arg", self.arg.value()), (if self.allowed { "values" } else { "not" }, list)]).into()
    }

    fn prose(&self) -> String {
        format!("`{}` {}", self.arg.text(), self.words())
    }

    fn bind(&self, tool: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let arg = self.arg.locate(tool, TypeSet::STRING.or(TypeSet::NUMBER).or(TypeSet::BOOLEAN))?;
        let never = |value: &Spanned<Value<'static>>| {
            let (message, help) = arg.never_equals(&value.value, tool)?;
            Some(BindProblem { rule: "never-equal", span: value.span, message, help })
        };
        let problems: Vec<BindProblem> = self.values.iter().filter_map(never).collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        let values = self.values.iter().map(|value| value.value.clone()).collect();
        let (listed, words) = (self.listed.clone(), self.words());
        Ok(Some(Box::new(Bound { arg, listed, allowed: self.allowed, words, values })))
    }
}

#[derive(Debug)]
struct Bound {
    arg: Argument,
    listed: Arc<Listed>,
    allowed: bool,
    words: String,
    values: Vec<Value<'static>>,
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        match self.arg.visit(context, |value| self.listed.contains(value) == self.allowed) {
            Visit::Fits => Finding::Pass,
            Visit::Unfit => Finding::Fires,
            Visit::Missing => Finding::Missing,
        }
    }

    fn claim(&self) -> Option<Claim> {
        let values = self.values.clone();
        let among = if self.allowed { Among::Only(values) } else { Among::Not(values) };
        Some(Claim { slot: self.arg.plain_slot()?, among })
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let unfit = self.arg.unfit(context, |value| self.listed.contains(value) == self.allowed);
        format!("`{}` {}; {}.", unfit.place, self.words, unfit.words())
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        self.arg.reads(context)
    }

    fn flips(&self, context: &Context<'_>) -> Option<String> {
        let unfit = self.arg.only_unfit(context, |value| self.listed.contains(value) == self.allowed)?;
        let to = if self.allowed { crate::text::shown(self.nearest(unfit)?) } else { "any other value".to_owned() };
        Some(self.arg.change(unfit, &to))
    }
}

impl Bound {
    /// The allowed text that is most like the one sent, else the first value of the list.
    fn nearest(&self, unfit: Unfit<'_>) -> Option<&Value<'static>> {
        let values = || self.values.iter().filter(|value| self.arg.may_be(value));
        let sent = if let Unfit::Value(value) = unfit { value.as_str() } else { None };
        let alike = sent.and_then(|sent| crate::diagnostic::nearest(sent, values().filter_map(Value::as_str)));
        alike.and_then(|alike| values().find(|value| value.as_str() == Some(alike))).or_else(|| values().next())
    }
}
