//! What the prompt teaches: every rule once, in its own line, the same on every turn.

mod forms;
mod lines;
mod stable;

use crate::disk::load_text;
use flyball::policy::Policy;
use flyball::render::Prompt;

/// A spec of these parts without errors.
fn policy(text: &str) -> Policy {
    let loaded = load_text(text);
    loaded.policy.unwrap_or_else(|| panic!("{text}\n{:#?}", loaded.diagnostics))
}

/// Every line of a prompt: where it stands, the rule, the text.
fn lines(prompt: &Prompt) -> Vec<(String, String, String)> {
    let line = |place: &str, text: &str, line: &flyball::render::Line| {
        (place.to_owned(), line.rule.clone().unwrap_or_default(), text.get(line.place.clone()).unwrap().to_owned())
    };
    let system = prompt.lines().iter().map(|one| line(one.section.name(), prompt.system(), one));
    let cards = prompt
        .tools()
        .iter()
        .flat_map(|card| card.lines().iter().map(move |one| line(card.name(), card.description(), one)));
    system.chain(cards).collect()
}
