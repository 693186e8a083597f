//! Rust source as the checks see it: tokens and string literals, without comments and without what only tests compile.
//!
//! A lexer, no parser: enough to know a path from a comment about it. It reads no macro and follows no `use`.

#![expect(clippy::arithmetic_side_effects, reason = "offsets into a text that fits in memory")]

use crate::disk;

/// A file of the repository.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) text: String,
}

impl File {
    pub(super) fn new(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    /// True for a file that only tests compile.
    pub(super) fn is_test(&self) -> bool {
        self.path.ends_with("/tests.rs") || self.path.contains("tests/")
    }

    /// Its code outside tests.
    pub(super) fn code(&self) -> Vec<Token<'_>> {
        if self.is_test() { Vec::new() } else { without_tests(tokens(&self.text)) }
    }
}

/// The Rust files below a folder of the repository, sorted by path.
pub(super) fn rust_below(folder: &str) -> Vec<File> {
    disk::files_below(folder, ".rs").into_iter().map(|path| File { text: disk::text_of(&path), path }).collect()
}

/// A word, `::`, another mark, or a string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) line: usize,
    pub(super) text: &'t str,
}

impl<'t> Token<'t> {
    /// What stands between the quotes of a string literal, as written.
    pub(super) fn literal(self) -> Option<&'t str> {
        let (start, end) = (self.text.find('"')?, self.text.rfind('"')?);
        self.text.get(start + 1..end)
    }
}

/// Where a sequence of tokens stands: the lines.
pub(super) fn lines_of(tokens: &[Token<'_>], sequence: &[&str]) -> Vec<usize> {
    let found = tokens
        .windows(sequence.len())
        .filter(|window| window.iter().map(|token| token.text).eq(sequence.iter().copied()));
    found.map(|window| window[0].line).collect()
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut tokens, mut offset, mut line) = (Vec::new(), 0, 1);
    while let Some(rest) = text.get(offset..).filter(|rest| !rest.is_empty()) {
        let (length, kept) = token(rest);
        let text = rest.split_at(length).0;
        if kept {
            tokens.push(Token { line, text });
        }
        line += text.matches('\n').count();
        offset += length;
    }
    tokens
}

/// The length of what a text begins with, and whether it is a token.
fn token(rest: &str) -> (usize, bool) {
    let first = rest.chars().next().unwrap();
    if let Some(length) = comment(rest) {
        return (length, false);
    }
    if let Some(length) = string(rest) {
        return (length, true);
    }
    if first == '\'' {
        return (character(rest), true);
    }
    if is_word(first) {
        return (rest.find(|c| !is_word(c)).unwrap_or(rest.len()), true);
    }
    let length = if rest.starts_with("::") { 2 } else { first.len_utf8() };
    (length, !first.is_whitespace())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn comment(rest: &str) -> Option<usize> {
    if rest.starts_with("//") {
        return Some(rest.find('\n').unwrap_or(rest.len()));
    }
    rest.starts_with("/*").then(|| rest.find("*/").map_or(rest.len(), |end| end + 2))
}

/// A string, raw or not, of characters, bytes or for C.
fn string(rest: &str) -> Option<usize> {
    let bare = rest.trim_start_matches(['b', 'c']);
    let raw = bare.strip_prefix('r');
    let hashes = raw.map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
    let body = raw.unwrap_or(bare).trim_start_matches('#').strip_prefix('"')?;
    let start = rest.len() - body.len();
    if start > hashes + 3 || (raw.is_none() && bare.starts_with('#')) {
        return None;
    }
    if raw.is_some() {
        let close = format!("\"{}", "#".repeat(hashes));
        return Some(start + body.find(&close).map_or(body.len(), |end| end + close.len()));
    }
    let mut escaped = false;
    let end = body.char_indices().find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    Some(start + end.map_or(body.len(), |(end, _)| end + 1))
}

/// A character, or the quote of a lifetime.
fn character(rest: &str) -> usize {
    let inside: Vec<char> = rest.chars().skip(1).take(12).collect();
    match inside.as_slice() {
        ['\\', _, more @ ..] => {
            let close = more.iter().position(|c| *c == '\'').unwrap_or(0);
            rest.char_indices().nth(close + 4).map_or(rest.len(), |(end, _)| end)
        }
        [c, '\'', ..] => c.len_utf8() + 2,
        _ => 1,
    }
}

/// Leaves out each item under `#[cfg(test)]`.
fn without_tests(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        let marked = lines_of(&tokens[at..tokens.len().min(at + 7)], &["#", "[", "cfg", "(", "test", ")", "]"]);
        if marked.is_empty() {
            kept.push(tokens[at]);
            at += 1;
        } else {
            at += 7 + item_length(&tokens[at + 7..]);
        }
    }
    kept
}

/// How many tokens the first item has: up to its `;`, or to the end of its block.
pub(super) fn item_length(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    let end = tokens.iter().position(|token| match token.text {
        "(" | "[" | "{" => {
            depth += 1;
            false
        }
        ")" | "]" => {
            depth -= 1;
            false
        }
        "}" => {
            depth -= 1;
            depth == 0
        }
        ";" => depth == 0,
        _ => false,
    });
    end.map_or(tokens.len(), |end| end + 1)
}

fn texts(text: &str) -> Vec<String> {
    File::new("src/x.rs", text).code().iter().map(|token| token.text.to_owned()).collect()
}

#[test]
fn comments_and_what_only_tests_compile_are_no_code() {
    let text = "//! crate::a\n/// crate::b\nuse x::y; /* crate::c */ fn f() { g(\"// crate::d\") }\n\
                #[cfg(test)]\n#[expect(lint, reason = \"}\")]\nmod tests { fn t() { crate::e(); } }\nfn h() {}\n\
                #[cfg(test)]\nmod more;\nfn last() {}";
    let words = texts(text);
    assert_eq!(words.join(" "), "use x :: y ; fn f ( ) { g ( \"// crate::d\" ) } fn h ( ) { } fn last ( ) { }");
    assert!(File::new("src/x/tests.rs", text).code().is_empty());
}

#[test]
fn strings_characters_and_lifetimes_are_told_apart() {
    for (text, want) in [
        (r#"a "b \" c" d"#, vec!["a", r#""b \" c""#, "d"]),
        (r##"r#"a " b"# c"##, vec![r##"r#"a " b"#"##, "c"]),
        (r#"br"a\" b"#, vec![r#"br"a\""#, "b"]),
        (r#"b"a" car "b""#, vec![r#"b"a""#, "car", r#""b""#]),
        (r"'a' '\'' '\u{1F600}' 'b", vec!["'a'", r"'\''", r"'\u{1F600}'", "'", "b"]),
        (r#"'"' x "y""#, vec![r#"'"'"#, "x", r#""y""#]),
        (r"r#type x", vec!["r", "#", "type", "x"]),
    ] {
        assert_eq!(texts(text), want, "{text}");
    }
    assert_eq!(texts(r##"r#"a " b"#"##).len(), 1);
    let file = File::new("src/x.rs", "\n\nf(br#\"a \"b\" c\"#)");
    let literal = file.code()[2];
    assert_eq!((literal.line, literal.literal()), (3, Some("a \"b\" c")));
}
