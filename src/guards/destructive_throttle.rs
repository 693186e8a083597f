//! `destructiveThrottle`: one destructive call a turn.

use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `destructiveThrottle`.
#[derive(Debug)]
pub struct DestructiveThrottle;

static ABOUT: About = About {
    name: "destructiveThrottle",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Run,
    automatic: true,
    parameters: &Shape { name: "the parameters of `destructiveThrottle`", fields: &[] },
    docs: "\
## What it checks
At most one call of the tools that say `destructive: true` in a turn, all of them together. A call counts from the
moment it is allowed, and calls of one batch see each other; a denied one does not count, and one that failed with
`effect: false` does not count any more. One of which nobody knows the effect counts.

## Why
What cannot be undone is done one at a time, with a person's turn between. A model that misread a list then ends one
subscription, not all of them.

## Example
Every tool with `destructive: true` has it. To switch it off:
```yaml
controls: {auto: {destructiveThrottle: false}}
```

## Correction
`delete_account` was called in this turn, and only one destructive action is taken a turn. Do not call `delete_order`
now: report what was done, and wait for the next message.
",
};

#[derive(Debug)]
struct OnceATurn;

impl Kind for DestructiveThrottle {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, _: &mut Decoder<'_>, _: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Some(Arc::new(OnceATurn))
    }
}

impl Rule for OnceATurn {
    fn parameters(&self) -> Value<'static> {
        Object::new().into()
    }

    fn prose(&self) -> String {
        "at most one destructive action a turn; a call that changed nothing does not count".into()
    }

    fn concerns(&self, tool: &ToolFacts<'_>) -> bool {
        tool.destructive
    }

    fn bind(
        &self,
        _: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        compiler.plan().keep_destructive();
        Ok(Some(Box::new(OnceATurn)))
    }
}

impl Check for OnceATurn {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        if context.is_destructive && context.observed.destructive().is_some() { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let tool = context.tool;
        let earlier = context.observed.destructive().unwrap_or(tool);
        format!(
            "`{earlier}` was called in this turn, and only one destructive action is taken a turn. Do not call `{tool}` now: report what was done, and wait for the next message."
        )
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        let earlier = context.observed.destructive().map_or_else(|| "none".to_owned(), |tool| format!("`{tool}`"));
        vec![Read::words("an earlier destructive call of this turn", earlier)]
    }

    fn flips(&self, _: &Context<'_>) -> Option<String> {
        Some("the next turn".into())
    }

    fn is_final(&self) -> bool {
        true
    }
}
