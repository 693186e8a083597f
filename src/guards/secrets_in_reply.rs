//! `secretsInReply`: no password, key or card number in a reply.

use super::reply::{fires_if, text};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::ledger::mask::{Masker, Structure};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `secretsInReply`.
#[derive(Debug)]
pub struct SecretsInReply;

static ABOUT: About = About {
    name: "secretsInReply",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `secretsInReply`",
        fields: &[Field::optional("keys", Type::List(&Type::Text), "Names of further secrets, such as `member_number`.")],
    },
    docs: "\
## What it checks
The reply holds no secret that shows by its structure: payment card numbers (prefix, length and Luhn check), keys of known
forms, bearer tokens, private keys, passwords in addresses, and what is assigned to the name of a secret
(`API_KEY=…`, `password: …`, and the names in `keys`). A word in a sentence (`password: please`) and a place-holder (`$TOKEN`,
`<your key>`) are none. It finds what the ledger masks. It also checks text beside calls.

## Why
What a tool returns can hold a key that nobody thought of, and a reply is where it leaves the house. The secret is not shown
to the model again.

## Example
```yaml
- {id: no-secrets, kind: secretsInReply, with: {keys: [member_number]}}
```

## Correction
The reply holds a key or a token. Write it without.
",
};

#[derive(Clone, Debug)]
struct NoSecrets {
    keys: Vec<String>,
    masker: Arc<Masker>,
}

impl Kind for SecretsInReply {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let mut keys = Vec::new();
        if let Some(node) = with.get("keys") {
            let items = decoder.list(node);
            let items = decoder.some(node, items, "name a key, or leave `keys` out");
            let read: Vec<_> = items.iter().filter_map(|item| decoder.sentence(item)).collect();
            decoder.distinct(read.iter().map(|key| (key.value.clone(), key.span)));
            keys = read.into_iter().map(|key| key.value).collect();
        }
        let masker = Arc::new(Masker::new(&keys));
        (decoder.problems() == before).then(|| Arc::new(NoSecrets { keys, masker }) as Arc<dyn Rule>)
    }
}

impl Rule for NoSecrets {
    fn parameters(&self) -> Value<'static> {
        let keys = self.keys.iter().map(|key| Value::from(key.clone())).collect();
        Object::of_some([("keys", (!self.keys.is_empty()).then_some(Value::Array(keys)))]).into()
    }

    fn prose(&self) -> String {
        let keys = self.keys.iter().map(|key| format!("`{key}`"));
        let what = ["passwords", "keys and tokens", "card numbers"].map(str::to_owned).into_iter().chain(keys);
        let what: Vec<String> = what.collect();
        format!("never write {} into a reply", crate::text::joined(&what, "or"))
    }

    fn is_interim(&self) -> bool {
        true
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Check for NoSecrets {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        fires_if(&evaluation.context, |text| self.masker.finds(text))
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let text = text(context);
        let what = if Structure::Token.masked(text).is_some() {
            "a key or a token"
        } else if Structure::Card.masked(text).is_some() {
            "a card number"
        } else {
            "a password or another secret"
        };
        format!("The reply holds {what}. Write it without.")
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, judge, policy};

    fn judged(text: &str) -> Result<(), String> {
        judge("{kind: secretsInReply, with: {keys: [member_number]}}", &Told::of(text))
    }

    #[test]
    fn a_secret_is_found_by_its_structure_and_never_shown() {
        for (text, what) in [
            ("Your card 4111 1111 1111 1111 is charged.", "a card number"),
            ("Use sk_live_51Habcdefghijklmno.", "a key or a token"),
            ("The database is postgres://ada:hunter2@db.example/shop.", "a password or another secret"),
            ("password: hunter2", "a password or another secret"),
            ("member_number=7734", "a password or another secret"),
        ] {
            assert_eq!(judged(text).unwrap_err(), format!("The reply holds {what}. Write it without."), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_passes() {
        for text in [
            "Your card ending in 1111 is charged for order 4111111111111112.",
            "To change the password: please open the settings.",
            "Set API_KEY=$API_KEY, then Bearer <token>.",
            "The basic plan is sk-free.",
        ] {
            assert_eq!(judged(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn keys_that_say_nothing_are_refused() {
        for (with, wanted) in [
            ("{keys: []}", "empty-list"),
            ("{keys: ['']}", "blank-text"),
            ("{keys: [a, a]}", "repeated-value"),
            ("{keys: a}", "wrong-type"),
        ] {
            let problems = policy(TOOLS, &format!("{{kind: secretsInReply, with: {with}}}")).unwrap_err();
            assert!(problems.contains(wanted), "{with}: {problems}");
        }
        assert!(policy(TOOLS, "{kind: secretsInReply}").is_ok());
    }
}
