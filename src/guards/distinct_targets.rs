//! `distinctTargets`: how many different values an argument may take.

use super::argument::Argument;
use super::{About, ArgumentPath, Check, Dimension, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::observed::{Form, MAX_ENTRIES, TallyId, TallyScope};
use crate::path::Reach;
use crate::schema::TypeSet;
use crate::tool::Pattern;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `distinctTargets`.
#[derive(Debug)]
pub struct DistinctTargets;

static ABOUT: About = About {
    name: "distinctTargets",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Run,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `distinctTargets`",
        fields: &[
            Field::required("arg", Type::Text, "The argument, as a path; each value of a list is one."),
            Field::required("max", Type::Count, "How many different values are allowed."),
            Field::optional("scope", Type::Word(&["turn", "session"]), "How long they count; absent: `session`."),
        ],
    },
    docs: "\
## What it checks
The allowed calls of its tools, together, have at most `max` different values of the argument, this call's among them;
each value of a list is one. The same value again costs nothing. Calls of one batch count for each other in the order in
which they are emitted. A call that failed may have got there, so its values count.

## Why
An agent that pays three known people a day has no reason to reach a hundred: mass mailing, spraying of accounts and
crawling of hosts stop at a number, whatever each single call looks like.

## Example
```yaml
- {id: few-recipients, tools: [send_mail], kind: distinctTargets, with: {arg: to, max: 5}}
```

## Correction
`to` may have 5 different values in this session, and with this call it would have 6. Use one that was used before, or
ask the user.
",
};

const SCOPES: &[(&str, TallyScope)] = &[("turn", TallyScope::Turn), ("session", TallyScope::Session)];

#[derive(Debug)]
struct Targets {
    arg: ArgumentPath,
    max: usize,
    scope: TallyScope,
}

impl Kind for DistinctTargets {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let arg = with.get("arg").and_then(|node| ArgumentPath::decode(decoder, node));
        let max = with.get("max").and_then(|node| decoder.count(node))?;
        let scope = match with.get("scope") {
            Some(node) => decoder.word(node, SCOPES)?,
            None => TallyScope::Session,
        };
        let most = usize::try_from(max.value).ok().filter(|most| *most < MAX_ENTRIES);
        let (Some(most), true) = (most, max.value > 0) else {
            let message = format!("`max` of `distinctTargets` is from 1 to {}", MAX_ENTRIES.saturating_sub(1));
            let problem = Diagnostic::error("bad-count", max.span, message);
            decoder.report(problem.help("the kind `forbid` refuses every call"));
            return None;
        };
        Some(Arc::new(Targets { arg: arg?, max: most, scope }))
    }
}

fn scope_words(scope: TallyScope) -> &'static str {
    match scope {
        TallyScope::Turn => "in this turn",
        TallyScope::Session => "in this session",
    }
}

impl Rule for Targets {
    fn parameters(&self) -> Value<'static> {
        let max = Value::from(i64::try_from(self.max).unwrap_or(i64::MAX));
        let scope = (self.scope == TallyScope::Turn).then(|| Value::from("turn"));
        Object::of_some([("arg", Some(self.arg.value())), ("max", Some(max)), ("scope", scope)]).into()
    }

    fn prose(&self) -> String {
        let scope = match self.scope {
            TallyScope::Turn => "a turn",
            TallyScope::Session => "a session",
        };
        format!("`{}` has at most {} different values {scope}", self.arg.text(), self.max)
    }

    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let arg = self.arg.locate(tool, TypeSet::ANY)?;
        let index = compiler.plan().distinct(tool.rule, Pattern::key(tool.name), self.arg.path(), self.scope);
        Ok(Some(Box::new(Bound { arg, index, max: self.max, scope: self.scope })))
    }
}

#[derive(Debug)]
struct Bound {
    arg: Argument,
    index: TallyId,
    max: usize,
    scope: TallyScope,
}

impl Bound {
    /// How many there are with this call, and whether it has one at all.
    fn with_this(&self, context: &Context<'_>) -> (usize, bool) {
        let (mut values, mut is_null) = (Vec::new(), false);
        let reach = self.arg.each(context.args, |value| {
            is_null |= value.is_null();
            Form::Scalars.keys(context.key, value, &mut values);
        });
        values.sort_unstable();
        values.dedup();
        (context.observed.distinct(self.index, &values), !is_null && reach == Reach::Complete)
    }
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        match self.with_this(&evaluation.context) {
            (count, _) if count > self.max => Finding::Fires,
            (_, false) => Finding::Missing,
            (_, true) => Finding::Pass,
        }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let (count, is_there) = self.with_this(context);
        let (arg, max, scope) = (self.arg.text(), self.max, scope_words(self.scope));
        if count <= max && !is_there {
            return format!("`{arg}` is missing. Pass it.");
        }
        format!(
            "`{arg}` may have {max} different values {scope}, and with this call it would have {count}. Use one that was used before, or ask the user."
        )
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        let (count, _) = self.with_this(context);
        let mut reads = self.arg.reads(context);
        reads.push(Read::words("different values with this call", count.to_string()));
        reads
    }
}
