//! What a model is about to say to the user, and what the host says it claims.

use super::read::MAX_NAME;
use crate::json::{JsonCode, JsonError, Reader};
use crate::value::{Object, Value};
use std::borrow::Cow;

/// A reply on its way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said<'a> {
    /// What is said.
    pub text: Cow<'a, str>,
    /// What it claims was done, as data; `None` where the host sends none.
    pub claims: Option<Claims<'a>>,
}

/// Claims of a reply: a list of `{op, target?, outcome?, amount?}`, as they were sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claims<'a>(Value<'a>);

/// The most claims of one reply.
const MAX_CLAIMS: usize = 256;

/// The members of a claim.
const MEMBERS: &[&str] = &["op", "target", "outcome", "amount"];

impl<'a> Claims<'a> {
    /// The list.
    #[must_use]
    pub fn value(&self) -> &Value<'a> {
        &self.0
    }

    /// Each claim, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Value<'a>> {
        self.0.as_array().into_iter().flatten()
    }

    /// The same claims, without borrows.
    #[must_use]
    pub fn into_owned(self) -> Claims<'static> {
        Claims(self.0.into_owned())
    }

    /// The claims that a value is, or why it is none.
    ///
    /// ```
    /// use flyball::event::Claims;
    /// use flyball::json::{Limits, parse};
    ///
    /// let value = parse(br#"[{"op": "refund", "target": "ORD-1", "outcome": "success"}]"#, &Limits::default()).unwrap();
    /// assert_eq!(Claims::of(value).unwrap().iter().count(), 1);
    /// assert!(Claims::of(parse(br#"[{"target": "ORD-1"}]"#, &Limits::default()).unwrap()).is_err());
    /// ```
    ///
    /// # Errors
    /// It is no list of at most 256 claims, or one of them is no claim.
    pub fn of(value: Value<'a>) -> Result<Claims<'a>, String> {
        let Some(items) = value.as_array() else { return Err("`claims` is a list".into()) };
        if items.len() > MAX_CLAIMS {
            return Err(format!("more than {MAX_CLAIMS} claims"));
        }
        items.iter().try_for_each(sound)?;
        Ok(Claims(value))
    }

    /// Reads the list of an event.
    pub(super) fn read(reader: &mut Reader<'a>) -> Result<Claims<'a>, JsonError> {
        let value = reader.value()?;
        Claims::of(value).map_err(|message| reader.error(JsonCode::BadJson, message))
    }
}

/// Why a value is no claim.
fn sound(claim: &Value<'_>) -> Result<(), String> {
    let Some(members) = claim.as_object() else { return Err("a claim is an object".into()) };
    if let Some((stray, _)) = members.iter().find(|(key, _)| !MEMBERS.contains(key)) {
        return Err(format!(
            "a claim has no member {}; it has `op`, `target`, `outcome`, `amount`",
            crate::text::quoted(stray)
        ));
    }
    let is_name = |text: &str| (1..=MAX_NAME).contains(&text.len());
    // Hosts that have a model fill in every member get null for one that says nothing.
    let said = |key| members.get(key).filter(|value| !value.is_null());
    if !members.get("op").and_then(Value::as_str).is_some_and(is_name) {
        return Err(format!("a claim names its `op`, a text of 1 to {MAX_NAME} bytes"));
    }
    if said("outcome").is_some_and(|outcome| !outcome.as_str().is_some_and(is_name)) {
        return Err("the `outcome` of a claim is a word".into());
    }
    if said("amount").is_some_and(|amount| amount.as_number().is_none()) {
        return Err("the `amount` of a claim is a number".into());
    }
    if members.get("target").is_some_and(|target| target.as_array().is_some() || target.as_object().is_some()) {
        return Err("the `target` of a claim is one value: an id, a name, a number".into());
    }
    Ok(())
}

/// `{text, claims}`, as expressions read it and records hold it.
pub(crate) fn said_value<'v>(text: &'v str, claims: Option<&'v Claims<'_>>) -> Value<'v> {
    Object::of_some([("text", Some(Value::from(text))), ("claims", claims.map(|claims| claims.0.clone()))]).into()
}
