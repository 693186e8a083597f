//! `degenerationGuard`: a reply without markup of the model, and without a line over and over.

use super::reply::{fires_if, text};
use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::hash::FixedState;
use crate::text::quoted;
use crate::value::{Object, Value};
use regex::Regex;
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The kind `degenerationGuard`.
#[derive(Debug)]
pub struct DegenerationGuard;

static ABOUT: About = About {
    name: "degenerationGuard",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: true,
    parameters: &Shape {
        name: "the parameters of `degenerationGuard`",
        fields: &[Field::optional(
            "selfNarration",
            Type::Text,
            "A regular expression of how the model tells of its own work, which is not for the user.",
        )],
    },
    docs: "\
## What it checks
The reply shows nothing of the machine, in small or capital letters: `<think` (and `<thinking`), `<tool_call` and
`<tool_response`, opening or closing; a template token `<|word|>`; `[end of turn]`; a reply written out as a call, such as
`respond {` or `replyToUser {`. No line of 12 characters or more stands in it 3 times, blanks around it aside, where nothing
new is said since the last time; lines without a letter or digit, and lines inside a block of code, may. What matches
`selfNarration` is not in it. It also checks text beside calls.

## Why
A model that loses its thread leaks its template or repeats itself, and both reach the user as they are.

## Example
```yaml
- {id: clean, kind: degenerationGuard, with: {selfNarration: '(?i)^(the user (wants|asks)|let me think)'}}
```

## Correction
The reply shows \"<think\", which is not for the user. Write one clean message, without the markup of a model or a call.
",
};

#[derive(Clone, Debug, Default)]
struct Clean {
    narration: Option<Regex>,
}

impl Kind for DegenerationGuard {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let narration = match with.get("selfNarration") {
            Some(node) => Some(super::pattern::search(decoder, node)?),
            None => None,
        };
        Some(Arc::new(Clean { narration }))
    }
}

impl Rule for Clean {
    fn parameters(&self) -> Value<'static> {
        let narration = self.narration.as_ref().map(|pattern| Value::from(pattern.as_str().to_owned()));
        Object::of_some([("selfNarration", narration)]).into()
    }

    fn prose(&self) -> String {
        let narration = self.narration.as_ref();
        let narration = narration.map(|pattern| format!(", telling of your own work (what matches `{pattern}`)"));
        let narration = narration.unwrap_or_default();
        format!(
            "a reply is one clean message to the user, without inner reasoning, template tokens, calls{narration} or repeated lines"
        )
    }

    fn is_interim(&self) -> bool {
        true
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

/// What opens with `<` or `[`.
const MARKS: &[&str] =
    &["<think", "</think", "<tool_call", "</tool_call", "<tool_response", "</tool_response", "[end of turn]"];

/// Words that call the tool of a reply, with the brace behind them.
const CALLS: &[&str] = &["respond", "replytouser", "reply_to_user"];

/// The longest word of a template token.
const TOKEN: usize = 40;

/// What a piece of markup opens with.
const OPENINGS: &[u8] = b"<[{";

/// The first piece of markup in a text.
fn leak(text: &str) -> Option<&str> {
    // Most texts have none, which a search for one byte tells fastest.
    let bytes = text.as_bytes();
    if !OPENINGS.iter().any(|opening| bytes.contains(opening)) {
        return None;
    }
    let mut openings = bytes.iter().enumerate().filter(|(_, byte)| OPENINGS.contains(byte));
    openings.find_map(|(at, _)| {
        let (_, rest) = text.split_at_checked(at)?;
        call_before(text, at).or_else(|| mark(rest)).or_else(|| token(rest))
    })
}

fn mark(rest: &str) -> Option<&str> {
    MARKS.iter().find_map(|mark| {
        let (head, behind) = rest.split_at_checked(mark.len())?;
        let is_mark = head.eq_ignore_ascii_case(mark) && (!mark.ends_with("think") || ends_thinking(behind));
        is_mark.then_some(head)
    })
}

/// False where another word goes on, as in `<ThinkPad>`.
fn ends_thinking(behind: &str) -> bool {
    let ing = behind.get(..3).is_some_and(|head| head.eq_ignore_ascii_case("ing"));
    ing || !behind.starts_with(char::is_alphanumeric)
}

/// `<|word|>`, with the bars that some models have instead.
fn token(rest: &str) -> Option<&str> {
    let bars = ['|', '｜'];
    let inside = rest.strip_prefix('<')?.strip_prefix(bars)?;
    let end = inside.char_indices().take(TOKEN).find(|(_, character)| bars.contains(character))?.0;
    let is_word = |one: char| one.is_alphanumeric() || matches!(one, '_' | '-' | '.' | '/' | '▁' | ' ');
    let word = inside.get(..end).filter(|word| !word.is_empty() && word.chars().all(is_word))?;
    let close = inside.get(word.len()..)?.strip_prefix(bars)?.strip_prefix('>')?;
    rest.get(..rest.len().saturating_sub(close.len()))
}

/// The call that a brace belongs to, if it is one of a reply: `respond {`, `replyToUser({`.
fn call_before(text: &str, brace: usize) -> Option<&str> {
    let (head, opening) = text.split_at_checked(brace)?;
    let head = opening.starts_with('{').then_some(head)?.trim_end_matches([' ', '(']);
    let from = |call: &&str| {
        let from = head.len().checked_sub(call.len())?;
        head.get(from..).filter(|word| word.eq_ignore_ascii_case(call)).map(|_| from)
    };
    let from = CALLS.iter().find_map(from)?;
    let before = head.get(..from)?.chars().next_back();
    let begins = before.is_none_or(|before| !before.is_alphanumeric() && before != '_');
    begins.then(|| text.get(from..=brace)).flatten()
}

/// The lines that may not stand too often.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    text.lines().map(str::trim).filter(move |line| {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        in_block ^= is_fence;
        !in_block && !is_fence && line.chars().nth(11).is_some() && line.contains(char::is_alphanumeric)
    })
}

/// How often a line may not stand.
const TIMES: u8 = 3;

/// The first line that stands in a text a third time or more often, with nothing new since the last time: what stands three
/// times among other things, as the state of three orders does, repeats nothing.
fn repeated(text: &str) -> Option<&str> {
    if !may_repeat(text) {
        return None;
    }
    // How often each line was seen, and the place of the last time.
    let mut seen: BTreeMap<&str, (u8, usize)> = BTreeMap::new();
    let mut new_at = 0;
    let mut judged = lines(text).peekable();
    let all = text.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate();
    all.filter_map(|(at, line)| {
        let is_judged = judged.next_if(|next| std::ptr::eq(*next, line)).is_some();
        let (times, last) = seen.entry(line).or_default();
        let before = std::mem::replace(last, at);
        *times = times.saturating_add(1);
        if *times == 1 {
            new_at = at;
        }
        (is_judged && *times >= TIMES && before >= new_at).then_some(line)
    })
    .next()
}

/// False if no line can stand three times: a look without memory, that lets most replies pass.
fn may_repeat(text: &str) -> bool {
    // How often, at most, each line of one fingerprint was seen.
    let mut seen = [0_u8; 1024];
    lines(text).any(|line| {
        let fingerprint = FixedState::default().hash_one(line) >> 54;
        let place = usize::try_from(fingerprint).ok().and_then(|place| seen.get_mut(place));
        place.is_none_or(|times| {
            *times = times.saturating_add(1);
            *times == TIMES
        })
    })
}

impl Check for Clean {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let narrates = |text: &str| self.narration.as_ref().is_some_and(|pattern| pattern.is_match(text));
        fires_if(&evaluation.context, |text| leak(text).is_some() || repeated(text).is_some() || narrates(text))
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let text = text(context);
        if let Some(leak) = leak(text) {
            let leak = quoted(leak);
            return format!(
                "The reply shows {leak}, which is not for the user. Write one clean message, without the markup of a model or a call."
            );
        }
        if let Some(line) = repeated(text) {
            return format!("The reply has the line {} 3 times. Say it once.", quoted(line));
        }
        let narration = self.narration.as_ref().and_then(|pattern| pattern.find(text));
        let narration = narration.map(|found| quoted(found.as_str())).unwrap_or_default();
        format!("The reply tells of your own work: {narration}. Leave that out, and say to the user what matters.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::reply::tests::{TOOLS, Told, judge, policy};

    #[test]
    fn markup_of_a_model_or_a_call_fires() {
        for (text, shown) in [
            ("<THINK>hm</think>", "<THINK"),
            ("so </think> Hello", "</think"),
            ("<thinking>", "<think"),
            ("a <tool_call>{}", "<tool_call"),
            ("a </Tool_Call>", "</Tool_Call"),
            ("<tool_response>", "<tool_response"),
            ("Hello<|im_end|>", "<|im_end|>"),
            ("<|assistant|> Hello", "<|assistant|>"),
            ("<｜end▁of▁sentence｜>", "<｜end▁of▁sentence｜>"),
            ("Bye [End of turn]", "[End of turn]"),
            ("respond {\"message\": \"hi\"}", "respond {"),
            ("replyToUser({text: hi})", "replyToUser({"),
        ] {
            let wanted = format!("The reply shows {}, which is not for the user.", quoted(shown));
            assert!(judge("{kind: degenerationGuard}", &Told::of(text)).unwrap_err().starts_with(&wanted), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_markup_passes() {
        for text in [
            "I think <b>so</b>, if a < b || b > c.",
            "<|> and <|a b, c|> and [end of turns]",
            "They correspond {roughly}. Respond within {days} days.",
            "<thin> <tool> <ThinkPad X1>",
            "<|",
        ] {
            assert_eq!(judge("{kind: degenerationGuard}", &Told::of(text)), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_line_that_stands_three_times_fires() {
        let text = "I will look it up.\nDone.\n  I will look it up.\nI will look it up.  ";
        let found = judge("{kind: degenerationGuard}", &Told::of(text)).unwrap_err();
        assert_eq!(found, "The reply has the line \"I will look it up.\" 3 times. Say it once.");
        for text in [
            "I will look it up.\nI will look it up.",
            "short line\nshort line\nshort line",
            "|----------|----------|\n|----------|----------|\n|----------|----------|",
            "```\nlet one = two();\nlet one = two();\nlet one = two();\n```",
        ] {
            assert_eq!(judge("{kind: degenerationGuard}", &Told::of(text)), Ok(()), "{text}");
        }
    }

    #[test]
    fn the_same_of_different_things_repeats_nothing() {
        let text = "Order 1\nStatus: delivered\n\nOrder 2\nStatus: delivered\n\nOrder 3\nStatus: delivered";
        assert_eq!(judge("{kind: degenerationGuard}", &Told::of(text)), Ok(()));
        let again = format!("{text}\nOrder 3\nStatus: delivered");
        assert_eq!(repeated(&again), Some("Status: delivered"));
    }

    #[test]
    fn many_different_lines_are_told_apart() {
        let text: String = (0..5000).map(|number| format!("This is line {number}.\n")).collect();
        assert_eq!(repeated(&text), None);
        assert_eq!(repeated(&format!("{text}This is line 7.\n{text}")), Some("This is line 7."));
    }

    #[test]
    fn telling_of_its_own_work_fires_where_it_is_declared() {
        let guard = "{kind: degenerationGuard, with: {selfNarration: '(?i)the user wants'}}";
        let found = judge(guard, &Told::of("The user wants a refund.")).unwrap_err();
        assert!(found.starts_with("The reply tells of your own work: \"The user wants\"."), "{found}");
        assert_eq!(judge(guard, &Told::of("You want a refund.")), Ok(()));
        let problems = policy(TOOLS, "{kind: degenerationGuard, with: {selfNarration: '.*'}}").unwrap_err();
        assert!(problems.contains("bad-pattern"), "{problems}");
    }
}
