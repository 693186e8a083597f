//! What stands at a place inside an expression, a text with values in braces, or a comment.

use std::ops::Range;

/// What is at a place of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A name, or where one may be written.
    Word(Word),
    /// Inside a text in quotes.
    Text {
        /// The function whose parentheses the text stands in.
        function: Option<String>,
        /// What stands in the quotes.
        range: Range<usize>,
    },
}

/// A name and what leads to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// The names before it, `[]` for an index and `name()` for a call: `args`, `lines`, `[]` before the `sku` of
    /// `args.lines[0].sku`. A call that it all begins with is there as it is written, `last('look_up')`. Empty for a name
    /// that stands alone.
    pub before: Vec<String>,
    /// The name, to its end.
    pub text: String,
    /// Where the name stands.
    pub range: Range<usize>,
    /// True if a parenthesis opens right behind it.
    pub is_call: bool,
}

/// What is at a place of the expression that stands in a range of a text.
#[must_use]
pub fn spot(text: &str, range: Range<usize>, place: usize) -> Option<Spot> {
    if place < range.start || place > range.end {
        return None;
    }
    let expression = text.get(..range.end)?;
    let is_doubled = expression.get(..range.start)?.ends_with('\'');
    if let Some(opened) = open_quote(expression, range.start, place, is_doubled) {
        let behind = expression.get(opened.clone()).and_then(|quote| quote.chars().next())?;
        let end = expression.get(place..)?.find(behind).map_or(range.end, |at| place.saturating_add(at));
        let function = function_around(expression.get(range.start..opened.start)?);
        return Some(Spot::Text { function, range: opened.end..end });
    }
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let head = expression.get(..place)?;
    let start = head.trim_end_matches(is_part).len().max(range.start);
    let tail = expression.get(place..)?;
    let end = place.saturating_add(tail.find(|letter| !is_part(letter)).unwrap_or(tail.len()));
    let before = chain(expression.get(range.start..start)?);
    let is_call = expression.get(end..)?.starts_with('(');
    Some(Spot::Word(Word { before, text: expression.get(start..end)?.to_owned(), range: start..end, is_call }))
}

/// The quote that is open at a place.
fn open_quote(text: &str, from: usize, place: usize, is_doubled: bool) -> Option<Range<usize>> {
    let mut open: Option<(Range<usize>, char)> = None;
    let mut at = from;
    while let Some(letter) = text.get(at..place).and_then(|rest| rest.chars().next()) {
        let is_two = is_doubled && letter == '\'' && text.get(at..).is_some_and(|rest| rest.starts_with("''"));
        let length = if is_two { 2 } else { letter.len_utf8() };
        let next = at.saturating_add(length);
        match &open {
            Some((_, quote)) if *quote == letter => open = None,
            None if matches!(letter, '\'' | '"') => open = Some((at..next, letter)),
            _ => {}
        }
        let escaped = text.get(next..place).and_then(|rest| rest.chars().next()).filter(|_| letter == '\\');
        at = next.saturating_add(escaped.map_or(0, char::len_utf8));
    }
    open.map(|(range, _)| range)
}

/// The function whose parentheses are open at the end of a text.
fn function_around(text: &str) -> Option<String> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices().rev() {
        match letter {
            ')' => depth = depth.saturating_add(1),
            '(' if depth == 0 => return Some(last_name(text.get(..at)?).to_owned()).filter(|name| !name.is_empty()),
            '(' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn last_name(text: &str) -> &str {
    let start = text.trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '_').len();
    text.get(start..).unwrap_or_default()
}

/// The names that lead to what stands behind a text, if that ends with a point.
fn chain(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let Some(mut rest) = without_point(text) else { return names };
    loop {
        rest = rest.trim_end();
        if let Some(base) = rest.strip_suffix(']').and_then(|inner| opened(inner, '[', ']')) {
            names.push("[]".to_owned());
            rest = base;
            continue;
        }
        let called = rest.strip_suffix(')').and_then(|inner| opened(inner, '(', ')'));
        let base = called.unwrap_or(rest);
        let name = last_name(base);
        let start = base.len().saturating_sub(name.len());
        match without_point(base.get(..start).unwrap_or_default()) {
            Some(before) if !name.is_empty() => {
                names.push(if called.is_some() { format!("{name}()") } else { name.to_owned() });
                rest = before;
            }
            _ => {
                names.push(rest.get(start..).unwrap_or_default().to_owned());
                break;
            }
        }
    }
    names.reverse();
    names
}

fn without_point(text: &str) -> Option<&str> {
    text.strip_suffix(".?").or_else(|| text.strip_suffix('.'))
}

/// What stands before the bracket that belongs to one that closed behind this text.
fn opened(text: &str, open: char, close: char) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, letter) in text.char_indices().rev() {
        if letter == close {
            depth = depth.saturating_add(1);
        } else if letter == open {
            if depth == 0 {
                return text.get(..at);
            }
            depth = depth.saturating_sub(1);
        }
    }
    None
}

/// The expression in braces that a place of a text is in: from behind the brace to the one that closes it.
#[must_use]
pub fn expression_in_text(text: &str, range: Range<usize>, place: usize) -> Option<Range<usize>> {
    let mut open = None;
    let mut at = range.start;
    while let Some(letter) = text.get(at..place.min(range.end)).and_then(|rest| rest.chars().next()) {
        let is_doubled = text.get(at..range.end).is_some_and(|rest| rest.starts_with("{{"));
        match letter {
            '{' if open.is_none() && is_doubled => at = at.saturating_add(1),
            '{' if open.is_none() => open = Some(at.saturating_add(1)),
            '}' => open = None,
            _ => {}
        }
        at = at.saturating_add(letter.len_utf8());
    }
    let start = open.filter(|start| *start <= place)?;
    let rest = text.get(start..range.end)?;
    Some(start..rest.find(['}', '\n']).map_or(range.end, |at| start.saturating_add(at)))
}

/// The comment that a place is in, from its `#` to the end of the line.
#[must_use]
pub fn comment_at(text: &str, place: usize) -> Option<Range<usize>> {
    let start = text.get(..place)?.rfind('\n').map_or(0, |at| at.saturating_add(1));
    let line = text.get(start..)?.lines().next()?;
    let begins = |at: usize| {
        line.get(..at).is_some_and(|before| before.trim().is_empty() || before.ends_with(char::is_whitespace))
    };
    let (at, _) = line.match_indices('#').find(|(at, _)| begins(*at))?;
    let from = start.saturating_add(at);
    (from <= place).then(|| from..start.saturating_add(line.len()))
}
