//! `noCompetitorClaim`: nobody is compared with a competitor.

use super::lexicon::{Case, Lexicon, named, words};
use super::reply::{fires_if, sentences, text};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use regex::Regex;
use std::sync::Arc;

/// The kind `noCompetitorClaim`.
#[derive(Debug)]
pub struct NoCompetitorClaim;

static ABOUT: About = About {
    name: "noCompetitorClaim",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `noCompetitorClaim`",
        fields: &[
            Field::required("competitors", Type::List(&Type::Text), "Their names."),
            Field::required("comparatives", Type::List(&Type::Text), "Words that compare: `cheaper`, `better than`."),
            Field::optional("figures", Type::Bool, "False if figures beside a competitor are fine; absent: they are not."),
        ],
    },
    docs: "\
## What it checks
No sentence of the reply names a competitor together with a word that compares. With `figures` none names one together with
a figure either: a percentage (`20 %`), money (`$5`, `5 €`, `EUR 5`), a multiple (`3x`) or a rank (`#1`). Names and words are
looked for whole, in small or capital letters. To name a competitor alone is fine.

## Why
What is said of a competitor is advertising in the eyes of the law, and the model has no source for it.

## Example
```yaml
- {id: no-comparison, kind: noCompetitorClaim, with: {competitors: [Acme], comparatives: [cheaper, faster, better than]}}
```

## Correction
The sentence \"We are cheaper than Acme.\" makes a claim about \"Acme\". Leave it out; speak of us alone.
",
};

/// Figures that a claim is made with. Codes of currencies are those of ISO 4217 that are traded most.
const FIGURES: &str = r"(?x)
      [0-9] \s? [%٪％]
    | \p{Sc} \s? [0-9]
    | [0-9] \s? \p{Sc}
    | \b (?:USD|EUR|GBP|JPY|CNY|INR|BRL|MXN|CAD|AUD|NZD|CHF|SEK|NOK|DKK|PLN|CZK|HUF|TRY|ZAR|KRW|SGD|HKD|AED|SAR|ILS) \s? [0-9]
    | [0-9] \s? (?:USD|EUR|GBP|JPY|CNY|INR|BRL|MXN|CAD|AUD|NZD|CHF|SEK|NOK|DKK|PLN|CZK|HUF|TRY|ZAR|KRW|SGD|HKD|AED|SAR|ILS) \b
    | [0-9] (?: [xX]\b | ×(?:[^0-9]|$) )
    | (?:^|[^\w&/]) [\#№] \s? [0-9]{1,2} \b";

#[derive(Clone, Debug)]
struct NoClaim {
    competitors: Vec<String>,
    comparatives: Vec<String>,
    named: Lexicon,
    compares: Lexicon,
    figures: Option<Regex>,
}

impl Kind for NoCompetitorClaim {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let mut list =
            |key, empty| with.get(key).map(|node| words(decoder, node, Case::Any, empty)).unwrap_or_default();
        let competitors = list("competitors", "name a competitor, or take the guard out");
        let comparatives = list("comparatives", "list a word that compares");
        let figures = with.get("figures").and_then(|node| decoder.bool(node)).unwrap_or(true);
        if decoder.problems() != before {
            return None;
        }
        let (named, compares) = (Lexicon::new(&competitors, Case::Any), Lexicon::new(&comparatives, Case::Any));
        let figures = if figures { Some(Regex::new(FIGURES).ok()?) } else { None };
        Some(Arc::new(NoClaim { competitors, comparatives, named, compares, figures }))
    }
}

impl Rule for NoClaim {
    fn parameters(&self) -> Value<'static> {
        let list = |words: &[String]| Value::Array(words.iter().map(|word| Value::from(word.clone())).collect());
        Object::of_some([
            ("competitors", Some(list(&self.competitors))),
            ("comparatives", Some(list(&self.comparatives))),
            ("figures", self.figures.is_none().then_some(Value::Bool(false))),
        ])
        .into()
    }

    fn prose(&self) -> String {
        let (who, words) = (named(self.competitors.iter(), "or"), named(self.comparatives.iter(), "or"));
        let figures = if self.figures.is_some() { ", or a figure" } else { "" };
        format!("never compare with {who}: no sentence that names them has {words} in it{figures}")
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl NoClaim {
    /// The first sentence that makes a claim.
    fn claim<'t>(&self, text: &'t str) -> Option<&'t str> {
        // Most replies name nobody, and are not cut into sentences.
        self.named.first(text)?;
        sentences(text).find(|sentence| {
            let is_claim = |sentence: &str| {
                self.compares.first(sentence).is_some()
                    || self.figures.as_ref().is_some_and(|figures| figures.is_match(sentence))
            };
            self.named.first(sentence).is_some() && is_claim(sentence)
        })
    }
}

impl Check for NoClaim {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        fires_if(&evaluation.context, |text| self.claim(text).is_some())
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let claim = self.claim(text(context)).unwrap_or_default();
        let found = self.named.found(claim);
        let who = self.competitors.iter().enumerate().filter(|(index, _)| found.has(*index)).map(|(_, who)| who);
        let (claim, who) = (crate::text::quoted(claim), named(who, "and"));
        format!("The sentence {claim} makes a claim about {who}. Leave it out; speak of us alone.")
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, judge, policy};

    fn judged(more: &str, text: &str) -> Result<(), String> {
        let with = format!("{{competitors: [Acme, Umbra Air], comparatives: [cheaper, better than]{more}}}");
        judge(&format!("{{kind: noCompetitorClaim, with: {with}}}"), &Told::of(text))
    }

    #[test]
    fn a_sentence_that_compares_or_has_a_figure_fires() {
        let wanted = "The sentence \"We are cheaper than ACME.\" makes a claim about \"Acme\". \
            Leave it out; speak of us alone.";
        assert_eq!(judged("", "Hello. We are cheaper than ACME. Bye.").unwrap_err(), wanted);
        for figure in ["20 %", "20%", "$5", "5 €", "EUR 5", "5 USD", "3x", "2.5×", "#1"] {
            let text = format!("Acme: {figure} more.");
            assert!(judged("", &text).is_err(), "{text}");
            assert_eq!(judged(", figures: false", &text), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_name_alone_and_a_claim_about_nobody_pass() {
        for text in [
            "We are cheaper this week. Acme is another shop.",
            "We fly with Umbra Air since 2019, on 3 routes.",
            "The Acmeist is cheaper.",
            "Acme ships the 1024x768 screen of order #12345, gate B#7.",
            "20 % off today.",
        ] {
            assert_eq!(judged("", text), Ok(()), "{text}");
        }
    }

    #[test]
    fn lists_that_say_nothing_are_refused() {
        for (with, wanted) in [
            ("{competitors: [], comparatives: [a]}", "empty-list"),
            ("{competitors: [a], comparatives: []}", "empty-list"),
            ("{competitors: [a, A], comparatives: [b]}", "repeated-value"),
            ("{competitors: [a], comparatives: [' ']}", "blank-text"),
            ("{competitors: [a]}", "missing-key: missing key `comparatives`"),
            ("{competitors: [a], comparatives: [b], figures: no}", "wrong-type"),
        ] {
            let problems = policy(TOOLS, &format!("{{kind: noCompetitorClaim, with: {with}}}")).unwrap_err();
            assert!(problems.contains(wanted), "{with}: {problems}");
        }
    }
}
