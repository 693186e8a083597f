//! What an author wrote that no rule of any tool gets to: lets that nothing reads, and fields that no tool has.
//!
//! A field that may be absent is one that some tool of its rule has; else its name is misspelt. What a contract or a base
//! brings is shared, and may say nothing to some of its agents.

use crate::context::BindProblem;
use crate::diagnostic::Diagnostic;
use crate::expr::Asked;
use crate::source::{FileId, Span};
use crate::spec::Spec;
use std::collections::BTreeMap;

/// What nothing has got to so far.
#[derive(Default)]
pub(super) struct Unread<'s> {
    file: FileId,
    lets: Vec<&'s str>,
    /// By the place where a field is asked for.
    fields: BTreeMap<(u32, u32), Option<BindProblem>>,
}

impl<'s> Unread<'s> {
    pub(super) fn of(spec: &'s Spec) -> Unread<'s> {
        let file = spec.id.span.file;
        let own = spec.lets.iter().filter(|read| read.name.span.file == file);
        Unread { file, lets: own.map(|read| read.name.value.as_str()).collect(), fields: BTreeMap::new() }
    }

    /// Keeps the lets that the rules of one more tool do not read either.
    pub(super) fn keep(&mut self, unread: &[&str]) {
        self.lets.retain(|name| unread.contains(name));
    }

    /// One more tool was asked for a field.
    pub(super) fn ask(&mut self, (span, lacks): &Asked) {
        if span.file == self.file && *span != Span::default() {
            let entry = self.fields.entry((span.start, span.end)).or_insert_with(|| lacks.clone());
            if lacks.is_none() {
                *entry = None;
            }
        }
    }

    /// Lets only where nothing else is wrong: a rule that is does not get to what it reads.
    pub(super) fn problems(self, spec: &Spec, is_sound: bool) -> Vec<Diagnostic> {
        let lacking = self.fields.into_values().flatten().map(|problem| {
            let diagnostic = Diagnostic::error(problem.rule, problem.span, problem.message);
            problem.help.into_iter().fold(diagnostic, Diagnostic::help)
        });
        let unread = spec.lets.iter().filter(|read| is_sound && self.lets.contains(&read.name.value.as_str()));
        let unread = unread.map(|read| {
            let message = format!("nothing reads the let `{}`, so nothing checks it", read.name.value);
            let warning = Diagnostic::warning("unused-let", read.name.span, message);
            warning.help("read it in a rule, or take it out")
        });
        lacking.chain(unread).collect()
    }
}
