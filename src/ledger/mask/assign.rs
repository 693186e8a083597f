//! Secrets that a name in front tells of, inside a text: `NAME_KEY=…` and `--password …` of a shell, `"password": "…"`
//! of JSON in a string, `Authorization: …` of headers, `user:password@` of a URL.
//!
//! Only the value is covered. A value that names another place (`$PASSWORD`, `<your key>`, `null`) is no secret, and
//! `password: please` in a sentence is none either.

use super::MASK;
use super::bytes::{at, before, begins_word, is_blank, run, run_back, slice, tail};
use super::names::{Cover, Names};
use std::ops::Range;

/// The longest name that is looked at.
const LONGEST_NAME: usize = 80;

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' || byte >= 0x80
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Finds values behind `=` and `:`.
pub(super) fn find(text: &str, names: &Names, found: &mut Vec<Range<usize>>) {
    let mut place = 0;
    while let Some(offset) = tail(text, place).bytes().position(|byte| byte == b'=' || byte == b':') {
        let sign = place.saturating_add(offset);
        place = sign.saturating_add(1);
        if let Some(value) = Assignment::at(text, sign, names).and_then(|assignment| assignment.value(text)) {
            place = value.end.max(place);
            found.push(value);
        }
    }
}

/// A secret's name and the sign behind it.
struct Assignment {
    cover: Cover,
    /// Where the value may begin.
    from: usize,
    /// The quote in front of the name.
    opened: Option<u8>,
    /// True for `"name": …`.
    is_quoted: bool,
    /// True for `name=…`, without spaces.
    is_tight: bool,
    /// True where the name begins its line.
    opens_line: bool,
    /// `Cookie` and `Authorization` have values with spaces.
    header: Option<Header>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Header {
    Cookie,
    Authorization,
}

impl Assignment {
    fn at(text: &str, sign: usize, names: &Names) -> Option<Assignment> {
        let is_equals = at(text, sign) == Some(b'=');
        let next = at(text, sign.saturating_add(1));
        let previous = before(text, sign);
        let compares = is_equals && (next == Some(b'=') || matches!(previous, Some(b'=' | b'!' | b'<' | b'>' | b'~')));
        if compares || !is_equals && matches!(next, Some(b':' | b'=')) || tail(text, sign).starts_with("://") {
            return None;
        }
        // `:=` assigns, `=>` pairs.
        let end = if is_equals && previous == Some(b':') { sign.saturating_sub(1) } else { sign };
        let from = if is_equals && next == Some(b'>') { sign.saturating_add(2) } else { sign.saturating_add(1) };
        let spaced = run_back(text, end, LONGEST_NAME, is_blank);
        let closing = run_back(text, spaced, 1, is_quote);
        let escaped = if closing < spaced { run_back(text, closing, 8, |byte| byte == b'\\') } else { spaced };
        let start = run_back(text, escaped, LONGEST_NAME, is_name);
        // An escaped line break in front is no part of the name.
        let escapes = before(text, start) == Some(b'\\') && matches!(at(text, start), Some(b'n' | b't' | b'r'));
        let name = slice(text, start.saturating_add(usize::from(escapes))..escaped);
        let cover = names.find(name)?;
        let header = match () {
            () if ends_with_word(name, "cookie") => Some(Header::Cookie),
            () if ends_with_word(name, "authorization") => Some(Header::Authorization),
            () => None,
        };
        let line = run_back(text, start, LONGEST_NAME, |byte| is_blank(byte) || byte == b'-' || byte == b'#');
        Some(Assignment {
            cover,
            from,
            opened: before(text, start).filter(|byte| is_quote(*byte)),
            is_quoted: closing < spaced,
            is_tight: is_equals && spaced == end && !at(text, from).is_some_and(is_blank),
            opens_line: before(text, line).is_none_or(|byte| byte == b'\n'),
            header,
        })
    }

    fn value(&self, text: &str) -> Option<Range<usize>> {
        let start = run(text, self.from, is_blank);
        if let Some(quoted) = quoted(text, start) {
            let value = slice(text, quoted.clone());
            let literal = at(text, quoted.start.saturating_sub(1)) == Some(b'\'') && value.starts_with('$');
            let covers = literal || !is_harmless(value);
            return (covers && self.cover.covers_text(value)).then_some(quoted);
        }
        if self.is_quoted && matches!(at(text, start), Some(b'{' | b'[')) && !tail(text, start).starts_with(MASK) {
            let end = balanced(text, start);
            return (self.cover == Cover::All && end > start.saturating_add(2)).then_some(start..end);
        }
        self.header_value(text, start).or_else(|| self.bare(text, start))
    }

    /// The rest of a header's line, up to the quote that opened the header.
    fn header_value(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let header = self.header?;
        let end = run(text, start, |byte| byte != b'\n' && byte != b'\r' && Some(byte) != self.opened);
        let value = slice(text, start..end).trim_end();
        let is_whole = match header {
            Header::Cookie => value.contains('='),
            Header::Authorization => {
                is_scheme(value.split([' ', '\\']).next().unwrap_or_default()) && value.contains(' ')
            }
        };
        let end = start.saturating_add(value.len());
        (is_whole && !self.is_quoted && value != MASK).then_some(start..end)
    }

    fn bare(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let end = word_end(text, start, self.is_tight);
        let value = slice(text, start..end).trim_end_matches([',', '.']);
        let ends_line = matches!(at(text, run(text, end, is_blank)), None | Some(b'\n' | b'\r'));
        let is_meant = self.is_tight || self.is_quoted || is_opaque(value) || self.opens_line && ends_line;
        let covers = is_meant && !is_harmless(value) && self.cover.covers_text(value);
        covers.then(|| start..start.saturating_add(value.len()))
    }
}

fn ends_with_word(name: &str, word: &str) -> bool {
    let from = name.len().saturating_sub(word.len());
    name.get(from..).is_some_and(|end| end.eq_ignore_ascii_case(word))
}

fn is_scheme(word: &str) -> bool {
    const SCHEMES: &[&str] =
        &["bearer", "basic", "digest", "token", "negotiate", "ntlm", "apikey", "hawk", "aws4-hmac-sha256"];
    SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(word))
}

/// The inside of a quoted text that begins at a place; one that is not closed reaches to the end.
fn quoted(text: &str, start: usize) -> Option<Range<usize>> {
    let mark = run(text, start, |byte| byte == b'\\');
    at(text, mark).filter(|byte| is_quote(*byte))?;
    let from = mark.saturating_add(1);
    let open = slice(text, start..from);
    let mut place = from;
    loop {
        let Some(offset) = tail(text, place).find(open) else { return Some(from..text.len()) };
        let end = place.saturating_add(offset);
        if before(text, end) != Some(b'\\') || end == from {
            return Some(from..end);
        }
        place = end.saturating_add(1);
    }
}

/// Where the list or object that begins at a place ends.
fn balanced(text: &str, start: usize) -> usize {
    let (mut place, mut depth) = (start, 0_usize);
    while let Some(byte) = at(text, place) {
        match byte {
            b'"' => place = quoted(text, place).map_or(text.len(), |inside| inside.end),
            b'{' | b'[' => depth = depth.saturating_add(1),
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        place = place.saturating_add(1);
        if depth == 0 {
            break;
        }
    }
    place.min(text.len())
}

/// Where an unquoted value ends. A backslash keeps the space behind it, and what is covered already stays in one piece.
fn word_end(text: &str, start: usize, is_tight: bool) -> usize {
    let mut place = start;
    loop {
        let end = run(text, place, |byte| !ends_word(byte) && (is_tight || byte != b','));
        let escapes = before(text, end) == Some(b'\\') && at(text, end) == Some(b' ');
        let covered = at(text, end) == Some(b']') && slice(text, start..end.saturating_add(1)).ends_with(MASK);
        if !escapes && !covered {
            return end;
        }
        place = end.saturating_add(1);
    }
}

fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(byte, b'"' | b'\'' | b'`' | b';' | b'&' | b'|' | b'<' | b'>' | b')' | b'}' | b']')
}

/// True for a value that is none, or names the place where one is.
fn is_harmless(value: &str) -> bool {
    const WORDS: &[&str] =
        &["true", "false", "null", "none", "nil", "undefined", "string", "required", "optional", "yes", "no"];
    value.is_empty()
        || value == MASK
        || WORDS.iter().any(|word| word.eq_ignore_ascii_case(value))
        || is_reference(value)
        || value.bytes().all(|byte| byte == b'*' || byte == b'.')
}

/// `$NAME`, `${NAME}`, `$(command)`, `{{name}}`, `<name>`, `%NAME%`, `name(…)`.
fn is_reference(value: &str) -> bool {
    let name = |text: &str| !text.is_empty() && text.bytes().all(|byte| is_name(byte) || byte == b'.' || byte == b':');
    let between = |open: &str, close: &str| value.strip_prefix(open).is_some_and(|rest| rest.ends_with(close));
    value.strip_prefix('$').is_some_and(|rest| name(rest) || rest.starts_with(['(', '{']))
        || between("{{", "}}")
        || value.starts_with("{{")
        || between("<", ">")
        || value.strip_prefix('%').and_then(|rest| rest.strip_suffix('%')).is_some_and(name)
        || value.split_once('(').is_some_and(|(head, _)| name(head) && head.bytes().all(|byte| byte.is_ascii()))
}

/// True for what no sentence has after `password:`: something else than a plain word.
fn is_opaque(value: &str) -> bool {
    let letters = value.bytes().all(|byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    let mixed = value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
        && value.bytes().any(|byte| byte.is_ascii_lowercase());
    value.len() >= 4 && (!letters || mixed && value.len() >= 12)
}

/// What an option of a command line covers, by its name without the first dash.
pub(super) fn option(name: &str, names: &Names) -> Option<Cover> {
    let name = name.trim_start_matches('-');
    let denies = ["no-", "has-", "without-", "use-"].iter().any(|head| name.starts_with(head));
    if denies || name.contains('=') { None } else { names.find(name) }
}

/// Finds values of options: `--password …`, and a few commands whose short options are secrets.
pub(super) fn find_options(text: &str, names: &Names, found: &mut Vec<Range<usize>>) {
    let mut place = 0;
    while let Some(offset) = tail(text, place).find('-') {
        let dash = place.saturating_add(offset);
        let start = run(text, dash, |byte| byte == b'-');
        let end = run(text, start, is_name);
        place = end.max(dash.saturating_add(1));
        let value = run(text, end, is_blank);
        if value == end || !begins_option(text, dash) || start.saturating_sub(dash) > 2 {
            continue;
        }
        if let Some(cover) = option(slice(text, start..end), names) {
            push_word(text, value, cover, found);
        }
    }
    find_short(text, found);
}

fn begins_option(text: &str, dash: usize) -> bool {
    before(text, dash).is_none_or(|byte| byte.is_ascii_whitespace() || is_quote(byte))
}

fn push_word(text: &str, start: usize, cover: Cover, found: &mut Vec<Range<usize>>) {
    let range = quoted(text, start).unwrap_or_else(|| start..word_end(text, start, true));
    let value = slice(text, range.clone());
    if !value.starts_with('-') && !is_harmless(value) && cover.covers_text(value) {
        found.push(range);
    }
}

/// `curl -u user:…`, `sshpass -p …`, `mysql -p…`.
fn find_short(text: &str, found: &mut Vec<Range<usize>>) {
    for (command, option, spaced) in [
        ("curl", "-u", true),
        ("curl", "--user", true),
        ("sshpass", "-p", true),
        ("sshpass", "-p", false),
        ("mysql", "-p", false),
    ] {
        for (start, _) in text.match_indices(command).filter(|(start, _)| begins_word(text, *start)) {
            let end = run(text, start, |byte| !matches!(byte, b'|' | b';' | b'\n'));
            let options = slice(text, start..end).match_indices(option).map(|(offset, _)| start.saturating_add(offset));
            for dash in options.filter(|dash| begins_option(text, *dash)) {
                let behind = dash.saturating_add(option.len());
                let from = if spaced { run(text, behind, is_blank) } else { behind };
                let glued = at(text, behind).is_some_and(|byte| !is_blank(byte));
                if glued == spaced {
                    continue;
                }
                push_short(text, from, command == "curl", found);
            }
        }
    }
}

fn push_short(text: &str, start: usize, has_user: bool, found: &mut Vec<Range<usize>>) {
    let range = quoted(text, start).unwrap_or_else(|| start..word_end(text, start, true));
    if !has_user {
        return push_word(text, start, Cover::All, found);
    }
    if let Some((user, password)) = slice(text, range.clone()).split_once(':')
        && !is_harmless(password)
    {
        found.push(range.start.saturating_add(user.len()).saturating_add(1)..range.end);
    }
}

/// Finds the passwords of URLs: behind the first `:` before the last `@` of the authority.
pub(super) fn find_urls(text: &str, found: &mut Vec<Range<usize>>) {
    let mut place = 0;
    while let Some(offset) = tail(text, place).find("://") {
        let start = place.saturating_add(offset).saturating_add(3);
        let end = run(text, start, |byte| {
            !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'\\')
        });
        place = start;
        let Some((user, _)) = slice(text, start..end).rsplit_once('@') else { continue };
        let Some((name, password)) = user.split_once(':') else { continue };
        if !is_harmless(password) {
            let from = start.saturating_add(name.len()).saturating_add(1);
            found.push(from..from.saturating_add(password.len()));
        }
    }
}
