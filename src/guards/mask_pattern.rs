//! `maskPattern`: what matches a pattern is covered in a reply.

use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use regex::{NoExpand, Regex};
use std::borrow::Cow;
use std::sync::Arc;

/// The kind `maskPattern`.
#[derive(Debug)]
pub struct MaskPattern;

static ABOUT: About = About {
    name: "maskPattern",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `maskPattern`",
        fields: &[
            Field::required("pattern", Type::Text, "A regular expression of what is covered."),
            Field::optional("with", Type::Text, "What stands in its place, as it is written; absent: `****`."),
        ],
    },
    docs: "\
## What it checks
Nothing: it changes replies, and takes no action. Each match of the pattern is replaced by `with`, as it is written. The
pattern is searched in linear time, once over the text.

## Why
An internal number or an address that slips into a reply is covered without asking the model for another one.

## Example
```yaml
- {id: no-internal-ids, kind: maskPattern, with: {pattern: 'INT-[0-9]+'}}
```

## Correction
None: the reply is changed before it is judged.
",
};

/// What stands in place of a match where the author says nothing.
const MASK: &str = "****";

#[derive(Clone, Debug)]
struct Mask {
    pattern: Regex,
    with: String,
}

impl Kind for MaskPattern {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let pattern = with.get("pattern").and_then(|node| super::pattern::search(decoder, node));
        let with = match with.get("with") {
            Some(node) => decoder.sentence(node)?.value,
            None => MASK.to_owned(),
        };
        Some(Arc::new(Mask { pattern: pattern?, with }))
    }
}

impl Rule for Mask {
    fn parameters(&self) -> Value<'static> {
        let pattern = Value::from(self.pattern.as_str().to_owned());
        let with = (self.with != MASK).then(|| Value::from(self.with.clone()));
        Object::of_some([("pattern", Some(pattern)), ("with", with)]).into()
    }

    fn prose(&self) -> String {
        let with = crate::text::quoted(&self.with);
        format!(
            "what matches `{}` is not for the user: in the reply {with} stands in its place, so leave it out",
            self.pattern
        )
    }

    fn is_mutator(&self) -> bool {
        true
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Check for Mask {
    fn check(&self, _: &mut Evaluation<'_>) -> Finding {
        Finding::Pass
    }

    fn mended(&self, text: &str, _: &mut Evaluation<'_>) -> Result<Option<String>, Finding> {
        match self.pattern.replace_all(text, NoExpand(&self.with)) {
            Cow::Owned(masked) if masked != text => Ok(Some(masked)),
            _ => Ok(None),
        }
    }

    fn correction(&self, _: &Context<'_>) -> String {
        format!("Leave out what matches `{}`.", self.pattern)
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, mend, policy};

    #[test]
    fn every_match_is_covered_and_nothing_else() {
        let guard = "{kind: maskPattern, with: {pattern: 'INT-[0-9]+'}}";
        let masked = mend(guard, &Told::of("INT-12 and INT-3, but INT- and int-4")).unwrap();
        assert_eq!(masked.as_deref(), Some("**** and ****, but INT- and int-4"));
        assert_eq!(mend(guard, &Told::of("INT-")).unwrap(), None);
    }

    #[test]
    fn the_mask_is_literal() {
        let guard = "{kind: maskPattern, with: {pattern: '(a)b', with: '$1 ${0} $&'}}";
        assert_eq!(mend(guard, &Told::of("ab")).unwrap().as_deref(), Some("$1 ${0} $&"));
    }

    #[test]
    fn a_pattern_that_cannot_be_meant_is_refused() {
        for (with, wanted) in [
            ("{pattern: 'a*'}", "bad-pattern: `a*` matches nothing at all as well"),
            ("{pattern: '.'}", "bad-pattern: `.` matches every text"),
            ("{pattern: '(a'}", "bad-pattern: the pattern cannot be read: unclosed group"),
            ("{pattern: '(?=a)b'}", "bad-pattern: the pattern cannot be read: look-around"),
            ("{pattern: 'a{1000}{1000}'}", "bad-pattern: the pattern is too large once compiled"),
            ("{pattern: a, with: ''}", "blank-text: a blank text says nothing"),
            ("{}", "missing-key: missing key `pattern`"),
        ] {
            let problems = policy(TOOLS, &format!("{{kind: maskPattern, with: {with}}}")).unwrap_err();
            assert!(problems.contains(wanted), "{with}: {problems}");
        }
    }
}
