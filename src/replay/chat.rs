//! Chat transcripts as traces: OpenAI chat-completions and Anthropic messages, told apart message by message.
//!
//! * The tool calls of one assistant message are one batch: `tool_calls` of `{id, function: {name, arguments}}`, or
//!   `content` blocks `tool_use` of `{id, name, input}`.
//! * A result is matched to its call by id: a message of role `tool`, or a block `tool_result`. It stands where it stands
//!   in the transcript; a call without one never finished.
//! * `arguments` is JSON in a string. Where it is not, the string itself is taken for the arguments: they are no object,
//!   so the call is denied by the gate `invalid_arguments`. A blank one is `{}`.
//! * A result that is the text of a JSON object, an array or `null` is taken as that value, any other text as text. Only
//!   Anthropic's `is_error` says that a call failed.
//! * A user message opens a turn with its text. An assistant message without calls is a reply, and its text is proposed as
//!   one; one without text ends the turn. What it says beside calls stands beside them. Messages of role `system` and
//!   `developer` are passed over.

use super::{TraceCall, TraceStep, bad};
use crate::event::{Beside, Outcome, Said};
use crate::facts::Typed;
use crate::json::{JsonError, Limits};
use crate::value::{Object, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// The longest id that is taken over; a call with a longer one, or none, gets one of ours.
const MAX_ID: usize = 512;

/// The steps of a transcript.
pub(super) fn steps(messages: Vec<Value<'_>>) -> Result<Vec<TraceStep<'_>>, JsonError> {
    let mut transcript = Transcript::default();
    for message in messages {
        let Value::Object(message) = message else { return Err(bad("a message is an object")) };
        transcript.message(message)?;
    }
    Ok(transcript.finish())
}

/// A transcript, as far as it is read.
#[derive(Default)]
struct Transcript<'a> {
    steps: Vec<TraceStep<'a>>,
    /// The number of the latest call of each id.
    numbers: BTreeMap<String, usize>,
    /// The ids of calls as they are replayed.
    taken: BTreeSet<String>,
    /// Per call, whether a result was seen.
    ended: Vec<bool>,
}

impl<'a> Transcript<'a> {
    fn message(&mut self, mut message: Object<'a>) -> Result<(), JsonError> {
        let content = message.remove("content").unwrap_or_default();
        match message.get("role").and_then(Value::as_str) {
            Some("system" | "developer") => Ok(()),
            Some("user") => self.user(content),
            Some("assistant") => self.assistant(message.remove("tool_calls").unwrap_or_default(), content),
            Some("tool") => {
                let id = message.get("tool_call_id").and_then(Value::as_str);
                let id = id.ok_or_else(|| bad("a message of role `tool` names its call in `tool_call_id`"))?;
                self.result(id, Outcome::Ok { result: result(content), effect: None })
            }
            Some(other) => Err(bad(&format!(
                "a message of role `{other}`; known are `system`, `developer`, `user`, `assistant` and `tool`"
            ))),
            None => Err(bad("a message has a `role`")),
        }
    }

    /// Results first, as they answer what was before; then whatever else the user said.
    fn user(&mut self, content: Value<'a>) -> Result<(), JsonError> {
        let Value::Array(blocks) = content else {
            let typed = if let Value::String(text) = content { Some(Typed::new(text)) } else { None };
            self.steps.push(TraceStep::User(typed, Vec::new()));
            return Ok(());
        };
        let (mut says, mut typed) = (blocks.is_empty(), Vec::new());
        for block in blocks {
            match block {
                Value::Object(block) if kind(&block) == Some("tool_result") => self.block(block)?,
                Value::Object(block) => {
                    says = true;
                    typed.extend(block.get("text").and_then(Value::as_str).map(str::to_owned));
                }
                _ => says = true,
            }
        }
        if says {
            let typed = (!typed.is_empty()).then(|| Typed::new(typed.join("\n")));
            self.steps.push(TraceStep::User(typed, Vec::new()));
        }
        Ok(())
    }

    fn block(&mut self, mut block: Object<'a>) -> Result<(), JsonError> {
        let content = result(block.remove("content").unwrap_or_default());
        let outcome = match block.get("is_error").and_then(Value::as_bool) {
            Some(true) => Outcome::Failed { error: content, effect: None },
            _ => Outcome::Ok { result: content, effect: None },
        };
        let id = block.get("tool_use_id").and_then(Value::as_str);
        self.result(id.ok_or_else(|| bad("a `tool_result` names its call in `tool_use_id`"))?, outcome)
    }

    fn result(&mut self, id: &str, outcome: Outcome<'a>) -> Result<(), JsonError> {
        let Some(call) = self.numbers.get(id).copied() else {
            return Err(bad(&format!("a result of the call {}, which nobody made", crate::text::quoted(id))));
        };
        if let Some(ended @ false) = self.ended.get_mut(call) {
            *ended = true;
            self.steps.push(TraceStep::Result { call, outcome });
        }
        Ok(())
    }

    fn assistant(&mut self, calls: Value<'a>, content: Value<'a>) -> Result<(), JsonError> {
        let mut batch = Vec::new();
        if let Value::Array(calls) = calls {
            for call in calls {
                batch.push(self.openai(call)?);
            }
        }
        let mut said = Vec::new();
        match content {
            Value::String(text) => said.push(text),
            Value::Array(blocks) => {
                for block in blocks {
                    match block {
                        Value::Object(block) if kind(&block) == Some("tool_use") => batch.push(self.anthropic(block)?),
                        Value::Object(mut block) if kind(&block) == Some("text") => {
                            said.extend(if let Some(Value::String(text)) = block.remove("text") {
                                Some(text)
                            } else {
                                None
                            });
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        let text = match <[Cow<'a, str>; 1]>::try_from(said) {
            Ok([text]) => text,
            Err(many) => Cow::Owned(many.join("\n")),
        };
        let is_blank = crate::text::is_blank(&text);
        self.steps.push(match batch.is_empty() {
            true => TraceStep::Reply((!is_blank).then_some(Said { text, claims: None })),
            false => TraceStep::Calls(batch, Beside::of(text)),
        });
        Ok(())
    }

    fn openai(&mut self, call: Value<'a>) -> Result<TraceCall<'a>, JsonError> {
        let Value::Object(mut call) = call else { return Err(bad("a tool call is an object")) };
        let id = call.remove("id");
        let Some(Value::Object(mut function)) = call.remove("function") else {
            return Err(bad("a tool call has a `function`"));
        };
        let args = match function.remove("arguments") {
            Some(Value::String(text)) => arguments(text),
            Some(other) => other,
            None => Value::Object(Object::new()),
        };
        self.call(id, function.remove("name"), args)
    }

    fn anthropic(&mut self, mut block: Object<'a>) -> Result<TraceCall<'a>, JsonError> {
        let args = block.remove("input").unwrap_or(Value::Object(Object::new()));
        self.call(block.remove("id"), block.remove("name"), args)
    }

    fn call(
        &mut self,
        id: Option<Value<'a>>,
        name: Option<Value<'a>>,
        args: Value<'a>,
    ) -> Result<TraceCall<'a>, JsonError> {
        let Some(Value::String(tool)) = name else { return Err(bad("a tool call names its tool")) };
        let number = self.ended.len();
        self.ended.push(false);
        let given = if let Some(Value::String(id)) = id { Some(id) } else { None };
        // An id that is used again means the call at hand from here on; for the session it is a call of its own.
        given.as_deref().map(|id| self.numbers.insert(id.to_owned(), number));
        let id = self.own_id(given, number);
        Ok(TraceCall { id, tool, args, ends: false })
    }

    /// The id in the transcript where it can be taken over, else one that nobody has.
    fn own_id(&mut self, given: Option<Cow<'a, str>>, number: usize) -> Cow<'a, str> {
        let usable = |id: &Cow<'a, str>| !id.is_empty() && id.len() <= MAX_ID;
        let made = (0_usize..).map(|more| Cow::Owned(format!("call-{}", number.saturating_add(more))));
        let mut candidates = given.filter(usable).into_iter().chain(made);
        candidates.find(|id| self.taken.insert(id.clone().into_owned())).unwrap_or_default()
    }

    /// The steps, each call knowing whether it ended.
    fn finish(self) -> Vec<TraceStep<'a>> {
        let (mut steps, mut ended) = (self.steps, self.ended.into_iter());
        for step in &mut steps {
            if let TraceStep::Calls(calls, _) = step {
                calls.iter_mut().zip(&mut ended).for_each(|(call, ends)| call.ends = ends);
            }
        }
        steps
    }
}

fn kind<'b>(block: &'b Object<'_>) -> Option<&'b str> {
    block.get("type").and_then(Value::as_str)
}

/// What the string of `arguments` holds; the string itself where that is no JSON.
fn arguments(text: Cow<'_, str>) -> Value<'_> {
    if text.trim().is_empty() {
        return Value::Object(Object::new());
    }
    match crate::json::parse(text.as_bytes(), &Limits::default()).map(Value::into_owned) {
        Ok(value) => value,
        Err(_) => Value::String(text),
    }
}

/// What a tool returned: of text blocks their text, of the text of a structure the structure.
fn result(content: Value<'_>) -> Value<'_> {
    let text = match content {
        Value::String(text) => text,
        Value::Array(blocks) => match texts(&blocks) {
            Some(text) => Cow::Owned(text),
            None => return Value::Array(blocks),
        },
        other => return other,
    };
    match crate::json::parse(text.as_bytes(), &Limits::default()).map(Value::into_owned) {
        Ok(value @ (Value::Object(_) | Value::Array(_) | Value::Null)) => value,
        _ => Value::String(text),
    }
}

/// The text of blocks that are text and nothing else.
fn texts(blocks: &[Value<'_>]) -> Option<String> {
    let text = |block: &Value<'_>| {
        let block = block.as_object().filter(|block| kind(block) == Some("text"))?;
        block.get("text").and_then(Value::as_str).map(str::to_owned)
    };
    blocks.iter().map(text).collect()
}
