//! `argRequired`: an argument that must say something.

use super::argument::{Argument, ArgumentPath, Visit};
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::schema::TypeSet;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `argRequired`.
#[derive(Debug)]
pub struct ArgRequired;

static ABOUT: About = About {
    name: "argRequired",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Input,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `argRequired`",
        fields: &[Field::required("arg", Type::Text, "The argument, as a path: `a`, `a.b`, `a[].b`.")],
    },
    docs: "\
## What it checks
The argument is there and says something. Absent, null, an empty list or object, and a text of white space or
invisible characters only all fire. With `[]` every element must say something.

## Why
A schema's `required` accepts `\"\"`, `[]` and zero-width characters, and models fill what they do not know with them.

## Example
```yaml
- {id: note-needed, tools: [refund], kind: argRequired, with: {arg: note}}
```

## Correction
Pass a real, non-empty `note` to `refund`. If you do not know it, ask for it.
",
};

#[derive(Debug)]
struct Required {
    arg: ArgumentPath,
}

impl Kind for ArgRequired {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let arg = ArgumentPath::decode(decoder, with.get("arg")?)?;
        Some(Arc::new(Required { arg }))
    }
}

impl Rule for Required {
    fn parameters(&self) -> Value<'static> {
        Object::of([("arg", self.arg.value())]).into()
    }

    fn prose(&self) -> String {
        format!("always pass a real, non-empty `{}`", self.arg.text())
    }

    fn bind(&self, tool: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(Bound { arg: self.arg.locate(tool, TypeSet::ANY)? })))
    }
}

#[derive(Debug)]
struct Bound {
    arg: Argument,
}

fn says_something(value: &Value<'_>) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => !crate::text::is_blank(text),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        match self.arg.visit(context, says_something) {
            Visit::Fits => Finding::Pass,
            Visit::Unfit | Visit::Missing => Finding::Fires,
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        format!(
            "Pass a real, non-empty `{}` to `{}`. If you do not know it, ask for it.",
            self.arg.unfit(context, says_something).place,
            context.tool
        )
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        self.arg.reads(context)
    }

    fn flips(&self, context: &Context<'_>) -> Option<String> {
        let is_text = self.arg.types().meets(TypeSet::STRING);
        let any = if is_text { "any text that is not blank" } else { "any value that is not empty" };
        Some(self.arg.change(self.arg.only_unfit(context, says_something)?, any))
    }
}
