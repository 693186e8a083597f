//! What a person answers where a call waits for them: of each call a grant or a refusal, and what is to be remembered of it.

use super::read::{filled, name, utc};
use crate::canon::Digest;
use crate::json::{JsonCode, JsonError, Reader};
use crate::value::{Object, Value};
use std::borrow::Cow;

/// The answer to one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval<'a> {
    /// The call that waits.
    pub call: Cow<'a, str>,
    /// The digest of what was asked, as the person saw it.
    pub digest: Digest,
    /// Whether the call may run.
    pub granted: bool,
    /// Who answered, where the host says.
    pub approver: Option<Cow<'a, str>>,
    /// Members of the arguments to run with in place of those that were proposed, a JSON Merge Patch.
    pub edit: Option<Value<'a>>,
    /// What later calls it is an answer to as well.
    pub remember: Option<Remember<'a>>,
}

/// For which later calls of the same tool, in this session, an answer stands too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remember<'a> {
    /// The arguments that must be equal; `None`: all of them.
    pub args: Option<Vec<Cow<'a, str>>>,
    /// Until when; `None`: as long as the session.
    pub until: Option<Cow<'a, str>>,
}

/// The most answers of one event.
const MAX_APPROVALS: usize = 1024;

const MEMBERS: &[&str] = &["call", "digest", "granted", "approver", "edit", "remember"];

/// An answer of which not all members are read yet.
#[derive(Debug, Default)]
pub(super) struct Partial<'a> {
    call: Option<Cow<'a, str>>,
    digest: Option<Digest>,
    granted: Option<bool>,
    approver: Option<Cow<'a, str>>,
    edit: Option<Value<'a>>,
    remember: Option<Remember<'a>>,
}

impl<'a> Partial<'a> {
    /// Reads a member; the call's id is read by whoever knows it already.
    pub(super) fn member(&mut self, reader: &mut Reader<'a>, key: &str) -> Result<(), JsonError> {
        match key {
            "call" => self.call = Some(filled(name(reader)?, "call")?),
            "digest" => self.digest = Some(digest(reader)?),
            "granted" => self.granted = Some(reader.bool()?),
            "approver" => self.approver = Some(filled(name(reader)?, "approver")?),
            "edit" => self.edit = Some(reader.value()?),
            "remember" => self.remember = Some(remember(reader)?),
            key => return Err(reader.unknown_member(key, MEMBERS)),
        }
        Ok(())
    }

    /// True if some member was read.
    fn has_some(&self) -> bool {
        let Partial { call, digest, granted, approver, edit, remember } = self;
        call.is_some()
            || digest.is_some()
            || granted.is_some()
            || approver.is_some()
            || edit.is_some()
            || remember.is_some()
    }

    /// The answer, once all of it is there.
    pub(super) fn whole(self, call: Option<Cow<'a, str>>, end: usize) -> Result<Approval<'a>, JsonError> {
        let missing = |key: &str| JsonError::new(JsonCode::MissingMember, end, format!("missing member `{key}`"));
        Ok(Approval {
            call: self.call.or(call).ok_or_else(|| missing("call"))?,
            digest: self.digest.ok_or_else(|| missing("digest"))?,
            granted: self.granted.ok_or_else(|| missing("granted"))?,
            approver: self.approver,
            edit: self.edit,
            remember: self.remember,
        })
    }
}

/// The answers of an event: one, or a list of them.
pub(super) fn decided<'a>(
    list: Option<Vec<Approval<'a>>>,
    one: Partial<'a>,
    call: Option<Cow<'a, str>>,
    end: usize,
) -> Result<Vec<Approval<'a>>, JsonError> {
    let fail = |code, message: &str| Err(JsonError::new(code, end, message.to_owned()));
    match list {
        Some(_) if call.is_some() || one.has_some() => {
            fail(JsonCode::BadJson, "`decisions` stands alone: each of them has its own `call`")
        }
        Some(all) if all.is_empty() => fail(JsonCode::MissingMember, "`decisions` is empty"),
        Some(all) => Ok(all),
        None => Ok(vec![one.whole(call, end)?]),
    }
}

/// Reads a list of answers.
pub(super) fn list<'a>(reader: &mut Reader<'a>) -> Result<Vec<Approval<'a>>, JsonError> {
    let mut approvals = Vec::new();
    reader.array(|reader| {
        if approvals.len() == MAX_APPROVALS {
            return Err(reader.error(JsonCode::TooLarge, format!("more than {MAX_APPROVALS} decisions")));
        }
        let mut partial = Partial::default();
        reader.object(|reader, key| partial.member(reader, &key))?;
        approvals.push(partial.whole(None, reader.offset())?);
        Ok(())
    })?;
    Ok(approvals)
}

fn digest(reader: &mut Reader<'_>) -> Result<Digest, JsonError> {
    let text = name(reader)?;
    text.parse().map_err(|_| {
        let shown = crate::text::quoted(&text);
        reader.error(JsonCode::BadText, format!("{shown} is no digest: 64 digits `0` to `9`, `a` to `f`"))
    })
}

fn remember<'a>(reader: &mut Reader<'a>) -> Result<Remember<'a>, JsonError> {
    let mut remember = Remember::default();
    reader.object(|reader, key| {
        match key.as_ref() {
            "args" => {
                let mut names = Vec::new();
                reader.array(|reader| {
                    names.push(filled(name(reader)?, "args")?);
                    Ok(())
                })?;
                remember.args = Some(names);
            }
            "until" => {
                let text = name(reader)?;
                let shown = crate::text::quoted(&text);
                let until = utc(text);
                remember.until = Some(until.ok_or_else(|| {
                    reader.error(JsonCode::BadText, format!("{shown} is no time; write it like `2031-03-04T09:00:00Z`"))
                })?);
            }
            key => return Err(reader.unknown_member(key, &["args", "until"])),
        }
        Ok(())
    })?;
    Ok(remember)
}

impl Approval<'_> {
    /// As the wire and the records have it.
    #[must_use]
    pub fn to_value(&self) -> Value<'static> {
        let text = |text: &Cow<'_, str>| Value::from(text.as_ref().to_owned());
        Object::of_some([
            ("call", Some(text(&self.call))),
            ("digest", Some(Value::from(self.digest.to_string()))),
            ("granted", Some(Value::Bool(self.granted))),
            ("approver", self.approver.as_ref().map(text)),
            ("edit", self.edit.as_ref().map(Value::to_owned_value)),
            ("remember", self.remember.as_ref().map(Remember::to_value)),
        ])
        .into()
    }
}

impl Remember<'_> {
    fn to_value(&self) -> Value<'static> {
        let text = |text: &Cow<'_, str>| Value::from(text.as_ref().to_owned());
        Object::of_some([
            ("args", self.args.as_ref().map(|args| Value::Array(args.iter().map(text).collect()))),
            ("until", self.until.as_ref().map(text)),
        ])
        .into()
    }
}

/// The answers that a record holds; `None` where it holds none of this form.
pub(crate) fn approvals_of(value: &Value<'_>) -> Option<Vec<Approval<'static>>> {
    let text = |value: &Value<'_>, key: &str| value.get(key)?.as_str().map(|text| Cow::Owned(text.to_owned()));
    let one = |value: &Value<'_>| {
        Some(Approval {
            call: text(value, "call")?,
            digest: value.get("digest")?.as_str()?.parse().ok()?,
            granted: value.get("granted")?.as_bool()?,
            approver: text(value, "approver"),
            edit: value.get("edit").map(Value::to_owned_value),
            remember: value.get("remember").map(|remember| Remember {
                args: remember
                    .get("args")
                    .and_then(Value::as_array)
                    .map(|args| args.iter().filter_map(|arg| Some(Cow::Owned(arg.as_str()?.to_owned()))).collect()),
                until: text(remember, "until"),
            }),
        })
    };
    value.as_array()?.iter().map(one).collect()
}
