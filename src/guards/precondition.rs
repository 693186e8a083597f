//! `precondition`: one comparison on the host's world that must hold before a call.

use super::comparison::{Root, Test, WORLD_CHECK};
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::observed::IndexPlan;
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
The comparison on a path of the host's world is true. A path that is absent or null, or a value of another type than
the literal, is missing: it fires, or has no opinion under `missing: skip`.

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
    test: Test,
}

impl Kind for Precondition {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let test = Test::decode(decoder, with.get("check")?, Root::World)?;
        Some(Arc::new(Holds { test }))
    }
}

impl Rule for Holds {
    fn parameters(&self) -> Value<'static> {
        self.test.parameters()
    }

    fn prose(&self) -> String {
        format!("only while `{}`", self.test.text())
    }

    fn bind(&self, tool: &ToolFacts<'_>, _: &mut IndexPlan) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        if let Some(world) = tool.world {
            self.test.fits(world)?;
        }
        Ok(Some(Box::new(Bound { rule: tool.rule.to_owned(), test: self.test.clone() })))
    }

    fn world_paths(&self) -> Vec<Vec<String>> {
        vec![self.test.path()]
    }
}

#[derive(Debug)]
struct Bound {
    rule: String,
    test: Test,
}

impl Check for Bound {
    fn check(&self, context: &Context<'_>) -> Finding {
        self.test.ask_world(context)
    }

    fn correction(&self, context: &Context<'_>) -> String {
        // What the host keeps of the world is not for a person to hear, and a model repeats what it reads.
        format!("`{}` is not possible now (rule `{}`). Say so.", context.tool, self.rule)
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        vec![self.test.read_world(context)]
    }

    fn flips(&self, context: &Context<'_>) -> Option<String> {
        self.test.flip_world(context)
    }
}
