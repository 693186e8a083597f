//! Secrets inside one text: a fast look turns harmless texts away, the finders say where something is, and only those
//! places are covered.

use super::names::Names;
use super::{MASK, ROUNDS, assign, card, token};
use std::ops::Range;

/// What bytes a text has.
#[derive(Clone, Copy, Debug, Default)]
struct Signs {
    /// `=` or `:`.
    assigns: bool,
    /// `-`.
    dashes: bool,
    /// A space, a tab or a line end.
    spaces: bool,
    /// How many digits.
    digits: usize,
}

const ASSIGNS: u8 = 1;
const DASH: u8 = 2;
const SPACE: u8 = 4;
const DIGIT: u8 = 8;

const fn sign(byte: u8) -> u8 {
    match byte {
        b'=' | b':' => ASSIGNS,
        b'-' => DASH,
        b' ' | b'\t' | b'\n' | b'\r' => SPACE,
        b'0'..=b'9' => DIGIT,
        _ => 0,
    }
}

impl Signs {
    fn of(text: &str) -> Signs {
        let (signs, digits) = text.bytes().fold((0, 0_usize), |(signs, digits), byte| {
            let sign = sign(byte);
            (signs | sign, digits.saturating_add(usize::from(sign / DIGIT)))
        });
        Signs { assigns: signs & ASSIGNS != 0, dashes: signs & DASH != 0, spaces: signs & SPACE != 0, digits }
    }
}

/// The places of secrets, sorted, none touching another.
fn find(text: &str, names: &Names) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let signs = Signs::of(text);
    if signs.assigns {
        assign::find(text, names, &mut found);
        assign::find_urls(text, &mut found);
    }
    if signs.spaces && signs.dashes {
        assign::find_options(text, names, &mut found);
        token::find_keys(text, &mut found);
    }
    if signs.spaces && text.len() > "basic ".len() {
        token::find_schemes(text, &mut found);
    }
    if text.len() >= token::SHORTEST {
        token::find(text, &mut found);
    }
    if signs.digits >= 13 {
        card::find(text, &mut found);
    }
    merge(&mut found);
    found
}

pub(super) fn merge(found: &mut Vec<Range<usize>>) {
    found.retain(|range| !range.is_empty());
    if found.len() < 2 {
        return;
    }
    found.sort_by_key(|range| (range.start, range.end));
    found.dedup_by(|next, kept| {
        let touches = next.start <= kept.end;
        if touches {
            kept.end = kept.end.max(next.end);
        }
        touches
    });
}

/// True if something in the text would be covered.
pub(super) fn has_secret(text: &str, names: &Names) -> bool {
    // No finder fires on fewer bytes than `pwd=a` has, and on few only where something is assigned or spaced.
    let is_short = text.len() < token::SHORTEST.min(13);
    let may_be = text.len() >= 5 && (!is_short || text.bytes().any(|byte| sign(byte) & (ASSIGNS | SPACE) != 0));
    may_be && !find(text, names).is_empty()
}

/// The text with its secrets covered; `None` where there are none.
pub(super) fn masked(text: &str, names: &Names) -> Option<String> {
    let mut masked = cover(text, &find(text, names))?;
    for _ in 0..ROUNDS {
        match cover(&masked, &find(&masked, names)) {
            Some(again) if again != masked => masked = again,
            _ => break,
        }
    }
    Some(masked)
}

pub(super) fn cover(text: &str, found: &[Range<usize>]) -> Option<String> {
    if found.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for range in found {
        out.push_str(text.get(from..range.start).unwrap_or_default());
        out.push_str(MASK);
        from = range.end;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Some(out)
}
