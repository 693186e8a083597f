//! `invisible-character`: what no reader sees, and every machine reads.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule, walk};
use crate::source::Span;
use crate::text::is_invisible;

pub(super) static RULE: Rule = Rule {
    code: "F673",
    name: "invisible-character",
    severity: Severity::Warning,
    docs: "
## What it does
Finds characters that cannot be seen in the texts, names and values of the spec and its files: spaces of no width, marks that
turn the direction of writing, soft hyphens, tags. It leaves alone those that scripts and emoji need, flags of regions and
variants of Chinese characters among them, and what a file writes as an escape, since that can be seen.

## Why
A name with one in it is another name, and a text can say to a model what nobody who reviews it sees.

## Example
```yaml
description: Read\u{200b} a note.  # a space of no width stands behind the first word
```

## Use instead
```yaml
description: Read a note.
```
",
    check: Check::Spec(check),
};

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for tree in linted.trees() {
        walk::texts(tree, &mut |_, span| {
            let written = linted.sources.slice(span);
            if !written.is_ascii() {
                found.extend(runs(written).into_iter().map(|(at, run)| problem(span, at, run)));
            }
        });
    }
}

fn problem(whole: Span, at: usize, run: &str) -> Diagnostic {
    let first = run.chars().next().unwrap_or_default();
    let start = usize::try_from(whole.start).unwrap_or_default().saturating_add(at);
    let span = Span::new(whole.file, start, start.saturating_add(run.len()));
    let name = format!("U+{:04X}, {}", u32::from(first), name(first));
    let message = match run.chars().count() {
        1 => format!("a character that nobody can see stands here: {name}"),
        count => format!("{count} characters that nobody can see stand here, the first of them {name}"),
    };
    RULE.at(span, message).help("take it out").safe_edit(span, "")
}

/// Each run of characters that cannot be seen and have no business where they stand, with its place.
fn runs(text: &str) -> Vec<(usize, &str)> {
    let is_right_to_left = text.chars().any(|letter| matches!(letter, '\u{590}'..='\u{8ff}') && letter.is_alphabetic());
    let (mut runs, mut open, mut before): (Vec<(usize, &str)>, Option<usize>, Option<char>) = (Vec::new(), None, None);
    let mut rest = text.char_indices().peekable();
    // Where the flag that was met last ends.
    let mut flag = 0_usize;
    while let Some((at, letter)) = rest.next() {
        let behind = rest.peek().map(|(_, letter)| *letter);
        let is_bad = is_invisible(letter) && at >= flag && !is_needed(before, letter, behind, is_right_to_left);
        if letter == '\u{1f3f4}' {
            flag = text.get(at..).and_then(flag_of_region).map_or(0, |length| at.saturating_add(length));
        }
        match (is_bad, open) {
            (true, None) => open = Some(at),
            (false, Some(start)) => {
                runs.extend(text.get(start..at).map(|run| (start, run)));
                open = None;
            }
            _ => {}
        }
        before = Some(letter);
    }
    runs.extend(open.and_then(|start| text.get(start..).map(|run| (start, run))));
    runs
}

/// True for a character that shapes what stands beside it.
fn is_needed(before: Option<char>, letter: char, behind: Option<char>, is_right_to_left: bool) -> bool {
    let joins = |letter: Option<char>| letter.is_some_and(|letter| matches!(letter, '\u{600}'..='\u{1fff}'));
    let is_sign = |letter: Option<char>| {
        letter.is_some_and(|letter| !letter.is_ascii() && !letter.is_alphanumeric() && !letter.is_whitespace())
    };
    match letter {
        // Signs before numbers, which can be seen.
        '\u{600}'..='\u{605}'
        | '\u{6dd}'
        | '\u{70f}'
        | '\u{890}'
        | '\u{891}'
        | '\u{8e2}'
        | '\u{110bd}'
        | '\u{110cd}' => true,
        '\u{200c}' | '\u{200d}' if joins(before) && joins(behind) => true,
        // At the end of a word it gives an Indian letter its half form.
        '\u{200c}' | '\u{200d}' if before.is_some_and(is_virama) => true,
        '\u{200d}' => is_sign(before) && is_sign(behind),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => is_right_to_left,
        '\u{180b}'..='\u{180f}' => before.is_some_and(|letter| matches!(letter, '\u{1800}'..='\u{18af}')),
        '\u{fe0e}' | '\u{fe0f}' if before.is_some_and(is_letter_like) => true,
        '\u{fe00}'..='\u{fe02}' | '\u{e0100}'..='\u{e01ef}' if before.is_some_and(is_ideograph) => true,
        '\u{fe00}'..='\u{fe0f}' => is_sign(before) && !before.is_some_and(is_invisible) || behind == Some('\u{20e3}'),
        _ => false,
    }
}

/// The length of a flag of England, Scotland or Wales at the beginning of a text: a black flag, tags, and the tag that ends
/// them.
fn flag_of_region(text: &str) -> Option<usize> {
    const FLAGS: [&str; 3] = ["gbeng", "gbsct", "gbwls"];
    let tag = |letter: char| char::from_u32(u32::from(letter).saturating_add(0xe0000));
    let mut flags = FLAGS.into_iter().map(|name| {
        let tags = name.chars().filter_map(tag).chain(['\u{e007f}']);
        ['\u{1f3f4}'].into_iter().chain(tags).collect::<String>()
    });
    flags.find(|flag| text.starts_with(flag.as_str())).map(|flag| flag.len())
}

/// A letter that is an emoji too, such as the letter of information and those in squares.
fn is_letter_like(letter: char) -> bool {
    matches!(letter, '\u{2139}' | '\u{24c2}' | '\u{1f170}' | '\u{1f171}' | '\u{1f17e}' | '\u{1f17f}')
}

/// The sign that takes the vowel from an Indian letter.
fn is_virama(letter: char) -> bool {
    matches!(u32::from(letter), 0x94d | 0x9cd | 0xa4d | 0xacd | 0xb4d | 0xbcd | 0xc4d | 0xccd | 0xd4d | 0xdca)
}

/// A Chinese character, as Japanese and Korean names have them too.
fn is_ideograph(letter: char) -> bool {
    matches!(letter, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// What a character is called.
fn name(letter: char) -> &'static str {
    match letter {
        '\u{ad}' => "a soft hyphen",
        '\u{200b}' => "a space of no width",
        '\u{200c}' | '\u{200d}' | '\u{2060}' => "a joiner of no width",
        '\u{feff}' => "a byte order mark",
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            "a mark that turns the direction of writing"
        }
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "a variation selector",
        '\u{e0000}'..='\u{e007f}' => "a tag",
        _ => "a character without a shape",
    }
}
