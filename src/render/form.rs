//! A prompt as the request of a model's interface has it: what the host sends, but for the model's name, its limits and
//! what was said.

use super::{Prompt, ToolCard};
use crate::value::{Object, Value};
use thiserror::Error;

/// An interface of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Chat completions of `OpenAI`.
    OpenAi,
    /// Messages of Anthropic.
    Anthropic,
}

impl Api {
    /// The most characters of a tool's name.
    fn longest_name(self) -> usize {
        match self {
            Api::OpenAi => 64,
            Api::Anthropic => 128,
        }
    }
}

/// A tool that an interface has no name for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "the tool `{name}` cannot be named to this model: a name has at most {longest} letters, digits, `_` and `-`; \
     rename the tool"
)]
pub struct UnnameableTool {
    /// The tool.
    pub name: String,
    /// How long a name may be.
    pub longest: usize,
}

impl Prompt {
    /// The members of a request: the system prompt, the tools, and the tail as the first part of the user's message.
    ///
    /// For Anthropic the trunk is a block of its own with a mark that it may be cached. The host adds the model and, for
    /// Anthropic, `max_tokens`.
    ///
    /// # Errors
    /// A tool whose name the interface does not take.
    pub fn request(&self, api: Api, tail: Option<&str>) -> Result<Value<'static>, UnnameableTool> {
        let mut tools = Vec::new();
        for card in &self.tools {
            tools.push(tool(api, card)?);
        }
        let message = |role: &str, content: Value<'static>| object([("role", text(role)), ("content", content)]);
        let tail = tail.filter(|tail| !tail.is_empty());
        let user = tail.map(|tail| message("user", Value::Array(vec![block(tail)])));
        let mut request = Object::new();
        match api {
            Api::OpenAi => {
                let system = message("system", text(&self.system));
                request.insert("messages".into(), Value::Array(std::iter::once(system).chain(user).collect()));
            }
            Api::Anthropic => {
                request.insert("system".into(), Value::Array(self.blocks()));
                request.insert("messages".into(), Value::Array(user.into_iter().collect()));
            }
        }
        if !tools.is_empty() {
            request.insert("tools".into(), Value::Array(tools));
        }
        Ok(request.into())
    }

    /// The trunk and the rest, each of which may be cached up to its end.
    fn blocks(&self) -> Vec<Value<'static>> {
        let parts = [self.trunk(), self.own()];
        let parts = parts.iter().filter(|part| !part.trim().is_empty());
        parts.map(|part| cached(block(part))).collect()
    }
}

fn tool(api: Api, card: &ToolCard) -> Result<Value<'static>, UnnameableTool> {
    let name = wire_name(api, card.name())?;
    let named = [("name", text(&name)), ("description", text(card.description()))];
    let schema = card.parameters().clone();
    Ok(match api {
        Api::OpenAi => {
            let [name, description] = named;
            object([("type", text("function")), ("function", object([name, description, ("parameters", schema)]))])
        }
        Api::Anthropic => {
            let [name, description] = named;
            object([name, description, ("input_schema", schema)])
        }
    })
}

/// A tool's name where `/` has no place: that of a server's tool is spelled `mcp__server__tool`.
fn wire_name(api: Api, name: &str) -> Result<String, UnnameableTool> {
    let spelled = match name.split_once('/') {
        Some((server, tool)) => format!("mcp__{server}__{tool}"),
        None => name.to_owned(),
    };
    let longest = api.longest_name();
    let is_plain = spelled.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if spelled.len() > longest || !is_plain {
        return Err(UnnameableTool { name: name.to_owned(), longest });
    }
    Ok(spelled)
}

fn text(text: &str) -> Value<'static> {
    Value::from(text.to_owned())
}

fn object<const N: usize>(members: [(&'static str, Value<'static>); N]) -> Value<'static> {
    Object::of(members).into()
}

fn block(content: &str) -> Value<'static> {
    object([("type", text("text")), ("text", text(content))])
}

fn cached(block: Value<'static>) -> Value<'static> {
    match block {
        Value::Object(mut block) => {
            block.insert("cache_control".into(), object([("type", text("ephemeral"))]));
            block.into()
        }
        other => other,
    }
}
