//! `noSecretsOut`: no value from a sensitive field in an argument.

use super::after_untrusted::unmarked;
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Failure, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::observed::words::{has_run, leaves};
use crate::observed::{Form, IndexDefinition, IndexId, KeyPart, Lookup, Root};
use crate::path::Step;
use crate::source::Span;
use crate::tool::Pattern;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `noSecretsOut`.
#[derive(Debug)]
pub struct NoSecretsOut;

static ABOUT: About = About {
    name: "noSecretsOut",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Input,
    automatic: false,
    parameters: &Shape { name: "the parameters of `noSecretsOut`", fields: &[] },
    docs: "\
## What it checks
No argument of the call holds a value that stood in a `sensitive` field of an earlier success, of its arguments or its
result: as a whole, or as a run of whole words inside a text, in any case and whatever stands between them. A value of
fewer than 4 letters and digits is found only where it stands alone; of one with more than 16 words each 16 in a row are
enough. Arguments that the tool itself marks `sensitive` are where such values belong, and are not looked at. Values are
kept as keyed hashes, never as text. Say with `effects: [external]` or `tools` which calls are meant; without them every
call is.

## Why
A password, a card number or a home address that the agent may read is not one that it may send. What the model rewrites
(a number spelled out, a text encoded) is not recognised: `trifecta` stands behind it.

## Example
```yaml
- {id: secrets-stay, effects: [external], kind: noSecretsOut}
```

## Correction
`body` holds a value from a sensitive field. Leave it out.
",
};

#[derive(Debug)]
struct Secrets {
    span: Span,
}

impl Kind for NoSecretsOut {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, _: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Some(Arc::new(Secrets { span: with.head() }))
    }
}

impl Rule for Secrets {
    fn parameters(&self) -> Value<'static> {
        Object::new().into()
    }

    fn prose(&self) -> String {
        "secrets and private data that were read or given before are not passed on".into()
    }

    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let (mut indexes, mut own) = (Vec::new(), Vec::new());
        for marked in compiler.tools() {
            for at in marked.sensitive {
                if marked.name == tool.name && at.value.root == Root::Args {
                    own.push(at.value.path.steps().to_vec());
                }
                let tools = vec![Pattern::key(marked.name)];
                let parts = vec![KeyPart { at: at.value.clone(), form: Form::Words }];
                indexes.push(compiler.plan().index(IndexDefinition { tools, parts, forgotten_by: None }));
            }
        }
        if indexes.is_empty() {
            return Err(vec![unmarked(self.span, "sensitive")]);
        }
        Ok(Some(Box::new(Bound { indexes, own })))
    }
}

#[derive(Debug)]
struct Bound {
    indexes: Vec<IndexId>,
    /// The arguments in which such values belong.
    own: Vec<Vec<Step>>,
}

impl Bound {
    /// Whether one value holds a secret; `None` where nobody can tell.
    fn holds(&self, context: &Context<'_>, value: &Value<'_>) -> Option<bool> {
        has_run(context.key, value, |key| {
            let mut known = Lookup::Missing;
            for index in &self.indexes {
                match context.observed.find(*index, key) {
                    found @ Lookup::Found(_) => return found,
                    Lookup::Full => known = Lookup::Full,
                    Lookup::Missing => {}
                }
            }
            known
        })
    }

    /// The first argument that holds a secret, or the word that nobody can tell.
    fn held(&self, context: &Context<'_>) -> Result<Option<String>, ()> {
        let Value::Object(args) = context.args.args() else { return Ok(None) };
        let own: Vec<&[Step]> = self.own.iter().map(Vec::as_slice).collect();
        let mut is_full = false;
        for (name, value) in args.iter() {
            let mut holds = false;
            outside(value, &below(&own, &Step::Key(name.to_owned())), &mut |leaf| match self.holds(context, leaf) {
                Some(found) => holds |= found,
                None => is_full = true,
            });
            if holds {
                return Ok(Some(name.to_owned()));
            }
        }
        if is_full { Err(()) } else { Ok(None) }
    }
}

/// What is left of paths one step further.
fn below<'p>(paths: &[&'p [Step]], step: &Step) -> Vec<&'p [Step]> {
    let further = paths.iter().filter_map(|path| {
        let (first, rest) = path.split_first()?;
        let is_it = first == step || (*first == Step::Values && matches!(step, Step::Key(_)));
        is_it.then_some(rest)
    });
    further.collect()
}

/// Visits every scalar that stands at none of some paths.
fn outside<'v>(value: &'v Value<'v>, paths: &[&[Step]], visit: &mut impl FnMut(&'v Value<'v>)) {
    if paths.iter().any(|path| path.is_empty()) {
        return;
    }
    match value {
        _ if paths.is_empty() => leaves(value, visit),
        Value::Array(items) => {
            let paths = below(paths, &Step::Each);
            items.iter().for_each(|item| outside(item, &paths, visit));
        }
        Value::Object(object) => {
            for (key, member) in object.iter() {
                outside(member, &below(paths, &Step::Key(key.to_owned())), visit);
            }
        }
        scalar => leaves(scalar, visit),
    }
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        match self.held(&evaluation.context) {
            Ok(None) => Finding::Pass,
            Ok(Some(_)) => Finding::Fires,
            Err(()) => Finding::Fails(Failure::IndexFull),
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        match self.held(context) {
            Ok(Some(name)) => {
                format!("{} holds a value from a sensitive field. Leave it out.", crate::text::quoted(&name))
            }
            _ => "The call holds a value from a sensitive field. Leave it out.".to_owned(),
        }
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        let held = self.held(context).ok().flatten();
        vec![Read::words("a value from a sensitive field", held.unwrap_or_else(|| "in no argument".to_owned()))]
    }
}
