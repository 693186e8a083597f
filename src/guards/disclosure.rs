//! `disclosure`: a sentence that stands below the reply whenever something was done.

use super::claims::succeeded;
use super::no_fabricated_success::{any_of, calls_of, names_of, patterns_of};
use super::requires_before::decode_patterns;
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts, condition};
use crate::context::{Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation, Template, Text};
use crate::source::{Span, Spanned};
use crate::tool::Pattern;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `disclosure`.
#[derive(Debug)]
pub struct Disclosure;

static ABOUT: About = About {
    name: "disclosure",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `disclosure`",
        fields: &[
            Field::required(
                "after",
                Type::OneOrMany(&Type::Text),
                "The tools after which it is said; any one of them.",
            ),
            Field::required("say", Type::Text, "What is said, with values in braces."),
        ],
    },
    docs: "\
## What it checks
Nothing: it adds `say` below the reply, after an empty line, when a call of `after` did its work in this turn: took
effect or, of a tool that reads, came back. A reply that says it already, letter for letter, stays as it is, and so
does a blank one. `{…}` reads what expressions under `onReply` may read. A value that is missing is this guard's
failure: a sentence with a hole in it is not said.

## Why
What must be told is not left to a model to remember.

## Example
```yaml
- id: cooling-off
  kind: disclosure
  with: {after: sign_contract, say: 'You can withdraw within {params.days} days, without giving a reason.'}
```

## Correction
None: the model need not do anything.
",
};

#[derive(Debug)]
struct Says {
    after: Vec<Spanned<Pattern>>,
    say: Template,
}

impl Kind for Disclosure {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let after =
            with.get("after").map(|node| decode_patterns(decoder, node, "name the tools after which it is said"));
        let say = with.get("say").and_then(|node| Template::decode(decoder, node));
        let rule = Says { after: after?, say: say? };
        (decoder.problems() == before).then(|| Arc::new(rule) as Arc<dyn Rule>)
    }
}

impl Rule for Says {
    fn parameters(&self) -> Value<'static> {
        Object::of([("after", names_of(&self.after)), ("say", Value::from(self.say.text().to_owned()))]).into()
    }

    fn prose(&self) -> String {
        let say = crate::text::quoted(self.say.text());
        format!("after {} this is added below your reply, so do not write it yourself: {say}", any_of(&self.after))
    }

    fn is_mutator(&self) -> bool {
        true
    }

    fn bind(
        &self,
        _: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let say = compiler.text(&self.say)?;
        Ok(Some(Box::new(Bound { after: self.after.clone(), say })))
    }

    fn tool_patterns(&self) -> Vec<(Pattern, Span)> {
        patterns_of(&self.after)
    }
}

#[derive(Debug)]
struct Bound {
    after: Vec<Spanned<Pattern>>,
    say: Text,
}

impl Check for Bound {
    fn check(&self, _: &mut Evaluation<'_>) -> Finding {
        Finding::Pass
    }

    fn mended(&self, text: &str, evaluation: &mut Evaluation<'_>) -> Result<Option<String>, Finding> {
        let is_due = evaluation.context.reply.is_some_and(|reply| calls_of(reply, &self.after).any(succeeded));
        if !is_due || crate::text::is_blank(text) {
            return Ok(None);
        }
        let said = self.say.whole(evaluation).map_err(condition::finding_of)?;
        Ok((!text.contains(said.trim())).then(|| format!("{}\n\n{}", text.trim_end(), said.trim())))
    }

    fn correction(&self, _: &Context<'_>) -> String {
        "What must be told after this call cannot be said now. Say so.".into()
    }
}

#[cfg(test)]
mod tests {
    use crate::acts::{Act, End};
    use crate::context::{Failure, Finding};
    use crate::guards::claims::tests::{act, read};
    use crate::guards::reply::tests::{Told, mend, policy};

    const SPEC: &str = "tools: {sign: {effect: external}, quote: {effect: read}}";

    fn told(say: &str, text: &str, acts: Vec<Act>) -> Result<Option<String>, Finding> {
        let guard = format!("{{kind: disclosure, with: {{after: [sign, quote], say: '{say}'}}}}");
        mend(&guard, &Told { acts, spec: SPEC, world: r#"{"days": 14, "none": null, "map": {}}"#, ..Told::of(text) })
    }

    fn signed() -> Vec<Act> {
        vec![act("sign", End::Done, "[]")]
    }

    #[test]
    fn what_must_be_told_stands_below_the_reply() {
        let below = Some("Signed.\n\nYou have 14 days.".to_owned());
        assert_eq!(told("You have {world.days} days.", "Signed.\n", signed()), Ok(below));
        assert_eq!(told("Net.", "It is 5.", vec![read("quote", "[5]")]), Ok(Some("It is 5.\n\nNet.".into())));
    }

    #[test]
    fn it_is_said_once_and_only_where_something_was_done() {
        assert_eq!(told("You have {world.days} days.", "Signed. You have 14 days.", signed()), Ok(None));
        assert_eq!(told("Net.", " \u{200b}", signed()), Ok(None), "a blank reply stays blank");
        for end in [End::Denied, End::Refused, End::Asked, End::Running, End::NoEffect, End::Failed, End::Unknown] {
            assert_eq!(told("{world.gone}", "Hello.", vec![act("sign", end, "[]")]), Ok(None), "{end:?}");
        }
        assert_eq!(told("Net.", "Hello.", vec![act("other", End::Done, "[]")]), Ok(None));
    }

    #[test]
    fn a_sentence_with_a_hole_is_not_said() {
        for slot in ["gone", "none", "gone.more", "map"] {
            let told = told(&format!("You have {{world.{slot}}} days."), "Signed.", signed());
            assert!(matches!(told, Err(Finding::Fails(Failure::Missing(_)))), "{slot}: {told:?}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for with in [
            "after: sign",
            "say: a",
            "after: sing, say: a",
            "after: sign, say: '{args.x}'",
            "after: [], say: a",
            "after: sign, say: ' '",
        ] {
            assert!(policy(SPEC, &format!("{{kind: disclosure, with: {{{with}}}}}")).is_err(), "{with}");
        }
    }
}
