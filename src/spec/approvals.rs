//! `approvals`: who answers a question before a call runs, how, and for how long; which calls wait for an approver, by
//! `require` and by the profile; and whether one that is extended is loosened.
//!
//! What a message answers is judged by [`facts`](crate::facts), what an answer permits by the session.

use super::duration;
use super::shapes::{APPROVALS, APPROVER, USER, WORDS};
use super::{Layer, Selection, Spec};
use crate::decode::{Decoder, Fields};
use crate::diagnostic::Diagnostic;
use crate::facts::answer_word;
use crate::source::Span;
use crate::time::Duration;
use crate::tool::{Effect, Selector};
use crate::yaml::{Data, Node};
use std::collections::BTreeSet;

const MINUTE: i128 = 60_000_000_000;

/// How long a question to the user stays open, where its author does not say.
pub(super) const USER_TTL: Duration = Duration(15 * MINUTE);

/// The same of a question to an approver.
pub(super) const APPROVER_TTL: Duration = Duration(60 * MINUTE);

/// The rule that `require` is: the `code` of its questions, and its line in the prompt.
pub(crate) const REQUIRE: &str = "approvals/require";

/// How somebody is asked before a call runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approvals {
    /// The file that says so; the spec where none does.
    pub layer: Layer,
    /// Where `require` stands, or all of it.
    pub span: Span,
    /// What the person in the conversation may answer with.
    pub user: UserAnswers,
    /// How long a question to an approver stays open.
    pub approver_ttl: Duration,
    /// The effects of tools whose calls wait for an approver.
    pub require: Vec<Effect>,
}

/// What the person in the conversation may answer with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserAnswers {
    /// What the host sends in the person's name, as a button does.
    pub button: bool,
    /// The code that the question shows.
    pub code: bool,
    /// Whole messages that are a yes to the only open question.
    pub words: Vec<String>,
    /// How long a question stays open.
    pub ttl: Duration,
}

impl Default for UserAnswers {
    fn default() -> UserAnswers {
        UserAnswers { button: true, code: true, words: Vec::new(), ttl: USER_TTL }
    }
}

impl Default for Approvals {
    fn default() -> Approvals {
        Approvals {
            layer: Layer::Spec,
            span: Span::default(),
            user: UserAnswers::default(),
            approver_ttl: APPROVER_TTL,
            require: Vec::new(),
        }
    }
}

/// Calls that wait for an approver whatever their arguments.
#[derive(Debug)]
pub(crate) struct Required {
    /// The file that says so.
    pub(crate) layer: Layer,
    /// Where it says so.
    pub(crate) span: Span,
    /// The calls.
    pub(crate) selection: Selection,
}

impl Required {
    fn of(layer: Layer, span: Span, effects: Vec<Effect>) -> Option<Required> {
        let selector = Selector { effects, ..Selector::default() };
        (!selector.effects.is_empty()).then_some(Required {
            layer,
            span,
            selection: Selection { selector, patterns: Vec::new() },
        })
    }
}

impl Approvals {
    /// The calls that `require` is about; `None` where there are none.
    pub(crate) fn required(&self) -> Option<Required> {
        Required::of(self.layer, self.span, self.require.clone())
    }
}

impl Spec {
    /// What waits for an approver: by `require`, and by the profile what `require` leaves and some tool does. The two stay
    /// apart: what a contract requires is the same for all its agents, the profile is one agent's own.
    pub(crate) fn required(&self) -> impl Iterator<Item = Required> {
        let asked = self.controls.profile.asked().iter().copied();
        let asked = asked.filter(|effect| !self.approvals.require.contains(effect));
        let asked = asked.filter(|effect| self.tools.iter().any(|tool| tool.effect == *effect));
        let by_profile = Required::of(Layer::Spec, self.controls.span, asked.collect());
        self.approvals.required().into_iter().chain(by_profile)
    }
}

/// What a contract says of approvals.
pub(super) fn of_contract(decoder: &mut Decoder<'_>, fields: &Fields<'_>) -> Option<Approvals> {
    decode(decoder, fields.get("approvals")?, Layer::Contract)
}

/// What a spec says of approvals, or its contract: one of them.
pub(super) fn of_spec(decoder: &mut Decoder<'_>, fields: &Fields<'_>, shared: Option<Approvals>) -> Approvals {
    let Some(entry) = fields.entry("approvals") else { return shared.unwrap_or_default() };
    if let Some(shared) = &shared {
        let message = "`approvals` stands in the contract too";
        let problem = Diagnostic::error("shadowed-name", entry.key_span, message).label(shared.span, "it stands here");
        decoder.report(problem.help("say it in one of them: the contract's holds for all its agents"));
    }
    decode(decoder, &entry.value, Layer::Spec).unwrap_or_default()
}

fn decode(decoder: &mut Decoder<'_>, node: &Node, layer: Layer) -> Option<Approvals> {
    let fields = decoder.open(node, &APPROVALS)?;
    let user = fields.get("user").and_then(|node| user(decoder, node));
    let approver = fields.get("approver").and_then(|node| decoder.open(node, &APPROVER));
    let approver_ttl = approver.and_then(|fields| fields.get("ttl")).and_then(|node| duration::decode(decoder, node));
    let require = fields.get("require");
    Some(Approvals {
        layer,
        span: require.map_or(node.span, |require| require.span),
        user: user.unwrap_or_default(),
        approver_ttl: approver_ttl.unwrap_or(APPROVER_TTL),
        require: require.map(|node| effects(decoder, node)).unwrap_or_default(),
    })
}

fn effects(decoder: &mut Decoder<'_>, node: &Node) -> Vec<Effect> {
    let items = decoder.list(node);
    decoder.some(node, items, "name an effect, or leave `require` out");
    decoder.distinct(items.iter().filter_map(|item| Some((item.text()?.to_owned(), item.span))));
    items.iter().filter_map(|item| decoder.word(item, Effect::WORDS)).collect()
}

fn user(decoder: &mut Decoder<'_>, node: &Node) -> Option<UserAnswers> {
    let fields = decoder.open(node, &USER)?;
    let ttl = fields.get("ttl").and_then(|node| duration::decode(decoder, node)).unwrap_or(USER_TTL);
    let Some(accept) = fields.get("accept") else { return Some(UserAnswers { ttl, ..UserAnswers::default() }) };
    let items = decoder.list(accept);
    decoder.some(accept, items, "name how the user answers, or leave `accept` out for `button` and `code`");
    let named = |item: &Node| match &item.data {
        Data::Map(_) => Some("words".to_owned()),
        _ => item.text().map(str::to_owned),
    };
    decoder.distinct(items.iter().filter_map(|item| Some((named(item)?, item.span))));
    let mut answers = UserAnswers { button: false, code: false, words: Vec::new(), ttl };
    for item in items {
        match item.text() {
            Some("button") => answers.button = true,
            Some("code") => answers.code = true,
            Some(other) => {
                let message = format!("`{other}` is none of `button`, `code`");
                let problem = Diagnostic::error("unknown-word", item.span, message);
                decoder.report(problem.help("a word that the user types stands in a list: `{words: ['yes']}`"));
            }
            None => answers.words.extend(words(decoder, item)),
        }
    }
    Some(answers)
}

/// The words of one entry of `accept`, no two of which a message could both be.
fn words(decoder: &mut Decoder<'_>, node: &Node) -> Vec<String> {
    if !matches!(node.data, Data::Map(_)) {
        decoder.wrong_type(node, "`button`, `code`, or a map (`approvals.user.accept`)");
        return Vec::new();
    }
    let Some(list) = decoder.open(node, &WORDS).and_then(|fields| fields.get("words")) else { return Vec::new() };
    let items = decoder.list(list);
    decoder.some(list, items, "name a word, or take `words` out");
    let mut words = Vec::new();
    for item in items {
        let Some(word) = decoder.text(item) else { continue };
        if answer_word(&word.value).is_empty() {
            let problem = Diagnostic::error("blank-text", word.span, "a blank text says nothing");
            decoder.report(problem.help("write the whole message that is a yes; a final `.` or `!` is not looked at"));
            continue;
        }
        words.push(word);
    }
    decoder.distinct(words.iter().map(|word| (answer_word(&word.value), word.span)));
    words.into_iter().map(|word| word.value).collect()
}

/// True if a question stays open no longer than it did. What is no duration is left to be refused when it is read.
pub(super) fn is_no_longer(new: &Node, old: Option<&Node>, default: Duration) -> bool {
    let old = old.and_then(duration::of).unwrap_or(default);
    duration::of(new).is_none_or(|new| new <= old)
}

/// True if nothing is an answer that was none. What is no answer at all is left to be refused when it is read.
pub(super) fn accepts_no_more(new: &Node, old: Option<&Node>) -> bool {
    let old = old.map_or_else(|| BTreeSet::from(["button".to_owned(), "code".to_owned()]), answers);
    answers(new).is_subset(&old)
}

/// Each answer of `accept`, a word behind a space, so that none is taken for a way.
fn answers(accept: &Node) -> BTreeSet<String> {
    let Data::List(items) = &accept.data else { return BTreeSet::new() };
    let words = items.iter().filter_map(|item| item.get("words")).flat_map(|words| match &words.data {
        Data::List(words) => words.as_slice(),
        _ => &[],
    });
    let words = words.filter_map(Node::text).map(|word| format!(" {}", answer_word(word)));
    let ways = items.iter().filter_map(Node::text).filter(|way| matches!(*way, "button" | "code"));
    ways.map(str::to_owned).chain(words).collect()
}

#[cfg(test)]
mod tests;
