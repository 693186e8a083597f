//! `resultInvariant`: one comparison on a call's result that must hold.

use super::comparison::{Root, Test};
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::observed::IndexPlan;
use crate::value::Value;
use std::sync::Arc;

/// The kind `resultInvariant`.
#[derive(Debug)]
pub struct ResultInvariant;

static ABOUT: About = About {
    name: "resultInvariant",
    hooks: &[Hook::PostTool],
    dimension: Dimension::Output,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `resultInvariant`",
        fields: &[Field::required(
            "check",
            Type::Text,
            "What must be true: `result.a`, `!result.a`, or one comparison `result.a == 'text'` (`==`, `!=`, `<`, `<=`, `>`, `>=`, `in [...]`).",
        )],
    },
    docs: "\
## What it checks
The comparison on a path of the call's result is true. A path that is absent or null, or a value of another type than
the literal, is missing: it fires, or has no opinion under `missing: skip`. It stands under `postTool`, where firing
warns: the result is accepted, and the warning says what to tell of it. With `action: deny` the result is withheld from
the model, and the call licenses no later one; that it took place still counts.

## Why
A tool that answers `{status: pending}` has not failed, and models report it as done.

## Example
```yaml
postTool:
  - {id: settled, tools: [refund], kind: resultInvariant, with: {check: result.status == 'settled'}}
```

## Correction
The result of `refund` is not as it must be (`result.status == 'settled'`). Report it only as it came back.
",
};

#[derive(Debug)]
struct Holds {
    test: Test,
}

impl Kind for ResultInvariant {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let test = Test::decode(decoder, with.get("check")?, Root::Result)?;
        Some(Arc::new(Holds { test }))
    }
}

impl Rule for Holds {
    fn parameters(&self) -> Value<'static> {
        self.test.parameters()
    }

    fn prose(&self) -> String {
        format!(
            "report a tool result only as it actually came back; where it is not `{}`, say what it is",
            self.test.text()
        )
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut IndexPlan) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(Holds { test: self.test.clone() })))
    }
}

impl Check for Holds {
    fn check(&self, context: &Context<'_>) -> Finding {
        context.result.map_or(Finding::Missing, |result| self.test.ask(result))
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let (tool, check) = (context.tool, self.test.text());
        format!("The result of `{tool}` is not as it must be (`{check}`). Report it only as it came back.")
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        context.result.map(|result| self.test.read(result)).into_iter().collect()
    }

    fn flips(&self, context: &Context<'_>) -> Option<String> {
        self.test.flip(context.result?)
    }
}
