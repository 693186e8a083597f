//! `consentRequired`: a person's consent that must be on record before a call.

use super::condition::{WORLD_CHECK, Words, decode};
use super::{About, Dimension, Hook, Kind, Rule};
use crate::decode::{Decoder, Fields, Shape};
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
The expression is true: the host has the person's consent on record. Where something that it reads is absent, null or
of another type it fires, or has no opinion under `missing: skip`.

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

static WORDS: Words = Words {
    prose: |check| format!("call it only while this person's consent is on record: `{check}`"),
    of_turn: None,
    correction: |broken| {
        let tool = broken.tool;
        format!(
            "`{tool}` needs the person's consent, and none is on record. Ask for it in your reply; do not call `{tool}` until it is recorded."
        )
    },
};

impl Kind for ConsentRequired {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        decode(decoder, with, &WORDS)
    }
}
