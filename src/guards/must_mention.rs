//! `mustMention`: words that a reply must have.

use super::lexicon::{Case, Lexicon, named, words};
use super::reply::{fires_if, text};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `mustMention`.
#[derive(Debug)]
pub struct MustMention;

static ABOUT: About = About {
    name: "mustMention",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `mustMention`",
        fields: &[
            Field::optional("any", Type::List(&Type::Text), "Words of which the reply has one at least."),
            Field::optional("all", Type::List(&Type::Text), "Words of which the reply has every one."),
            Field::optional("caseSensitive", Type::Bool, "True if capitals matter; absent: they do not."),
        ],
    },
    docs: "\
## What it checks
The reply has one at least of the words in `any`, and every one of the words in `all`. A word may be several words. It
counts where it stands whole: `rate` is not in `corporate`, and `50` is not in `150` or `3.50`. In scripts that run words
together (Chinese, Japanese, Thai …) it counts anywhere.

## Why
A disclaimer, a case number's label or a next step that a user must not miss.

## Example
```yaml
- {id: next-step, kind: mustMention, with: {any: [refunds desk, shipping desk]}}
- {id: labels, kind: mustMention, with: {all: [Order, Total], caseSensitive: true}}
```

## Correction
The reply does not mention \"Order\" and \"Total\". Mention every one of them.
",
};

#[derive(Clone, Debug)]
struct Must {
    any: Words,
    all: Words,
    case: Case,
}

/// A list and what looks for it.
#[derive(Clone, Debug)]
struct Words {
    list: Vec<String>,
    lexicon: Lexicon,
}

impl Words {
    fn new(list: Vec<String>, case: Case) -> Words {
        Words { lexicon: Lexicon::new(&list, case), list }
    }

    fn value(&self) -> Option<Value<'static>> {
        let items = self.list.iter().map(|word| Value::from(word.clone())).collect();
        (!self.list.is_empty()).then_some(Value::Array(items))
    }
}

impl Kind for MustMention {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        if with.get("any").is_none() && with.get("all").is_none() {
            let problem = Diagnostic::error("missing-key", with.head(), "`mustMention` names no words");
            decoder.report(problem.help("give `any`, of which one is enough, `all`, or both"));
        }
        let matters = with.get("caseSensitive").and_then(|node| decoder.bool(node)).unwrap_or_default();
        let case = if matters { Case::Exact } else { Case::Any };
        let empty = "list a word, or take the guard out";
        let mut list = |key| with.get(key).map(|node| words(decoder, node, case, empty)).unwrap_or_default();
        let (any, all) = (list("any"), list("all"));
        (decoder.problems() == before)
            .then(|| Arc::new(Must { any: Words::new(any, case), all: Words::new(all, case), case }) as Arc<dyn Rule>)
    }
}

impl Rule for Must {
    fn parameters(&self) -> Value<'static> {
        let matters = (self.case == Case::Exact).then_some(Value::Bool(true));
        Object::of_some([("any", self.any.value()), ("all", self.all.value()), ("caseSensitive", matters)]).into()
    }

    fn prose(&self) -> String {
        let any =
            (!self.any.list.is_empty()).then(|| format!("at least one of {}", named(self.any.list.iter(), "and")));
        let all = (!self.all.list.is_empty()).then(|| named(self.all.list.iter(), "and"));
        let both: Vec<String> = all.into_iter().chain(any).collect();
        let spelled = if self.case == Case::Exact { ", spelled exactly so" } else { "" };
        format!("every reply mentions {}{spelled}", both.join(", and "))
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Must {
    fn lacks_any(&self, text: &str) -> bool {
        !self.any.list.is_empty() && self.any.lexicon.first(text).is_none()
    }

    fn lacks_some(&self, text: &str) -> bool {
        !self.all.list.is_empty() && self.all.lexicon.found(text).count() < self.all.list.len()
    }
}

impl Check for Must {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        fires_if(&evaluation.context, |text| self.lacks_any(text) || self.lacks_some(text))
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let text = text(context);
        let found = self.all.lexicon.found(text);
        let absent = self.all.list.iter().enumerate().filter(|(index, _)| !found.has(*index)).map(|(_, word)| word);
        let absent: Vec<&String> = absent.collect();
        let mut sentences = Vec::new();
        if !absent.is_empty() {
            let what = if absent.len() == 1 { "Mention it" } else { "Mention every one of them" };
            let absent = named(absent.into_iter(), "and");
            sentences.push(format!("The reply does not mention {absent}. {what}."));
        }
        if self.lacks_any(text) {
            let any = named(self.any.list.iter(), "or");
            sentences.push(format!("The reply does not mention {any}. Mention at least one."));
        }
        crate::text::spaced(sentences)
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, judge, policy};

    fn judged(with: &str, text: &str) -> Result<(), String> {
        judge(&format!("{{kind: mustMention, with: {with}}}"), &Told::of(text))
    }

    #[test]
    fn one_of_any_is_enough_and_stands_whole() {
        let with = "{any: [rate, '50']}";
        assert_eq!(judged(with, "The RATE is fixed."), Ok(()));
        assert_eq!(judged(with, "It is 50."), Ok(()));
        let wanted = "The reply does not mention \"rate\" or \"50\". Mention at least one.";
        assert_eq!(judged(with, "Corporate: 150, 3.50, 50.5").unwrap_err(), wanted);
    }

    #[test]
    fn every_one_of_all_is_needed_in_its_case_where_that_matters() {
        let with = "{all: [Order, Total], caseSensitive: true}";
        assert_eq!(judged(with, "Order 7. Total: 3"), Ok(()));
        let missing = judged(with, "Order 7. total: 3").unwrap_err();
        assert_eq!(missing, "The reply does not mention \"Total\". Mention it.");
        let missing = judged(with, "").unwrap_err();
        assert_eq!(missing, "The reply does not mention \"Order\" and \"Total\". Mention every one of them.");
        assert_eq!(judged("{all: [Order, Total]}", "order, total"), Ok(()));
    }

    #[test]
    fn both_lists_hold_together() {
        let with = "{all: [total], any: [card, cash]}";
        assert_eq!(judged(with, "total in cash"), Ok(()));
        assert!(judged(with, "total").is_err() && judged(with, "cash").is_err());
        assert!(judged(with, "").unwrap_err().ends_with("or \"cash\". Mention at least one."));
    }

    #[test]
    fn lists_that_say_nothing_are_refused() {
        for (with, wanted) in [
            ("{}", "missing-key: `mustMention` names no words"),
            ("{caseSensitive: true}", "missing-key: `mustMention` names no words"),
            ("{any: []}", "empty-list: the list is empty"),
            ("{all: [a, ' ']}", "blank-text: a blank text says nothing"),
            ("{all: [a, A]}", "repeated-value: `a` stands in the list twice"),
            ("{any: a}", "wrong-type: expected a list"),
            ("{any: [5]}", "wrong-type: expected text, found a number"),
        ] {
            let problems = policy(TOOLS, &format!("{{kind: mustMention, with: {with}}}")).unwrap_err();
            assert!(problems.contains(wanted), "{with}: {problems}");
        }
        assert!(policy(TOOLS, "{kind: mustMention, with: {all: [a, A], caseSensitive: true}}").is_ok());
    }
}
