//! `valueFromUser`: an argument that the user typed in this session.

use super::argument::{Argument, ArgumentPath, Visit};
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Failure, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::facts::Said;
use crate::path::Step;
use crate::schema::TypeSet;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `valueFromUser`.
#[derive(Debug)]
pub struct ValueFromUser;

static ABOUT: About = About {
    name: "valueFromUser",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Input,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `valueFromUser`",
        fields: &[Field::required("arg", Type::Text, "The argument, as a path: `a`, `a.b`, `a[].b`.")],
    },
    docs: "\
## What it checks
The user typed the argument, a text or a number, in this session. Whole words count: `ORD-000017` is not found in
`ORD-0000175`, nor an address inside a longer one. Large and small letters are the same, letters of two scripts that look
alike are not. A number is the same by its value, where it was typed as `1000.50`; `1,000.50` is no number. With `[]`, and
where the argument is a list, every element must have been typed. `true` and `false` never were.

A value that is quoted, negated or told of somebody else is typed, and whatever else was written is not looked at. So this
says where a value comes from; it is nobody's consent.

## Why
A model can be talked into a recipient, an account or an amount by a text that it read. What the user typed is not under
the control of that text.

## Example
```yaml
- {id: payee, tools: [send_money], kind: valueFromUser, with: {arg: recipient}}
```

## Correction
`recipient` must be what the user typed; you sent \"DE00 0000\". Ask the user to write it, and pass it as it is written.
",
};

#[derive(Debug)]
struct FromUser {
    arg: ArgumentPath,
}

impl Kind for ValueFromUser {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let arg = ArgumentPath::decode(decoder, with.get("arg")?)?;
        Some(Arc::new(FromUser { arg }))
    }
}

impl Rule for FromUser {
    fn parameters(&self) -> Value<'static> {
        Object::of([("arg", self.arg.value())]).into()
    }

    fn prose(&self) -> String {
        format!("`{}` must be a value that the user typed, passed as it was written", self.arg.text())
    }

    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let arg = self.arg.locate(tool, TypeSet::STRING.or(TypeSet::NUMBER).or(TypeSet::ARRAY))?;
        if let Some(only) = arg.only_value() {
            let only = crate::text::shown(only);
            return Err(vec![BindProblem {
                rule: "does-not-fit",
                span: self.arg.span(),
                message: format!("`{}` of `{}` can only be {only}", self.arg.text(), tool.name),
                help: Some("name an argument that the model chooses freely".into()),
            }]);
        }
        let first = match self.arg.path().steps().first() {
            Some(Step::Key(name)) => name,
            _ => "",
        };
        compiler.ask_typed(self.arg.span(), first);
        Ok(Some(Box::new(Bound { arg })))
    }
}

#[derive(Debug)]
struct Bound {
    arg: Argument,
}

/// Whether the user typed a value, or all of a list.
fn said(context: &Context<'_>, value: &Value<'_>) -> Said {
    let Value::Array(items) = value else { return context.facts.said(context.key, value) };
    let mut all = Said::Yes;
    for item in items {
        match context.facts.said(context.key, item) {
            Said::Yes => {}
            Said::No => return Said::No,
            Said::CannotTell => all = Said::CannotTell,
        }
    }
    all
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        let mut cannot_tell = false;
        let visit = self.arg.visit(context, |value| match said(context, value) {
            Said::Yes => true,
            Said::No => false,
            Said::CannotTell => {
                cannot_tell = true;
                true
            }
        });
        match visit {
            Visit::Unfit => Finding::Fires,
            Visit::Missing => Finding::Missing,
            Visit::Fits if cannot_tell => Finding::Fails(Failure::IndexFull),
            Visit::Fits => Finding::Pass,
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let unfit = self.arg.unfit(context, |value| said(context, value) != Said::No);
        format!(
            "`{}` must be what the user typed; {}. Ask the user to write it, and pass it as it is written.",
            unfit.place,
            unfit.words()
        )
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        self.arg.reads(context)
    }

    fn flips(&self, context: &Context<'_>) -> Option<String> {
        let unfit = self.arg.only_unfit(context, |value| said(context, value) == Said::Yes)?;
        Some(self.arg.change(unfit, "what the user typed"))
    }
}
