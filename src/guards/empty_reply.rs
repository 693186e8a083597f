//! `emptyReply`: a turn does not end without a word.

use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `emptyReply`.
#[derive(Debug)]
pub struct EmptyReply;

static ABOUT: About = About {
    name: "emptyReply",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: true,
    parameters: &Shape { name: "the parameters of `emptyReply`", fields: &[] },
    docs: "\
## What it checks
The reply says something: white space and invisible characters alone say nothing.

## Why
After a long run of tools a model may stop without a word, and the user waits for an answer that never comes. A blank
reply is never delivered, even where this guard is switched off; with it the model is told before, and its author may say
what it is told then.

## Example
```yaml
- {id: say-something, kind: emptyReply}
```

## Correction
The reply is empty. Tell the user what was done and what comes next.
",
};

impl Kind for EmptyReply {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, _: &mut Decoder<'_>, _: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Some(Arc::new(EmptyReplyRule))
    }
}

#[derive(Debug)]
struct EmptyReplyRule;

impl Rule for EmptyReplyRule {
    fn parameters(&self) -> Value<'static> {
        Object::new().into()
    }

    fn prose(&self) -> String {
        "never end a turn with an empty reply".into()
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(NotEmpty)))
    }
}

#[derive(Debug)]
struct NotEmpty;

impl Check for NotEmpty {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let reply = evaluation.context.reply;
        if reply.is_some_and(|reply| crate::text::is_blank(reply.text)) { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, _: &Context<'_>) -> String {
        "The reply is empty. Tell the user what was done and what comes next.".into()
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{Told, judge};

    #[test]
    fn what_shows_nothing_says_nothing() {
        for blank in ["", " \n\t", "\u{200b}\u{2060}"] {
            let found = judge("{kind: emptyReply}", &Told::of(blank));
            assert_eq!(found.unwrap_err(), "The reply is empty. Tell the user what was done and what comes next.");
        }
        assert_eq!(judge("{kind: emptyReply}", &Told::of("0")), Ok(()));
    }
}
