//! `confirmFirst`: a destructive call waits until the user has confirmed it.

use super::{About, Check, Dimension, Firing, Hook, Kind, Read, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::path::Path;
use crate::schema::{ArgSchema, Bound, Slot, Subject, TypeSet};
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `confirmFirst`.
#[derive(Debug)]
pub struct ConfirmFirst;

static ABOUT: About = About {
    name: "confirmFirst",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Run,
    automatic: true,
    parameters: &Shape { name: "the parameters of `confirmFirst`", fields: &[] },
    docs: "\
## What it checks
Every call of the tools that say `destructive: true`, and those that `destructive: {when: …}` means, waits until the user
has confirmed it. A simulation does not wait: a call with `simulate: true` of a tool whose `parameters` declare a boolean
`simulate`. Nothing else is lifted for it, and it counts as a destructive action of its turn until its result proves that
nothing changed: `changed: false` or `tookEffect: false` at its top level, or the host's own `effect: false`. A result that
does not prove it comes with the warning `unproven_simulation`.

## Why
What cannot be undone is a person's to decide, on the exact call and not on how a model tells it. The model proposes the
call at once; nobody is asked about one that a rule would deny.

## Example
Every tool with `destructive: true` has it, and it asks the user. To switch it off:
```yaml
controls: {auto: {confirmFirst: false}}
```
Written as a guard it says itself what becomes of the call:
```yaml
- {id: sign-off, tools: [wipe], kind: confirmFirst, action: ask, by: approver}
```

## Correction
`delete_account` cannot be undone, and the user has not confirmed this call. Say what it would do, and wait for them.
",
};

/// The property that makes a call a simulation.
const SIMULATE: &str = "simulate";

/// Where a tool is told to simulate; `None` for one whose schema does not declare that.
pub(crate) fn simulation_of(args: &ArgSchema) -> Option<Slot> {
    let path = Path::parse(SIMULATE).ok()?;
    let located = args.locate(&path, Subject::Tool("")).ok()?;
    located.slot.filter(|_| located.tail.is_empty() && located.types.within(TypeSet::BOOLEAN))
}

/// True for a call that is to change nothing.
pub(crate) fn is_simulation(slot: Option<Slot>, args: &Bound<'_>) -> bool {
    slot.and_then(|slot| args.get(slot)) == Some(&Value::Bool(true))
}

/// The rule, and of a bound one where its tool is told to simulate.
#[derive(Debug, Default)]
struct Confirmed {
    simulate: Option<Slot>,
}

impl Kind for ConfirmFirst {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, _: &mut Decoder<'_>, _: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Some(Arc::new(Confirmed::default()))
    }
}

impl Rule for Confirmed {
    fn parameters(&self) -> Value<'static> {
        Object::new().into()
    }

    fn prose(&self) -> String {
        self.prose_where(Firing::AsksUser)
    }

    fn prose_where(&self, firing: Firing) -> String {
        let asked = |whom: &str| {
            let once = format!("make the call when it is due; it runs once {whom}, and they are asked for you");
            (once, "it runs unasked")
        };
        let (what, simulated) = match firing {
            Firing::AsksUser => asked("the user has confirmed it"),
            Firing::AsksApprover => asked("somebody who may approve it has done so"),
            Firing::Denies | Firing::RefusesTurn => ("it does not run; say what it would do".to_owned(), "it runs"),
            Firing::Warns => ("make the call only once the user has confirmed it".to_owned(), "it runs"),
        };
        format!(
            "a destructive action: {what}. With `simulate: true`, where the tool takes that, {simulated} and changes nothing"
        )
    }

    fn concerns(&self, tool: &ToolFacts<'_>) -> bool {
        tool.destructive
    }

    fn asks_user(&self) -> bool {
        true
    }

    fn bind(&self, tool: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(Confirmed { simulate: simulation_of(tool.args) })))
    }
}

impl Check for Confirmed {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        let waits = context.is_destructive && !is_simulation(self.simulate, context.args);
        if waits { Finding::Fires } else { Finding::Pass }
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let tool = context.tool;
        let simulate = self.simulate.map_or("", |_| " To see what it would do, propose it with `simulate: true`.");
        format!(
            "`{tool}` cannot be undone, and the user has not confirmed this call. Say what it would do, and wait for them.{simulate}"
        )
    }

    fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        let mut reads = vec![Read::words("destructive", context.is_destructive.to_string())];
        if self.simulate.is_some() {
            let simulates = is_simulation(self.simulate, context.args);
            reads.push(Read::words(format!("`{SIMULATE}`"), simulates.to_string()));
        }
        reads
    }

    fn flips(&self, _: &Context<'_>) -> Option<String> {
        self.simulate.map(|_| format!("`{SIMULATE}` false → true"))
    }

    fn is_final(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};
    use crate::schema::SchemaSources;

    #[test]
    fn only_a_declared_boolean_makes_a_call_a_simulation() {
        let cases = [
            (r#"{"type":"object","properties":{"simulate":{"type":"boolean"}}}"#, true),
            (r#"{"type":"object","properties":{"simulate":{"type":"boolean","default":false}}}"#, true),
            (r#"{"type":"object","properties":{"simulate":{"type":["boolean","string"]}}}"#, false),
            (r#"{"type":"object","properties":{"simulate":{}}}"#, false),
            (
                r#"{"type":"object","properties":{"deep":{"type":"object","properties":{"simulate":{"type":"boolean"}}}}}"#,
                false,
            ),
            (r#"{"type":"object","additionalProperties":{"type":"boolean"}}"#, false),
            (r#"{"type":"object"}"#, false),
        ];
        for (schema, wanted) in cases {
            let schema = parse(schema.as_bytes(), &Limits::default()).unwrap();
            let schema = ArgSchema::compile(&schema, &SchemaSources::none()).unwrap();
            assert_eq!(simulation_of(&schema).is_some(), wanted, "{schema:?}");
        }
        assert_eq!(simulation_of(&ArgSchema::any()), None);
    }

    #[test]
    fn nothing_but_true_simulates() {
        let schema = parse(br#"{"properties":{"simulate":{"type":"boolean"}}}"#, &Limits::default()).unwrap();
        let schema = ArgSchema::compile(&schema, &SchemaSources::none()).unwrap();
        let slot = simulation_of(&schema);
        for (args, wanted) in [(r#"{"simulate":true}"#, true), (r#"{"simulate":false}"#, false), ("{}", false)] {
            let args = parse(args.as_bytes(), &Limits::default()).unwrap();
            assert_eq!(is_simulation(slot, &schema.bind(&args).unwrap()), wanted);
            assert!(!is_simulation(None, &schema.bind(&args).unwrap()));
        }
    }
}
