//! What is wrong with a line, by the first code that fits. Slow, and only reached where something is wrong.

use super::grammar::{self, Member};
use super::scan::{self, is_kind, is_run, is_time};
use super::{BODY_DEPTH, Code};
use crate::canon::{self, Digest};
use crate::json::{Limits, Reader, parse};
use crate::ledger::MAX_LINE;

/// Why a line is no sound record, and what stands in it all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) stands: Option<Stands>,
}

/// What the next record is measured against.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stands {
    pub(super) run: Box<str>,
    pub(super) seq: u64,
    pub(super) hash: Digest,
}

impl Fault {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), stands: None }
    }
}

/// The first thing that is wrong with a line; `None` if its form is right, whatever its hash is.
pub(super) fn of(line: &[u8]) -> Option<Fault> {
    let (body, hash) = match enveloped(line) {
        Ok(parts) => parts,
        Err(fault) => return Some(fault),
    };
    let Some(members) = grammar::members(body) else {
        return Some(Fault::new(Code::NotAnObject, "the body is not an object"));
    };
    if let Some(version) = other_version(&members) {
        return Some(match Digest::of(body) == hash {
            true => Fault::new(Code::UnknownVersion, format!("the record has version {version}, which is unknown")),
            false => hash_mismatch(body, hash),
        });
    }
    let stands = match fields(&members) {
        Ok((run, seq)) => Stands { run: run.into(), seq, hash },
        Err(message) => return Some(Fault::new(Code::MissingFields, message)),
    };
    let message = uncanonical(body)?;
    Some(Fault { stands: Some(stands), ..Fault::new(Code::UnserialisablePayload, message) })
}

/// The fault of a record whose body is not what its hash says.
pub(super) fn hash_mismatch(body: &[u8], hash: Digest) -> Fault {
    let found = Digest::of(body);
    Fault::new(Code::HashMismatch, format!("SHA-256 of the body is `{found}`, and the line says `{hash}`"))
}

fn enveloped(line: &[u8]) -> Result<(&[u8], Digest), Fault> {
    if line.len() >= MAX_LINE {
        let message = format!("the line has {} bytes and its line feed, more than {MAX_LINE}", line.len());
        return Err(Fault::new(Code::BadJson, message));
    }
    if !grammar::is_json(line) {
        return Err(Fault::new(Code::BadJson, "the line is not one JSON value"));
    }
    let is_bare = |body: &&[u8]| body.trim_ascii().len() == body.len() && grammar::is_json(body);
    let parts = scan::envelope(line).filter(|(body, _)| is_bare(body));
    parts.ok_or_else(|| {
        let message = "the line is not `{\"body\":`, a body, `,\"hash\":\"`, 64 lower-case hex digits and `\"}`";
        Fault::new(Code::BadEnvelope, message)
    })
}

/// The version of a body that says, in one whole number, that it is not of version 1.
fn other_version<'a>(members: &[Member<'a>]) -> Option<&'a str> {
    let mut versions = members.iter().filter(|(key, _)| string(key).as_deref() == Some("v"));
    let (_, version) = versions.next()?;
    let version = std::str::from_utf8(version).ok()?;
    let digits = version.strip_prefix('-').unwrap_or(version);
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (versions.next().is_none() && is_whole && version != "1").then_some(version)
}

/// Run and number of a body that has the members it must have, in their order and form.
fn fields(members: &[Member<'_>]) -> Result<(String, u64), String> {
    let names: Vec<Option<String>> = members.iter().map(|(key, _)| string(key)).collect();
    let names: Vec<&str> = names.iter().map(|name| name.as_deref().unwrap_or("?")).collect();
    let (at, rest) = match (&*names, members) {
        (["at", "data", "kind", "prev", "run", "seq", "v"], [at, rest @ ..]) => (Some(at), rest),
        (["data", "kind", "prev", "run", "seq", "v"], rest) => (None, rest),
        _ => {
            return Err(
                "the members of the body are not `at` (or none), `data`, `kind`, `prev`, `run`, `seq`, `v`".into()
            );
        }
    };
    let [(_, data), (_, kind), (_, prev), (_, run), (_, seq), (_, version)] = rest else { return Err(String::new()) };
    let bad = |name: &str, form: &str| Err(format!("`{name}` is not {form}"));
    let has = |value: &[u8], form: fn(&str) -> bool| string(value).filter(|text| form(text));
    if at.is_some_and(|(_, at)| has(at, is_time).is_none()) {
        return bad("at", "a time like `2031-03-04T09:00:00.000000Z`");
    }
    if !data.starts_with(b"{") {
        return bad("data", "an object");
    }
    if has(kind, is_kind).is_none() {
        return bad("kind", "1 to 64 of `a-z 0-9 . _`");
    }
    if has(prev, |prev| prev.parse::<Digest>().is_ok()).is_none() {
        return bad("prev", "64 lower-case hex digits");
    }
    let Some(run) = has(run, is_run) else { return bad("run", "1 to 64 of `0-9 A-Z a-z _ -`") };
    let Some(seq) = std::str::from_utf8(seq).ok().and_then(scan::seq) else {
        return bad("seq", "a whole number from 0 to 9007199254740991");
    };
    if *version != b"1" { bad("v", "the number 1") } else { Ok((run, seq)) }
}

/// The text of a string; `None` for anything else, and for one with a lone surrogate.
fn string(quoted: &[u8]) -> Option<String> {
    let mut reader = Reader::new(quoted, Limits::default()).ok()?;
    reader.string().ok().map(std::borrow::Cow::into_owned)
}

/// Why these are not the canonical bytes of a value.
fn uncanonical(body: &[u8]) -> Option<String> {
    match parse(body, &Limits { depth: BODY_DEPTH, ..Limits::default() }) {
        Ok(value) if canon::to_vec(&value) == body => None,
        Ok(_) => Some("the body is not in canonical form".into()),
        Err(error) => Some(format!("the body has no canonical form: {error}")),
    }
}
