//! From words to a tree. Operators bind as in CEL: `?:`, `||`, `&&`, relations and `in`, sums, products, `!` and `-`,
//! members.
//!
//! The parser stops at the first problem; a text beyond the limits is refused before it is a tree.

use super::ast::{Access, Expr, Kind, Operator};
use super::lex::{Lexer, Problem, Token};
use super::place::Places;
use crate::source::{Span, Spanned};
use crate::value::Value;

/// The longest text of an expression.
pub(super) const MAX_BYTES: usize = 4096;
/// The most nodes of its tree.
pub(super) const MAX_NODES: usize = 512;
/// The most nodes inside each other.
pub(super) const MAX_DEPTH: usize = 32;

/// Words that CEL keeps for itself.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// The macros whose first parts are names of variables, and how many parts they may have.
pub(super) const MACROS: &[(&str, std::ops::RangeInclusive<usize>)] = &[
    ("all", 2..=3),
    ("exists", 2..=3),
    ("exists_one", 2..=2),
    ("existsOne", 3..=3),
    ("filter", 2..=2),
    ("map", 2..=3),
    ("transformList", 3..=4),
];

/// True for a method whose first parts name variables.
pub(super) fn is_macro(name: &str) -> bool {
    MACROS.iter().any(|(known, _)| *known == name)
}

/// True for a macro over index and element, or key and value.
pub(super) fn has_two_variables(name: &str, parts: usize) -> bool {
    matches!((name, parts), ("all" | "exists" | "existsOne", 3) | ("transformList", _))
}

/// True for a word that may name a variable or a let.
pub(super) fn is_name(word: &str) -> bool {
    !RESERVED.contains(&word) && !["true", "false", "null", "in", "not", "and", "or"].contains(&word)
}

/// Reads a text that is an expression as a whole.
pub(super) fn whole(text: &str, places: &Places) -> Result<Expr, Problem> {
    let (expression, end) = parse(text, 0, places)?;
    let mut lexer = Lexer::new(text, end);
    match lexer.next()? {
        (_, _, Token::End) => Ok(expression),
        (start, end, token) => Err(unexpected(start, end, &token)),
    }
}

/// Reads the expression that begins at an offset, and where it ends.
pub(super) fn parse(text: &str, at: usize, places: &Places) -> Result<(Expr, usize), Problem> {
    let peeked = (at, at, Token::End);
    let mut parser = Parser { lexer: Lexer::new(text, at), start: at, peeked, end: at, depth: 0, places };
    parser.advance()?;
    let expression = parser.expression()?;
    let end = parser.end;
    if expression.size() > MAX_NODES {
        return Err(Problem::new(at, end, format!("the expression has more than {MAX_NODES} parts"))
            .help("name its parts under `let`, or put its constants into `params`"));
    }
    if expression.depth() > MAX_DEPTH {
        return Err(too_deep(at, end));
    }
    Ok((expression, end))
}

fn too_deep(start: usize, end: usize) -> Problem {
    Problem::new(start, end, format!("the expression nests deeper than {MAX_DEPTH}")).help("name its parts under `let`")
}

fn unexpected(start: usize, end: usize, token: &Token<'_>) -> Problem {
    let message = match token {
        Token::End => String::from("the expression ends too early"),
        Token::Number(number) => format!("`{number}` does not fit here"),
        Token::Text(_) => String::from("a text does not fit here"),
        Token::Name(name) => format!("`{name}` does not fit here"),
        Token::Mark(mark) => format!("`{mark}` does not fit here"),
    };
    let problem = Problem::new(start, end, message);
    match token {
        Token::Name("and") => problem.help("write `&&`"),
        Token::Name("or") => problem.help("write `||`"),
        Token::Name("not") => problem.help("write `!(x in list)` for `x not in list`"),
        Token::Name("is") => problem.help("write `==`"),
        Token::Name("if") => problem.help("write `condition ? one : other`"),
        _ => problem,
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    start: usize,
    peeked: (usize, usize, Token<'t>),
    /// Where the last taken word ended.
    end: usize,
    depth: usize,
    places: &'t Places,
}

impl<'t> Parser<'t> {
    /// Takes the next word.
    fn advance(&mut self) -> Result<(usize, usize, Token<'t>), Problem> {
        let taken = std::mem::replace(&mut self.peeked, (0, 0, Token::End));
        self.end = taken.1;
        self.peeked = self.lexer.next()?;
        // Refused before it becomes a tree too deep to walk.
        if self.end.saturating_sub(self.start) > MAX_BYTES {
            let message = format!("the expression is longer than {MAX_BYTES} bytes");
            return Err(Problem::new(self.start, self.end, message).help("name its parts under `let`"));
        }
        Ok(taken)
    }

    fn is_mark(&self, mark: &str) -> bool {
        matches!(self.peeked.2, Token::Mark(next) if next == mark)
    }

    /// Takes a mark, if it is next.
    fn take(&mut self, mark: &str) -> Result<bool, Problem> {
        let is_next = self.is_mark(mark);
        if is_next {
            self.advance()?;
        }
        Ok(is_next)
    }

    fn expect(&mut self, mark: &str) -> Result<(), Problem> {
        // What closes the whole is left to who asked for it, so the word behind it is not read.
        if self.take(mark)? {
            return Ok(());
        }
        let problem = self.unexpected();
        Err(if problem.help.is_some() { problem } else { problem.help(format!("here a `{mark}` is missing")) })
    }

    fn unexpected(&self) -> Problem {
        let (start, end, token) = &self.peeked;
        unexpected(*start, *end, token)
    }

    fn span(&self, start: usize) -> Span {
        self.places.span(start, self.end)
    }

    /// One level deeper, where a text nests.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Parser<'t>) -> Result<T, Problem>) -> Result<T, Problem> {
        if self.depth >= MAX_DEPTH {
            return Err(too_deep(self.peeked.0, self.peeked.1));
        }
        self.depth = self.depth.saturating_add(1);
        let result = read(self);
        self.depth = self.depth.saturating_sub(1);
        result
    }

    fn expression(&mut self) -> Result<Expr, Problem> {
        self.deeper(|parser| {
            let start = parser.peeked.0;
            let test = parser.or()?;
            if !parser.take("?")? {
                return Ok(test);
            }
            let yes = parser.or()?;
            parser.expect(":")?;
            let no = parser.expression()?;
            let kind = Kind::Conditional(Box::new(test), Box::new(yes), Box::new(no));
            Ok(Expr::new(kind, parser.span(start)))
        })
    }

    fn or(&mut self) -> Result<Expr, Problem> {
        self.chain("||", Parser::and, Kind::Or)
    }

    fn and(&mut self) -> Result<Expr, Problem> {
        self.chain("&&", |parser| parser.binary(0), Kind::And)
    }

    fn chain(
        &mut self,
        mark: &str,
        part: impl Fn(&mut Parser<'t>) -> Result<Expr, Problem>,
        join: impl Fn(Vec<Expr>) -> Kind,
    ) -> Result<Expr, Problem> {
        let start = self.peeked.0;
        let first = part(self)?;
        if !self.is_mark(mark) {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.take(mark)? {
            parts.push(part(self)?);
        }
        Ok(Expr::new(join(parts), self.span(start)))
    }

    fn operator(&self) -> Option<Operator> {
        let word = match &self.peeked.2 {
            Token::Mark(mark) => mark,
            Token::Name("in") => "in",
            _ => return None,
        };
        Operator::ALL.iter().find(|(text, _)| *text == word).map(|(_, operator)| *operator)
    }

    /// Relations, sums and products that bind at least so closely.
    fn binary(&mut self, at_least: u8) -> Result<Expr, Problem> {
        let start = self.peeked.0;
        let mut left = self.unary()?;
        while let Some(operator) = self.operator().filter(|operator| operator.binding() >= at_least) {
            self.advance()?;
            let right = self.binary(operator.binding().saturating_add(1))?;
            left = Expr::new(Kind::Binary(operator, Box::new(left), Box::new(right)), self.span(start));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Problem> {
        let start = self.peeked.0;
        let is_not = self.is_mark("!");
        if !is_not && !self.is_mark("-") {
            return self.member();
        }
        self.advance()?;
        let part = self.deeper(Parser::unary)?;
        let kind = match part.kind {
            Kind::Literal(Value::Number(number)) if !is_not => Kind::Literal(Value::Number(number.neg())),
            _ if is_not => Kind::Not(Box::new(part)),
            _ => Kind::Negate(Box::new(part)),
        };
        Ok(Expr::new(kind, self.span(start)))
    }

    fn member(&mut self) -> Result<Expr, Problem> {
        let start = self.peeked.0;
        let mut base = self.primary()?;
        loop {
            let kind = if self.take(".")? {
                self.selected(base)?
            } else if self.take("[")? {
                let access = if self.take("?")? { Access::Optional } else { Access::Plain };
                let key = self.expression()?;
                self.expect("]")?;
                Kind::Index(Box::new(base), Box::new(key), access)
            } else {
                return Ok(base);
            };
            base = Expr::new(kind, self.span(start));
        }
    }

    /// What follows a point.
    fn selected(&mut self, base: Expr) -> Result<Kind, Problem> {
        let access = if self.take("?")? { Access::Optional } else { Access::Plain };
        let (start, end, token) = self.advance()?;
        let Token::Name(name) = token else { return Err(unexpected(start, end, &token)) };
        let name = Spanned::new(name.to_owned(), self.places.span(start, end));
        if access == Access::Plain && self.take("(")? {
            let parts = self.parts(")")?;
            return Ok(Kind::Method(Box::new(base), name, parts));
        }
        Ok(Kind::Select(Box::new(base), name, access))
    }

    fn primary(&mut self) -> Result<Expr, Problem> {
        let start = self.peeked.0;
        let kind = match &self.peeked.2 {
            Token::Mark("(") => {
                self.advance()?;
                let inner = self.expression()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Mark("[") => {
                self.advance()?;
                Kind::List(self.parts("]")?)
            }
            Token::Mark("{") => {
                self.advance()?;
                Kind::Map(self.entries()?)
            }
            Token::Number(_) | Token::Text(_) | Token::Name(_) => self.word()?,
            Token::Mark(_) | Token::End => return Err(self.unexpected()),
        };
        Ok(Expr::new(kind, self.span(start)))
    }

    fn word(&mut self) -> Result<Kind, Problem> {
        if let Token::Name("not" | "and" | "or" | "if" | "in") = self.peeked.2 {
            return Err(not_a_value(self.peeked.0, self.peeked.1, &self.peeked.2));
        }
        let (start, end, token) = self.advance()?;
        Ok(match token {
            Token::Number(number) => Kind::Literal(Value::Number(number)),
            Token::Text(text) => Kind::Literal(Value::from(text)),
            Token::Name("true") => Kind::Literal(Value::Bool(true)),
            Token::Name("false") => Kind::Literal(Value::Bool(false)),
            Token::Name("null") => Kind::Literal(Value::Null),
            Token::Name(name) if RESERVED.contains(&name) => {
                return Err(Problem::new(start, end, format!("`{name}` is a reserved word")).help("take another name"));
            }
            Token::Name(name) if self.take("(")? => {
                Kind::Call(Spanned::new(name.to_owned(), self.places.span(start, end)), self.parts(")")?)
            }
            Token::Name(name) => Kind::Name(name.to_owned()),
            Token::Mark(_) | Token::End => return Err(unexpected(start, end, &token)),
        })
    }

    /// Expressions between commas up to a closing mark.
    fn parts(&mut self, close: &str) -> Result<Vec<Expr>, Problem> {
        let mut parts = Vec::new();
        while !self.is_mark(close) {
            parts.push(self.expression()?);
            if !self.take(",")? {
                break;
            }
        }
        self.expect(close)?;
        Ok(parts)
    }

    fn entries(&mut self) -> Result<Vec<(Expr, Expr)>, Problem> {
        let mut entries = Vec::new();
        while !self.is_mark("}") {
            let key = self.expression()?;
            self.expect(":")?;
            entries.push((key, self.expression()?));
            if !self.take(",")? {
                break;
            }
        }
        self.expect("}")?;
        Ok(entries)
    }
}

fn not_a_value(start: usize, end: usize, token: &Token<'_>) -> Problem {
    let problem = unexpected(start, end, token);
    if *token == Token::Name("not") {
        problem.help("write `!`, and `!(x in list)` for `x not in list`")
    } else {
        problem
    }
}
