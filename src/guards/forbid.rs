//! `forbid`: a tool that may not be called.

use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `forbid`.
#[derive(Debug)]
pub struct Forbid;

static ABOUT: About = About {
    name: "forbid",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Spatial,
    automatic: false,
    parameters: &Shape { name: "the parameters of `forbid`", fields: &[] },
    docs: "\
## What it checks
Nothing: it fires on every call of the tools it names.

## Why
A tool that the host offers and this agent must not use, with the reason in the guard's `prose` and `correction`.

## Example
```yaml
- {id: no-delete, tools: [crm/delete_*], kind: forbid}
```

## Correction
Do not call `crm/delete_lead`. Say that it cannot be done here.
",
};

#[derive(Debug)]
struct Always;

impl Kind for Forbid {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, _: &mut Decoder<'_>, _: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Some(Arc::new(Always))
    }
}

impl Rule for Always {
    fn parameters(&self) -> Value<'static> {
        Object::new().into()
    }

    fn prose(&self) -> String {
        "do not call this tool, not even once".into()
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(Always)))
    }
}

impl Check for Always {
    fn check(&self, _: &mut Evaluation<'_>) -> Finding {
        Finding::Fires
    }

    fn correction(&self, context: &Context<'_>) -> String {
        format!("Do not call `{}`. Say that it cannot be done here.", context.tool)
    }

    fn is_final(&self) -> bool {
        true
    }
}
