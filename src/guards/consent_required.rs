//! `consentRequired`: a person's consent that must be on record before a call.

use super::comparison::{Root, Test, WORLD_CHECK};
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::observed::IndexPlan;
use crate::value::Value;
use std::sync::Arc;

/// The kind `consentRequired`.
#[derive(Debug)]
pub struct ConsentRequired;

static ABOUT: About = About {
    name: "consentRequired",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Run,
    automatic: false,
    parameters: &Shape { name: "the parameters of `consentRequired`", fields: &[WORLD_CHECK] },
    docs: "\
## What it checks
The comparison on a path of the host's world is true: the host has the person's consent on record. A path that is
absent or null, or a value of another type than the literal, is missing: it fires, or has no opinion under
`missing: skip`.

## Why
Sharing data, recording, marketing and treatment need a consent that was given to the host, with a date and a proof. A
yes in the conversation is none: the model may misread it, and nobody can show it later.

## Example
```yaml
- {id: share, tools: [share_record], kind: consentRequired, with: {check: world.consentOnRecord == true}}
```

## Correction
`share_record` needs the person's consent, and none is on record. Ask for it in your reply; do not call
`share_record` until it is recorded.
",
};

#[derive(Debug)]
struct Consents {
    test: Test,
}

impl Kind for ConsentRequired {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let test = Test::decode(decoder, with.get("check")?, Root::World)?;
        Some(Arc::new(Consents { test }))
    }
}

impl Rule for Consents {
    fn parameters(&self) -> Value<'static> {
        self.test.parameters()
    }

    fn prose(&self) -> String {
        format!("call it only while this person's consent is on record: `{}`", self.test.text())
    }

    fn bind(&self, tool: &ToolFacts<'_>, _: &mut IndexPlan) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        if let Some(world) = tool.world {
            self.test.fits(world)?;
        }
        Ok(Some(Box::new(Consents { test: self.test.clone() })))
    }

    fn world_paths(&self) -> Vec<Vec<String>> {
        vec![self.test.path()]
    }
}

impl Check for Consents {
    fn check(&self, context: &Context<'_>) -> Finding {
        self.test.ask_world(context)
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let tool = context.tool;
        format!(
            "`{tool}` needs the person's consent, and none is on record. Ask for it in your reply; do not call `{tool}` until it is recorded."
        )
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        vec![self.test.read_world(context)]
    }

    fn flips(&self, context: &Context<'_>) -> Option<String> {
        self.test.flip_world(context)
    }
}
