//! `trifecta`: private data and untrusted text were both read, and now something would leave the system.

use super::after_untrusted::{read, unmarked};
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::observed::Root;
use crate::source::Span;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `trifecta`.
#[derive(Debug)]
pub struct Trifecta;

static ABOUT: About = About {
    name: "trifecta",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Run,
    automatic: false,
    parameters: &Shape { name: "the parameters of `trifecta`", fields: &[] },
    docs: "\
## What it checks
Not both were read in this session before the call, in any order: text from an `untrusted` path, and data from a path of
a result that is `sensitive` (`sensitive: [result]` marks all that a tool returns). What was withheld was not read. Say
with `effects: [external]` or `tools` which calls are meant; without them every call is.

## Why
Private data, text of an outsider and a way out are harmless two by two. All three together are how data is stolen, and
no single call of it looks wrong.

## Example
```yaml
- {id: way-out, effects: [external], kind: trifecta, action: ask}
```

## Correction
Private data and text that outsiders can write were both read before, so `send_mail` is not called now. Tell the user
what you would do.
",
};

#[derive(Debug)]
struct Both {
    span: Span,
}

impl Kind for Trifecta {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, _: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Some(Arc::new(Both { span: with.head() }))
    }
}

impl Rule for Both {
    fn parameters(&self) -> Value<'static> {
        Object::new().into()
    }

    fn prose(&self) -> String {
        "not once private data and text that outsiders can write were both read".into()
    }

    fn bind(
        &self,
        _: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let tools = compiler.tools();
        if tools.iter().all(|tool| tool.untrusted.is_empty()) {
            return Err(vec![unmarked(self.span, "untrusted")]);
        }
        if !tools.iter().any(|tool| tool.sensitive.iter().any(|at| at.value.root == Root::Result)) {
            return Err(vec![unmarked(self.span, "sensitive")]);
        }
        compiler.plan().keep_exposure();
        Ok(Some(Box::new(Bound)))
    }
}

#[derive(Debug)]
struct Bound;

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let read = evaluation.context.observed.observed.exposure();
        if read.untrusted.is_some() && read.private.is_some() { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        format!(
            "Private data and text that outsiders can write were both read before, so `{}` is not called now. Tell the user what you would do.",
            context.tool
        )
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        let seen = context.observed.observed.exposure();
        vec![read("untrusted text", seen.untrusted), read("private data", seen.private)]
    }

    fn is_final(&self) -> bool {
        true
    }
}
