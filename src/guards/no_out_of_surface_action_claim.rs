//! `noOutOfSurfaceActionClaim`: words that say something was done for which this agent has no tool.

use super::phrases::{PHRASES, Phrases, stated};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::source::Spanned;
use crate::text::{joined, quoted};
use crate::tool::Pattern;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `noOutOfSurfaceActionClaim`.
#[derive(Debug)]
pub struct NoOutOfSurfaceActionClaim;

static ACTION: Shape = Shape {
    name: "an action",
    fields: &[
        Field::required("phrases", PHRASES, "Phrases that say it was done."),
        Field::required("tool", Type::Text, "The tool that does it."),
    ],
};

static ABOUT: About = About {
    name: "noOutOfSurfaceActionClaim",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `noOutOfSurfaceActionClaim`",
        fields: &[
            Field::required("actions", Type::List(&Type::Shape(&ACTION)), "What may be said, and which tool does it."),
            Field::optional("offers", PHRASES, "Phrases of sentences that do not say so, such as `the other desk`."),
        ],
    },
    docs: "\
## What it checks
Of `actions` those count whose tool this agent does not have. No sentence of the reply has one of their phrases, unless
it is a question or has one of `offers`. It is meant for a contract: one list of what the agents of a domain do, and
each may only speak of its own. An agent that has every tool of the list is not judged. Phrases are found whole, in any
case and with any emphasis.

## Why
An agent that only reads calendars says that it has booked the room, because that is how such talks end.

## Example
```yaml
- id: own-work-only
  kind: noOutOfSurfaceActionClaim
  with: {actions: [{phrases: [I booked, is booked], tool: book_room}, {phrases: [I sent], tool: mail/send}]}
```

## Correction
The reply says \"I booked\", and there is no tool here that does it. Say that it is not done, and who can do it.
",
};

#[derive(Clone, Debug)]
struct Action {
    phrases: Phrases,
    tool: Spanned<Pattern>,
}

#[derive(Clone, Debug)]
struct OutOfSurface {
    actions: Vec<Action>,
    offers: Phrases,
}

impl Kind for NoOutOfSurfaceActionClaim {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let node = with.get("actions")?;
        let items = decoder.list(node);
        let items = decoder.some(node, items, "write `{phrases: […], tool: …}`");
        let mut actions = Vec::new();
        for item in items {
            let Some(fields) = decoder.open(item, &ACTION) else { continue };
            let phrases = fields.get("phrases").and_then(|node| Phrases::decode(decoder, node));
            let tool = fields.get("tool").and_then(|node| decoder.tool_pattern(node));
            actions.extend(phrases.zip(tool).map(|(phrases, tool)| Action { phrases, tool }));
        }
        let offers = Phrases::decode_some(decoder, with.get("offers"))?;
        (decoder.problems() == before).then(|| Arc::new(OutOfSurface { actions, offers }) as Arc<dyn Rule>)
    }
}

impl OutOfSurface {
    fn said(&self, text: &str) -> Option<&str> {
        self.actions.iter().find_map(|action| stated(text, &action.phrases, &self.offers))
    }
}

impl Rule for OutOfSurface {
    fn parameters(&self) -> Value<'static> {
        let action = |action: &Action| {
            let tool = Value::from(action.tool.value.text().to_owned());
            Value::from(Object::of_some([("phrases", action.phrases.value()), ("tool", Some(tool))]))
        };
        let actions = Value::Array(self.actions.iter().map(action).collect());
        Object::of_some([("actions", Some(actions)), ("offers", self.offers.value())]).into()
    }

    fn prose(&self) -> String {
        let only = |action: &Action| format!("{} only with the tool `{}`", action.phrases.words(), action.tool.value);
        let actions: Vec<String> = self.actions.iter().map(only).collect();
        let offers = self.offers.behind(", or in a sentence with");
        format!("never say that something is done for which you have no tool: say {}{offers}", joined(&actions, "and"))
    }

    /// Which tools there are is known here, so what the agent can do is left out.
    fn bind(
        &self,
        _: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let has = |wanted: &Pattern| compiler.tools().iter().any(|tool| wanted.overlaps(&Pattern::key(tool.name)));
        let actions: Vec<Action> = self.actions.iter().filter(|action| !has(&action.tool.value)).cloned().collect();
        if actions.is_empty() {
            return Ok(None);
        }
        Ok(Some(Box::new(OutOfSurface { actions, offers: self.offers.clone() })))
    }
}

impl Check for OutOfSurface {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let said = evaluation.context.reply.and_then(|reply| self.said(reply.text));
        if said.is_some() { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let said = context.reply.and_then(|reply| self.said(reply.text)).unwrap_or_default();
        format!(
            "The reply says {}, and there is no tool here that does it. Say that it is not done, and who can do it.",
            quoted(said)
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{Told, judge, policy};

    const SPEC: &str = "tools: {look: {effect: read}, 'crm/*': {effect: write}}";
    const WITH: &str = "actions: [{phrases: I booked, tool: book}, {phrases: noted, tool: crm/note}, {phrases: I looked, tool: look}], offers: the front desk";

    fn told(text: &str) -> Result<(), String> {
        let guard = format!("{{kind: noOutOfSurfaceActionClaim, with: {{{WITH}}}}}");
        judge(&guard, &Told { spec: SPEC, ..Told::of(text) })
    }

    #[test]
    fn what_it_has_no_tool_for_it_did_not_do() {
        assert_eq!(
            told("Fine. I booked the room.").unwrap_err(),
            "The reply says \"I booked\", and there is no tool here that does it. Say that it is not done, and who can do it."
        );
        for text in ["Have I booked it?", "I booked it through the front desk.", "I looked, and noted it.", "I book."] {
            assert_eq!(told(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn an_agent_with_every_tool_is_not_judged() {
        let guard = "{kind: noOutOfSurfaceActionClaim, with: {actions: [{phrases: I looked, tool: look}]}}";
        let policy = policy(SPEC, guard).unwrap();
        assert!(policy.reply.guards.iter().all(|guard| &*guard.code != "g"));
    }

    #[test]
    fn nonsense_is_refused() {
        for with in [
            "actions: []",
            "actions: [{phrases: a}]",
            "actions: [{tool: a}]",
            "actions: [{phrases: a, tool: b, x: 1}]",
            "actions: [{phrases: a, tool: 'b c'}]",
        ] {
            let guard = format!("{{kind: noOutOfSurfaceActionClaim, with: {{{with}}}}}");
            assert!(policy(SPEC, &guard).is_err(), "{with}");
        }
    }
}
