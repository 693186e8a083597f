//! `purgePattern`: what matches a pattern is deleted from a reply.

use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use regex::Regex;
use std::sync::Arc;

/// The kind `purgePattern`.
#[derive(Debug)]
pub struct PurgePattern;

static ABOUT: About = About {
    name: "purgePattern",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `purgePattern`",
        fields: &[Field::required("pattern", Type::Text, "A regular expression of what is deleted.")],
    },
    docs: "\
## What it checks
Nothing: it changes replies, and takes no action. Each match of the pattern is deleted, and with it the space that would
then stand twice, or alone before a full stop or the end of a line. The pattern is searched in linear time, once over the
text. A reply of which nothing is left is blank, and never delivered.

## Why
Source marks, signatures and the like, that a model adds and no user needs.

## Example
```yaml
- {id: no-source-marks, kind: purgePattern, with: {pattern: '\\[[0-9]+†[^\\]]*\\]'}}
```

## Correction
None: the reply is changed before it is judged.
",
};

#[derive(Clone, Debug)]
struct Purge {
    pattern: Regex,
}

impl Kind for PurgePattern {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let pattern = super::pattern::search(decoder, with.get("pattern")?)?;
        Some(Arc::new(Purge { pattern }))
    }
}

impl Rule for Purge {
    fn parameters(&self) -> Value<'static> {
        Object::of([("pattern", Value::from(self.pattern.as_str().to_owned()))]).into()
    }

    fn prose(&self) -> String {
        format!("what matches `{}` is not for the user: it is deleted from the reply, so leave it out", self.pattern)
    }

    fn is_mutator(&self) -> bool {
        true
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

const BLANKS: [char; 2] = [' ', '\t'];

/// Adds what stands behind a deleted match, up to the next one or the end, and takes out the blanks that the match left over.
fn push_behind(out: &mut String, kept: &str, is_last: bool) {
    let is_edge = |end: Option<char>| end.is_none_or(|end| end == '\n' || BLANKS.contains(&end));
    let kept = if is_edge(out.chars().next_back()) { kept.trim_start_matches(BLANKS) } else { kept };
    if kept.is_empty() && !is_last {
        return;
    }
    let ends =
        kept.chars().next().is_none_or(|next| matches!(next, '\n' | '\r' | '.' | ',' | ';' | ':' | '!' | '?' | ')'));
    // What indents a line stays.
    if ends && !out.trim_end_matches(BLANKS).ends_with('\n') {
        out.truncate(out.trim_end_matches(BLANKS).len());
    }
    out.push_str(kept);
}

impl Check for Purge {
    fn check(&self, _: &mut Evaluation<'_>) -> Finding {
        Finding::Pass
    }

    fn mended(&self, text: &str, _: &mut Evaluation<'_>) -> Result<Option<String>, Finding> {
        let mut from = 0;
        let mut out: Option<String> = None;
        let mut add = |kept: &str, is_last: bool| match &mut out {
            Some(out) => push_behind(out, kept, is_last),
            None => out = Some(kept.to_owned()),
        };
        for found in self.pattern.find_iter(text) {
            add(text.get(from..found.start()).unwrap_or_default(), false);
            from = found.end();
        }
        if from > 0 {
            add(text.get(from..).unwrap_or_default(), true);
        }
        Ok(out)
    }

    fn correction(&self, _: &Context<'_>) -> String {
        format!("Leave out what matches `{}`.", self.pattern)
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, mend, policy};

    fn purged(text: &str) -> Option<String> {
        mend(r"{kind: purgePattern, with: {pattern: '\[[0-9]+\]'}}", &Told::of(text)).unwrap()
    }

    #[test]
    fn a_match_goes_with_the_space_that_is_left_over() {
        for (text, wanted) in [
            ("It is [1] open [2].", "It is open."),
            ("[1] It is open", "It is open"),
            ("open[1][2] now", "open now"),
            ("open [1][2]now [3] [4]there[5]", "open now there"),
            ("- [1][2] a", "- a"),
            ("open [1] [2]\nnow [3]", "open\nnow"),
            ("- [1] a\n  [2] b", "- a\n  b"),
            ("[1]", ""),
        ] {
            assert_eq!(purged(text).as_deref(), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_does_not_match_stays_as_it_is() {
        assert_eq!(purged("two  spaces [a] . stay"), None);
        assert_eq!(purged("two  spaces [1] stay  here").as_deref(), Some("two  spaces stay  here"));
    }

    #[test]
    fn a_pattern_that_deletes_everything_is_refused() {
        let problems = policy(TOOLS, "{kind: purgePattern, with: {pattern: '.+'}}").unwrap_err();
        assert_eq!(problems, "bad-pattern: `.+` matches every text");
    }
}
