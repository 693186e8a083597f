//! `argNotFrom`: no value of an argument stood in one of some places.

use super::argument::Argument;
use super::sources::{
    ARG, ARGS, BoundSources, FROM, FULL, For, Sources, Told, arguments, arguments_value, arguments_words, locate,
};
use super::{About, ArgumentPath, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::observed::Form;
use crate::observed::words::leaves;
use crate::source::Span;
use crate::tool::Pattern;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `argNotFrom`.
#[derive(Debug)]
pub struct ArgNotFrom;

static ABOUT: About = About {
    name: "argNotFrom",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Input,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `argNotFrom`",
        fields: &[
            ARG,
            ARGS,
            Field::required("from", FROM, "Where its values may not come from: `user`, `{tool, path}`, `{expr}`."),
            Field::optional(
                "match",
                Type::Word(&["contains", "equal"]),
                "`contains`: as whole words inside a text; `equal`: the whole value. Absent: `contains`.",
            ),
        ],
    },
    docs: "\
## What it checks
No value of the argument, in lists and maps one by one, comes from one of the sources; they are those of `argFrom`, and
untrusted paths are welcome. With `match: contains` it fires as well where a value of a source stands inside a longer
text, as a run of whole words, in any case and whatever stands between them: `pin 4711-ab` has `4711 AB`. A value of
fewer than 4 letters and digits is found only where it stands alone; of one with more than 16 words each 16 in a row
are enough. `user` is always compared as a whole. An argument that is absent or null holds nothing.

## Why
What one tool returned must not leave by another: a customer's notes in a mail, a key in a URL. It also keeps what an
outsider wrote out of an argument where text of an outsider has no business.

## Example
```yaml
- id: notes-stay-inside
  tools: [send_mail]
  kind: argNotFrom
  with: {args: [subject, body], from: [{tool: get_customer, path: 'notes[].text'}]}
```

## Correction
`body` must not hold what `get_customer` returned in `notes[].text`. Leave it out.
",
};

#[derive(Debug)]
struct NotFrom {
    args: Vec<ArgumentPath>,
    from: Sources,
    form: Form,
}

impl Kind for ArgNotFrom {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let args = arguments(decoder, with, "argNotFrom");
        let from = with.get("from").and_then(|node| Sources::decode(decoder, node));
        let form = match with.get("match") {
            Some(node) => decoder.word(node, &[("contains", Form::Words), ("equal", Form::Scalars)])?,
            None => Form::Words,
        };
        Some(Arc::new(NotFrom { args: args?, from: from?, form }))
    }
}

impl Rule for NotFrom {
    fn parameters(&self) -> Value<'static> {
        let equal = (self.form == Form::Scalars).then(|| Value::from("equal"));
        let (key, args) = arguments_value(&self.args);
        Object::of_some([(key, Some(args)), ("from", Some(self.from.value())), ("match", equal)]).into()
    }

    fn prose(&self) -> String {
        let (args, from) = (arguments_words(&self.args), self.from.words());
        match self.form {
            Form::Scalars => format!("{args} is never what {from}"),
            Form::Whole | Form::Words => format!("{args} never holds what {from}"),
        }
    }

    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let args = locate(&self.args, tool);
        let sources = self.from.bind(For::Barring, self.form, compiler);
        match (args, sources) {
            (Ok(args), Ok(sources)) => {
                Ok(Some(Box::new(Bound { args, sources, words: self.from.words(), form: self.form })))
            }
            (args, sources) => Err([args.err(), sources.err()].into_iter().flatten().flatten().collect()),
        }
    }

    fn tool_patterns(&self) -> Vec<(Pattern, Span)> {
        self.from.tool_patterns()
    }
}

#[derive(Debug)]
struct Bound {
    args: Vec<Argument>,
    sources: BoundSources,
    words: String,
    form: Form,
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let args = evaluation.context.args;
        let (mut values, mut finding) = (Vec::new(), Finding::Pass);
        for argument in &self.args {
            argument.each(args, |value| {
                leaves(value, &mut |leaf| match self.sources.told(&evaluation.context, leaf) {
                    Told::Has(_) => finding = Finding::Fires,
                    Told::Full if finding == Finding::Pass => finding = FULL,
                    Told::Full | Told::None => {}
                });
                if self.sources.evaluates() {
                    leaves(value, &mut |leaf| values.push(leaf));
                }
            });
        }
        for value in values {
            match self.sources.gives(value, evaluation) {
                _ if finding == Finding::Fires => break,
                Ok(true) => finding = Finding::Fires,
                Ok(false) => {}
                Err(failed) => finding = failed,
            }
        }
        finding
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let from = |argument: &&Argument| {
            let mut words = None;
            argument.each(context.args, |value| {
                leaves(value, &mut |leaf| {
                    if let Told::Has(found) = self.sources.told(context, leaf) {
                        words.get_or_insert(found);
                    }
                });
            });
            words
        };
        let held = self.args.iter().find_map(|argument| Some((argument, from(&argument)?)));
        let names: Vec<String> = self.args.iter().map(|argument| format!("`{}`", argument.text())).collect();
        let (name, words) = match held {
            Some((argument, words)) => (format!("`{}`", argument.text()), words),
            None => (crate::text::joined(&names, "and"), self.words.as_str()),
        };
        match self.form {
            Form::Scalars => format!("{name} must not be what {words}. Use another value, or leave it out."),
            Form::Whole | Form::Words => format!("{name} must not hold what {words}. Leave it out."),
        }
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        self.args.iter().flat_map(|argument| argument.reads(context)).collect()
    }
}
