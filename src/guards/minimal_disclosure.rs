//! `minimalDisclosure`: private fields are told of one record at a time.

use super::phrases::{PHRASES, Phrases, in_a_sentence};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::text::quoted;
use crate::value::{Object, Value};
use regex::Regex;
use std::sync::Arc;

/// The kind `minimalDisclosure`.
#[derive(Debug)]
pub struct MinimalDisclosure;

static ABOUT: About = About {
    name: "minimalDisclosure",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `minimalDisclosure`",
        fields: &[
            Field::required("fields", PHRASES, "The words by which private fields are named, such as `date of birth`."),
            Field::required("entity", Type::Text, "A regular expression of a record's id, such as `PAT-[0-9]{6}`."),
            Field::optional(
                "maxEntities",
                Type::Count,
                "How many different records may stand in a sentence with such a word; absent: 1.",
            ),
        ],
    },
    docs: "\
## What it checks
In no sentence of the reply that has one of `fields` stand more than `maxEntities` different ids: things that `entity`
finds, the same in another case being the same. A line end ends a sentence, so a list with a record on each line is
many sentences. Words are found whole, in any case and with any emphasis; the pattern runs in linear time.

## Why
One answer about one person is a service; the same about a list of them is a leak.

## Example
```yaml
- {id: one-patient, kind: minimalDisclosure, with: {fields: [date of birth, diagnosis], entity: 'PAT-[0-9]{6}'}}
```

## Correction
One sentence tells \"diagnosis\" of 3 records, and 1 is the most. Tell only what was asked, of one record at a time.
",
};

#[derive(Clone, Debug)]
struct Minimal {
    fields: Phrases,
    entity: Regex,
    max: u64,
}

impl Kind for MinimalDisclosure {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let fields = with.get("fields").and_then(|node| Phrases::decode(decoder, node));
        let entity = with.get("entity").and_then(|node| super::pattern::search(decoder, node));
        let max = with.get("maxEntities").and_then(|node| decoder.count(node)).map_or(1, |max| max.value);
        let rule = Minimal { fields: fields?, entity: entity?, max };
        (decoder.problems() == before).then(|| Arc::new(rule) as Arc<dyn Rule>)
    }
}

impl Rule for Minimal {
    fn parameters(&self) -> Value<'static> {
        let max = (self.max != 1).then(|| Value::Number(self.max.into()));
        let entity = Value::from(self.entity.as_str().to_owned());
        Object::of_some([("entity", Some(entity)), ("fields", self.fields.value()), ("maxEntities", max)]).into()
    }

    fn prose(&self) -> String {
        let of = match self.max {
            0 => "no record".to_owned(),
            1 => "one record".to_owned(),
            max => format!("{max} records"),
        };
        let (fields, entity) = (self.fields.words(), self.entity.as_str());
        format!("in one sentence tell {fields} of {of} at most, a record being what matches `{entity}`")
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Minimal {
    /// The first sentence that tells too much: which field, and of how many records.
    fn leak(&self, text: &str) -> Option<(&str, usize)> {
        in_a_sentence(text, &self.fields, |sentence| {
            let mut ids: Vec<String> = Vec::new();
            for id in self.entity.find_iter(sentence).map(|found| found.as_str().to_ascii_lowercase()) {
                if !ids.contains(&id) {
                    ids.push(id);
                }
                // More need not be counted one by one.
                if ids.len() >= MAX_COUNTED {
                    break;
                }
            }
            Some(ids.len()).filter(|count| u64::try_from(*count).is_ok_and(|count| count > self.max))
        })
    }
}

/// The most records that are counted; a higher `maxEntities` allows any number.
const MAX_COUNTED: usize = 1_024;

impl Check for Minimal {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let leak = evaluation.context.reply.and_then(|reply| self.leak(reply.text));
        if leak.is_some() { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let Some((field, count)) = context.reply.and_then(|reply| self.leak(reply.text)) else { return String::new() };
        let (field, max) = (quoted(field), self.max);
        match max {
            0 => format!("One sentence tells {field} of a record. Leave it out."),
            _ => format!(
                "One sentence tells {field} of {count} records, and {max} is the most. Tell only what was asked, of one record at a time."
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{Told, judge, policy};

    fn told(max: &str, text: &str) -> Result<(), String> {
        let with = format!("fields: [date of birth, diagnosis], entity: '(?i)PAT-[0-9]+'{max}");
        judge(&format!("{{kind: minimalDisclosure, with: {{{with}}}}}"), &Told::of(text))
    }

    #[test]
    fn a_field_is_told_of_one_record_at_a_time() {
        assert_eq!(
            told("", "The **diagnosis** of PAT-1, pat-2, PAT-3 and pat-1 is the same.").unwrap_err(),
            "One sentence tells \"diagnosis\" of 3 records, and 1 is the most. Tell only what was asked, of one record at a time."
        );
        for text in [
            "The diagnosis of PAT-1 is known.",
            "The diagnosis of PAT-1 is that of PAT-1.",
            "PAT-1 and PAT-2 are here. The diagnosis of PAT-1 is known.",
            "PAT-1 and PAT-2 are here.",
        ] {
            assert_eq!(told("", text), Ok(()), "{text}");
        }
    }

    #[test]
    fn more_or_none_may_be_allowed() {
        assert_eq!(told(", maxEntities: 2", "The diagnosis of PAT-1 and PAT-2."), Ok(()));
        assert!(told(", maxEntities: 2", "The diagnosis of PAT-1, PAT-2, PAT-3.").is_err());
        let none = told(", maxEntities: 0", "The date of birth of PAT-1.");
        assert_eq!(none.unwrap_err(), "One sentence tells \"date of birth\" of a record. Leave it out.");
    }

    #[test]
    fn nonsense_is_refused() {
        for with in [
            "fields: []",
            "fields: a, entity: '['",
            "entity: a",
            "fields: a, entity: 'x?'",
            "fields: a, entity: b, maxEntities: -1",
        ] {
            let guard = format!("{{kind: minimalDisclosure, with: {{{with}}}}}");
            assert!(policy("tools: {look: {effect: read}}", &guard).is_err(), "{with}");
        }
    }
}
