//! `voice`, `rules`, `facts`, `language`, `outcomes`, `wording`, `sensitive` of a contract; `scope`, `behavior` and
//! `directives` of a spec.

use super::{Parser, Shared};
use crate::acts::CoreOutcome;
use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::expr::Template;
use crate::source::{Span, Spanned};
use crate::spec::shapes::{DIRECTIVE, NEIGHBOUR, SCOPE, WORDING};
use crate::spec::words::{Directive, EndWord, Hiding, Lane, Neighbour, SharedWords, Wording};
use crate::yaml::Node;

/// What a question for a consent may show.
const OF_QUESTION: &[&str] = &["label", "code"];

impl Parser<'_, '_> {
    /// What a contract gives its agents to say.
    pub(super) fn shared_words(&mut self, fields: &Fields<'_>) -> SharedWords {
        SharedWords {
            voice: self.words(fields, "voice"),
            rules: self.word_list(fields, "rules"),
            facts: self.word_list(fields, "facts"),
            language: self.words(fields, "language"),
            outcomes: fields.get("outcomes").map(|node| self.outcomes(node)).unwrap_or_default(),
            wording: fields.get("wording").map(|node| self.wording(node)).unwrap_or_default(),
            sensitive: fields.get("sensitive").map(|node| self.hidden_fields(node)).unwrap_or_default(),
        }
    }

    /// A text that is the same on every turn.
    pub(super) fn words(&mut self, fields: &Fields<'_>, key: &str) -> Option<Spanned<Template>> {
        self.words_at(fields.get(key)?, key, &[])
    }

    /// The texts of a contract in a file of its own read its own constants, so that all its agents are told the same.
    pub(super) fn check_constants(&mut self, shared: &Shared) {
        let prose = shared.guards.iter().filter_map(|guard| guard.prose.as_ref());
        let texts: Vec<&Template> = shared.words.texts().chain(prose).collect();
        let named = texts.iter().flat_map(|text| text.parameters());
        let unknown = named.filter(|name| !self.params.contains_key(name.value.as_str()));
        let unknown = unknown.map(|name| (name.span, format!("`{}` is no constant of the contract", name.value)));
        let any = texts.iter().flat_map(|text| text.bare_parameters());
        let any = any.map(|span| (span, "a text of a contract names its constants one by one".to_owned()));
        for (span, message) in unknown.chain(any).collect::<Vec<_>>() {
            let problem = Diagnostic::error("unknown-field", span, message);
            self.decoder.report(problem.help(
                "its texts are the same for all its agents: read `params.NAME`, and set NAME under `params` of the contract",
            ));
        }
    }

    /// A list of such texts, none twice.
    pub(super) fn word_list(&mut self, fields: &Fields<'_>, key: &str) -> Vec<Spanned<Template>> {
        let Some(node) = fields.get(key) else { return Vec::new() };
        let items = self.decoder.list(node);
        self.decoder.distinct(items.iter().filter_map(|item| Some((item.text()?.to_owned(), item.span))));
        items.iter().filter_map(|item| self.words_at(item, key, &[])).collect()
    }

    /// A text of constants, and of some slots that the engine fills.
    fn words_at(&mut self, node: &Node, key: &str, slots: &[&str]) -> Option<Spanned<Template>> {
        let text = Template::decode(&mut self.decoder, node)?;
        let is_known = |root: &str| root == "params" || slots.contains(&root);
        let Some(root) = text.roots().into_iter().find(|root| !is_known(&root.value)) else {
            return Some(Spanned::new(text, node.span));
        };
        let at = if root.span == Span::default() { node.span } else { root.span };
        let message = format!("`{key}` takes constants only, and `{}` is none", root.value);
        let problem = Diagnostic::error("value-in-text", at, message);
        let slots: Vec<String> = slots.iter().map(|slot| format!("`{{{slot}}}`")).collect();
        self.decoder.report(problem.help(match slots.is_empty() {
            true => "read `params.NAME`, or write `{{` for a brace".to_owned(),
            false => format!("write {}, read `params.NAME`, or write `{{{{` for a brace", slots.join(", ")),
        }));
        None
    }

    fn outcomes(&mut self, node: &Node) -> Vec<(Spanned<String>, CoreOutcome)> {
        let mut outcomes = Vec::new();
        for entry in self.decoder.entries(node) {
            let is_core = |(word, _): &&(&'static str, CoreOutcome)| folded(word) == folded(&entry.key);
            if let Some((word, _)) = CoreOutcome::WORDS.iter().find(is_core) {
                let message = format!("`{}` reads as `{word}`, which every domain has", entry.key);
                let problem = Diagnostic::error("core-outcome", entry.key_span, message);
                self.decoder.report(problem.help("take another word, or use the one that is there"));
                continue;
            }
            let outcome = self.decoder.word(&entry.value, CoreOutcome::WORDS);
            outcomes.extend(outcome.map(|one| (Spanned::new(entry.key.to_string(), entry.key_span), one)));
        }
        outcomes
    }

    fn wording(&mut self, node: &Node) -> Wording {
        let Some(fields) = self.decoder.open(node, &WORDING) else { return Wording::default() };
        let question = fields.get("consentQuestion");
        let consent_question = question.and_then(|node| self.words_at(node, "consentQuestion", OF_QUESTION));
        if let Some(question) = &consent_question
            && !question.value.roots().iter().any(|root| root.value == "label")
        {
            let message = "the question does not say what is asked about";
            let problem = Diagnostic::error("blind-question", question.span, message);
            self.decoder
                .report(problem.help("write `{label}` where the call stands, and `{code}` where the code does"));
        }
        let ends = EndWord::ALL.map(|(_, key, _)| self.end_word(&fields, key));
        Wording {
            ends,
            refused: self.words(&fields, "refused"),
            consent_question,
            closing: self.words(&fields, "closing"),
            nothing_changed: self.words(&fields, "nothingChanged"),
            exhausted: self.words(&fields, "exhausted"),
        }
    }

    /// How a person is told what became of a call.
    fn end_word(&mut self, fields: &Fields<'_>, key: &str) -> Option<Spanned<Template>> {
        let text = fields.get(key).and_then(|node| self.words_at(node, key, &["label"]))?;
        if !text.value.roots().iter().any(|root| root.value == "label") {
            let problem = Diagnostic::error("blind-question", text.span, format!("`{key}` does not say of what call"));
            self.decoder.report(problem.help("write `{label}` where the call stands"));
        }
        Some(text)
    }

    fn hidden_fields(&mut self, node: &Node) -> Vec<(Spanned<String>, Hiding)> {
        let mut hidden = Vec::new();
        for entry in self.decoder.entries(node) {
            if entry.key.contains(['.', '[', '*']) {
                let message =
                    format!("`{}` is a path, and a field is hidden by its name wherever it stands", entry.key);
                let problem = Diagnostic::error("bad-name", entry.key_span, message);
                self.decoder.report(problem.help("write the last name of the path alone"));
                continue;
            }
            let hiding = self.decoder.word(&entry.value, Hiding::WORDS);
            hidden.extend(hiding.map(|one| (Spanned::new(entry.key.to_string(), entry.key_span), one)));
        }
        hidden
    }

    /// `scope` of a spec.
    pub(super) fn lane(&mut self, node: &Node) -> Option<Lane> {
        let fields = self.decoder.open(node, &SCOPE)?;
        let others = fields.get("others").map(|node| self.decoder.list(node)).unwrap_or_default();
        let others = others.iter().filter_map(|node| self.neighbour(node)).collect();
        Some(Lane { lane: self.words(&fields, "lane")?, others })
    }

    fn neighbour(&mut self, node: &Node) -> Option<Neighbour> {
        let fields = self.decoder.open(node, &NEIGHBOUR)?;
        let (label, covers) = (self.words(&fields, "label"), self.words(&fields, "covers"));
        Some(Neighbour { label: label?, covers: covers? })
    }

    /// `directives` of a spec.
    pub(super) fn directives(&mut self, fields: &Fields<'_>) -> Vec<Directive> {
        let items = fields.get("directives").map(|node| self.decoder.list(node)).unwrap_or_default();
        items.iter().filter_map(|item| self.directive(item)).collect()
    }

    fn directive(&mut self, node: &Node) -> Option<Directive> {
        let fields = self.decoder.open(node, &DIRECTIVE)?;
        let id = self.id(&fields);
        let before = self.decoder.problems();
        let when = self.expression(&fields, "when");
        let say = fields.get("say")?;
        let text = Template::decode(&mut self.decoder, say);
        let directive = Directive { id: id?, when, say: Spanned::new(text?, say.span) };
        (self.decoder.problems() == before).then_some(directive)
    }
}

/// A word without the marks that make two spellings of it.
fn folded(word: &str) -> String {
    word.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
