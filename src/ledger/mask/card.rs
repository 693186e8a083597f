//! Payment card numbers: 13 to 19 digits that begin as an issuer's do, have a length it uses, and pass the Luhn check.

use super::bytes::{at, before, run, slice};
use crate::decimal::Decimal;
use std::ops::Range;

/// Prefixes of as many digits as they have, from one to another, and the lengths of their numbers.
const ISSUERS: &[(u32, u32, &[usize])] = &[
    (4, 4, &[13, 16, 19]),
    (51, 55, &[16]),
    (2221, 2720, &[16]),
    (34, 34, &[15]),
    (37, 37, &[15]),
    (300, 305, &[14, 16]),
    (36, 36, &[14, 16]),
    (38, 39, &[14, 16]),
    (6011, 6011, &[16, 19]),
    (644, 649, &[16, 19]),
    (65, 65, &[16, 19]),
    (3528, 3589, &[16, 19]),
    (62, 62, &[16, 17, 18, 19]),
    (5018, 5018, &[16, 18, 19]),
    (5020, 5020, &[16, 18, 19]),
    (5038, 5038, &[16, 18, 19]),
    (6304, 6304, &[16, 18, 19]),
    (6759, 6763, &[16, 18, 19]),
];

/// True if a whole number is a card's.
pub(super) fn is_number(number: Decimal) -> bool {
    let Some(whole) = number.to_u64().filter(|whole| *whole >= 1_000_000_000_000) else { return false };
    is_card(whole.to_string().as_bytes())
}

/// True for the digits of a card number.
fn is_card(digits: &[u8]) -> bool {
    (13..=19).contains(&digits.len()) && is_issued(digits) && luhn(digits)
}

fn is_issued(digits: &[u8]) -> bool {
    ISSUERS.iter().any(|(first, last, lengths)| {
        let length = usize::try_from(first.ilog10()).unwrap_or_default().saturating_add(1);
        let head = digits.get(..length).and_then(|head| std::str::from_utf8(head).ok()?.parse::<u32>().ok());
        lengths.contains(&digits.len()) && head.is_some_and(|head| (*first..=*last).contains(&head))
    })
}

fn luhn(digits: &[u8]) -> bool {
    let sum = digits.iter().rev().enumerate().fold(0_u32, |sum, (place, digit)| {
        let digit = u32::from(digit.wrapping_sub(b'0'));
        let weighed = if place % 2 == 0 { digit } else { digit.saturating_mul(2) };
        sum.saturating_add(if weighed > 9 { weighed.saturating_sub(9) } else { weighed })
    });
    sum.is_multiple_of(10)
}

/// Finds card numbers in a text, in one piece or in groups.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    let mut place = 0;
    while let Some(start) = next_digit(text, place) {
        place = chain_end(text, start);
        if place.saturating_sub(start) >= 13 && stands_alone(text, start, place) {
            find_in(text, &groups(text, start), found);
        }
    }
}

fn next_digit(text: &str, from: usize) -> Option<usize> {
    let start = run(text, from, |byte| !byte.is_ascii_digit());
    at(text, start).map(|_| start)
}

/// The run of digits that goes on behind one space or dash at a place.
fn next_group(text: &str, end: usize) -> Option<usize> {
    let next = end.saturating_add(1);
    let joined = matches!(at(text, end), Some(b' ' | b'-')) && at(text, next).is_some_and(|byte| byte.is_ascii_digit());
    joined.then_some(next)
}

fn group_end(text: &str, start: usize) -> usize {
    run(text, start, |byte| byte.is_ascii_digit())
}

/// Where a chain of such runs ends.
fn chain_end(text: &str, start: usize) -> usize {
    let mut end = group_end(text, start);
    while let Some(next) = next_group(text, end) {
        end = group_end(text, next);
    }
    end
}

/// The runs of a chain.
fn groups(text: &str, start: usize) -> Vec<Range<usize>> {
    let starts = std::iter::successors(Some(start), |start| next_group(text, group_end(text, *start)));
    starts.map(|start| start..group_end(text, start)).collect()
}

/// Digits within a word, a decimal fraction, a hash or an identifier of dashes are no card.
fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let part_of = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+');
    let opens = super::bytes::begins_word(text, start)
        && before(text, start).is_none_or(|byte| !part_of(byte) || byte.is_ascii_alphabetic());
    let fraction = at(text, end) == Some(b'.') && at(text, end.saturating_add(1)).is_some_and(|b| b.is_ascii_digit());
    let closes = at(text, end).is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte != b'_' && byte != b'-');
    opens && closes && !fraction
}

/// The longest card number that begins with each group.
fn find_in(text: &str, groups: &[Range<usize>], found: &mut Vec<Range<usize>>) {
    let mut first = 0;
    while let Some(rest) = groups.get(first..).filter(|rest| !rest.is_empty()) {
        let start = rest.first().map_or(0, |group| group.start);
        let fits = |count: &usize| {
            let digits: Vec<u8> =
                rest.iter().take(*count).flat_map(|group| slice(text, group.clone()).bytes()).collect();
            is_card(&digits)
        };
        // No grouping has more than 7 parts.
        let count = (1..=rest.len().min(7)).rev().find(fits);
        if let Some(end) = count.and_then(|count| rest.get(count.saturating_sub(1))).map(|group| group.end) {
            found.push(start..end);
        }
        first = first.saturating_add(count.unwrap_or(1));
    }
}
