//! `precondition`: an expression, usually on the host's world, that must hold before a call, or before a turn begins.

use super::condition::{WORLD_CHECK, Words, decode};
use super::{About, Dimension, Hook, Kind, Rule};
use crate::decode::{Decoder, Fields, Shape};
use std::sync::Arc;

/// The kind `precondition`.
#[derive(Debug)]
pub struct Precondition;

static ABOUT: About = About {
    name: "precondition",
    hooks: &[Hook::OnInput, Hook::PreTool],
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

Under `onInput` the person hears: This is not possible now.
",
};

static WORDS: Words = Words {
    prose: |check| format!("only while `{check}`"),
    // It stands below a heading that asks when a message is not taken up, so it says all of it itself.
    of_turn: Some(|check| format!("a message is taken up only while `{check}`")),
    // What the host keeps of the world is not for a person to hear, and a model repeats what it reads.
    correction: |broken| match broken.tool {
        // A person reads it.
        "" => "This is not possible now.".into(),
        tool => format!("`{tool}` is not possible now (rule `{}`). Say so.", broken.rule),
    },
};

impl Kind for Precondition {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        decode(decoder, with, &WORDS)
    }
}
