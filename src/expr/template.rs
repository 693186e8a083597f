//! Texts with values in them: `{expr}` inserts one scalar, `{{` stands for a brace.

use super::ast::Expr;
use super::lex::{Lexer, Problem, Token};
use super::parse::parse;
use super::place::Places;
use super::{Expression, Given};
use crate::decode::Decoder;
use crate::source::{Span, Spanned};
use crate::yaml::Node;

/// A text with `{expr}` in it: a correction, a public reason, a let's `missing`. `{{` stands for a brace.
#[derive(Clone, Debug)]
pub struct Template {
    text: String,
    pub(super) pieces: Vec<Piece>,
}

/// A piece of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Words(String),
    Value(Expr),
}

impl Template {
    /// Reads the text at a node; it must be a sentence, and what stands in braces an expression.
    pub(crate) fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<Template> {
        let text = decoder.sentence(node)?.value;
        let places = Places::of(node, decoder.sources);
        match pieces(&text, &places) {
            Ok(pieces) => Some(Template { text, pieces }),
            Err(problem) => {
                super::report(decoder, &places, problem);
                None
            }
        }
    }

    /// The text as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text itself, where no value stands in it.
    pub(crate) fn bare(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Words(words)] => Some(words),
            _ => None,
        }
    }

    /// The text cut at slots that are not expressions: what stands between them, and the slot behind each part.
    pub(crate) fn cut_at<'n>(&self, slots: &[&'n str]) -> Vec<(Template, Option<&'n str>)> {
        let mut parts = Vec::new();
        let mut pieces: Vec<Piece> = Vec::new();
        let mut cut = |pieces: &mut Vec<Piece>, slot| {
            let pieces = std::mem::take(pieces);
            parts.push((Template { text: pieces.iter().map(Piece::text).collect(), pieces }, slot));
        };
        for piece in &self.pieces {
            let slot = match piece {
                Piece::Value(value) => slots.iter().find(|slot| value.text() == **slot),
                Piece::Words(_) => None,
            };
            match slot {
                Some(slot) => cut(&mut pieces, Some(*slot)),
                None => pieces.push(piece.clone()),
            }
        }
        cut(&mut pieces, None);
        parts
    }

    /// The values in it.
    pub(super) fn values(&self) -> impl Iterator<Item = &Expr> {
        self.pieces.iter().filter_map(|piece| if let Piece::Value(value) = piece { Some(value) } else { None })
    }

    /// As [`Expression::roots`].
    pub(crate) fn roots(&self) -> Vec<Spanned<String>> {
        let mut found = Vec::new();
        self.values().for_each(|value| value.roots(&mut Vec::new(), &mut found));
        found
    }

    /// As [`Expression::parameters`].
    pub(crate) fn parameters(&self) -> Vec<Spanned<String>> {
        let mut found = Vec::new();
        self.values().for_each(|value| value.parameters(&mut found));
        found
    }

    /// As [`Expression::bare_parameters`].
    pub(crate) fn bare_parameters(&self) -> Vec<Span> {
        let mut found = Vec::new();
        self.values().for_each(|value| value.bare_parameters(&mut found));
        found
    }

    /// As [`Expression::with_parameters`].
    pub(crate) fn with_parameters(&self, given: &Given) -> Template {
        let mut template = self.clone();
        for piece in &mut template.pieces {
            if let Piece::Value(expression) = piece {
                given.put_into(expression);
            }
        }
        template.text = template.pieces.iter().map(Piece::text).collect();
        template
    }

    /// As [`Expression::is_readable`].
    pub(crate) fn is_readable(&self) -> bool {
        self.values().all(|value| Expression { root: value.clone(), span: value.span }.is_readable())
    }
}

impl Piece {
    /// As it is written in a text.
    fn text(&self) -> String {
        match self {
            Piece::Words(words) => words.replace('{', "{{"),
            Piece::Value(value) => {
                let text = value.text();
                // Two braces together would stand for one.
                let space = if text.starts_with('{') { " " } else { "" };
                format!("{{{space}{text}}}")
            }
        }
    }
}

/// Cuts a text at its braces.
fn pieces(text: &str, places: &Places) -> Result<Vec<Piece>, Problem> {
    let (mut pieces, mut words, mut at) = (Vec::new(), String::new(), 0_usize);
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('{')) {
        let open = at.saturating_add(found);
        words.push_str(text.get(at..open).unwrap_or_default());
        let inside = open.saturating_add(1);
        if text.get(inside..).is_some_and(|rest| rest.starts_with('{')) {
            words.push('{');
            at = inside.saturating_add(1);
            continue;
        }
        let (expression, end) = parse(text, inside, places).map_err(|problem| in_braces(problem, open))?;
        match Lexer::new(text, end).next().map_err(|problem| in_braces(problem, open))? {
            (_, close, Token::Mark("}")) => at = close,
            (_, _, Token::End) => {
                return Err(in_braces(Problem::new(open, inside, "the value in braces does not end"), open));
            }
            (start, end, _) => {
                return Err(in_braces(Problem::new(start, end.max(start), "the value in braces ends here"), open));
            }
        }
        if !words.is_empty() {
            pieces.push(Piece::Words(std::mem::take(&mut words)));
        }
        pieces.push(Piece::Value(expression));
    }
    words.push_str(text.get(at..).unwrap_or_default());
    if !words.is_empty() {
        pieces.push(Piece::Words(words));
    }
    Ok(pieces)
}

/// What may be meant where the braces hold no expression.
fn in_braces(problem: Problem, open: usize) -> Problem {
    let has_help = problem.help.is_some();
    let problem = if problem.start == problem.end {
        Problem { start: open, end: open.saturating_add(1), ..problem }
    } else {
        problem
    };
    if has_help { problem } else { problem.help("a value stands between `{` and `}`; write `{{` for a brace") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Template {
        Template { text: text.to_owned(), pieces: pieces(text, &Places::at(crate::source::Span::default())).unwrap() }
    }

    #[test]
    fn a_text_with_parameters_put_in_reads_as_what_it_is() {
        let value = |text: &str| match read(&format!("{{{text}}}")).pieces.remove(0) {
            Piece::Value(root) => Expression { root, span: crate::source::Span::default() },
            Piece::Words(words) => panic!("{words}"),
        };
        let parameters = std::collections::BTreeMap::from([
            ("max".to_owned(), value("5")),
            ("row".to_owned(), value(" {'a': args.n}")),
        ]);
        for (text, wanted) in [
            ("At most {params.max}.", "At most {5}."),
            ("{{params.max} is {params.max + 1}", "{{params.max} is {5 + 1}"),
            ("{params.row.a}", "{ {'a': args.n}.a}"),
            ("No value.", "No value."),
        ] {
            let with = read(text).with_parameters(&Given::new(&parameters, &std::collections::BTreeSet::new()));
            assert_eq!(with.text(), wanted);
            assert_eq!(read(with.text()).text(), read(wanted).text());
        }
    }
}
