//! `argFrom`: every value of an argument was typed by the user, or stood in a trusted place.

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
use crate::path::Reach;
use crate::source::Span;
use crate::tool::Pattern;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `argFrom`.
#[derive(Debug)]
pub struct ArgFrom;

static ABOUT: About = About {
    name: "argFrom",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Input,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `argFrom`",
        fields: &[
            ARG,
            ARGS,
            Field::required("from", FROM, "Where its values may come from: `user`, `{tool, path}`, `{expr}`."),
            Field::optional("match", Type::Word(&["equal"]), "How a value is compared: the whole of it."),
        ],
    },
    docs: "\
## What it checks
Every value of the argument, in lists and maps one by one, has a source:

* `user`: the user typed it in this session, as whole tokens.
* `{tool: get_contacts, path: '[].id'}`: it equals a value at that path of an earlier success of the tool, by type and
  value. What stands there in lists counts one by one; the members of a map must be named. A result that was withheld,
  redacted or never came vouches for nothing, and calls of one batch have no results for each other yet.
* `{expr: 'world.accounts.map(a, a.id)'}`: it is among the values of the expression: one, or what stands in a list,
  in lists of lists too. An expression that has no value gives none.

A path that meets an `untrusted` path of the tool does not compile, nor does an expression into which an untrusted part
of the world or of a result flows, or an argument, which the model writes. Only to compare and to filter by such a part
is fine: `world.tickets.filter(t, t.body != '').map(t, t.owner)`. An argument that is absent or null is missing: a deny,
or no opinion under `missing: skip`. An empty list has no value that lacks a source.

## Why
An instruction in a mail, a ticket or a web page can make the model send money or data anywhere. Where to is then a value
that only stood in such a text. Nothing has to be read to stop that: such a value has no source.

## Example
```yaml
- id: known-recipient
  tools: [send_money]
  kind: argFrom
  with: {arg: recipient, from: [user, {tool: get_contacts, path: '[].id'}, {expr: world.ownAccounts}]}
```

## Correction
`recipient` must be a value that the user typed, `get_contacts` returned in `[].id` or is among `world.ownAccounts`;
you sent \"DE00 1\". A value from anywhere else does not count: ask the user for it.
",
};

#[derive(Debug)]
struct From {
    args: Vec<ArgumentPath>,
    from: Sources,
}

impl Kind for ArgFrom {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let args = arguments(decoder, with, "argFrom");
        let from = with.get("from").and_then(|node| Sources::decode(decoder, node));
        if let Some(node) = with.get("match") {
            decoder.word(node, &[("equal", ())])?;
        }
        Some(Arc::new(From { args: args?, from: from? }))
    }
}

impl Rule for From {
    fn parameters(&self) -> Value<'static> {
        Object::of([arguments_value(&self.args), ("from", self.from.value())]).into()
    }

    fn prose(&self) -> String {
        let (args, from) = (arguments_words(&self.args), self.from.words());
        format!("{args} takes only what {from}; a value from anywhere else does not count")
    }

    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let args = locate(&self.args, tool);
        let sources = self.from.bind(For::Vouching, Form::Scalars, compiler);
        match (args, sources) {
            (Ok(args), Ok(sources)) => Ok(Some(Box::new(Bound { args, sources, words: self.from.words() }))),
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
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let (mut without, mut is_full, mut is_missing) = (Vec::new(), false, false);
        let args = evaluation.context.args;
        for argument in &self.args {
            let reach = argument.each(args, |value| {
                is_missing |= value.is_null();
                leaves(value, &mut |leaf| match self.sources.told(&evaluation.context, leaf) {
                    Told::Has(_) => {}
                    Told::None => without.push(leaf),
                    Told::Full => {
                        is_full = true;
                        without.push(leaf);
                    }
                });
            });
            is_missing |= reach == Reach::Partial;
        }
        if !without.is_empty()
            && let Err(finding) = self.sources.strike_out(&mut without, evaluation)
        {
            return finding;
        }
        match (without.is_empty(), is_full, is_missing) {
            (false, true, _) => FULL,
            (false, false, _) => Finding::Fires,
            (true, _, true) => Finding::Missing,
            (true, _, false) => Finding::Pass,
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let found: Vec<Unsourced> = self.args.iter().filter_map(|argument| self.unsourced(argument, context)).collect();
        let names: Vec<String> = found.iter().map(|found| format!("`{}`", found.place)).collect();
        let names = if names.is_empty() { "this".to_owned() } else { crate::text::joined(&names, "and") };
        // Which of several an expression gives is not known here.
        let sent: Vec<&str> = found.iter().flat_map(|found| found.sent.as_deref()).collect();
        let sent = match sent.as_slice() {
            [] => "it is missing".to_owned(),
            [one] => format!("you sent {one}"),
            [first, ..] => format!("you sent {first} and more"),
        };
        let words = &self.words;
        format!(
            "{names} must be a value that {words}; {sent}. A value from anywhere else does not count: ask the user for it."
        )
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        let mut reads: Vec<Read> = self.args.iter().flat_map(|argument| argument.reads(context)).collect();
        for argument in &self.args {
            let mut said = Vec::new();
            argument.each(context.args, |value| {
                leaves(value, &mut |leaf| said.push(self.source_of(context, leaf)));
            });
            said.truncate(SHOWN);
            reads.extend(said.into_iter().map(|words| Read::words(format!("{} source", argument.text()), words)));
        }
        reads
    }

    fn flips(&self, context: &Context<'_>) -> Option<String> {
        let mut found = self.args.iter().filter_map(|argument| self.unsourced(argument, context));
        let (Some(one), None) = (found.next(), found.next()) else { return None };
        let sent = one.sent.filter(|_| one.is_only)?;
        Some(format!("`{}` {sent} → a value that {}", one.place, self.words))
    }
}

/// How many sources an explanation names.
const SHOWN: usize = 8;

/// The first value of an argument that neither the user nor a result vouches for, in words.
struct Unsourced {
    place: String,
    sent: Option<String>,
    is_only: bool,
}

impl Bound {
    fn unsourced(&self, argument: &Argument, context: &Context<'_>) -> Option<Unsourced> {
        let (mut without, mut is_absent) = (Vec::new(), false);
        let reach = argument.each(context.args, |value| {
            is_absent |= value.is_null();
            leaves(value, &mut |leaf| {
                if !matches!(self.sources.told(context, leaf), Told::Has(_)) {
                    without.push(crate::text::shown(leaf));
                }
            });
        });
        let place = argument.text().to_owned();
        let is_only = without.len() == 1 && !is_absent && reach == Reach::Complete;
        match without.into_iter().next() {
            Some(sent) => Some(Unsourced { place, sent: Some(sent), is_only }),
            None if is_absent || reach == Reach::Partial => Some(Unsourced { place, sent: None, is_only: false }),
            None => None,
        }
    }

    fn source_of(&self, context: &Context<'_>, value: &Value<'_>) -> String {
        match self.sources.told(context, value) {
            Told::Has(words) => words.to_owned(),
            Told::Full => "nobody can tell: too much was seen".to_owned(),
            Told::None if self.sources.evaluates() => "at most an expression".to_owned(),
            Told::None => "none".to_owned(),
        }
    }
}
