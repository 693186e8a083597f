//! `afterUntrusted`: calls that stop once text that outsiders can write was read.

use super::requires_before::{Within, decode_within};
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::source::Span;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `afterUntrusted`.
#[derive(Debug)]
pub struct AfterUntrusted;

static ABOUT: About = About {
    name: "afterUntrusted",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Run,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `afterUntrusted`",
        fields: &[Field::optional(
            "within",
            Type::Text,
            "How long reading counts: `turn`, or `3 turns` (this one and the two before). Absent: for the session.",
        )],
    },
    docs: "\
## What it checks
No text from an `untrusted` path was read in this session before the call: a result with a text there that is not blank,
and of a tool whose results are all untrusted its errors too. What was withheld was not read, and calls of one batch
have read nothing of each other. Say with `effects` or `tools` which calls are meant; without them every call is.

## Why
After an outsider's text anything the model does may be what that text asked for. Where `argFrom` cannot tell a good call
from a bad one, somebody looks at it first: `action: ask`.

## Example
```yaml
- {id: look-first, effects: [external], kind: afterUntrusted, action: ask, by: user}
```

## Correction
Text that outsiders can write was read before, so `send_mail` is not called now. Tell the user what you would do.
",
};

#[derive(Debug)]
struct After {
    within: Option<Within>,
    span: Span,
}

impl Kind for AfterUntrusted {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let within = match with.get("within") {
            Some(node) => Some(decode_within(decoder, node)?),
            None => None,
        };
        Some(Arc::new(After { within, span: with.head() }))
    }
}

/// The problem of a rule about marks where no tool has one.
pub(super) fn unmarked(span: Span, key: &str) -> BindProblem {
    BindProblem {
        rule: "does-not-fit",
        span,
        message: format!("no tool says what is `{key}`, so this never fires"),
        help: Some(format!("mark paths of results with `{key}` on the tools, or take the guard out")),
    }
}

impl Rule for After {
    fn parameters(&self) -> Value<'static> {
        Object::of_some([("within", self.within.map(|within| Value::from(within.text())))]).into()
    }

    fn prose(&self) -> String {
        let within = self.within.map(|within| format!(" {}", within.words())).unwrap_or_default();
        format!("not once text that outsiders can write was read{within}")
    }

    fn bind(
        &self,
        _: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        if compiler.tools().iter().all(|tool| tool.untrusted.is_empty()) {
            return Err(vec![unmarked(self.span, "untrusted")]);
        }
        compiler.plan().keep_exposure();
        Ok(Some(Box::new(Bound { within: self.within })))
    }
}

#[derive(Debug)]
struct Bound {
    within: Option<Within>,
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        let read = context.observed.observed.exposure().untrusted;
        let counts = |turn: u32| self.within.is_none_or(|within| within.counts(turn, context.turn));
        if read.is_some_and(counts) { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let within = self.within.map(|within| format!(" {}", within.words())).unwrap_or_default();
        format!(
            "Text that outsiders can write was read before{within}, so `{}` is not called now. Tell the user what you would do.",
            context.tool
        )
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        vec![read("untrusted text", context.observed.observed.exposure().untrusted)]
    }

    fn is_final(&self) -> bool {
        true
    }
}

/// When something was read, in words.
pub(super) fn read(what: &str, turn: Option<u32>) -> Read {
    Read::words(what, turn.map_or_else(|| "not read".to_owned(), |turn| format!("last read in turn {turn}")))
}
