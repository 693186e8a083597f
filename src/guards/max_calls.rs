//! `maxCalls`: at most so many calls. It compiles to a count budget (gate 8), so a batch shares it.

use super::{About, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::BindProblem;
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::Compiler;
use crate::value::{Object, Value};
use std::sync::Arc;

/// How long a count lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One turn.
    Turn,
    /// The whole session.
    Session,
}

impl Scope {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, Scope)] = &[("turn", Scope::Turn), ("session", Scope::Session)];

    /// `turn` or `session`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scope::Turn => "turn",
            Scope::Session => "session",
        }
    }
}

/// A count and what it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How many are allowed; 0 allows none.
    pub max: u64,
    /// How long the count lasts.
    pub scope: Scope,
    /// True to count every proposal, denied ones too.
    pub attempts: bool,
}

/// The kind `maxCalls`.
#[derive(Debug)]
pub struct MaxCalls;

static ABOUT: About = About {
    name: "maxCalls",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Run,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `maxCalls`",
        fields: &[
            Field::required("max", Type::Count, "How many calls are allowed; 0 allows none."),
            Field::optional("scope", Type::Word(&["turn", "session"]), "How long the count lasts; default `turn`."),
        ],
    },
    docs: "\
## What it checks
At most `max` calls of the tools it names, together, in one turn or in the whole session. A call counts from the
moment it is allowed, whatever becomes of it; a denied one does not. Calls of one batch share the count.

## Why
Bounds what an agent can do by repeating itself. It is the same as a budget with `count: calls`.

## Example
```yaml
- {id: one-mail, tools: [send_email], kind: maxCalls, with: {max: 1, scope: session}}
```

## Correction
`send_email` may be called once in this session, and that is used up. Do not call it again; say what is left undone.
",
};

#[derive(Debug)]
struct AtMost {
    limit: Limit,
}

impl Kind for MaxCalls {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let max = with.get("max").and_then(|node| decoder.count(node));
        let scope = match with.get("scope") {
            Some(node) => decoder.word(node, Scope::WORDS)?,
            None => Scope::Turn,
        };
        Some(Arc::new(AtMost { limit: Limit { max: max?.value, scope, attempts: false } }))
    }
}

impl Rule for AtMost {
    fn parameters(&self) -> Value<'static> {
        let max = crate::decimal::Decimal::from(self.limit.max);
        Object::of([("max", Value::Number(max)), ("scope", Value::from(self.limit.scope.name()))]).into()
    }

    fn prose(&self) -> String {
        format!("call it at most {} a {}", times(self.limit.max), self.limit.scope.name())
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(None)
    }

    fn limit(&self) -> Option<Limit> {
        Some(self.limit)
    }
}

/// `once`, `twice`, `3 times`.
#[must_use]
pub fn times(count: u64) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        count => format!("{count} times"),
    }
}
