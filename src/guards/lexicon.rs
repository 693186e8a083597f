//! Declared words, looked for in a reply as whole words: all of them in one pass over the text.
//!
//! A mention ends where no letter, digit or `_` goes on, and a number where no further digit does: `50` is not in `3.50`.
//! A `_` that nothing joins to more is emphasis: `_rate_` is the word, `rate_id` another.
//! Scripts that run words together (Han, kana, Hangul, Thai …) have no such ends, so there a word counts wherever it stands.
//! White space in a declared word is any white space in the text, and what cannot be seen between letters hides nothing.
//! Nothing is judged here.

use crate::decode::Decoder;
use crate::diagnostic::Diagnostic;
use crate::text::{is_blank, is_invisible};
use crate::yaml::{Entry as Member, Node};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

/// How letters compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// Capitals are small letters, and typographic apostrophes and hyphens plain ones.
    Any,
    /// By code point.
    Exact,
}

/// Words that are looked for together.
#[derive(Clone, Debug)]
pub(super) struct Lexicon {
    /// Sorted by first character; at one character the longest first.
    words: Box<[Word]>,
    case: Case,
    by_byte: Box<[Place; 256]>,
}

/// A word as it is compared.
#[derive(Clone, Debug)]
struct Word {
    characters: Box<[char]>,
    /// Its place among the words as they were declared.
    index: usize,
}

/// A place where a word stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mention {
    /// Where, in bytes.
    pub(super) at: Range<usize>,
    /// Which word, as they were declared.
    pub(super) index: usize,
}

/// Which words were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// One bit for each of the first words, so that a usual list takes no memory.
    first: u128,
    rest: Vec<bool>,
}

impl Found {
    fn add(&mut self, index: usize) {
        if index < BITS {
            self.first |= 1 << index;
            return;
        }
        let index = index.saturating_sub(BITS);
        if self.rest.len() <= index {
            self.rest.resize(index.saturating_add(1), false);
        }
        if let Some(found) = self.rest.get_mut(index) {
            *found = true;
        }
    }

    /// True if a word was found.
    pub(super) fn has(&self, index: usize) -> bool {
        if index < BITS {
            return self.first >> index & 1 == 1;
        }
        self.rest.get(index.saturating_sub(BITS)).copied().unwrap_or_default()
    }

    /// How many different words were found.
    pub(super) fn count(&self) -> usize {
        let rest = self.rest.iter().filter(|found| **found).count();
        usize::try_from(self.first.count_ones()).unwrap_or(usize::MAX).saturating_add(rest)
    }
}

const BITS: usize = 128;

/// As many characters of white space, or that cannot be seen, may stand between two that can.
const GAP: usize = 3;

impl Lexicon {
    /// A lexicon of words that are not blank.
    pub(super) fn new(words: &[String], case: Case) -> Lexicon {
        let words = words.iter().enumerate();
        let mut words: Vec<Word> =
            words.map(|(index, word)| Word { characters: spelled(word, case).into(), index }).collect();
        words.sort_by(|one, other| {
            let by_first = one.characters.first().cmp(&other.characters.first());
            by_first.then(other.characters.len().cmp(&one.characters.len())).then(one.index.cmp(&other.index))
        });
        Lexicon { by_byte: places(&words), words: words.into(), case }
    }

    /// The words that begin with a character.
    fn beginning_with(&self, character: char) -> &[Word] {
        let first = |word: &Word| word.characters.first().copied();
        let from = self.words.partition_point(|word| first(word) < Some(character));
        let rest = self.words.get(from..).unwrap_or_default();
        let count = rest.partition_point(|word| first(word) == Some(character));
        rest.get(..count).unwrap_or_default()
    }

    /// Visits every mention in the order of where it begins, the longest at one place first; those inside others too.
    pub(super) fn each<B>(&self, text: &str, mut visit: impl FnMut(Mention) -> ControlFlow<B>) -> ControlFlow<B> {
        // Most places are told by two or three bytes.
        let (mut first, mut bytes) = (&NOWHERE, text.as_bytes().iter());
        let mut may_begin = |byte: &u8| {
            let second = self.place(*byte);
            std::mem::replace(&mut first, second).seconds & second.class != 0
        };
        while bytes.any(&mut may_begin) {
            let start = text.len().saturating_sub(bytes.len()).saturating_sub(2);
            let third = bytes.as_slice().first().map_or(SPACE, |third| self.place(*third).class);
            let begins = text.as_bytes().get(start).is_some_and(|byte| self.place(*byte).thirds & third != 0);
            if begins {
                self.each_at(start, text, &mut visit)?;
            }
        }
        // What ends the text is no letter of a word.
        if first.seconds & SPACE != 0 {
            self.each_at(text.len().saturating_sub(1), text, &mut visit)?;
        }
        ControlFlow::Continue(())
    }

    fn place(&self, byte: u8) -> &Place {
        self.by_byte.get(usize::from(byte)).unwrap_or(&NOWHERE)
    }

    /// The mentions that begin at one place.
    #[inline(never)]
    fn each_at<B>(
        &self,
        start: usize,
        text: &str,
        visit: &mut impl FnMut(Mention) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Some((head, rest)) = text.split_at_checked(start) else { return ControlFlow::Continue(()) };
        // Most places are inside a word.
        let is_plain = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
        if is_plain(head.as_bytes().last()) && is_plain(rest.as_bytes().first()) {
            return ControlFlow::Continue(());
        }
        let Some(character) = rest.chars().next().filter(|character| !is_invisible(*character)) else {
            return ControlFlow::Continue(());
        };
        let words = self.beginning_with(spelling(character, self.case));
        let mut before = head.chars().rev().filter(|character| !is_invisible(*character));
        let mut ends = words.iter().filter_map(|word| Some((word, self.end(word, text, start)?))).peekable();
        if ends.peek().is_none() || goes_on(character, before.next(), before.next()) {
            return ControlFlow::Continue(());
        }
        ends.try_for_each(|(word, end)| visit(Mention { at: start..end, index: word.index }))
    }

    /// Where a word ends that begins at a place, if it stands there whole.
    fn end(&self, word: &Word, text: &str, start: usize) -> Option<usize> {
        let mut rest = text.get(start..)?.chars();
        let mut last = ' ';
        for (place, wanted) in word.characters.iter().enumerate() {
            let mut next = rest.next()?;
            let mut skipped = 0;
            if *wanted == ' ' {
                if !next.is_whitespace() {
                    return None;
                }
                while skipped < GAP && rest.clone().next().is_some_and(char::is_whitespace) {
                    rest.next();
                    skipped = skipped.saturating_add(1);
                }
                continue;
            }
            while place > 0 && skipped < GAP && is_invisible(next) {
                next = rest.next()?;
                skipped = skipped.saturating_add(1);
            }
            if spelling(next, self.case) != *wanted {
                return None;
            }
            last = next;
        }
        let end = text.len().saturating_sub(rest.as_str().len());
        let mut behind = rest.filter(|next| !is_invisible(*next));
        let (next, beyond) = (behind.next(), behind.next());
        next.is_none_or(|next| !goes_on(last, Some(next), beyond)).then_some(end)
    }

    /// The first mention.
    pub(super) fn first(&self, text: &str) -> Option<Mention> {
        self.each(text, ControlFlow::Break).break_value()
    }

    /// Which words a text mentions.
    pub(super) fn found(&self, text: &str) -> Found {
        let mut found = Found::default();
        let _: ControlFlow<()> = self.each(text, |mention| {
            found.add(mention.index);
            ControlFlow::Continue(())
        });
        found
    }

    /// A text with each mention replaced, by place: the first, and the longest of those that begin there. What was put in
    /// is not looked at again. `None` where that changes nothing.
    pub(super) fn replaced(&self, text: &str, with: &[String]) -> Option<String> {
        let mut out: Option<String> = None;
        let mut from = 0;
        let _: ControlFlow<()> = self.each(text, |mention| {
            if let (true, Some(with)) = (mention.at.start >= from, with.get(mention.index)) {
                let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
                out.push_str(text.get(from..mention.at.start).unwrap_or_default());
                out.push_str(with);
                from = mention.at.end;
            }
            ControlFlow::Continue(())
        });
        let mut out = out?;
        out.push_str(text.get(from..).unwrap_or_default());
        (out != text).then_some(out)
    }

    /// The most bytes that a mention can have, what ends it included.
    pub(super) fn window(&self) -> usize {
        let longest = self.words.iter().map(|word| word.characters.len()).max().unwrap_or_default();
        let characters = longest.saturating_add(2).saturating_mul(GAP.saturating_add(1));
        characters.saturating_mul(char::MAX.len_utf8())
    }
}

/// The class of a byte that begins a character beyond ASCII: a bit, as every class is.
const BEYOND: u64 = 1;

/// The class of white space.
const SPACE: u64 = 1 << 1;

/// The class of a byte inside such a character.
const INSIDE: u64 = 1 << 2;

/// The class of a byte: letters have one each, in either case, and what else there is shares the others.
fn class(byte: u8) -> u64 {
    match byte {
        b'\t'..=b'\r' | b' ' => SPACE,
        0..=0x7F => 1_u64.rotate_left(3).rotate_left(u32::from(byte.to_ascii_lowercase()) % 61),
        0x80..=0xBF => INSIDE,
        0xC0..=0xFF => BEYOND,
    }
}

/// What a byte says of where a word may begin: its class, and those that may stand second and third where a word begins with
/// it. Most threes of a text begin none.
#[derive(Clone, Copy, Debug)]
struct Place {
    class: u64,
    seconds: u64,
    thirds: u64,
}

/// Before a text nothing begins.
const NOWHERE: Place = Place { class: 0, seconds: 0, thirds: 0 };

impl Place {
    /// Takes in a word that may begin so, by the classes of what stands second and third in it.
    fn add(&mut self, second: Option<u64>, third: Option<u64>) {
        // Beyond ASCII stands what is ASCII in the other case, and what cannot be seen.
        let beyond = |class: u64| if class == BEYOND || self.class == BEYOND { u64::MAX } else { class | BEYOND };
        let (second, third) = (second.map_or(u64::MAX, beyond), third.map_or(u64::MAX, beyond));
        self.seconds |= second;
        // One more space may stand second, or what is inside a character.
        self.thirds |= third | INSIDE | SPACE;
    }
}

/// The class of a character as it is compared.
fn class_of(character: char) -> u64 {
    u8::try_from(character).ok().filter(u8::is_ascii).map_or(BEYOND, class)
}

/// What each byte says of where one of the words begins.
fn places(words: &[Word]) -> Box<[Place; 256]> {
    let place = |byte: u8| {
        let class = class(byte);
        let mut place = Place { class, ..NOWHERE };
        for word in words {
            let mut classes = word.characters.iter().map(|character| class_of(*character));
            let first = classes.next();
            if class == BEYOND || first.is_some_and(|first| first & class != 0) {
                place.add(classes.next(), classes.next());
            }
        }
        place
    };
    Box::new(std::array::from_fn(|byte| u8::try_from(byte).map_or(NOWHERE, place)))
}

/// True if a character does not end what stands beside it, and the one beyond.
fn goes_on(character: char, beside: Option<char>, beyond: Option<char>) -> bool {
    let Some(beside) = beside else { return false };
    let is_point = matches!(beside, '.' | ',' | '\'' | '’' | '٫' | '٬');
    let is_digit = |one: char| one.is_numeric();
    if is_digit(character) && is_point {
        return beyond.is_some_and(is_digit);
    }
    if beside == '_' && !beyond.is_some_and(|beyond| continues_word(beyond) && beyond != '_') {
        return false;
    }
    let joins = |one: char| continues_word(one) && !runs_on(one) && !is_hangul(one);
    joins(character) && joins(beside)
}

fn continues_word(character: char) -> bool {
    // Accents that are characters of their own belong to the letter in front.
    character.is_alphanumeric()
        || character == '_'
        || matches!(u32::from(character), 0x300..=0x36F | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF)
}

/// Characters of scripts that write words without anything between them.
pub(super) fn runs_on(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x2E80..=0x2FDF | 0x3005..=0x3007 | 0x3040..=0x30FF
        | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0xFF66..=0xFF9F | 0x20000..=0x3FFFF)
}

/// Korean has spaces, but what a sentence adds to a word stands right behind it.
fn is_hangul(character: char) -> bool {
    matches!(u32::from(character), 0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF)
}

/// A character as it is compared.
fn spelling(character: char, case: Case) -> char {
    match (case, character) {
        (Case::Any, 'a'..='z') => character,
        (_, space) if space.is_whitespace() => ' ',
        (Case::Exact, character) => character,
        (Case::Any, ascii) if ascii.is_ascii() => ascii.to_ascii_lowercase(),
        (Case::Any, '‘' | '’' | 'ʼ') => '\'',
        (Case::Any, '\u{2010}' | '\u{2011}') => '-',
        (Case::Any, other) => {
            // By way of the capital, so that `ς` is `σ`; what has no single one stays.
            let capital = single(other.to_uppercase()).unwrap_or(other);
            single(capital.to_lowercase()).unwrap_or(other)
        }
    }
}

fn single(mut characters: impl Iterator<Item = char>) -> Option<char> {
    let first = characters.next();
    first.filter(|_| characters.next().is_none())
}

/// A word as it is compared: white space around it is none, and inside it one space.
fn spelled(word: &str, case: Case) -> Vec<char> {
    let seen: String = word.chars().filter(|character| !is_invisible(*character)).collect();
    let mut characters = Vec::new();
    for part in seen.split_whitespace() {
        if !characters.is_empty() {
            characters.push(' ');
        }
        characters.extend(part.chars().map(|character| spelling(character, case)));
    }
    characters
}

/// Reads a list of words. Blank ones, and a second of what compares equal, are reported.
pub(super) fn words(decoder: &mut Decoder<'_>, node: &Node, case: Case, empty: &str) -> Vec<String> {
    let items = decoder.list(node);
    let items = decoder.some(node, items, empty);
    let mut words = Vec::new();
    for item in items {
        let Some(word) = decoder.text(item) else { continue };
        if is_blank(&word.value) {
            decoder.report(blank(word.span));
        } else {
            words.push(word);
        }
    }
    decoder.distinct(words.iter().map(|word| (spelled(&word.value, case).into_iter().collect(), word.span)));
    words.into_iter().map(|word| word.value).collect()
}

/// Reads a map of words to what stands in their place: the words, and what replaces each.
pub(super) fn pairs(decoder: &mut Decoder<'_>, node: &Node, case: Case) -> (Vec<String>, Vec<String>) {
    let entries = decoder.entries(node);
    if entries.is_empty() && node.text().is_none() {
        let problem = Diagnostic::error("empty-list", node.span, "the map is empty");
        decoder.report(problem.help("write `word: what stands in its place`"));
    }
    let mut seen: BTreeMap<Vec<char>, &Member> = BTreeMap::new();
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for entry in entries {
        let spelled = spelled(&entry.key, case);
        let Some(with) = decoder.text(&entry.value) else { continue };
        if let Some(problem) = refused(entry, &with.value, spelled.is_empty() || is_blank(&entry.key)) {
            decoder.report(problem);
        } else if let Some(first) = seen.get(&spelled) {
            let message = format!("`{}` is `{}` again", entry.key, first.key);
            let problem = Diagnostic::error("repeated-value", entry.key_span, message);
            decoder.report(problem.label(first.key_span, "first here").help("take one out"));
        } else {
            seen.insert(spelled, entry);
            from.push(entry.key.to_string());
            to.push(with.value);
        }
    }
    (from, to)
}

fn blank(span: crate::source::Span) -> Diagnostic {
    Diagnostic::error("blank-text", span, "a blank text says nothing").help("write it out")
}

/// Why a pair cannot stand.
fn refused(entry: &Member, with: &str, is_nothing: bool) -> Option<Diagnostic> {
    if is_nothing {
        return Some(blank(entry.key_span));
    }
    if is_blank(with) {
        let problem = Diagnostic::error("blank-text", entry.value.span, "nothing stands in place of the word");
        return Some(problem.help("write what does; the kind `purgePattern` deletes"));
    }
    (*entry.key == *with).then(|| {
        let message = format!("`{with}` stands in place of itself");
        Diagnostic::error("repeated-value", entry.value.span, message).help("write another word, or take it out")
    })
}

/// Words as a sentence names them.
pub(super) fn named<'w>(words: impl Iterator<Item = &'w String>, last: &str) -> String {
    let mut named: Vec<String> = words.map(|word| crate::text::quoted(word)).collect();
    let more = named.len().saturating_sub(NAMED);
    if more > 0 {
        named.truncate(NAMED);
        named.push(format!("{more} more"));
    }
    crate::text::joined(&named, last)
}

/// How many words a sentence names.
const NAMED: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lexicon(words: &[&str], case: Case) -> Lexicon {
        Lexicon::new(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>(), case)
    }

    fn mentions(word: &str, text: &str) -> bool {
        lexicon(&[word], Case::Any).first(text).is_some()
    }

    #[test]
    fn a_word_is_found_whole_and_in_any_case() {
        for (word, text) in [
            ("rate", "The RATE."),
            ("free shipping", "Free\n shipping!"),
            ("C++", "in C++11"),
            ("don't", "We DON’T"),
            ("ΟΔΟΣ", "στην οδος μας"),
            ("50", "50% of 50, or 50."),
            ("rate", "(rate)"),
            ("rate", "ra\u{200b}te"),
            ("mail", "e-mail"),
            ("退款", "我们不提供退款服务"),
            ("VIP", "我们的VIP服务"),
            ("rate", "the _rate_ and"),
            ("rate", "__Rate__"),
            ("환불", "환불은 됩니다"),
        ] {
            assert!(mentions(word, text), "{word} in {text}");
        }
        for (word, text) in [
            ("rate", "a corporate separate rated rate_id"),
            ("rate", "rate\u{200b}s"),
            ("rate", "my_rate or _rate_id"),
            ("50", "3.50 and 50.25 and 1,500 and 150"),
            ("cafe", "cafe\u{301}"),
            ("free shipping", "freeshipping free, shipping"),
            ("a", ""),
        ] {
            assert!(!mentions(word, text), "{word} in {text}");
        }
        assert!(lexicon(&["Rate"], Case::Exact).first("rate").is_none());
    }

    #[test]
    fn what_was_found_is_told_apart_however_long_the_list() {
        let all: Vec<String> = (0..300).map(|number| format!("w{number}")).collect();
        let found = Lexicon::new(&all, Case::Any).found("w1 W299 w1 w127 w128 w300");
        assert_eq!((0..all.len()).filter(|index| found.has(*index)).collect::<Vec<_>>(), [1, 127, 128, 299]);
        assert_eq!(found.count(), 4);
    }

    /// Texts of few characters, so that words are found: both cases, what compares as ASCII, what joins words, and what
    /// cannot be seen.
    const TEXTS: &str = "[aAkKb\u{212a} \n_.,1é退\u{200b}’']{0,12}";

    proptest! {
        #[test]
        fn a_look_at_three_bytes_finds_every_place_where_a_word_may_begin(
            words in prop::collection::vec("[aAkKb_1é退’']([aAkKb 1é退]{0,3}[aAk1退])?", 1..5),
            text in TEXTS,
            exact in any::<bool>(),
        ) {
            let lexicon = Lexicon::new(&words, if exact { Case::Exact } else { Case::Any });
            let (mut found, mut all) = (Vec::new(), Vec::new());
            let mut keep = |mention| { found.push(mention); ControlFlow::<()>::Continue(()) };
            prop_assert!(lexicon.each(&text, &mut keep).is_continue());
            let mut keep = |mention| { all.push(mention); ControlFlow::<()>::Continue(()) };
            for start in 0..text.len() {
                prop_assert!(lexicon.each_at(start, &text, &mut keep).is_continue());
            }
            prop_assert_eq!(found, all);
        }
    }

    #[test]
    fn the_longest_word_is_replaced_and_nothing_twice() {
        let lexicon = lexicon(&["a", "a b", "b"], Case::Any);
        let with = ["b".to_owned(), "$&".to_owned(), "a".to_owned()];
        assert_eq!(lexicon.replaced("A, a b, b ab", &with).as_deref(), Some("b, $&, a ab"));
        assert_eq!(lexicon.replaced("ab", &with), None);
    }

    #[test]
    fn a_mention_is_never_longer_than_the_window() {
        let lexicon = lexicon(&["k c"], Case::Any);
        let text = "\u{212a}\u{2003}\u{2003}\u{2003}\u{2003}\u{200b}\u{200b}\u{200b}c";
        let mention = lexicon.first(text).unwrap();
        assert_eq!(mention.at, 0..text.len());
        assert!(mention.at.len() < lexicon.window());
    }
}
