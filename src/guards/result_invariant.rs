//! `resultInvariant`: an expression on a call's result that must hold.

use super::condition::{RESULT_CHECK, Words, decode};
use super::{About, Dimension, Hook, Kind, Rule};
use crate::decode::{Decoder, Fields, Shape};
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

static WORDS: Words = Words {
    prose: |check| {
        format!("report a tool result only as it actually came back; where it is not `{check}`, say what it is")
    },
    of_turn: None,
    correction: |broken| {
        let (tool, check) = (broken.tool, broken.check);
        format!("The result of `{tool}` is not as it must be (`{check}`). Report it only as it came back.")
    },
};

impl Kind for ResultInvariant {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        decode(decoder, with, &WORDS)
    }
}
