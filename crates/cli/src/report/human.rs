//! Findings for reading: the problem, the lines it stands on, what to do.

use super::{path_of, place_of};
use crate::error::CliError;
use crate::judged::Judged;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use flyball::diagnostic::{Diagnostic, Severity};
use flyball::source::{SourceFile, Span};
use std::ops::Range;

/// An error that prevented the work.
pub(crate) fn error(error: &CliError) -> String {
    let help = error.help();
    let title = Level::ERROR.primary_title(error.to_string());
    let group = Group::with_title(title).elements(help.map(|help| Level::HELP.message(help)));
    rendered(group)
}

/// A note about the work itself.
pub(crate) fn note(text: &str) -> String {
    rendered(Group::with_title(Level::NOTE.primary_title(text)))
}

/// A warning about the work itself, and what to do.
pub(crate) fn warning(text: &str, help: &str) -> String {
    rendered(Group::with_title(Level::WARNING.primary_title(text)).element(Level::HELP.message(help)))
}

/// A diagnostic with its lines, and an empty line behind it.
pub(crate) fn diagnostic(judged: &Judged, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(&diagnostic.message).id(diagnostic.rule));
    let primary = AnnotationKind::Primary.span(range(judged, diagnostic.span));
    let (beside, elsewhere): (Vec<_>, Vec<_>) =
        diagnostic.labels.iter().partition(|label| label.span.file == diagnostic.span.file);
    let context = |label: &&'_ flyball::diagnostic::Label| {
        AnnotationKind::Context.span(range(judged, label.span)).label(label.message.clone())
    };
    let annotations = std::iter::once(primary).chain(beside.iter().map(context));
    group = snippet(judged, group, diagnostic.span, annotations.collect());
    for label in &elsewhere {
        group = snippet(judged, group, label.span, vec![context(label)]);
    }
    let help = diagnostic.help.as_deref().map(|help| Level::HELP.message(help));
    rendered(group.elements(help)) + "\n"
}

/// The lines of one file; only its name where the file is not text.
fn snippet<'a>(judged: &'a Judged, group: Group<'a>, span: Span, annotations: Vec<Annotation<'a>>) -> Group<'a> {
    let path = path_of(judged, span);
    match judged.sources.file(span.file).and_then(SourceFile::text) {
        Some(text) if !text.is_empty() => group.element(Snippet::source(text).path(path).annotations(annotations)),
        _ => {
            let at = place_of(judged, span.file, span.start);
            group.element(Origin::path(path).line(at.line as usize).char_column(at.column as usize))
        }
    }
}

/// The bytes of a span, on character boundaries of its file.
fn range(judged: &Judged, span: Span) -> Range<usize> {
    let text = judged.sources.file(span.file).and_then(SourceFile::text).unwrap_or_default();
    let start = text.floor_char_boundary(span.start as usize);
    start..text.ceil_char_boundary(span.end as usize).max(start)
}

fn rendered(group: Group<'_>) -> String {
    format!("{}\n", Renderer::styled().render(&[group]))
}
