//! `noUngroundedRegulatedFigure`: figures of a declared form come from results, or are not named at all.

use super::claims::{MAX_NAMED, hold};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::acts::{Act, End};
use crate::context::{Context, Failure, Finding, Reply};
use crate::decimal::Decimal;
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::hash::SessionKey;
use crate::text::{joined, quoted};
use crate::value::{Object, Value};
use regex::Regex;
use std::sync::Arc;

/// The kind `noUngroundedRegulatedFigure`.
#[derive(Debug)]
pub struct NoUngroundedRegulatedFigure;

static ABOUT: About = About {
    name: "noUngroundedRegulatedFigure",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `noUngroundedRegulatedFigure`",
        fields: &[
            Field::required("pattern", Type::Text, "A regular expression of such a figure: `[0-9.]+ ?% p\\.a\\.`."),
            Field::optional(
                "allowFromResults",
                Type::Bool,
                "`false`: no such figure is named, wherever it comes from. Absent: `true`.",
            ),
        ],
    },
    docs: "\
## What it checks
Each thing in the reply that `pattern` finds stands in the result of a call of this turn: the whole of it as a value of
its own, or each number in it by value; that the model sent it with the call is no source. A number is read with a point or a comma before its decimals and with groups
of three; where both readings are possible one that stands in a result is enough. What the pattern finds of a number
counts as all of that number, digits right behind a letter are no number, and percent are not turned into fractions. A
figure inside a longer text of a result is not a value of its own.

With `allowFromResults: false` whatever the pattern finds fires. The pattern runs in linear time and is searched for.

## Why
A rate, a dose or a limit that a model remembers is one that nobody stands behind.

## Example
```yaml
- {id: rates, kind: noUngroundedRegulatedFigure, with: {pattern: '[0-9][0-9.,]* ?%'}}
```

## Correction
The reply names \"4.9 %\", which no result of this turn has. Look it up, or leave it out.
",
};

#[derive(Clone, Debug)]
struct Figure {
    pattern: Regex,
    from_results: bool,
}

impl Kind for NoUngroundedRegulatedFigure {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let pattern = super::pattern::search(decoder, with.get("pattern")?);
        let from_results = with.get("allowFromResults").and_then(|node| decoder.bool(node)).unwrap_or(true);
        let rule = Figure { pattern: pattern?, from_results };
        (decoder.problems() == before).then(|| Arc::new(rule) as Arc<dyn Rule>)
    }
}

impl Rule for Figure {
    fn parameters(&self) -> Value<'static> {
        let denied = (!self.from_results).then_some(Value::Bool(false));
        let pattern = Value::from(self.pattern.as_str().to_owned());
        Object::of_some([("allowFromResults", denied), ("pattern", Some(pattern))]).into()
    }

    fn prose(&self) -> String {
        let pattern = self.pattern.as_str();
        match self.from_results {
            true => format!("name a figure that matches `{pattern}` only as a result of this turn has it"),
            false => format!("never name a figure that matches `{pattern}`"),
        }
    }

    fn bind(
        &self,
        _: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        compiler.plan().keep_act_values();
        Ok(Some(Box::new(self.clone())))
    }
}

impl Figure {
    /// The figures that no result has; `None` stands for one of which nobody can tell.
    fn ungrounded<'c>(&'c self, reply: &Reply<'c>, key: &'c SessionKey) -> impl Iterator<Item = Option<&'c str>> {
        let (text, acts) = (reply.text, reply.acts);
        let found = self.pattern.find_iter(text).filter_map(move |found| widened(text, found.start(), found.end()));
        found.filter_map(move |figure| match self.from_results {
            false => Some(Some(figure)),
            true => match is_grounded(figure, acts, key) {
                Some(true) => None,
                Some(false) => Some(Some(figure)),
                None => Some(None),
            },
        })
    }
}

impl Check for Figure {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        let Some(reply) = context.reply else { return Finding::Pass };
        let mut is_unsure = false;
        for figure in self.ungrounded(reply, context.key) {
            match figure {
                Some(_) => return Finding::Fires,
                None => is_unsure = true,
            }
        }
        if is_unsure { Finding::Fails(Failure::IndexFull) } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let Some(reply) = context.reply else { return String::new() };
        let mut named: Vec<String> = Vec::new();
        for figure in self.ungrounded(reply, context.key).flatten().map(quoted) {
            if !named.contains(&figure) && named.len() < MAX_NAMED {
                named.push(figure);
            }
        }
        let named = joined(&named, "and");
        match self.from_results {
            true => format!("The reply names {named}, which no result of this turn has. Look it up, or leave it out."),
            false => format!("The reply names {named}, which is never named here. Leave it out."),
        }
    }
}

/// What a pattern found, with the rest of the numbers that it begins and ends in.
fn widened(text: &str, start: usize, end: usize) -> Option<&str> {
    let (before, rest) = text.split_at_checked(start)?;
    let (found, behind) = rest.split_at_checked(end.checked_sub(start)?)?;
    let is_part = |letter: &char| letter.is_ascii_digit() || matches!(letter, '.' | ',');
    let mut from = start;
    if found.starts_with(|first: char| first.is_ascii_digit()) {
        let run: usize = before.chars().rev().take_while(is_part).map(char::len_utf8).sum();
        let run = before.get(before.len().saturating_sub(run)..).unwrap_or_default();
        // What ends a sentence before the number is no part of it.
        let run = if before.ends_with(char::is_whitespace) { "" } else { run.trim_start_matches(['.', ',']) };
        from = start.saturating_sub(run.len());
    }
    let mut to = end;
    if found.ends_with(|last: char| last.is_ascii_digit()) {
        let run: usize = behind.chars().take_while(is_part).map(char::len_utf8).sum();
        to = end.saturating_add(behind.get(..run).unwrap_or_default().trim_end_matches(['.', ',']).len());
    }
    text.get(from..to)
}

/// True if a figure stands in a call that came back; `None` where nobody can tell.
fn is_grounded(figure: &str, acts: &[Act], key: &SessionKey) -> Option<bool> {
    let came_back = || acts.iter().filter(|act| matches!(act.end, End::Done | End::NoEffect));
    let number_stands =
        |number: Decimal| any(came_back().map(|act| Some(act.result_scalars()?.hold_number(key, number))));
    let number = |readings: &Vec<Decimal>| any(readings.iter().map(|reading| number_stands(*reading)));
    let whole = any(came_back().map(|act| Some(hold(act.result_scalars()?, key, &Value::from(figure)))));
    match numbers(figure) {
        // All of them stand unless one does not.
        Some(numbers) if !numbers.is_empty() => {
            let lacks = any(numbers.iter().map(|readings| number(readings).map(|stands| !stands)));
            any([whole, lacks.map(|lacks| !lacks)].into_iter())
        }
        _ => whole,
    }
}

/// True if one is; `None` where none is and nobody can tell of some.
fn any(mut all: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut is_unsure = false;
    let found = all.any(|one| {
        is_unsure |= one.is_none();
        one == Some(true)
    });
    if found || !is_unsure { Some(found) } else { None }
}

/// The numbers of a figure, each with what it may mean; `None` where some digits are no number.
fn numbers(figure: &str) -> Option<Vec<Vec<Decimal>>> {
    let (mut numbers, mut rest, mut before) = (Vec::new(), figure, None);
    while let Some(at) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let (lead, run) = rest.split_at_checked(at)?;
        let last = lead.chars().next_back().or(before);
        if last.is_some_and(char::is_alphanumeric) {
            return None;
        }
        let length = run.find(|letter: char| !(letter.is_ascii_digit() || is_separator(letter))).unwrap_or(run.len());
        let (run, behind) = run.split_at_checked(length)?;
        let run = run.trim_end_matches(is_separator);
        let readings = readings(run, matches!(last, Some('-' | '−')));
        if readings.is_empty() {
            // White space may stand between two numbers, too.
            for part in run.split(char::is_whitespace) {
                numbers.push(self::readings(part, false));
            }
        } else {
            numbers.push(readings);
        }
        before = run.chars().next_back();
        rest = behind;
        if behind.starts_with(char::is_alphabetic) {
            before = None;
            rest = behind.trim_start_matches(char::is_alphabetic);
            // A unit ends it; digits right behind a unit are no number.
            if rest.starts_with(|letter: char| letter.is_ascii_digit()) {
                return None;
            }
        }
    }
    Some(numbers)
}

fn is_separator(letter: char) -> bool {
    letter == '.' || letter == ',' || letter == '\'' || letter == '’' || letter.is_whitespace()
}

/// What digits with separators between them may mean: decimals behind a point or a comma, and groups of three.
fn readings(run: &str, is_negative: bool) -> Vec<Decimal> {
    let mut readings: Vec<Decimal> = Vec::new();
    for decimal in ['.', ','] {
        let (whole, decimals) = run.split_once(decimal).map_or((run, None), |(whole, rest)| (whole, Some(rest)));
        for candidate in [(run, None), (whole, decimals)] {
            let Some(digits) = plain(candidate.0, candidate.1, decimal) else { continue };
            let Ok(number) = Decimal::parse_json(&digits) else { continue };
            readings.push(number);
            if is_negative {
                readings.extend(Decimal::parse_json(&format!("-{digits}")).ok());
            }
        }
    }
    readings
}

/// A number as JSON writes it, if its groups are of three.
fn plain(whole: &str, decimals: Option<&str>, decimal: char) -> Option<String> {
    let is_group = |letter: char| is_separator(letter) && (letter != decimal);
    let mut groups = whole.split(is_group);
    let mut digits = groups.next()?.to_owned();
    if digits.len() > 3 && digits.len() != whole.len() {
        return None;
    }
    for group in groups {
        if group.len() != 3 {
            return None;
        }
        digits.push_str(group);
    }
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match decimals {
        None => Some(digits),
        Some(decimals) if !decimals.is_empty() && decimals.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(format!("{digits}.{decimals}"))
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guards::claims::tests::{act, full, read};
    use crate::guards::reply::tests::{Told, judge, policy};

    const RATE: &str = "{kind: noUngroundedRegulatedFigure, with: {pattern: '[0-9][0-9.,]* ?%'}}";

    fn told(text: &str, values: &str) -> Result<(), String> {
        judge(RATE, &Told { acts: vec![read("rates", values)], ..Told::of(text) })
    }

    #[test]
    fn a_figure_stands_in_a_result() {
        assert_eq!(told("It is 4.90 % now.", r#"{"rate": 4.9}"#), Ok(()));
        assert_eq!(told("It is 4,9 % now.", r#"{"rate": "4.9"}"#), Ok(()));
        assert_eq!(told("It is 4.9 % now.", r#"{"rate": "4.9 %"}"#), Ok(()));
        assert_eq!(told("It is 4.90 % or 4.9 % now.", r#"{"rate": "4.90"}"#), Ok(()));
        assert_eq!(
            told("It is 4.9 %, later 5.1 %, then 4.9 %.", r#"{"rate": 49, "of": "up to 4.9 % a year"}"#).unwrap_err(),
            "The reply names \"4.9 %\" and \"5.1 %\", which no result of this turn has. Look it up, or leave it out."
        );
        assert_eq!(told("Nothing of the kind.", "[]"), Ok(()));
    }

    #[test]
    fn only_what_came_back_counts() {
        for end in [End::Denied, End::Refused, End::Asked, End::Running, End::Failed, End::Unknown] {
            let acts = vec![act("rates", end, "[5]")];
            assert!(judge(RATE, &Told { acts, ..Told::of("5 %") }).is_err(), "{end:?}");
        }
    }

    #[test]
    fn a_pattern_that_finds_the_end_of_a_number_found_all_of_it() {
        let guard = "{kind: noUngroundedRegulatedFigure, with: {pattern: '[0-9] ?%'}}";
        let told = |text, values: &str| judge(guard, &Told { acts: vec![read("rates", values)], ..Told::of(text) });
        assert!(told("It is 14.5 %.", "[5]").unwrap_err().contains("\"14.5 %\""));
        assert_eq!(told("It is 14.5 %.", "[14.5]"), Ok(()));
        assert_eq!(told("So.5 % it is.", "[5]"), Ok(()));
        assert_eq!(widened("1,234.5 of 7.", 2, 3), Some("1,234.5"));
        assert_eq!(widened("at 7.", 3, 4), Some("7"));
    }

    #[test]
    fn a_number_is_read_as_it_may_be_meant() {
        let of = |text: &str| -> Option<Vec<Vec<String>>> {
            let all = numbers(text)?.into_iter();
            Some(
                all.map(|one| {
                    let mut one: Vec<String> = one.iter().map(Decimal::to_string).collect();
                    one.sort();
                    one.dedup();
                    one
                })
                .collect(),
            )
        };
        let cases: [(&str, Option<&[&[&str]]>); 13] = [
            ("5", Some(&[&["5"]])),
            ("$1,234.50", Some(&[&["1234.5"]])),
            ("1.234,50 €", Some(&[&["1234.5"]])),
            ("1,234", Some(&[&["1.234", "1234"]])),
            ("1,234,567", Some(&[&["1234567"]])),
            ("1 234 567,5", Some(&[&["1234567.5"]])),
            ("1'234.5", Some(&[&["1234.5"]])),
            ("-5", Some(&[&["-5", "5"]])),
            ("12mg", Some(&[&["12"]])),
            ("5 of 10", Some(&[&["5"], &["10"]])),
            ("5 10", Some(&[&["5"], &["10"]])),
            ("BASF111", None),
            ("1A2", None),
        ];
        for (text, wanted) in cases {
            let wanted: Option<Vec<Vec<String>>> =
                wanted.map(|all| all.iter().map(|one| one.iter().map(|one| (*one).to_owned()).collect()).collect());
            assert_eq!(of(text), wanted, "{text}");
        }
        assert_eq!(of("12,34,567"), Some(vec![vec![]]), "groups of another size are no number that is known");
    }

    #[test]
    fn a_figure_may_be_refused_wherever_it_comes_from() {
        let guard = "{kind: noUngroundedRegulatedFigure, with: {pattern: '[0-9]+ mg', allowFromResults: false}}";
        let acts = vec![read("doses", r#"["5 mg"]"#)];
        let told = judge(guard, &Told { acts, ..Told::of("Take 5 mg.") });
        assert_eq!(told.unwrap_err(), "The reply names \"5 mg\", which is never named here. Leave it out.");
    }

    #[test]
    fn what_nobody_can_tell_is_no_yes() {
        let told = |acts| judge(RATE, &Told { acts, ..Told::of("5 %") });
        assert_eq!(told(vec![full("rates", End::Done)]).unwrap_err(), "Fails(IndexFull)");
        assert_eq!(told(vec![full("rates", End::Done), read("rates", "[5]")]), Ok(()));
    }

    #[test]
    fn nonsense_is_refused() {
        for with in [
            "pattern: '('",
            "pattern: 'a*'",
            "pattern: ''",
            "allowFromResults: true",
            "pattern: a, allowFromResults: 'no'",
        ] {
            let guard = format!("{{kind: noUngroundedRegulatedFigure, with: {{{with}}}}}");
            assert!(policy("tools: {look: {effect: read}}", &guard).is_err(), "{with}");
        }
    }
}
