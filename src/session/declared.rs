//! What a model declares beside the arguments of a call: asked of it, judged and shown, and never sent to the tool.
//!
//! It is taken out of what was sent before anything else looks at the arguments, so no digest, key or index has it.

use crate::policy::ToolPolicy;
use crate::schema::{ArgProblem, ArgSchema, Bound};
use crate::value::{Object, Value};
use std::borrow::Cow;

/// What a call declares.
pub(super) struct Declared {
    /// The arguments without it; `None` where they are all that was sent.
    pub(super) args: Option<Value<'static>>,
    /// What is declared, with the defaults of what is not.
    pub(super) values: Value<'static>,
}

/// What a call of a tool declares; `None` where the tool asks for nothing, or no object was sent.
#[inline]
pub(super) fn taken(tool: &ToolPolicy, sent: &Value<'_>) -> Option<Declared> {
    let asked = tool.declares.as_ref()?;
    take(asked, tool.coerce, sent)
}

fn take(asked: &ArgSchema, coerce: bool, sent: &Value<'_>) -> Option<Declared> {
    let names: Vec<&str> = asked.spots().names().collect();
    let (mut args, mut values) = (Object::new(), Object::new());
    for (key, value) in sent.as_object()?.iter() {
        let into = if names.contains(&key) { &mut values } else { &mut args };
        into.insert(Cow::Owned(key.to_owned()), value.to_owned_value());
    }
    let args = (!values.is_empty()).then_some(Value::Object(args));
    let values = Value::Object(values);
    let coerced = if coerce { asked.coerce(&values) } else { None }.unwrap_or(values);
    let values = asked.with_defaults(&coerced).unwrap_or(coerced);
    Some(Declared { args, values })
}

/// The arguments bound to their slots, or every problem of them and of what is declared.
#[inline]
pub(super) fn bind<'v>(
    tool: &ToolPolicy,
    args: &'v Value<'v>,
    declared: Option<&Declared>,
) -> Result<Bound<'v>, Vec<ArgProblem>> {
    let bound = tool.args.bind(args);
    match tool.declares.as_ref().zip(declared).map(|(asked, declared)| asked.bind(&declared.values)) {
        None | Some(Ok(_)) => bound,
        Some(Err(more)) => Err(bound.err().unwrap_or_default().into_iter().chain(more).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::to_text;
    use crate::json::{Limits, parse};
    use crate::schema::SchemaSources;

    #[test]
    fn what_is_declared_is_taken_out_with_its_defaults() {
        let schema = r#"{"type":"object","properties":{"reason":{"type":"string"},"sure":{"type":"boolean","default":false},"n":{"type":"integer"}}}"#;
        let schema = parse(schema.as_bytes(), &Limits::default()).unwrap();
        let asked = ArgSchema::compile(&schema, &SchemaSources::none()).unwrap();
        let cases = [
            (r#"{"id":1,"reason":"late"}"#, Some(r#"{"id":1}"#), r#"{"reason":"late","sure":false}"#),
            (r#"{"reason":"late","sure":true}"#, Some("{}"), r#"{"reason":"late","sure":true}"#),
            (r#"{"id":1,"deep":{"reason":"late"}}"#, None, r#"{"sure":false}"#),
            (r#"{"n":"4"}"#, Some("{}"), r#"{"n":4,"sure":false}"#),
        ];
        for (sent, args, values) in cases {
            let taken = take(&asked, true, &parse(sent.as_bytes(), &Limits::default()).unwrap()).unwrap();
            assert_eq!(taken.args.as_ref().map(to_text).as_deref(), args, "{sent}");
            assert_eq!(to_text(&taken.values), values, "{sent}");
        }
        assert!(take(&asked, false, &Value::Null).is_none());
    }
}
