//! What the engine says to a person: English, unless the contract words it.

use super::prose::Constant;
use crate::expr::Template;
use crate::source::Spanned;
use crate::spec::Controls;
use crate::spec::words::{EndWord, Wording};

/// The texts of the engine, in the language of the contract.
///
/// ```
/// use flyball::source::Sources;
///
/// let text = "
/// agentspec: 1
/// id: desk
/// contract: {contract: 1, id: shop, wording: {consentQuestion: 'Confirme {label} con {code}.'}}
/// persona: You are the desk.
/// tools: {look: {effect: read}}
/// ";
/// let spec = flyball::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap();
/// let policy = flyball::policy::compile(&spec).unwrap();
/// let texts = policy.engine_texts();
///
/// assert_eq!(texts.consent_question("el pago", "azul-42"), "Confirme el pago con azul-42.");
/// assert_eq!(texts.nothing_changed(), "Nothing was changed.");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineTexts {
    refused: String,
    question: Slotted,
    /// One for each of [`EndWord::ALL`].
    ends: Vec<Slotted>,
    closing: String,
    nothing_changed: String,
    exhausted: String,
}

/// A text with slots: what stands before each, and the slot.
type Slotted = Vec<(String, Option<Slot>)>;

/// What a question shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Label,
    Code,
}

const SLOTS: &[(&str, Slot)] = &[("label", Slot::Label), ("code", Slot::Code)];

impl EngineTexts {
    /// Said where a message is refused and the guard has no words of its own.
    #[must_use]
    pub fn refused(&self) -> &str {
        &self.refused
    }

    /// Asks a person about a call, who answers with a code.
    #[must_use]
    pub fn consent_question(&self, label: &str, code: &str) -> String {
        filled(&self.question, label, code)
    }

    /// Tells a person what became of a call.
    #[must_use]
    pub fn ended(&self, end: EndWord, label: &str) -> String {
        let at = EndWord::ALL.iter().position(|(known, ..)| *known == end);
        at.and_then(|at| self.ends.get(at)).map_or_else(String::new, |text| filled(text, label, ""))
    }

    /// Closes a reply that the engine writes, where something took effect.
    #[must_use]
    pub fn closing(&self) -> &str {
        &self.closing
    }

    /// The same, where it is known that nothing did.
    #[must_use]
    pub fn nothing_changed(&self) -> &str {
        &self.nothing_changed
    }

    /// Said where a run stops before it is done.
    #[must_use]
    pub fn exhausted(&self) -> &str {
        &self.exhausted
    }
}

fn filled(text: &Slotted, label: &str, code: &str) -> String {
    let mut out = String::new();
    for (before, slot) in text {
        out.push_str(before);
        out.push_str(match slot {
            Some(Slot::Label) => label,
            Some(Slot::Code) => code,
            None => "",
        });
    }
    out
}

/// What is said where a limit ends the run and nobody wrote another sentence.
const EXHAUSTED: &str = "I could not finish this: a limit was reached, and nothing more is done now.";

/// The texts of a contract; what it does not word is English. What a spec says of its own end goes before.
pub(super) fn engine_texts(wording: &Wording, controls: &Controls, constant: Constant<'_>) -> EngineTexts {
    let mut slotted = |text: &Template| -> Slotted {
        let names: Vec<&str> = SLOTS.iter().map(|(name, _)| *name).collect();
        let parts = text.cut_at(&names).into_iter();
        parts.map(|(before, name)| (constant(&before), name.and_then(slot))).collect()
    };
    let ends = EndWord::ALL.iter().zip(&wording.ends).map(|((_, _, english), text)| match text {
        Some(text) => slotted(&text.value),
        None => {
            let (before, behind) = english.split_once("{label}").unwrap_or((english, ""));
            vec![(before.to_owned(), Some(Slot::Label)), (behind.to_owned(), None)]
        }
    });
    let ends = ends.collect();
    let question = match &wording.consent_question {
        Some(question) => slotted(&question.value),
        None => vec![
            ("Shall I go on with ".to_owned(), Some(Slot::Label)),
            ("? To confirm, answer with the code ".to_owned(), Some(Slot::Code)),
            (".".to_owned(), None),
        ],
    };
    let mut said = |text: Option<&Template>, english: &str| match text {
        Some(text) => constant(text).trim().to_owned(),
        None => english.to_owned(),
    };
    let exhausted = controls.exhaustion_reply.as_ref().or(words(&wording.exhausted));
    EngineTexts {
        refused: said(words(&wording.refused), "I cannot help with this right now."),
        closing: said(words(&wording.closing), "That is all that was done."),
        nothing_changed: said(words(&wording.nothing_changed), "Nothing was changed."),
        exhausted: said(exhausted, EXHAUSTED),
        question,
        ends,
    }
}

fn words(text: &Option<Spanned<Template>>) -> Option<&Template> {
    text.as_ref().map(|text| &text.value)
}

fn slot(name: &str) -> Option<Slot> {
    SLOTS.iter().find(|(known, _)| *known == name).map(|(_, slot)| *slot)
}
