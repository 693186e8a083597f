//! `noDuplicateCall`: the same call once a turn.

use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Failure, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
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
not matter). A call that was denied, or that failed without an effect, may be tried again; so may a read that came to no
result, since reading has no effect. A read may also be repeated once a write has succeeded in between.

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

    fn bind(
        &self,
        _: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        compiler.plan().keep_repeats();
        Ok(Some(Box::new(OnceATurn)))
    }
}

impl Check for OnceATurn {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        match context.repeat {
            Some(call) if context.observed.repeats(call) => Finding::Fires,
            _ if context.observed.turn_is_full() => Finding::Fails(Failure::IndexFull),
            _ => Finding::Pass,
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let is_unknown = context.repeat.is_some_and(|call| context.observed.observed.is_unknown(call));
        let cure = match context.effect {
            Effect::Read => "Use the result you have.",
            _ if is_unknown => "Whether it took effect is unknown. Do not repeat it; say that you do not know.",
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
