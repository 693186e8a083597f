//! `blockPattern`: nothing in a reply matches a pattern.

use super::reply::{fires_if, text};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::text::{capitalised, quoted};
use crate::value::{Object, Value};
use regex::Regex;
use std::sync::Arc;

/// The kind `blockPattern`.
#[derive(Debug)]
pub struct BlockPattern;

static ABOUT: About = About {
    name: "blockPattern",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `blockPattern`",
        fields: &[
            Field::required("name", Type::Text, "What the pattern finds, in a few words."),
            Field::required("pattern", Type::Text, "A regular expression that nothing in a reply may match."),
            Field::required("rule", Type::Text, "The rule, as one sentence to the model."),
        ],
    },
    docs: "\
## What it checks
Nothing in the reply matches the pattern, which is searched in linear time and in the case it is written in (`(?i)` for any).
It also checks text beside calls.

## Why
Whatever the other kinds have no word for. A pattern is blind to meaning, so `rule` says in words what is not wanted; the
model is told both.

## Example
```yaml
- id: no-dates
  kind: blockPattern
  with:
    name: delivery date
    pattern: '(?i)arrives? (on|by) [a-z]+day'
    rule: Never promise the day of a delivery.
```

## Correction
The reply has \"arrives on Monday\" (delivery date). Never promise the day of a delivery.
",
};

#[derive(Clone, Debug)]
struct Block {
    name: String,
    pattern: Regex,
    rule: String,
}

impl Kind for BlockPattern {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let name = with.get("name").and_then(|node| decoder.sentence(node));
        let pattern = with.get("pattern").and_then(|node| super::pattern::search(decoder, node));
        let rule = with.get("rule").and_then(|node| decoder.sentence(node));
        Some(Arc::new(Block { name: name?.value, pattern: pattern?, rule: rule?.value }))
    }
}

impl Block {
    /// The rule without its full stop.
    fn rule(&self) -> &str {
        self.rule.trim().trim_end_matches('.')
    }

    /// The rule as a sentence.
    fn sentence(&self) -> String {
        let rule = capitalised(self.rule());
        let stop = if rule.ends_with(['!', '?', '…', '。', '！', '？']) { "" } else { "." };
        format!("{rule}{stop}")
    }
}

impl Rule for Block {
    fn parameters(&self) -> Value<'static> {
        Object::of([
            ("name", Value::from(self.name.clone())),
            ("pattern", Value::from(self.pattern.as_str().to_owned())),
            ("rule", Value::from(self.rule.clone())),
        ])
        .into()
    }

    fn prose(&self) -> String {
        format!("{}, which is what matches `{}`: {}", self.name.trim(), self.pattern, self.rule())
    }

    fn is_interim(&self) -> bool {
        true
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Check for Block {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        fires_if(&evaluation.context, |text| self.pattern.is_match(text))
    }

    fn window(&self) -> Option<usize> {
        super::pattern::longest(&self.pattern)
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let found = self.pattern.find(text(context)).map(|found| quoted(found.as_str())).unwrap_or_default();
        format!("The reply has {found} ({}). {}", self.name.trim(), self.sentence())
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, judge, policy};

    const GUARD: &str = "{kind: blockPattern, with: {name: delivery date, pattern: '(?i)arrives? (on|by) [a-z]+day', \
        rule: 'never promise a day'}}";

    #[test]
    fn a_match_is_named_together_with_the_rule() {
        let found = judge(GUARD, &Told::of("It Arrives on Monday."));
        assert_eq!(found.unwrap_err(), "The reply has \"Arrives on Monday\" (delivery date). Never promise a day.");
        assert_eq!(judge(GUARD, &Told::of("It arrives on time, every day.")), Ok(()));
    }

    #[test]
    fn a_rule_keeps_the_sign_that_ends_it() {
        for (rule, told) in [("Never!", "Never!"), ("never", "Never."), ("Never.", "Never."), ("不行。", "不行。")]
        {
            let guard = format!("{{kind: blockPattern, with: {{name: b, pattern: b, rule: '{rule}'}}}}");
            assert_eq!(judge(&guard, &Told::of("b")).unwrap_err(), format!("The reply has \"b\" (b). {told}"));
        }
    }

    #[test]
    fn text_beside_calls_is_judged_too() {
        let policy = policy(TOOLS, GUARD).unwrap();
        let guard = policy.reply.guards.iter().find(|guard| &*guard.code == "g").unwrap();
        assert!(guard.is_interim);
    }

    #[test]
    fn what_says_nothing_is_refused() {
        for (with, wanted) in [
            ("{name: ' ', pattern: a, rule: b}", "blank-text"),
            ("{name: a, pattern: a, rule: ''}", "blank-text"),
            ("{name: a, pattern: '[', rule: b}", "bad-pattern: the pattern cannot be read: unclosed character class"),
            ("{name: a, pattern: 'b?', rule: b}", "bad-pattern: `b?` matches nothing at all as well"),
            ("{name: a, pattern: '\\b', rule: b}", "bad-pattern: `\\b` matches nothing at all as well"),
            ("{name: a, pattern: b}", "missing-key: missing key `rule`"),
        ] {
            let problems = policy(TOOLS, &format!("{{kind: blockPattern, with: {with}}}")).unwrap_err();
            assert!(problems.contains(wanted), "{with}: {problems}");
        }
    }
}
