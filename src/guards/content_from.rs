//! `contentFrom`: links, addresses and ids inside a text have a source.

use super::argument::Argument;
use super::sources::{BoundSources, FROM, FULL, For, Sources, Told};
use super::{About, ArgumentPath, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::observed::Form;
use crate::observed::words::leaves;
use crate::schema::TypeSet;
use crate::source::Span;
use crate::tool::Pattern;
use crate::value::{Object, Value};
use regex::Regex;
use std::sync::Arc;

/// The kind `contentFrom`.
#[derive(Debug)]
pub struct ContentFrom;

static ABOUT: About = About {
    name: "contentFrom",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Input,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `contentFrom`",
        fields: &[
            Field::required("arg", Type::Text, "The argument with the text, as a path: `body`, `lines[].note`."),
            Field::required(
                "of",
                Type::OneOrMany(&Type::Word(&["links", "emails", "ids"])),
                "What is looked for in it.",
            ),
            Field::required("from", FROM, "Where these may come from: `user`, `{tool, path}`, `{expr}`."),
        ],
    },
    docs: "\
## What it checks
Each link, e-mail address or id inside the text of the argument has a source, as the values of `argFrom` have. A source
holds it as a value of its own, in the same letters; the user may have typed it anywhere, as a whole word. Found are

* `links`: what starts with a scheme and `//`, with `//`, `www.` or `mailto:`, and a host name with a path
  (`shop.example/a`). A host name alone is none.
* `emails`: `name@host.example`.
* `ids`: letters, digits, `-` and `_` in a row with four digits or more, of digits alone six or more: `ORD-000017`, an
  IBAN without spaces. Dates such as `2031-03-04` are none.

Signs that end a sentence do not belong to a link. What is found as a link or an address, where these are looked for, is
not looked at for ids. An argument that is absent or null has no text.

## Why
A text may say anything, and still must not carry a link that an outsider wants clicked, or data in the link's own
letters.

## Example
```yaml
- id: own-links
  tools: [send_mail]
  kind: contentFrom
  with: {arg: body, of: [links, emails], from: [user, {expr: params.ourLinks}]}
```

## Correction
`body` has \"http://evil.example/?q=1\", and takes only what the user typed or is among `params.ourLinks`. Leave it out.
",
};

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Links,
    Emails,
    Ids,
}

const SORTS: &[(&str, Sort)] = &[("links", Sort::Links), ("emails", Sort::Emails), ("ids", Sort::Ids)];

impl Sort {
    fn name(self) -> &'static str {
        SORTS.iter().find(|(_, sort)| *sort == self).map_or("", |(name, _)| name)
    }

    fn one(self) -> &'static str {
        match self {
            Sort::Links => "link",
            Sort::Emails => "e-mail address",
            Sort::Ids => "id",
        }
    }

    fn pattern(self) -> &'static str {
        match self {
            Sort::Links => {
                r#"(?i)(?:(?:[a-z][a-z0-9+.-]{0,30}:)?//|www\.|mailto:)[^\s<>"'`]+|(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,62})\.)+[\p{L}]{2,24}(?::[0-9]{1,5})?/[^\s<>"'`]*"#
            }
            Sort::Emails => r"[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+",
            Sort::Ids => r"[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*",
        }
    }

    /// What of a match is meant; empty for what is none.
    fn meant(self, found: &str) -> &str {
        match self {
            Sort::Links => found.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '*']),
            Sort::Emails => found.trim_end_matches('-'),
            Sort::Ids if is_id(found) => found,
            Sort::Ids => "",
        }
    }
}

fn is_id(found: &str) -> bool {
    let digits = found.chars().filter(char::is_ascii_digit).count();
    let is_number = found.chars().all(|character| character.is_ascii_digit());
    let shape: String = found.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    digits >= if is_number { 6 } else { 4 } && shape != "0000-00-00"
}

#[derive(Debug)]
struct Content {
    arg: ArgumentPath,
    of: Vec<Sort>,
    from: Sources,
}

impl Kind for ContentFrom {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let arg = with.get("arg").and_then(|node| ArgumentPath::decode(decoder, node));
        let from = with.get("from").and_then(|node| Sources::decode(decoder, node));
        let of = with.get("of")?;
        let items = decoder.one_or_many(of);
        let items = decoder.some(of, items, "name `links`, `emails` or `ids`");
        decoder.distinct(items.iter().filter_map(|item| Some((item.text()?.to_owned(), item.span))));
        let said: Option<Vec<Sort>> = items.iter().map(|item| decoder.word(item, SORTS)).collect();
        let said = said.filter(|said| !said.is_empty())?;
        // In one order: what is a link is no id.
        let of = SORTS.iter().map(|(_, sort)| *sort).filter(|sort| said.contains(sort)).collect();
        Some(Arc::new(Content { arg: arg?, of, from: from? }))
    }
}

impl Rule for Content {
    fn parameters(&self) -> Value<'static> {
        let of = Value::Array(self.of.iter().map(|sort| Value::from(sort.name())).collect());
        Object::of([("arg", self.arg.value()), ("of", of), ("from", self.from.value())]).into()
    }

    fn prose(&self) -> String {
        let of: Vec<String> =
            self.of.iter().map(|sort| format!("{}s", sort.one()).replace("addresss", "addresses")).collect();
        format!("{} in `{}` are only such as {}", crate::text::joined(&of, "and"), self.arg.text(), self.from.words())
    }

    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let arg = self.arg.locate(tool, TypeSet::STRING.or(TypeSet::ARRAY).or(TypeSet::OBJECT))?;
        let sources = self.from.bind(For::Vouching, Form::Scalars, compiler)?;
        // The patterns are constants, so each can be read.
        let of = self.of.iter().filter_map(|sort| Some((*sort, Regex::new(sort.pattern()).ok()?))).collect();
        Ok(Some(Box::new(Bound { arg, of, sources, words: self.from.words() })))
    }

    fn tool_patterns(&self) -> Vec<(Pattern, Span)> {
        self.from.tool_patterns()
    }
}

#[derive(Debug)]
struct Bound {
    arg: Argument,
    of: Vec<(Sort, Regex)>,
    sources: BoundSources,
    words: String,
}

impl Bound {
    /// What is found in the texts of the argument.
    fn found(&self, context: &Context<'_>) -> Vec<(Sort, String)> {
        let mut found = Vec::new();
        self.arg.each(context.args, |value| {
            leaves(value, &mut |leaf| {
                if let Some(text) = leaf.as_str() {
                    self.find(text, &mut found);
                }
            });
        });
        found
    }

    /// Each sort looks at what the ones before it left.
    fn find(&self, text: &str, found: &mut Vec<(Sort, String)>) {
        let mut rest = vec![text.to_owned()];
        for (sort, regex) in &self.of {
            let mut left = Vec::new();
            for text in &rest {
                let mut from = 0;
                for one in regex.find_iter(text) {
                    let meant = sort.meant(one.as_str());
                    if !meant.is_empty() {
                        found.push((*sort, meant.to_owned()));
                        left.push(text.get(from..one.start()).unwrap_or_default().to_owned());
                        from = one.start().saturating_add(meant.len());
                    }
                }
                left.push(text.get(from..).unwrap_or_default().to_owned());
            }
            rest = left;
        }
    }
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let mut is_full = false;
        for (_, text) in self.found(&evaluation.context) {
            let value = Value::from(text);
            match self.sources.told(&evaluation.context, &value) {
                Told::Has(_) => continue,
                Told::Full => is_full = true,
                Told::None => {}
            }
            match self.sources.gives(&value, evaluation) {
                Ok(true) => {}
                Ok(false) if is_full => return FULL,
                Ok(false) => return Finding::Fires,
                Err(finding) => return finding,
            }
        }
        Finding::Pass
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let has = |text: &str| matches!(self.sources.told(context, &Value::from(text)), Told::Has(_));
        let without = self.found(context).into_iter().filter(|(_, text)| !has(text));
        let named: Vec<String> = without.take(NAMED).map(|(_, text)| crate::text::quoted(&text)).collect();
        let (arg, words) = (self.arg.text(), &self.words);
        // Which of several an expression gives is not known here.
        match named.as_slice() {
            [one] => format!("`{arg}` has {one}, and takes only what {words}. Leave it out."),
            many => {
                let many = crate::text::joined(many, "and");
                format!("`{arg}` has {many}, and takes only what {words}. Leave out what is not.")
            }
        }
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        let found = self.found(context).into_iter().take(NAMED);
        let mut reads = self.arg.reads(context);
        reads
            .extend(found.map(|(sort, text)| Read::of(format!("{} in {}", sort.one(), self.arg.text()), &text.into())));
        reads
    }
}

/// How many a correction or an explanation names.
const NAMED: usize = 3;
