//! `resultInvariant`: an expression on a call's result that must hold.

use super::condition::{Condition, RESULT_CHECK, ask};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation, Program};
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
    parameters: &Shape { name: "the parameters of `resultInvariant`", fields: &[RESULT_CHECK] },
    docs: "\
## What it checks
The expression is true of the call's result. Where something that it reads is absent, null or of another type it
fires, or has no opinion under `missing: skip`. It stands under `postTool`, where firing warns: the result is accepted,
and the warning says what to tell of it. With `action: deny` the result is withheld from the model, and the call
licenses no later one; that it took place still counts.

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
    check: Condition,
}

impl Kind for ResultInvariant {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let check = Condition::decode(decoder, with.get("check")?)?;
        Some(Arc::new(Holds { check }))
    }
}

impl Rule for Holds {
    fn parameters(&self) -> Value<'static> {
        self.check.parameters()
    }

    fn prose(&self) -> String {
        format!(
            "report a tool result only as it actually came back; where it is not `{}`, say what it is",
            self.check.text()
        )
    }

    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(Bound { text: self.check.text(), program: self.check.bind(tool, compiler)? })))
    }
}

#[derive(Debug)]
struct Bound {
    text: String,
    program: Program,
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        ask(&self.program, evaluation)
    }

    fn program(&self) -> Option<&Program> {
        Some(&self.program)
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let (tool, check) = (context.tool, &self.text);
        format!("The result of `{tool}` is not as it must be (`{check}`). Report it only as it came back.")
    }
}
