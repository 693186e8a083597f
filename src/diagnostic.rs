//! Bad news about an author's file: what is wrong, where, and how to mend it.
//!
//! Many per run, in a total order that does not depend on how they were found. Rendering is the caller's work;
//! what prevents the work itself is an error type, never a diagnostic.

use crate::source::{Sources, Span};

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The spec does not load.
    Error,
    /// The spec loads; somebody should look.
    Warning,
    /// Worth knowing; nothing need be done.
    Note,
}

impl Severity {
    /// `error`, `warning` or `note`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A second place that explains the first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there.
    pub message: String,
}

/// A replacement that mends the problem.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// What to replace.
    pub span: Span,
    /// What to put there.
    pub text: String,
    /// True if nothing is guessed: the file then says what its author can only have meant, or what it said before.
    pub is_safe: bool,
}

/// One problem in a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// The place.
    pub span: Span,
    /// How bad it is.
    pub severity: Severity,
    /// The stable name of the rule, which reads right after "allow".
    pub rule: &'static str,
    /// What is wrong: lower case, no full stop, the author's words in backticks.
    pub message: String,
    /// Other places that explain it.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// An edit that mends it.
    pub edit: Option<Edit>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(rule: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        let message = message.into();
        Diagnostic { span, severity: Severity::Error, rule, message, labels: Vec::new(), help: None, edit: None }
    }

    /// A warning at a place.
    pub fn warning(rule: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(rule, span, message) }
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Adds a second place.
    #[must_use]
    pub fn label(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds an edit that may mend the problem: somebody should look at it first.
    #[must_use]
    pub fn edit(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.edit = Some(Edit { span, text: text.into(), is_safe: false });
        self
    }

    /// Adds an edit that mends the problem and guesses nothing.
    #[must_use]
    pub fn safe_edit(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.edit = Some(Edit { span, text: text.into(), is_safe: true });
        self
    }

    /// True for an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// `path:line:column` of the primary place.
    #[must_use]
    pub fn place(&self, sources: &Sources) -> String {
        let Some(file) = sources.file(self.span.file) else { return String::from("?") };
        let at = file.line_column(self.span.start);
        format!("{}:{}:{}", file.path(), at.line, at.column)
    }

    /// The diagnostic on one line: place, severity, message, rule, help.
    #[must_use]
    pub fn one_line(&self, sources: &Sources) -> String {
        let help = self.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
        format!("{}: {}: {} [{}]{help}", self.place(sources), self.severity.name(), self.message, self.rule)
    }
}

/// Sorts by place, then severity, rule and text, and drops exact repeats.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort();
    diagnostics.dedup();
}

/// The candidate nearest to a misspelt word, if one is near enough to suggest.
///
/// ```
/// assert_eq!(flyball::diagnostic::nearest("amont", ["amount", "currency"]), Some("amount"));
/// assert_eq!(flyball::diagnostic::nearest("colour", ["amount", "currency"]), None);
/// ```
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let best =
        candidates.into_iter().map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate)).min()?;
    let limit = word.chars().count().max(best.1.chars().count()).div_ceil(3).max(1);
    (best.0 <= limit && best.0 > 0).then_some(best.1)
}

/// `; did you mean `x`?`, or nothing.
#[must_use]
pub fn did_you_mean<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<String> {
    nearest(word, candidates).map(|candidate| format!("did you mean `{candidate}`?"))
}
