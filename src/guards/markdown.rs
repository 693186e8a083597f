//! What of a reply's text is language: outside code and addresses.
//!
//! As much of Markdown as that takes, and no more. Nothing is judged here.

use super::lexicon::runs_on;

/// The parts of a text outside code, inline or as a block. A mark that is not closed opens no code.
pub(super) fn outside_code(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    // A mark that is not closed once is never: three look-ups at most go to the end.
    let mut unclosed = [false; FENCE];
    std::iter::from_fn(move || {
        let part = rest?;
        let mut from = 0;
        while let Some((start, mark)) = mark(part, from) {
            let open = start.saturating_add(mark.len());
            let seen = unclosed.get_mut(size(mark).saturating_sub(1))?;
            if !*seen && let Some(close) = closing(part, open, mark) {
                rest = part.get(close..);
                return part.get(..start);
            }
            *seen = true;
            from = open;
        }
        rest = None;
        Some(part)
    })
}

/// As many backticks, or more, open a block.
const FENCE: usize = 3;

fn size(mark: &str) -> usize {
    mark.len().min(FENCE)
}

/// The next run of backticks from a place on.
fn mark(text: &str, from: usize) -> Option<(usize, &str)> {
    let tail = text.get(from..)?;
    let start = tail.find('`')?;
    let run = tail.get(start..)?;
    let length = run.len().saturating_sub(run.trim_start_matches('`').len());
    Some((from.saturating_add(start), run.get(..length)?))
}

/// The end of the run that closes an open one.
fn closing(text: &str, from: usize, open: &str) -> Option<usize> {
    let mut from = from;
    while let Some((start, run)) = mark(text, from) {
        from = start.saturating_add(run.len());
        if size(run) == size(open) {
            return Some(from);
        }
    }
    None
}

/// How many questions a text asks: a run of signs such as `?!?` is one, a `?` of an address or in code is none.
pub(super) fn questions(text: &str) -> usize {
    outside_code(text).fold(0_usize, |count, part| {
        let asked = part.split_whitespace().map(questions_of).fold(0_usize, usize::saturating_add);
        count.saturating_add(asked)
    })
}

/// The questions of a piece without white space.
fn questions_of(piece: &str) -> usize {
    let (mut count, mut in_run, mut has_slash) = (0_usize, false, false);
    let mut characters = piece.chars().peekable();
    while let Some(character) = characters.next() {
        let asks = matches!(character, '?' | '？' | '؟' | '⁇' | '⁈' | '⁉');
        // In an address something of it comes behind the sign.
        let is_of_address =
            character == '?' && has_slash && characters.peek().is_some_and(|next| next.is_ascii_alphanumeric());
        if asks && !is_of_address && !in_run {
            count = count.saturating_add(1);
        }
        in_run = (asks && !is_of_address) || in_run && matches!(character, '!' | '！');
        has_slash |= character == '/';
    }
    count
}

/// How many words a text has: pieces between white space with a letter or digit in them. In scripts that run words together
/// each character is one.
pub(super) fn words(text: &str) -> usize {
    text.split_whitespace().fold(0_usize, |count, piece| {
        let alone = piece.chars().filter(|one| runs_on(*one) && one.is_alphanumeric()).count();
        let is_word = piece.chars().any(|one| one.is_alphanumeric() && !runs_on(one));
        count.saturating_add(alone).saturating_add(usize::from(is_word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_left_out_where_it_is_closed() {
        let parts = |text| outside_code(text).collect::<Vec<_>>();
        assert_eq!(parts("a `b` c ``d ` e`` f"), ["a ", " c ", " f"]);
        assert_eq!(parts("a\n```sh\nb `c`\n````\nd"), ["a\n", "\nd"]);
        assert_eq!(parts("it`s ``open"), ["it`s ``open"]);
        assert_eq!(parts("x ``` y `z`"), ["x ``` y ", ""]);
        assert_eq!(parts(""), [""]);
    }

    #[test]
    fn questions_are_counted_once_each() {
        for (text, count) in [
            ("Which one? Blue?", 2),
            ("Really?!? Yes.", 1),
            ("好吗？ نعم؟", 2),
            ("See https://shop.example/find?q=a&b=?c, or `a ? b : c`.", 0),
            ("Did you open https://shop.example/find?q=a?", 1),
            ("Is it https://shop.example/?", 1),
            ("red/blue? No", 1),
            ("```\nwhy?\n```", 0),
        ] {
            assert_eq!(questions(text), count, "{text}");
        }
    }

    #[test]
    fn words_are_counted_in_scripts_with_spaces_and_without() {
        assert_eq!(words("It costs 5 - or: more."), 5);
        assert_eq!(words("好的。VIP服务"), 5);
        assert_eq!(words("— ?! *"), 0);
    }
}
