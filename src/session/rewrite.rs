//! Gate 4: the changes of its arguments that a tool declares, once, in the order written, before anything judges them.
//!
//! What is absent or null has nothing to change. A change that cannot be made of what was sent stops the call.

use crate::path::{Path, Step};
use crate::spec::{ArgChange, Form, Rewrite};
use crate::value::{Object, Value};
use std::borrow::Cow;

/// The arguments after a tool's rewrites, `None` where they stay as they were sent; or what to tell the model.
pub(super) fn rewritten(rewrites: &[Rewrite], args: &Value<'_>) -> Result<Option<Value<'static>>, String> {
    // Arguments that are no object are refused by the schema, in its words.
    if rewrites.is_empty() || args.as_object().is_none() {
        return Ok(None);
    }
    let mut changed = args.to_owned_value();
    for rewrite in rewrites {
        apply(&mut changed, &[], rewrite.arg.path().steps(), &rewrite.change)?;
    }
    Ok((changed != *args).then_some(changed))
}

/// Makes a change at the end of the steps that are left.
fn apply(value: &mut Value<'static>, done: &[Step], left: &[Step], change: &ArgChange) -> Result<(), String> {
    let Some((step, rest)) = left.split_first() else { return change_value(value, done, change) };
    let here = [done, std::slice::from_ref(step)].concat();
    match (step, value) {
        (Step::Key(name), Value::Object(members)) => below(members, name, &here, rest, change),
        (Step::Each, Value::Array(items)) => items.iter_mut().try_for_each(|item| apply(item, &here, rest, change)),
        (Step::Values, Value::Object(members)) => {
            members.values_mut().try_for_each(|member| apply(member, &here, rest, change))
        }
        (_, Value::Null) if !matches!(change, ArgChange::Set(_)) => Ok(()),
        (Step::Each, other) => Err(refusal(done, "an array", other)),
        (Step::Key(_) | Step::Values, other) => Err(refusal(done, "an object", other)),
    }
}

fn below(
    members: &mut Object<'static>,
    name: &str,
    here: &[Step],
    rest: &[Step],
    change: &ArgChange,
) -> Result<(), String> {
    let key = || Cow::Owned(name.to_owned());
    match (change, members.get_mut(name)) {
        (ArgChange::Set(value), _) if rest.is_empty() => {
            members.insert(key(), value.clone());
            Ok(())
        }
        (ArgChange::Default(value), None) if rest.is_empty() => {
            members.insert(key(), value.clone());
            Ok(())
        }
        (_, Some(member)) => apply(member, here, rest, change),
        // What is set is there afterwards, with the objects around it.
        (ArgChange::Set(_), None) => {
            let mut member = Value::Object(Object::new());
            apply(&mut member, here, rest, change)?;
            members.insert(key(), member);
            Ok(())
        }
        (_, None) => Ok(()),
    }
}

fn change_value(value: &mut Value<'static>, done: &[Step], change: &ArgChange) -> Result<(), String> {
    match (change, &*value) {
        (ArgChange::Clamp { min, max }, Value::Number(number)) => {
            let raised = min.map_or(*number, |min| (*number).max(min));
            *value = Value::Number(max.map_or(raised, |max| raised.min(max)));
            Ok(())
        }
        (ArgChange::Normalise(forms), Value::String(text)) => {
            *value = Value::from(forms.iter().fold(text.to_string(), |text, form| in_form(&text, *form)));
            Ok(())
        }
        (ArgChange::Clamp { .. } | ArgChange::Normalise(_), Value::Null) => Ok(()),
        (ArgChange::Clamp { .. }, other) => Err(refusal(done, "a number", other)),
        (ArgChange::Normalise(_), other) => Err(refusal(done, "a string", other)),
        // One that is there already is left as it is.
        (ArgChange::Set(_) | ArgChange::Default(_), _) => Ok(()),
    }
}

fn in_form(text: &str, form: Form) -> String {
    match form {
        Form::Trim => text.trim().to_owned(),
        Form::Lower => text.to_ascii_lowercase(),
        Form::Upper => text.to_ascii_uppercase(),
        Form::Spaces => text.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

fn refusal(done: &[Step], wanted: &str, sent: &Value<'_>) -> String {
    let place = Path::from_steps(done.to_vec());
    format!("`{place}` must be {wanted}; you sent {}. Propose the call again with it.", crate::text::shown(sent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, parse};

    fn value(text: &str) -> Value<'static> {
        parse(text.as_bytes(), &Limits::default()).unwrap().into_owned()
    }

    fn rewrites(written: &str) -> Vec<Rewrite> {
        let text = format!(
            "agentspec: 1\nid: desk\npersona: You are the desk.\ntools:\n  pay:\n    effect: external\n    rewrite: {written}\n"
        );
        let spec = crate::spec::parse(&crate::source::Sources::new("desk.yaml", text)).spec.unwrap();
        spec.tools[0].rewrites.clone()
    }

    #[track_caller]
    fn becomes(written: &str, args: &str, wanted: &str) {
        assert_eq!(rewritten(&rewrites(written), &value(args)), Ok(Some(value(wanted))), "{written}");
    }

    #[track_caller]
    fn stays(written: &str, args: &str) {
        assert_eq!(rewritten(&rewrites(written), &value(args)), Ok(None), "{written}");
    }

    #[test]
    fn each_change_does_what_its_word_says() {
        becomes("[{arg: a, set: 1}]", r#"{"a":2}"#, r#"{"a":1}"#);
        becomes("[{arg: a, set: 1}]", "{}", r#"{"a":1}"#);
        becomes("[{arg: a.b, set: 1}]", "{}", r#"{"a":{"b":1}}"#);
        becomes("[{arg: a, default: 1}]", "{}", r#"{"a":1}"#);
        becomes("[{arg: a.b, default: 1}]", r#"{"a":{}}"#, r#"{"a":{"b":1}}"#);
        becomes("[{arg: a, clamp: {min: 1, max: 9.5}}]", r#"{"a":12}"#, r#"{"a":9.5}"#);
        becomes("[{arg: a, clamp: {min: 1}}]", r#"{"a":-3}"#, r#"{"a":1}"#);
        becomes("[{arg: a, normalise: trim}]", r#"{"a":" x y "}"#, r#"{"a":"x y"}"#);
        becomes("[{arg: a, normalise: [spaces, lower]}]", r#"{"a":" X  Y\n"}"#, r#"{"a":"x y"}"#);
        becomes(
            "[{arg: 'a[].b', normalise: upper}]",
            r#"{"a":[{"b":"x"},{"b":"y"}]}"#,
            r#"{"a":[{"b":"X"},{"b":"Y"}]}"#,
        );
        becomes("[{arg: 'm.*', clamp: {max: 1}}]", r#"{"m":{"x":2,"y":0}}"#, r#"{"m":{"x":1,"y":0}}"#);
    }

    #[test]
    fn what_is_absent_null_or_fits_already_stays() {
        stays("[{arg: a, clamp: {max: 9}}]", "{}");
        stays("[{arg: a, clamp: {max: 9}}]", r#"{"a":null}"#);
        stays("[{arg: a, clamp: {max: 9}}]", r#"{"a":9}"#);
        stays("[{arg: a, normalise: trim}]", r#"{"a":"x"}"#);
        stays("[{arg: a, default: 1}]", r#"{"a":null}"#);
        stays("[{arg: a.b, default: 1}]", "{}");
        stays("[{arg: a, set: 1}]", r#""no object""#);
    }

    #[test]
    fn they_are_made_in_the_order_written() {
        becomes("[{arg: a, default: ' X '}, {arg: b, set: 1}]", "{}", r#"{"a":" X ","b":1}"#);
        let order = "[{arg: a.b, set: 20}, {arg: 'a.*', clamp: {max: 5}}]";
        becomes(order, r#"{"a":{"c":9}}"#, r#"{"a":{"b":5,"c":5}}"#);
    }

    #[test]
    fn a_change_that_cannot_be_made_says_what_was_sent() {
        let told = rewritten(&rewrites("[{arg: 'a[].b', clamp: {max: 5}}]"), &value(r#"{"a":[{"b":"many"}]}"#));
        assert_eq!(told.unwrap_err(), "`a[].b` must be a number; you sent \"many\". Propose the call again with it.");
        assert!(rewritten(&rewrites("[{arg: a.b, set: 5}]"), &value(r#"{"a":"x"}"#)).is_err());
        assert!(rewritten(&rewrites("[{arg: 'a[]', normalise: trim}]"), &value(r#"{"a":"x"}"#)).is_err());
        assert!(rewritten(&rewrites("[{arg: a, normalise: trim}]"), &value(r#"{"a":4}"#)).is_err());
    }
}
