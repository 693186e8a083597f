//! `look-alike`: a word with a letter of another script in it.

use crate::diagnostic::{Diagnostic, Severity};
use crate::lint::{Check, Linted, Rule, walk};
use crate::source::Span;

pub(super) static RULE: Rule = Rule {
    code: "F672",
    name: "look-alike",
    severity: Severity::Warning,
    docs: r"
## What it does
Finds a word, in any text or name of the spec and its files, that mixes Latin letters with letters of the Cyrillic or Greek
script that look like them.

## Why
Such a name is another name: a guard on it never meets its tool, a value with it never equals what callers send. No reader
can see it, and who wants to get past a review writes so.

## Example
```yaml
enum: [small, lаrge]  # the first vowel of the second word is Cyrillic
```

## Use instead
```yaml
enum: [small, large]
```
",
    check: Check::Spec(check),
};

/// A script, its letters that look like Latin ones, and those Latin ones in the same sequence.
const SCRIPTS: [[&str; 3]; 2] = [
    ["Cyrillic", "асԁеһіјӏорԛѕѵԝхуАВСЕНІЈКМОРЅТУХ", "acdehijlopqsvwxyABCEHIJKMOPSTYX"],
    ["Greek", "οϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ocjABEZHIKMNOPTYX"],
];

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    for tree in linted.trees() {
        walk::texts(tree, &mut |text, span| {
            if !text.is_ascii() {
                found.extend(mixed(text).filter_map(|word| problem(linted, word, span)));
            }
        });
    }
}

/// The words that have Latin letters and letters of another script.
fn mixed(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphabetic());
    let words = words.filter(|word| word.chars().any(is_latin) && word.chars().any(|letter| !is_latin(letter)));
    // In a class of a pattern two ranges touch: `[a-zа-я]`.
    words.filter(move |word| word.chars().count() > 2 || !text.contains(&format!("-{word}-")))
}

fn is_latin(letter: char) -> bool {
    letter.is_ascii_alphabetic() || matches!(letter, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// The script of a letter that looks like a Latin one, and that one.
fn twin(letter: char) -> Option<(&'static str, char)> {
    SCRIPTS.into_iter().find_map(|[script, letters, latin]| {
        let mut pairs = letters.chars().zip(latin.chars());
        pairs.find(|(known, _)| *known == letter).map(|(_, twin)| (script, twin))
    })
}

/// A Latin letter that looks like one of the Russian or Greek alphabet.
fn is_twin(letter: char) -> bool {
    "aceiopxyABCEHIKMOPTXY".contains(letter)
}

/// What is wrong with a mixed word: either all its foreign letters look like Latin ones, or all its Latin letters like
/// foreign ones. A word of which neither is so is a mixture that everybody can see.
fn problem(linted: &Linted<'_>, word: &str, span: Span) -> Option<Diagnostic> {
    let latin = word.chars().filter(|letter| is_latin(*letter));
    let mut foreign = word.chars().filter(|letter| !is_latin(*letter));
    let first = foreign.clone().find_map(|letter| Some((letter, twin(letter)?)));
    let (letter, (script, twin_of_it)) = first?;
    let place = walk::word_in(linted.sources, span, word, char::is_alphabetic);
    let at = place.unwrap_or(span);
    if foreign.all(|letter| twin(letter).is_some()) {
        let message = format!(
            "`{word}` is no Latin word: its `{letter}` is U+{:04X}, a {script} letter that looks like `{twin_of_it}`",
            u32::from(letter)
        );
        let plain: String = word.chars().map(|letter| twin(letter).map_or(letter, |(_, twin)| twin)).collect();
        let problem = RULE.at(at, message).help(format!("write `{plain}`"));
        return Some(if place.is_some() { problem.edit(at, plain) } else { problem });
    }
    let mut latin = latin.peekable();
    let letter = *latin.peek()?;
    latin.all(is_twin).then(|| {
        let message = format!("`{word}` is no {script} word: its `{letter}` is a Latin letter that looks like one");
        RULE.at(at, message).help("write the whole word in one script")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_has_its_twin() {
        for [script, letters, latin] in SCRIPTS {
            assert_eq!(letters.chars().count(), latin.len(), "{script}");
            assert!(letters.chars().all(|letter| !is_latin(letter)) && latin.chars().all(is_latin), "{script}");
        }
    }
}
