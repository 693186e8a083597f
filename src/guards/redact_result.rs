//! `redactResult`: card numbers, account numbers, tokens and patterns taken out of a result.

use super::{About, Check, Dimension, Firing, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::ledger::mask::{MASK, Structure};
use crate::value::{Object, Value};
use regex::Regex;
use std::sync::Arc;

/// The kind `redactResult`.
#[derive(Debug)]
pub struct RedactResult;

static ABOUT: About = About {
    name: "redactResult",
    hooks: &[Hook::PostTool],
    dimension: Dimension::Output,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `redactResult`",
        fields: &[
            Field::optional("of", Type::OneOrMany(&Type::Word(&["cards", "accounts", "tokens"])), "What is taken out."),
            Field::optional(
                "patterns",
                Type::OneOrMany(&Type::Text),
                "Regular expressions of what is taken out as well.",
            ),
        ],
    },
    docs: "\
## What it checks
No text of the result, at any depth, holds what is named. Where one does the model gets the result with `[masked]` in
its place (decision `rewrite`); what it does not see licenses nothing, the rest does. `cards` are payment card numbers
(prefix, length and Luhn check), `accounts` international account numbers with a right check, `tokens` keys of known forms, bearer tokens
and private keys. `patterns` are searched in linear time. All copies are covered: of a server's result `content[].text`
and `structuredContent` are both texts of the result. A card number that stands as a number is found too; names of
members are left. With `action: deny` the whole result is withheld, with `audit` it is only recorded.

## Why
What the model never reads it cannot send, repeat or be asked for.

## Example
```yaml
postTool:
  - {id: no-cards, kind: redactResult, with: {of: [cards, tokens]}}
```

## Correction
None where the result is rewritten, unless the guard has one. Withheld: The result of `get_mails` holds what may not be
read. The call ran; do not repeat it.
",
};

const SORTS: &[(&str, Structure)] =
    &[("cards", Structure::Card), ("accounts", Structure::Iban), ("tokens", Structure::Token)];

#[derive(Clone, Debug)]
struct Redact {
    of: Vec<Structure>,
    patterns: Vec<Regex>,
}

impl Kind for RedactResult {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        if with.get("of").is_none() && with.get("patterns").is_none() {
            let problem = Diagnostic::error("missing-key", with.head(), "`redactResult` names nothing to take out");
            decoder.report(problem.help("give `of: [cards, accounts, tokens]`, `patterns`, or both"));
            return None;
        }
        let items = with.get("of").map(|node| decoder.one_or_many(node)).unwrap_or_default();
        let said: Vec<Structure> = items.iter().filter_map(|item| decoder.word(item, SORTS)).collect();
        let of = SORTS.iter().map(|(_, sort)| *sort).filter(|sort| said.contains(sort)).collect();
        let items = with.get("patterns").map(|node| decoder.one_or_many(node)).unwrap_or_default();
        let mut patterns = Vec::new();
        for item in items {
            patterns.extend(super::pattern::search(decoder, item));
        }
        (decoder.problems() == before).then(|| Arc::new(Redact { of, patterns }) as Arc<dyn Rule>)
    }
}

impl Rule for Redact {
    fn parameters(&self) -> Value<'static> {
        let list = |items: Vec<Value<'static>>| (!items.is_empty()).then_some(Value::Array(items));
        let words = SORTS.iter().filter(|(_, sort)| self.of.contains(sort)).map(|(word, _)| Value::from(*word));
        let patterns = self.patterns.iter().map(|pattern| Value::from(pattern.as_str().to_owned()));
        Object::of_some([("of", list(words.collect())), ("patterns", list(patterns.collect()))]).into()
    }

    fn prose(&self) -> String {
        self.prose_where(Firing::Warns)
    }

    fn prose_where(&self, firing: Firing) -> String {
        let sorts = SORTS.iter().filter(|(_, sort)| self.of.contains(sort)).map(|(word, _)| match *word {
            "cards" => "card numbers".to_owned(),
            "accounts" => "account numbers".to_owned(),
            _ => "keys and tokens".to_owned(),
        });
        let patterns = self.patterns.iter().map(|pattern| format!("what matches `{pattern}`"));
        let what: Vec<String> = sorts.chain(patterns).collect();
        let what = crate::text::joined(&what, "and");
        match firing {
            Firing::Denies => format!("a result with {what} in it is withheld as a whole; do not ask for it"),
            _ => format!("in a result `{MASK}` stands for {what}, which may not be read; do not ask for it"),
        }
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Redact {
    fn text(&self, text: &str) -> Option<String> {
        let mut masked: Option<String> = None;
        for sort in &self.of {
            masked = sort.masked(masked.as_deref().unwrap_or(text)).or(masked);
        }
        for pattern in &self.patterns {
            let now = masked.as_deref().unwrap_or(text);
            if pattern.is_match(now) {
                masked = Some(pattern.replace_all(now, regex::NoExpand(MASK)).into_owned());
            }
        }
        masked
    }

    /// The value with what is found taken out; `None` where nothing is.
    fn value(&self, value: &Value<'_>) -> Option<Value<'static>> {
        match value {
            Value::Null | Value::Bool(_) => None,
            Value::Number(number) => self.text(&number.to_string()).map(|_| Value::from(MASK)),
            Value::String(text) => self.text(text).map(Value::from),
            Value::Array(items) => {
                let rewritten: Vec<Option<Value<'static>>> = items.iter().map(|item| self.value(item)).collect();
                rewritten.iter().any(Option::is_some).then(|| {
                    let all = rewritten.into_iter().zip(items);
                    Value::Array(all.map(|(new, old)| new.unwrap_or_else(|| old.to_owned_value())).collect())
                })
            }
            Value::Object(object) => {
                let mut rewritten = None;
                for (key, member) in object.iter() {
                    if let Some(new) = self.value(member) {
                        let Value::Object(copy) = rewritten.get_or_insert_with(|| value.to_owned_value()) else {
                            continue;
                        };
                        copy.insert(key.to_owned().into(), new);
                    }
                }
                rewritten
            }
        }
    }
}

impl Check for Redact {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let found = evaluation.context.result.and_then(|result| self.value(result));
        if found.is_some() { Finding::Fires } else { Finding::Pass }
    }

    fn rewritten(&self, result: &Value<'_>) -> Option<Value<'static>> {
        // What another guard took out already is rewritten to what it is.
        Some(self.value(result).unwrap_or_else(|| result.to_owned_value()))
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let tool = context.tool;
        format!("The result of `{tool}` holds what may not be read. The call ran; do not repeat it.")
    }
}
