//! What an author's file may not say, in words: one function for each rule, with the help and the edit that mend it.
//!
//! A place is reported once: what an earlier edit already replaces is not reported again.

use super::build::{Bare, Builder};
use super::node::{Data, Entry};
use super::quote::{line_from, meant_end, on_one_line, quote};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// How far back an earlier problem can explain a later one.
const NEIGHBOURS: usize = 8;

/// After so many errors a file is not read on; more warnings are not kept.
pub(super) const MAX_PROBLEMS: usize = 1000;

impl Builder<'_> {
    pub(super) fn report(&mut self, problem: Diagnostic) {
        let kept = if problem.is_error() { self.errors } else { self.problems.len() };
        if kept >= MAX_PROBLEMS {
            return;
        }
        let at = problem.span.start;
        let edits = |problem: &Diagnostic, at| {
            problem.edit.as_ref().is_some_and(|edit| (edit.span.start..edit.span.end).contains(&at))
        };
        let explains = |earlier: &Diagnostic| earlier.is_error() && (edits(earlier, at) || earlier.span.start == at);
        if self.problems.iter().rev().take(NEIGHBOURS).any(explains) {
            return;
        }
        if problem.is_error() {
            self.errors = self.errors.saturating_add(1);
            while self.problems.pop_if(|last| !last.is_error() && edits(&problem, last.span.start)).is_some() {}
        }
        self.problems.push(problem);
    }

    /// The range of the unquoted text that the author meant to begin at `start`.
    pub(super) fn meant(&self, start: u32) -> Span {
        Span::new(self.file, start as usize, meant_end(self.text, start as usize, self.in_flow()))
    }

    /// An error that quoting the text at `span` mends, if it is one text.
    pub(super) fn quotable(&self, rule: &'static str, at: Span, message: String, span: Span) -> Diagnostic {
        let quoted = quote(self.slice(span));
        let mended = Diagnostic::error(rule, at, message).help(format!("if this is one text, quote it: `{quoted}`"));
        mended.edit(span, quoted)
    }

    /// The same where it can be nothing but one text.
    pub(super) fn surely_quotable(&self, rule: &'static str, at: Span, message: String, span: Span) -> Diagnostic {
        let problem = self.quotable(rule, at, message, span);
        match problem.edit.clone() {
            Some(edit) => problem.safe_edit(edit.span, edit.text),
            None => problem,
        }
    }

    /// An error that quoting the text from `start` on mends, unless the text is a key.
    pub(super) fn quotable_from(&mut self, start: u32, rule: &'static str, at: Span, message: String) -> Diagnostic {
        if self.is_key_position() {
            return Diagnostic::error(rule, at, message)
                .help("if this belongs to the key, quote the key; if not, remove it");
        }
        let meant = self.meant(start);
        self.surely_quotable(rule, at, message, meant)
    }

    /// A tag before a value, which stands at `value` if it is an unquoted scalar.
    pub(super) fn tag(&mut self, tag: Span, value: Option<Span>) {
        let message = format!("`{}` is a YAML tag, and tags are not used here", self.slice(tag));
        let is_beside = value.is_some_and(|value| on_one_line(self.text, tag.start as usize, value.end as usize));
        let problem = if is_beside && !self.slice(tag).starts_with("!!") {
            self.quotable_from(tag.start, "yaml-tag", tag, message)
        } else {
            Diagnostic::error("yaml-tag", tag, message).help("remove it; a text that starts with `!` needs quotes")
        };
        self.report(problem);
    }

    pub(super) fn anchor(&mut self, span: Span) {
        let message = format!("`{}` is a YAML anchor, and anchors are not used here", self.slice(span));
        let help = "write the value out wherever it is needed; a text that starts with `&` needs quotes";
        self.report(Diagnostic::error("yaml-anchor", span, message).help(help));
    }

    pub(super) fn refuse_alias(&mut self, span: Span, is_known: bool) {
        let message = format!("`{}` is a YAML alias, and aliases are not used here", self.slice(span));
        let problem = if is_known {
            Diagnostic::error("yaml-alias", span, message).help("write the value out instead")
        } else {
            self.quotable_from(span.start, "yaml-alias", span, message)
        };
        self.report(problem);
    }

    pub(super) fn merge_key(&mut self, span: Span) {
        let problem = Diagnostic::error("merge-key", span, "`<<` merges maps, which is not done here");
        self.report(problem.help("write the keys out"));
    }

    pub(super) fn missing_key(&mut self, span: Span) {
        let problem = Diagnostic::error("non-text-key", span, "the key is missing");
        self.report(problem.help("write a key before the `:`"));
    }

    pub(super) fn scalar_as_key(&mut self, span: Span) {
        let written = self.slice(span);
        let quoted = quote(written);
        let problem = Diagnostic::error("non-text-key", span, format!("the key `{written}` is not a text"));
        self.report(problem.help(format!("quote it: `{quoted}`")).safe_edit(span, quoted));
    }

    pub(super) fn collection_as_key(&mut self, span: Span) {
        let problem = Diagnostic::error("non-text-key", span, "a key is a list or a map, not a text");
        self.report(problem.help("use a text as the key; a text that starts with `[` or `{` needs quotes"));
    }

    pub(super) fn repeated_key(&mut self, key: &str, again: Span, first: Span) {
        let problem = Diagnostic::error("duplicate-key", again, format!("the key {} is set twice", ticked(key)));
        self.report(problem.label(first, "first set here").help("keep one of them"));
    }

    pub(super) fn too_deep(&mut self, span: Span) {
        let problem = Diagnostic::error("too-deep", span, "more than 32 lists and maps stand inside each other");
        self.report(problem.help("flatten the file"));
    }

    pub(super) fn tab(&mut self, span: Span) {
        let problem = Diagnostic::error("yaml-syntax", span, "a tab stands where only spaces may");
        self.report(problem.help("indent with spaces"));
    }

    pub(super) fn many_documents(&mut self, span: Span) {
        let problem = Diagnostic::error("many-documents", span, "a second document begins here");
        self.report(problem.help("one file holds one document: move the second into a file of its own"));
    }

    pub(super) fn inexact_number(&mut self, text: &str, span: Span) -> Data {
        let problem = Diagnostic::error("inexact-number", span, format!("`{text}` is not an exact number"));
        self.report(problem.help("write a decimal number, leave a limit out for unlimited, or quote a text"));
        Data::Refused
    }

    pub(super) fn ambiguous_text(&mut self, text: &str, what: &str, span: Span) -> Data {
        let quoted = quote(text);
        let message = format!("`{text}` is a text here, but other YAML readers take it for {what}");
        let problem = Diagnostic::warning("ambiguous-scalar", span, message);
        self.report(problem.help(format!("quote it: `{quoted}`")).safe_edit(span, quoted));
        Data::Text(text.into())
    }

    /// A `#` behind one space cuts an unquoted text short; a comment takes two.
    pub(super) fn check_comment(&mut self, text: Span) {
        let behind = self.text.get(text.end as usize..).unwrap_or_default();
        if !behind.starts_with(" #") {
            return;
        }
        let hash = text.end.saturating_add(1) as usize;
        let comment = Span::new(self.file, hash, hash.saturating_add(line_from(self.text, hash).trim_end().len()));
        let whole = quote(self.slice(text.to(comment)));
        let problem = Diagnostic::error(
            "one-space-comment",
            comment,
            "the text ends here: a `#` behind a space begins a comment",
        );
        self.report(problem.help(format!("put two spaces before a comment, or quote the text: `{whole}`")));
    }

    /// Keys in `{}` without a colon: `{amount}` was meant as a text, `{say: hello, you}` splits one.
    pub(super) fn check_bare_keys(&mut self, bare: &[Bare], entries: &[Entry], map: Span) {
        for run in bare.chunk_by(|a, b| a.before == b.before) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            match first.before.checked_sub(1).and_then(|index| entries.get(index)) {
                None => self.brace_begins_map(map, entries.is_empty()),
                Some(entry) => self.comma_splits_text(entry, first.span, last.span),
            }
        }
    }

    fn brace_begins_map(&mut self, map: Span, is_all_bare: bool) {
        let message = String::from("an unquoted `{` begins a map, and this one has a key without a value");
        let meant = self.meant(map.start);
        let problem = if is_all_bare && on_one_line(self.text, map.start as usize, map.end as usize) {
            self.quotable("unquoted-brace", map, message, meant)
        } else {
            Diagnostic::error("unquoted-brace", map, message).help("write `key: value`, or quote the text")
        };
        self.report(problem);
    }

    fn comma_splits_text(&mut self, entry: &Entry, first: Span, last: Span) {
        let message = format!(
            "the comma ends the value of `{}`, so {} is a key without a value",
            entry.key,
            ticked(self.slice(first))
        );
        let whole = entry.value.span.to(last);
        let is_text = entry.value.is_plain() && entry.value.span.start < entry.value.span.end;
        let problem = if is_text && on_one_line(self.text, whole.start as usize, whole.end as usize) {
            self.quotable("comma-splits-text", first, message, whole)
        } else {
            Diagnostic::error("comma-splits-text", first, message).help("give it a value, or quote the text")
        };
        self.report(problem);
    }
}

/// The author's words in backticks, on one line.
fn ticked(text: &str) -> String {
    format!("`{}`", text.split_whitespace().collect::<Vec<_>>().join(" "))
}
