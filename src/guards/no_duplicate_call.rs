//! `noDuplicateCall`: the same call once a turn.

use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Failure, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::observed::IndexPlan;
use crate::tool::Effect;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `noDuplicateCall`.
#[derive(Debug)]
pub struct NoDuplicateCall;

static ABOUT: About = About {
    name: "noDuplicateCall",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Run,
    automatic: true,
    parameters: &Shape { name: "the parameters of `noDuplicateCall`", fields: &[] },
    docs: "\
## What it checks
No earlier call of this turn had the same tool and the same arguments (by value: member order and number spelling do
not matter). A call that was denied, or that failed without an effect, may be tried again; a read may be repeated
once a write has succeeded in between.

## Why
Models repeat a call whose result they overlooked; with a write, that acts twice. Calls of one batch see each other.

## Example
Every spec has it. To switch it off:
```yaml
controls: {auto: {noDuplicateCall: false}}
```

## Correction
You already called `lookup_order` with these arguments in this turn. Use the result you have.
",
};

#[derive(Debug)]
struct OnceATurn;

impl Kind for NoDuplicateCall {
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
        "never repeat, within one turn, a tool call with the same arguments".into()
    }

    fn bind(&self, _: &ToolFacts<'_>, plan: &mut IndexPlan) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        plan.keep_repeats();
        Ok(Some(Box::new(OnceATurn)))
    }
}

impl Check for OnceATurn {
    fn check(&self, context: &Context<'_>) -> Finding {
        match context.repeat {
            Some(call) if context.observed.repeats(call) => Finding::Fires,
            _ if context.observed.turn_is_full() => Finding::Fails(Failure::IndexFull),
            _ => Finding::Pass,
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let cure = match context.effect {
            Effect::Read => "Use the result you have.",
            Effect::Write | Effect::External => "It is not done twice. Use the result you have, or wait for it.",
        };
        format!("You already called `{}` with these arguments in this turn. {cure}", context.tool)
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        let repeats = context.repeat.is_some_and(|call| context.observed.repeats(call));
        vec![Read::words("an equal call of this turn", if repeats { "there is one" } else { "none" })]
    }

    fn flips(&self, _: &Context<'_>) -> Option<String> {
        Some("another argument, or the next turn".into())
    }
}
