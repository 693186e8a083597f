//! Broken syntax in words: where the reading ends, and what the author probably meant.
//!
//! One fault per file, since nothing behind it can be trusted.

use super::build::Builder;
use super::quote::{nested_quote, on_one_line, value_start};
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Why the parser stopped.
#[derive(Debug)]
pub(super) enum Fault {
    TooDeep,
    Directive,
    Alias,
    Anchor,
    Tag,
    /// A `: ` inside an unquoted text.
    Colon,
    /// A character that may not begin an unquoted text.
    Opening,
    /// More text behind a closing quote.
    BehindQuote,
    /// Something that is neither a key nor an item.
    Entry(String),
    Tab,
    /// An unknown escape in double quotes.
    Escape,
    /// A character that YAML does not allow as it is.
    Character(char),
    Unclosed(&'static str),
    Other(String),
}

const ESCAPE_HELP: &str = "write `\\\\` for a backslash, or use single quotes, where it is an ordinary character";

impl Builder<'_> {
    /// Reports what ended the reading at the byte `at`.
    pub(super) fn fault(&mut self, fault: Fault, at: usize) {
        let place = Span::new(self.file, at, at);
        let syntax = |message: &str| Diagnostic::error("yaml-syntax", place, message);
        let problem = match fault {
            Fault::TooDeep if self.is_too_deep() => return,
            Fault::TooDeep => return self.too_deep(place),
            Fault::Tab => return self.tab(self.tab_behind(place)),
            Fault::Directive => {
                Diagnostic::error("yaml-directive", place, "`%` lines are not used here").help("remove it")
            }
            Fault::Alias => self.star(place),
            Fault::Anchor => self.starts_with("yaml-anchor", place, "an unquoted `&` begins a YAML anchor"),
            Fault::Tag => self.starts_with("yaml-tag", place, "an unquoted `!` begins a YAML tag"),
            Fault::Opening => {
                self.starts_with("yaml-syntax", place, "an unquoted text cannot begin with this character")
            }
            Fault::Colon => self.colon(place),
            Fault::BehindQuote => self.behind_quote(place),
            Fault::Entry(message) => self.entry(place, &message),
            Fault::Escape => syntax("an escape that YAML does not know").help(ESCAPE_HELP),
            Fault::Character(char) => syntax(&format!("the character U+{:04X} may not stand here", u32::from(char)))
                .help("remove it, or write it as an escape in double quotes"),
            Fault::Unclosed(what) => syntax(&format!("this {what} is never closed")).help("close it"),
            Fault::Other(message) => {
                syntax(&message).help("mend the brackets, quotes or indentation here, or quote the text")
            }
        };
        self.report(problem);
    }

    fn starts_with(&mut self, rule: &'static str, place: Span, message: &str) -> Diagnostic {
        self.quotable_from(place.start, rule, place, message.to_owned())
    }

    /// A `*` without quotes; alone in braces it was meant as every one.
    fn star(&mut self, place: Span) -> Diagnostic {
        let message = "an unquoted `*` begins a YAML alias";
        let before = self.text.get(..place.start as usize).unwrap_or_default().trim_end();
        let behind = self.text.get(place.start as usize..).unwrap_or_default();
        let rest = behind.strip_prefix('*').unwrap_or(behind).trim_start();
        if !before.ends_with('{') || !rest.starts_with('}') {
            return self.starts_with("yaml-alias", place, message);
        }
        let end = (place.start as usize).saturating_add(behind.len().saturating_sub(rest.len())).saturating_add(1);
        let braces = Span::new(self.file, before.len().saturating_sub(1), end);
        let problem = Diagnostic::error("yaml-alias", place, message);
        problem.help("if every one is meant, write `'*'` without braces").edit(braces, "'*'")
    }

    /// The parser names the text that a tab broke; the tab opens one of the lines behind.
    fn tab_behind(&self, place: Span) -> Span {
        let rest = self.text.get(place.start as usize..).unwrap_or_default();
        let tab = rest.find("\n\t").map_or(0, |line_end| line_end.saturating_add(1));
        let at = (place.start as usize).saturating_add(tab);
        Span::new(self.file, at, at)
    }

    fn colon(&self, place: Span) -> Diagnostic {
        let message = String::from("a `: ` inside an unquoted text");
        if on_one_line(self.text, self.last.start as usize, place.start as usize) {
            let meant = self.meant(self.last.start);
            // Between brackets a comma may be missing.
            return if self.in_flow() {
                self.quotable("colon-in-text", place, message, meant)
            } else {
                self.surely_quotable("colon-in-text", place, message, meant)
            };
        }
        let help = "if a key begins here, indent it like the keys above; if not, quote the whole text";
        Diagnostic::error("colon-in-text", place, message).help(help)
    }

    fn behind_quote(&self, place: Span) -> Diagnostic {
        let start = value_start(self.text, self.last.end as usize, place.start as usize);
        if let Some(help) = nested_quote(self.text, start, place.start as usize) {
            let message = "the text goes on behind its closing quote";
            return Diagnostic::error("yaml-syntax", place, message).help(help);
        }
        let meant = self.meant(u32::try_from(start).unwrap_or(place.start));
        self.quotable("yaml-syntax", place, String::from("the text goes on behind its closing quote"), meant)
    }

    /// A key or an item was expected: a text that begins with a list or map, or wrong indentation.
    fn entry(&self, place: Span, message: &str) -> Diagnostic {
        let goes_on = on_one_line(self.text, self.last.end as usize, place.start as usize);
        if goes_on && self.slice(self.last).starts_with(['[', '{']) {
            let message = String::from("the text goes on behind a closing bracket");
            return self.quotable("yaml-syntax", place, message, self.meant(self.last.start));
        }
        let help =
            "a key needs `: ` behind it and the indentation of its neighbours; a text that goes on stands deeper";
        Diagnostic::error("yaml-syntax", place, message).help(help)
    }
}
