//! `precondition`: an expression, usually on the host's world, that must hold before a call.

use super::condition::{Condition, WORLD_CHECK, ask};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation, Program};
use crate::value::Value;
use std::sync::Arc;

/// The kind `precondition`.
#[derive(Debug)]
pub struct Precondition;

static ABOUT: About = About {
    name: "precondition",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Run,
    automatic: false,
    parameters: &Shape { name: "the parameters of `precondition`", fields: &[WORLD_CHECK] },
    docs: "\
## What it checks
The expression is true, usually of the host's world. Where something that it reads is absent, null or of another type it
fires, or has no opinion under `missing: skip`; a let without a value is its own deny.

## Why
Whether the shop is open, the account frozen, the plan large enough is the host's state; neither the model nor the
user can argue with it.

## Example
```yaml
- {id: open, tools: [refund], kind: precondition, with: {check: world.shopOpen == true}}
```

## Correction
`refund` is not possible now (rule `open`). Say so.
",
};

#[derive(Debug)]
struct Holds {
    check: Condition,
}

impl Kind for Precondition {
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
        format!("only while `{}`", self.check.text())
    }

    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(Bound { rule: tool.rule.to_owned(), program: self.check.bind(tool, compiler)? })))
    }
}

#[derive(Debug)]
struct Bound {
    rule: String,
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
        // What the host keeps of the world is not for a person to hear, and a model repeats what it reads.
        format!("`{}` is not possible now (rule `{}`). Say so.", context.tool, self.rule)
    }
}
