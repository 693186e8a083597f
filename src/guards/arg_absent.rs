//! `argAbsent`: an argument that must not be passed.

use super::argument::ArgumentPath;
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::schema::{Located, TypeSet};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `argAbsent`.
#[derive(Debug)]
pub struct ArgAbsent;

static ABOUT: About = About {
    name: "argAbsent",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Input,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `argAbsent`",
        fields: &[Field::required("arg", Type::Text, "The argument, as a path: `a`, `a.b`, `a[].b`.")],
    },
    docs: "\
## What it checks
The argument is absent or null. Any other value fires, an empty text and `false` too. With `[]` no element may have it.

## Why
A tool often takes more than this agent may use: an override, a discount, another person's account. The schema stays
the tool's; the rule is the agent's.

## Example
```yaml
- {id: no-override, tools: [refund], kind: argAbsent, with: {arg: override}}
```

## Correction
Call `refund` without `override`; you sent true.
",
};

#[derive(Debug)]
struct Absent {
    arg: ArgumentPath,
}

impl Kind for ArgAbsent {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let arg = ArgumentPath::decode(decoder, with.get("arg")?)?;
        Some(Arc::new(Absent { arg }))
    }
}

impl Rule for Absent {
    fn parameters(&self) -> Value<'static> {
        Object::of([("arg", self.arg.value())]).into()
    }

    fn prose(&self) -> String {
        format!("never pass `{}`", self.arg.text())
    }

    fn bind(&self, tool: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let located = self.arg.locate(tool, TypeSet::ANY)?.into_located();
        if located.required && !located.types.meets(TypeSet::NULL) {
            return Err(vec![BindProblem {
                rule: "does-not-fit",
                span: self.arg.span(),
                message: format!("`{}` of `{}` is required, so every call would be denied", self.arg.text(), tool.name),
                help: Some("to forbid the tool write `kind: forbid`".into()),
            }]);
        }
        Ok(Some(Box::new(Bound { arg: located, text: self.arg.text() })))
    }
}

#[derive(Debug)]
struct Bound {
    arg: Located,
    text: String,
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        let mut passed = false;
        self.arg.each(context.args, |value| passed |= !value.is_null());
        if passed { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let mut sent = None;
        self.arg.each(context.args, |value| {
            if sent.is_none() && !value.is_null() {
                sent = Some(crate::text::shown(value));
            }
        });
        format!("Call `{}` without `{}`; you sent {}.", context.tool, self.text, sent.unwrap_or_default())
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        let mut reads = Vec::new();
        self.arg.each(context.args, |value| reads.push(Read::of(self.text.clone(), value)));
        reads
    }

    fn flips(&self, context: &Context<'_>) -> Option<String> {
        let (mut sent, mut count) = (None, 0_usize);
        self.arg.each(context.args, |value| {
            if !value.is_null() {
                (sent, count) = (Some(crate::text::shown(value)), count.saturating_add(1));
            }
        });
        sent.filter(|_| count == 1).map(|sent| format!("`{}` {sent} → absent", self.text))
    }
}
