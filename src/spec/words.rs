//! What spec and contract say to the model and to people besides their rules: plain data.
//!
//! Every text here takes constants only, but what a directive says; so a prompt is the same on every turn.

use crate::acts::CoreOutcome;
use crate::expr::{Expression, Template};
use crate::source::Spanned;

/// What all agents of a domain say the same way: the head of their prompts.
#[derive(Clone, Debug, Default)]
pub struct SharedWords {
    /// How they speak.
    pub voice: Option<Spanned<Template>>,
    /// What holds for all of them, and no guard can check.
    pub rules: Vec<Spanned<Template>>,
    /// What all of them know.
    pub facts: Vec<Spanned<Template>>,
    /// In which language they reply.
    pub language: Option<Spanned<Template>>,
    /// The words of the domain for how a call ended.
    pub outcomes: Vec<(Spanned<String>, CoreOutcome)>,
    /// What the engine says, in place of its English.
    pub wording: Wording,
    /// The fields that nothing shows, by name, wherever they stand.
    pub sensitive: Vec<(Spanned<String>, Hiding)>,
}

impl SharedWords {
    /// Every text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &Template> {
        let wording = self.wording.entries().filter_map(|(_, text)| text);
        let texts = self.voice.iter().chain(&self.rules).chain(&self.facts).chain(&self.language).chain(wording);
        texts.map(|text| &text.value)
    }
}

/// What the engine says to a person.
#[derive(Clone, Debug, Default)]
pub struct Wording {
    /// Where a message is refused and the guard has no words of its own.
    pub refused: Option<Spanned<Template>>,
    /// Where a person is asked: `{label}` is what is asked about, `{code}` what they answer with.
    pub consent_question: Option<Spanned<Template>>,
    /// What closes a reply that the engine writes, where something took effect.
    pub closing: Option<Spanned<Template>>,
    /// The same, where it is known that nothing did.
    pub nothing_changed: Option<Spanned<Template>>,
    /// Where a run stops before it is done.
    pub exhausted: Option<Spanned<Template>>,
    /// How a person is told what became of a call: `{label}` is the call.
    pub ends: [Option<Spanned<Template>>; EndWord::ALL.len()],
}

/// What became of a call, as a person is told it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndWord {
    /// It took effect.
    Done,
    /// It ran and changed nothing.
    NoEffect,
    /// It failed and changed nothing.
    Failed,
    /// Nobody knows whether it took effect.
    Unknown,
    /// It has not ended.
    Running,
    /// Somebody must agree first.
    Waiting,
    /// It was to follow another call, and was not made.
    Owed,
}

impl EndWord {
    /// Each with its key and its English.
    pub const ALL: [(EndWord, &'static str, &'static str); 7] = [
        (EndWord::Done, "done", "{label}: done."),
        (EndWord::NoEffect, "noEffect", "{label}: nothing was changed."),
        (EndWord::Failed, "failed", "{label}: failed, nothing was changed."),
        (EndWord::Unknown, "unknown", "{label}: it is not known whether this was done."),
        (EndWord::Running, "running", "{label}: not finished yet."),
        (EndWord::Waiting, "waiting", "{label}: waits for somebody who may agree to it."),
        (EndWord::Owed, "owed", "{label}: not done yet."),
    ];
}

impl Wording {
    /// Each text by its key, in the order of the format.
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, Option<&Spanned<Template>>)> {
        let own = [
            ("refused", self.refused.as_ref()),
            ("consentQuestion", self.consent_question.as_ref()),
            ("closing", self.closing.as_ref()),
            ("nothingChanged", self.nothing_changed.as_ref()),
            ("exhausted", self.exhausted.as_ref()),
        ];
        let ends = EndWord::ALL.iter().zip(&self.ends).map(|((_, key, _), text)| (*key, text.as_ref()));
        own.into_iter().chain(ends)
    }
}

/// What stands where a sensitive field would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hiding {
    /// Nothing: not even that it is there.
    Omit,
    /// A mark in its place.
    Mask,
}

impl Hiding {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, Hiding)] = &[("omit", Hiding::Omit), ("mask", Hiding::Mask)];

    /// The word of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        super::word_of(Self::WORDS, self)
    }
}

/// What the agent is for, and who does the rest.
#[derive(Clone, Debug)]
pub struct Lane {
    /// What it does.
    pub lane: Spanned<Template>,
    /// Who does what lies beside it.
    pub others: Vec<Neighbour>,
}

/// Somebody beside the agent.
#[derive(Clone, Debug)]
pub struct Neighbour {
    /// Who.
    pub label: Spanned<Template>,
    /// What they do.
    pub covers: Spanned<Template>,
}

/// What the model is told where something holds.
#[derive(Clone, Debug)]
pub struct Directive {
    /// Its id.
    pub id: Spanned<String>,
    /// Where it holds; absent: always.
    pub when: Option<Expression>,
    /// What the model is told. It may show values.
    pub say: Spanned<Template>,
}

impl Directive {
    /// True if it is the same on every turn, and so can stand in the prompt itself.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        self.when.is_none() && self.say.value.roots().iter().all(|root| root.value == "params")
    }
}
