//! The words of an expression, each with its range in the text. What looks like another language is refused with its
//! spelling here.

use crate::decimal::Decimal;
use std::borrow::Cow;

/// A word of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'t> {
    Number(Decimal),
    Text(String),
    Name(&'t str),
    /// An operator or a mark.
    Mark(&'static str),
    End,
}

/// What is wrong with a range of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

impl Problem {
    pub(super) fn new(start: usize, end: usize, message: impl Into<String>) -> Problem {
        Problem { start, end, message: message.into(), help: None }
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }
}

/// Longest first.
const MARKS: &[&str] = &[
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "+", "-", "*", "/", "%", "?", ":", ".", ",", "(", ")", "[", "]",
    "{", "}",
];

/// What other languages write, and what is written here.
const FOREIGN: &[(&str, &str)] = &[
    ("===", "write `==`"),
    ("!==", "write `!=`"),
    ("=>", "write `>=`"),
    ("=<", "write `<=`"),
    ("<>", "write `!=`"),
    ("**", "write `x * x`"),
    ("??", "write `.?name.orValue(…)`"),
    ("//", "a comment stands outside of the expression, behind a YAML `#`"),
    ("/*", "a comment stands outside of the expression, behind a YAML `#`"),
];

/// Reads words from a text, from a place on.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Lexer<'t> {
        Lexer { text, at }
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn advance(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    /// The next word: where it starts, where it ends, what it is.
    pub(super) fn next(&mut self) -> Result<(usize, usize, Token<'t>), Problem> {
        let skipped = self.rest().len().saturating_sub(self.rest().trim_start().len());
        self.advance(skipped);
        let start = self.at;
        let token = self.token()?;
        Ok((start, self.at, token))
    }

    fn token(&mut self) -> Result<Token<'t>, Problem> {
        let (rest, start) = (self.rest(), self.at);
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        if first.is_ascii_digit() {
            return self.number();
        }
        if matches!(first, '\'' | '"') {
            return self.quoted(false).map(Token::Text);
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let name = self.name();
            let is_quote = self.rest().starts_with(['\'', '"']);
            return match name {
                "r" | "R" if is_quote => self.quoted(true).map(Token::Text),
                "b" | "B" | "br" | "rb" if is_quote => {
                    Err(Problem::new(start, self.at, "there are no bytes here").help("write a text"))
                }
                name => Ok(Token::Name(name)),
            };
        }
        if let Some((foreign, cure)) = FOREIGN.iter().find(|(foreign, _)| rest.starts_with(foreign)) {
            let end = start.saturating_add(foreign.len());
            return Err(Problem::new(start, end, format!("`{foreign}` has no meaning here")).help(*cure));
        }
        if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            self.advance(mark.len());
            return Ok(Token::Mark(mark));
        }
        Err(unknown_character(start, first))
    }

    fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(rest.len());
        self.advance(end);
        rest.get(..end).unwrap_or_default()
    }

    fn number(&mut self) -> Result<Token<'t>, Problem> {
        let (rest, start) = (self.rest(), self.at);
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let mut length = digits(rest);
        if let Some(fraction) = rest.get(length..).and_then(|after| after.strip_prefix('.')) {
            let places = digits(fraction);
            if places > 0 {
                length = length.saturating_add(places).saturating_add(1);
            }
        }
        self.advance(length);
        let word = self.name();
        if !word.is_empty() {
            let cure = match word {
                "u" | "U" => "write it without `u`: there is one kind of number",
                _ => "write digits, with one point between digits if it is a fraction",
            };
            let whole = rest.get(..length.saturating_add(word.len())).unwrap_or_default();
            return Err(Problem::new(start, self.at, format!("`{whole}` is not a number")).help(cure));
        }
        let written = rest.get(..length).unwrap_or_default();
        let digits = without_leading_zeros(written);
        Decimal::parse_json(&digits).map(Token::Number).map_err(|error| Problem::new(start, self.at, error.to_string()))
    }

    fn quoted(&mut self, raw: bool) -> Result<String, Problem> {
        let (rest, start) = (self.rest(), self.at);
        let quote = rest.chars().next().unwrap_or('\'');
        if rest.starts_with("'''") || rest.starts_with("\"\"\"") {
            return Err(Problem::new(start, start.saturating_add(3), "a text has one quote on each side"));
        }
        self.advance(1);
        let mut text = String::new();
        loop {
            let at = self.at;
            let Some(next) = self.rest().chars().next() else {
                return Err(Problem::new(start, start.saturating_add(1), "the text does not end")
                    .help(format!("close it with `{quote}`")));
            };
            self.advance(next.len_utf8());
            match next {
                _ if next == quote => return Ok(text),
                '\\' if !raw => text.push(self.escape(at)?),
                other => text.push(other),
            }
        }
    }

    /// What an escape stands for, as CEL has it.
    fn escape(&mut self, start: usize) -> Result<char, Problem> {
        let kind = self.rest().chars().next().unwrap_or(' ');
        self.advance(kind.len_utf8());
        let code = match kind {
            'a' => return Ok('\u{7}'),
            'b' => return Ok('\u{8}'),
            'f' => return Ok('\u{c}'),
            'n' => return Ok('\n'),
            'r' => return Ok('\r'),
            't' => return Ok('\t'),
            'v' => return Ok('\u{b}'),
            '\\' | '?' | '"' | '\'' | '`' => return Ok(kind),
            'x' | 'X' => self.code(2, 16),
            'u' => self.code(4, 16),
            'U' => self.code(8, 16),
            '0'..='3' => {
                self.at = self.at.saturating_sub(1);
                self.code(3, 8)
            }
            _ => None,
        };
        code.and_then(char::from_u32).ok_or_else(|| {
            Problem::new(start, self.at, "this is no escape of a text").help(r"write `\\` for a backslash, or `r'…'`")
        })
    }

    fn code(&mut self, digits: usize, radix: u32) -> Option<u32> {
        let text = self.rest().get(..digits)?;
        let code = text.chars().all(|char| char.is_digit(radix)).then(|| u32::from_str_radix(text, radix).ok())?;
        self.advance(digits);
        code
    }
}

/// JSON has no leading zeros; CEL lets them be.
fn without_leading_zeros(written: &str) -> Cow<'_, str> {
    let short = written.trim_start_matches('0');
    if short.is_empty() || short.starts_with('.') {
        return Cow::Owned(format!("0{short}"));
    }
    Cow::Borrowed(short)
}

fn unknown_character(start: usize, character: char) -> Problem {
    let problem = Problem::new(
        start,
        start.saturating_add(character.len_utf8()),
        format!("{} has no meaning here", crate::text::quoted(&character.to_string()).replace('"', "`")),
    );
    match character {
        '=' => problem.help("write `==` to compare"),
        '&' => problem.help("write `&&`"),
        '|' => problem.help("write `||`"),
        '‘' | '’' | '“' | '”' => problem.help("write straight quotes"),
        ';' => problem.help("an expression is one value"),
        '#' => problem.help("a comment stands outside of the expression"),
        '$' | '@' => problem.help("names start at `args`, `world`, `params` or a let"),
        _ => problem,
    }
}
