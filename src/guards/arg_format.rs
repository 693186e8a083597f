//! `argFormat`: an argument that matches a pattern as a whole.

use super::argument::{Argument, ArgumentPath, Visit};
use super::{About, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::schema::TypeSet;
use crate::value::{Object, Value};
use regex::{Regex, RegexBuilder};
use std::sync::Arc;

/// The kind `argFormat`.
#[derive(Debug)]
pub struct ArgFormat;

static ABOUT: About = About {
    name: "argFormat",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Input,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `argFormat`",
        fields: &[
            Field::required("arg", Type::Text, "The argument, as a path: `a`, `a.b`, `a[].b`."),
            Field::required("pattern", Type::Text, "A regular expression that the whole text must match."),
        ],
    },
    docs: "\
## What it checks
The argument is a text and the pattern matches all of it, from the first character to the last. A number, a list or
any other value that is not a text fires too. With `[]` every element must match.

## Why
An unanchored pattern lets anything pass around the part that matches, and a check that skips what is not a text is
no check.

## Example
```yaml
- {id: order-id, tools: [refund], kind: argFormat, with: {arg: order_id, pattern: 'ORD-[0-9]{6}'}}
```

## Correction
`order_id` must match `ORD-[0-9]{6}` as a whole; you sent \"17\".
",
};

/// The most memory a compiled pattern may take.
const PATTERN_BYTES: usize = 1 << 20;

#[derive(Debug)]
struct Format {
    arg: ArgumentPath,
    pattern: String,
    regex: Regex,
}

/// A pattern that matches whole texts only, in linear time.
fn whole(pattern: &str) -> Result<Regex, regex::Error> {
    // The pattern is compiled alone first, so that a stray `)` cannot close the group around it.
    RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build()?;
    RegexBuilder::new(&format!(r"\A(?:{pattern})\z")).size_limit(PATTERN_BYTES).build()
}

/// The last line of the crate's message is the reason; the lines above draw the pattern.
fn reason(error: &regex::Error) -> String {
    if let regex::Error::CompiledTooBig(_) = error {
        return "it is too large once compiled".into();
    }
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").trim_end_matches('.').to_owned()
}

impl Kind for ArgFormat {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let arg = with.get("arg").and_then(|node| ArgumentPath::decode(decoder, node));
        let pattern = with.get("pattern").and_then(|node| decoder.text(node))?;
        if pattern.value.is_empty() {
            let problem =
                Diagnostic::error("bad-pattern", pattern.span, "an empty pattern matches the empty text only");
            decoder.report(problem.help("write what the text must look like: `[A-Z]{2}[0-9]{6}`"));
            return None;
        }
        match whole(&pattern.value) {
            Ok(regex) => Some(Arc::new(Format { arg: arg?, pattern: pattern.value, regex })),
            Err(error) => {
                let message = format!("the pattern does not compile: {}", reason(&error));
                let help = "patterns run in linear time: no look-around, no back-references";
                decoder.report(Diagnostic::error("bad-pattern", pattern.span, message).help(help));
                None
            }
        }
    }
}

impl Rule for Format {
    fn parameters(&self) -> Value<'static> {
        Object::of([("arg", self.arg.value()), ("pattern", Value::from(self.pattern.clone()))]).into()
    }

    fn prose(&self) -> String {
        format!("`{}` must match `{}` as a whole", self.arg.text(), self.pattern)
    }

    fn bind(&self, tool: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let arg = self.arg.locate(tool, TypeSet::STRING)?;
        Ok(Some(Box::new(Bound { arg, pattern: self.pattern.clone(), regex: self.regex.clone() })))
    }
}

#[derive(Debug)]
struct Bound {
    arg: Argument,
    pattern: String,
    regex: Regex,
}

impl Bound {
    fn fits(&self, value: &Value<'_>) -> bool {
        value.as_str().is_some_and(|text| self.regex.is_match(text))
    }
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        match self.arg.visit(context, |value| self.fits(value)) {
            Visit::Fits => Finding::Pass,
            Visit::Unfit => Finding::Fires,
            Visit::Missing => Finding::Missing,
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let unfit = self.arg.unfit(context, |value| self.fits(value));
        format!("`{}` must match `{}` as a whole; {}.", unfit.place, self.pattern, unfit.words())
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        self.arg.reads(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_the_whole_text_or_nothing() {
        let regex = whole("a|bc").unwrap();
        assert!(regex.is_match("a") && regex.is_match("bc"));
        assert!(!regex.is_match("ab") && !regex.is_match("bcx") && !regex.is_match("a\n"));
    }

    #[test]
    fn a_pattern_cannot_climb_out_of_its_anchors() {
        assert!(whole("a)|(b").is_err());
        assert!(whole("(?=a)").is_err());
    }

    #[test]
    fn why_a_pattern_does_not_compile_is_half_a_sentence() {
        let reason = |pattern: &str| reason(&whole(pattern).unwrap_err());
        assert_eq!(reason("(a"), "unclosed group");
        assert_eq!(reason("(a\n"), "unclosed group");
        assert_eq!(reason("a{1000}{1000}"), "it is too large once compiled");
    }
}
