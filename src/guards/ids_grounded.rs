//! `idsGrounded`: a reply names no id that did not come up.

use super::grounded::{AUTHORED, Standing, authored, correction, finding, known};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::figures::{Figures, Found, Locales, canonical, whole_matches};
use crate::grounds::Grounds;
use crate::observed::GroundPlan;
use crate::value::{Object, Value};
use regex::{Regex, RegexBuilder};
use std::sync::Arc;

/// The kind `idsGrounded`.
#[derive(Debug)]
pub struct IdsGrounded;

static ABOUT: About = About {
    name: "idsGrounded",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `idsGrounded`",
        fields: &[Field::optional(
            "patterns",
            Type::OneOrMany(&Type::Text),
            "Regular expressions of what is an id, in place of the usual shape: `[A-Z]{2}-[0-9]{4}`.",
        )],
    },
    docs: "\
## What it checks
Each id of the reply came up in a result that the model saw, in the world, in what the user typed or in what this spec and its
contract tell the agent (tools and their examples apart): as a whole token, so that `inv_12` does not ground `inv_1`, in small or capital
letters. A part of an id between `-` and `_` that looks like one came up with it: `123456` with `card_123456`. An id is a token of letters and digits with at least 5 characters, `_` and `-` among them, or of 6 digits in
a row and more that are no amount and no date. Numbers with their unit or ending (`24-hour`, `500mb`, `21st`) are none.

With `patterns` only what matches one of them is an id, as whole tokens too.

## Why
An id that the model makes up looks like any other, and whoever uses it finds nothing, or somebody else's record.

## Example
```yaml
- {id: grounded-ids, kind: idsGrounded}
```

## Correction
\"AB-10024\" is not among the ids that came up. Use only ids that are, or leave it out.
",
};

/// The most memory a compiled pattern may take.
const PATTERN_BYTES: usize = 1 << 20;

impl Kind for IdsGrounded {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let Some(node) = with.get("patterns") else { return Some(Arc::new(Ids { patterns: Vec::new() })) };
        let before = decoder.problems();
        let items = decoder.one_or_many(node);
        let items = decoder.some(node, items, "write a pattern, or leave `patterns` out");
        decoder.distinct(items.iter().filter_map(|item| Some((item.text()?.to_owned(), item.span))));
        let mut patterns = Vec::new();
        for item in items {
            let Some(text) = decoder.text(item) else { continue };
            match RegexBuilder::new(&text.value).size_limit(PATTERN_BYTES).build() {
                Ok(pattern) if pattern.is_match("") => {
                    let problem = Diagnostic::error("bad-pattern", text.span, "the pattern matches the empty text");
                    decoder.report(problem.help("write what an id looks like: `[A-Z]{2}-[0-9]{4}`"));
                }
                Ok(pattern) => patterns.push(pattern),
                Err(_) => {
                    let help = "patterns run in linear time: no look-around, no back-references";
                    let problem = Diagnostic::error("bad-pattern", text.span, "the pattern does not compile");
                    decoder.report(problem.help(help));
                }
            }
        }
        (decoder.problems() == before).then(|| -> Arc<dyn Rule> { Arc::new(Ids { patterns }) })
    }
}

#[derive(Debug)]
struct Ids {
    patterns: Vec<Regex>,
}

impl Rule for Ids {
    fn parameters(&self) -> Value<'static> {
        let patterns: Vec<Value<'static>> =
            self.patterns.iter().map(|pattern| Value::from(pattern.as_str().to_owned())).collect();
        Object::of_some([("patterns", (!patterns.is_empty()).then_some(Value::Array(patterns)))]).into()
    }

    fn prose(&self) -> String {
        let patterns: Vec<String> = self.patterns.iter().map(|pattern| format!("`{pattern}`")).collect();
        let which = match patterns.as_slice() {
            [] => String::new(),
            patterns => format!(" such as {}", crate::text::joined(patterns, "or")),
        };
        format!("a reply names only ids{which} that a tool returned, the user typed or these instructions state")
    }

    fn bind(
        &self,
        _: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let mut own = GroundPlan::default();
        own.ask_ids(&self.patterns);
        let authored = authored(compiler, &own);
        compiler.plan().keep_typed();
        compiler.plan().grounds_mut().ask_ids(&self.patterns);
        Ok(Some(Box::new(Bound { patterns: self.patterns.clone(), authored })))
    }
}

#[derive(Debug)]
struct Bound {
    patterns: Vec<Regex>,
    authored: Grounds,
}

impl Bound {
    /// The ids of the reply, and how each stands.
    fn figures<'c>(&self, context: &Context<'c>) -> impl Iterator<Item = (&'c str, Standing)> {
        let reply = context.reply.into_iter();
        reply.flat_map(move |reply| {
            let none = Locales::default();
            let shaped = Figures::of(reply.text, &none).filter(|_| self.patterns.is_empty());
            let shaped = shaped.filter_map(|found: Found<'c>| found.id());
            let matched = self.patterns.iter().flat_map(|pattern| whole_matches(pattern, reply.text));
            shaped.chain(matched).map(|id| (id, self.standing(context, reply.grounds, id)))
        })
    }

    fn standing(&self, context: &Context<'_>, grounds: &Grounds, id: &str) -> Standing {
        let told = [grounds.id(context.key, id), self.authored.id(&AUTHORED, id)];
        if Standing::of(told) == Standing::Grounded {
            return Standing::Grounded;
        }
        let typed = |text: String| known(context.facts.said(context.key, &Value::from(text)));
        let spelled = [id.to_owned(), canonical(id).into_owned(), format!("#{id}")];
        Standing::of(told.into_iter().chain(spelled.into_iter().map(typed)))
    }
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        finding(self.figures(&evaluation.context))
    }

    fn correction(&self, context: &Context<'_>) -> String {
        correction(self.figures(context), "ids", "the ids that came up", "it came up")
    }
}

#[cfg(test)]
mod tests {
    use super::super::grounded::tests::Case;
    use crate::guards::reply::tests::policy;

    #[test]
    fn an_id_is_grounded_by_itself_alone() {
        let results: &[&str] = &[r#"{"inv_12": {"ref": 4482019375, "note": "see (#AB-10023)"}}"#];
        let case = Case { results, typed: "What of #zz-00017?", ..Case::of("{kind: idsGrounded}") };
        case.allows(&[
            "Look at inv_12 and AB-10023, or ab‑10023.",
            "Number 4482019375, and ZZ-00017.",
            "A 24-hour stay with 500mb on the 21st for $123456, or 2031-03-04.",
        ]);
        case.stops(&["inv_1", "inv_123", "AB-1002", "44820193", "zz-0001", "#AB-10024", "$5 for 123456"]);
        let said =
            "\"AB-10024\" and \"xy_99\" are not among the ids that came up. Use only ids that are, or leave them out.";
        assert_eq!(case.says("AB-10024, inv_12, xy_99").unwrap_err(), said);
    }

    #[test]
    fn patterns_say_what_an_id_is() {
        let guard = "{kind: idsGrounded, with: {patterns: ['K[0-9]', '[0-9]{5}']}}";
        let case = Case { results: &[r#"["K1 and K23", 12345]"#], ..Case::of(guard) };
        case.allows(&["K1, K23, 12345, 123456, AB-10023"]);
        case.stops(&["K2", "K1 and 54321"]);
        for (patterns, wanted) in [("'('", "does not compile"), ("'a*'", "matches the empty text"), ("[]", "empty")] {
            let guard = format!("{{kind: idsGrounded, with: {{patterns: {patterns}}}}}");
            assert!(policy("tools: {look: {effect: read}}", &guard).unwrap_err().contains(wanted), "{patterns}");
        }
    }

    #[test]
    fn the_example_of_a_tool_is_no_id_that_came_up() {
        let spec = "tools: {look: {effect: read, description: 'By number, such as AB-10023.'}}\n\
                    behavior: ['Write to desk-00042.']";
        let case = Case { spec, ..Case::of("{kind: idsGrounded}") };
        case.allows(&["Write to desk-00042."]);
        case.stops(&["Look at AB-10023."]);
    }
}
