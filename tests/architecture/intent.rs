//! Law 6: nothing in the format is keyed to what somebody wants. No key may read a message, and no root of the expressions
//! has one.

use super::{assert_found, assert_none};
use crate::disk::load_text;
use flyball::decode::{Shape, Type};
use flyball::spec::shapes::{CONTRACT, PACK, SPEC};

/// Words of keys that would choose by a message: a router's, a classifier's.
const CHOOSING: &[&str] = &[
    "intent",
    "intents",
    "route",
    "routes",
    "router",
    "keyword",
    "keywords",
    "topic",
    "topics",
    "utterance",
    "classify",
    "classifier",
    "mentions",
    "trigger",
    "triggers",
    "userText",
    "message",
    "phrases",
    "similarTo",
];

/// Every key of a map and of the maps inside it that chooses by a message.
fn choosing(shape: &Shape, found: &mut Vec<String>) {
    for field in shape.fields {
        if CHOOSING.contains(&field.key) {
            found.push(format!("{} has a key `{}`", shape.name, field.key));
        }
        inside(&field.ty, found);
    }
}

fn inside(ty: &Type, found: &mut Vec<String>) {
    match ty {
        Type::Shape(shape) => choosing(shape, found),
        Type::List(item) | Type::OneOrMany(item) | Type::Map(item) => inside(item, found),
        Type::Either(forms) => forms.iter().for_each(|form| inside(form, found)),
        _ => {}
    }
}

#[test]
fn no_key_of_the_format_chooses_by_a_message() {
    let mut found = Vec::new();
    [&SPEC, &CONTRACT, &PACK].into_iter().for_each(|shape| choosing(shape, &mut found));
    assert_none(&found);
}

#[test]
fn a_key_that_chooses_by_a_message_is_found() {
    use flyball::decode::Field;
    static INNER: Shape =
        Shape { name: "a tool", fields: &[Field::optional("keywords", Type::List(&Type::Text), "When it is there.")] };
    static OUTER: Shape =
        Shape { name: "a spec", fields: &[Field::optional("tools", Type::Map(&Type::Shape(&INNER)), "The tools.")] };
    let mut found = Vec::new();
    choosing(&OUTER, &mut found);
    assert_found(&found, &["a tool has a key `keywords`"]);
}

/// The ways in which an author would ask for the text of a message, none of which there is.
#[test]
fn no_expression_reaches_a_message() {
    let desk = |check: &str| {
        format!(
            "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {{look: {{effect: read}}}}\n\
             guards: {{onInput: [{{id: rule, check: \"{check}\", prose: p, correction: c}}]}}\n"
        )
    };
    let sound = load_text(&desk("size(input.attachments) < 3"));
    assert_eq!(sound.lines(), [""; 0]);
    for check in [
        "input.text.contains('refund')",
        "input.message == 'a'",
        "input.attachments[0].content == 'a'",
        "text == 'a'",
        "user.text == 'a'",
        "session.text == 'a'",
        "saidByUser(input)",
        "saidByUser('refund')",
        "reply.text == 'a'",
    ] {
        let loaded = load_text(&desk(check));
        assert!(loaded.policy.is_none(), "`{check}` compiles");
    }
}
