//! YAML with places: a file's text becomes a tree in which every value knows where it was written.
//!
//! The flow: size and encoding, then the events of granit-parser (the only file that names it) into a
//! builder, which keeps every problem and goes on. The dialect is small: one document, YAML 1.2 core
//! scalars, text keys set once, no tags, anchors, aliases or merge keys; and what YAML reads otherwise than a
//! person would is an error with a cure. What a key means is not decided here.

mod build;
mod fault;
mod node;
mod quote;
mod scalar;
mod traps;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, StructureStyle};

use self::build::Builder;
use self::fault::Fault;
pub use self::node::{Data, Entry, Node, Number, Style};
use crate::diagnostic::Diagnostic;
use crate::source::{FileId, SourceFile, Sources, Span};

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;

/// Reads a file into a tree and adds every problem to `diagnostics`.
///
/// There is a tree even with problems, as long as the syntax holds: what was refused is missing from it or
/// [`Data::Refused`], so that a decoder can go on and report more. The spec is good only if no error was added.
///
/// ```
/// use flyball::source::Sources;
///
/// let sources = Sources::new("a.yaml", "id: refunds\nmax: 500.00\ncheck: !flown\nopen: no\n");
/// let mut diagnostics = Vec::new();
/// let root = flyball::yaml::read(sources.find("a.yaml").unwrap(), &sources, &mut diagnostics).unwrap();
///
/// assert_eq!(root.get("id").and_then(|id| id.text()), Some("refunds"));
/// assert_eq!(root.get("max").map(|max| max.kind()), Some("a number"));
/// let lines: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.one_line(&sources)).collect();
/// assert!(lines[0].starts_with("a.yaml:3:8: error: `!flown` is a YAML tag"));
/// assert!(lines[1].starts_with("a.yaml:4:7: warning: `no` is a text here"));
/// ```
pub fn read(file: FileId, sources: &Sources, diagnostics: &mut Vec<Diagnostic>) -> Option<Node> {
    let text = readable(file, sources.file(file)?, diagnostics)?;
    let mut builder = Builder::new(file, text);
    let is_whole = feed(text, &mut builder);
    let (root, problems) = builder.finish();
    let root = root.filter(|root| root.data != Data::Null || !problems.is_empty());
    if is_whole && root.is_none() {
        let problem = Diagnostic::error("empty-file", Span::new(file, 0, 0), "the file is empty");
        diagnostics.push(problem.help("begin with `agentspec: 1`, `contract: 1`, `pack: 1` or `scenario: 1`"));
    }
    diagnostics.extend(problems);
    root.filter(|_| is_whole)
}

fn readable<'s>(file: FileId, source: &'s SourceFile, diagnostics: &mut Vec<Diagnostic>) -> Option<&'s str> {
    let bytes = source.bytes().len();
    if bytes > MAX_BYTES {
        let message = format!("the file has {bytes} bytes, and {MAX_BYTES} are the limit");
        let problem = Diagnostic::error("file-too-large", Span::new(file, 0, 0), message);
        diagnostics.push(problem.help("split it: contracts and packs are files of their own"));
        return None;
    }
    if source.text().is_none() {
        let at = source.first_bad_byte();
        let problem = Diagnostic::error("not-utf8", Span::new(file, at, at), "the text is not UTF-8 from here on");
        diagnostics.push(problem.help("save the file as UTF-8"));
    }
    source.text()
}

/// Plays the parser's events to the builder; false if the syntax broke off.
fn feed(text: &str, builder: &mut Builder<'_>) -> bool {
    // Line breaks to readers of YAML 1.1, ordinary characters in 1.2.
    if let Some((at, break_char)) =
        text.char_indices().find(|(_, char)| matches!(char, '\u{85}' | '\u{2028}' | '\u{2029}'))
    {
        builder.fault(Fault::Character(break_char), at);
    }
    let mut documents = 0_u32;
    for event in Parser::new_from_str_with_options(text, options()) {
        match event {
            Ok((Event::DocumentStart(..), span)) => {
                documents = documents.saturating_add(1);
                if documents > 1 {
                    builder.many_documents(place(builder.file, span));
                    return true;
                }
            }
            Ok(_) if builder.errors >= traps::MAX_PROBLEMS => return false,
            Ok((event, span)) => play(event, span, builder),
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or(text.len());
                builder.fault(fault(&error, text, at), at);
                return false;
            }
        }
    }
    true
}

fn options() -> Options {
    granit_parser::options! {
        disallow_directives: true,
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        emit_comments: false,
        // As the other readers have it.
        block_scalar_eof_without_line_feed: true,
        flow_nesting_limit: 32,
        block_nesting_limit: 64,
    }
}

fn play(event: Event<'_>, span: granit_parser::Span, builder: &mut Builder<'_>) {
    let at = place(builder.file, span);
    if let Some(tag) = span.tag_span() {
        let is_plain = matches!(event, Event::Scalar(_, ScalarStyle::Plain, ..));
        builder.tag(place(builder.file, tag), is_plain.then_some(at));
    }
    match event {
        Event::Scalar(_, ScalarStyle::Plain, ..) if span.tag_span().is_some() && at.start == at.end => {
            builder.refused(at)
        }
        Event::Scalar(text, ScalarStyle::Plain, ..) => builder.plain(&text, at),
        Event::Scalar(text, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted, ..) => {
            builder.text(&text, at, Style::Quoted)
        }
        Event::Scalar(text, ScalarStyle::Literal | ScalarStyle::Folded, ..) => builder.text(&text, at, Style::Block),
        Event::SequenceStart(style, ..) => builder.open_list(at, style == StructureStyle::Flow),
        Event::MappingStart(style, ..) => builder.open_map(at, style == StructureStyle::Flow),
        Event::SequenceEnd | Event::MappingEnd => builder.close(at),
        Event::Alias(_) => builder.alias(at, true),
        Event::UnresolvedAlias(_) => builder.alias(at, false),
        Event::Anchor(..) => builder.anchor(at),
        // The frame of the stream and its documents, and comments.
        _ => {}
    }
}

fn place(file: FileId, span: granit_parser::Span) -> Span {
    let range = span.byte_range().unwrap_or_default();
    Span::new(file, range.start, range.end)
}

/// The parser's complaint in the few kinds that have a cure of their own.
fn fault(error: &ScanError, text: &str, at: usize) -> Fault {
    use ErrorKind as Kind;
    let at_char = text.get(at..).and_then(|rest| rest.chars().next());
    match error.kind() {
        Kind::RecursionLimitExceeded => Fault::TooDeep,
        Kind::DirectiveDisallowed => Fault::Directive,
        Kind::MissingAnchorOrAliasName if at_char == Some('*') => Fault::Alias,
        Kind::MissingAnchorOrAliasName => Fault::Anchor,
        Kind::InvalidTagTerminator
        | Kind::UndeclaredTagHandle
        | Kind::MissingTagUri
        | Kind::InvalidGlobalTagCharacter => Fault::Tag,
        Kind::MappingValueNotAllowed | Kind::ExpectedFlowMappingSeparator if at_char == Some(':') => Fault::Colon,
        Kind::UnexpectedCharacter { character: '@' | '`' | '%' } => Fault::Opening,
        Kind::InvalidTrailingSingleQuotedScalar | Kind::InvalidTrailingDoubleQuotedScalar => Fault::BehindQuote,
        Kind::ExpectedBlockMappingKey | Kind::ExpectedBlockSequenceEntry | Kind::SimpleKeyExpected => {
            Fault::Entry(error.info())
        }
        Kind::TabInPlainScalar | Kind::TabInIndentation | Kind::TabInBlockIndentation | Kind::TabNotAllowed => {
            Fault::Tab
        }
        Kind::UnclosedQuotedScalar => Fault::Unclosed("quote"),
        Kind::UnclosedFlowCollection { open: '{' } => Fault::Unclosed("`{`"),
        Kind::UnclosedFlowCollection { .. } => Fault::Unclosed("`[`"),
        Kind::BlockSequenceEntryNotAllowed | Kind::MappingKeyNotAllowed if !opens_line(text, at) => Fault::Opening,
        Kind::UnexpectedCharacter { character } => Fault::Character(*character),
        Kind::UnknownQuotedScalarEscape | Kind::InvalidQuotedScalarHexEscape => Fault::Escape,
        _ => Fault::Other(error.info()),
    }
}

/// True if only spaces stand before `at` on its line.
fn opens_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
}

#[cfg(test)]
mod tests;
