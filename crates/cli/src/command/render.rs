//! `flyball render`: what a model is told of a spec, whole or in parts.

use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::Sound;
use crate::output::Output;
use crate::report::prompt::{Part, Rendered};
use flyball::decision::Decision;
use flyball::event::{Body, Event, Opening, WorldChange};
use flyball::policy::Policy;
use flyball::render::Api;
use flyball::session::{Session, decide};
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  flyball render specs/refunds.yaml                              the system prompt, the tools, the state
  flyball render specs/refunds.yaml --part trunk                 what every agent of its contract has
  flyball render specs/refunds.yaml --origins                    each line with its file, line and rule
  flyball render specs/refunds.yaml --part tools --format json   name, description, schema, effect, scopes, cost
  flyball render specs/refunds.yaml --world world.json --format anthropic
  flyball render specs/refunds.yaml --shared specs/delivery.yaml the bytes with which both prompts begin

`openai` and `anthropic` print the members of a request: the host adds the model, its limits and what was said.";

/// Print the prompt of a spec: what all its rules teach the model
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Render {
    /// Render this spec
    spec: PathBuf,
    /// Take the host's state from FILE
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
    /// Print only this part
    #[arg(long, value_enum, default_value_t = Part::All)]
    part: Part,
    /// Print it in this form
    #[arg(long, value_enum, default_value_t = Form::Text)]
    format: Form,
    /// Say of each line where it came from: file and line, section, rule
    #[arg(long)]
    origins: bool,
    /// Print the bytes with which the prompts of this and those specs begin alike
    #[arg(long, value_name = "SPEC", num_args = 1.., conflicts_with_all = ["part", "format", "origins", "world"])]
    shared: Vec<PathBuf>,
}

/// A form of a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// For people
    Text,
    /// For programs
    Json,
    /// The members of a chat completion
    Openai,
    /// The members of a message request
    Anthropic,
}

impl Render {
    pub(super) fn run(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        if !self.shared.is_empty() {
            return self.print_shared(root, output);
        }
        let Sound { sources, policy, .. } = Sound::of(&self.spec, root)?;
        let tail = tail(&policy, self.world.as_deref())?;
        let rendered = Rendered { prompt: policy.prompt(), sources: &sources, tail };
        let text = match self.format {
            Form::Text if self.origins => rendered.origins(self.part),
            Form::Text => rendered.text(self.part).map_err(CliError::of_json)?,
            Form::Json => pretty(&rendered.json(self.part, self.origins).map_err(CliError::of_json)?)?,
            Form::Openai => self.request(&rendered, Api::OpenAi)?,
            Form::Anthropic => self.request(&rendered, Api::Anthropic)?,
        };
        write!(output.out, "{text}")?;
        Ok(Exit::Done)
    }

    /// The members of a request, or those that the part is about.
    fn request(&self, rendered: &Rendered<'_>, api: Api) -> Result<String, CliError> {
        let request = rendered.prompt.request(api, Some(&rendered.tail))?;
        let value: serde_json::Value =
            serde_json::from_str(&flyball::canon::to_text(&request)).map_err(CliError::of_json)?;
        let members = match (self.part, api) {
            (Part::All, _) => None,
            (Part::Tools, _) => Some("tools"),
            (Part::Tail, _) | (_, Api::OpenAi) => Some("messages"),
            (Part::Trunk | Part::System, Api::Anthropic) => Some("system"),
        };
        pretty(match members {
            Some(key) => value.get(key).unwrap_or(&serde_json::Value::Null),
            None => &value,
        })
    }

    /// How much the prompts share, and what.
    fn print_shared(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        let paths: Vec<&PathBuf> = std::iter::once(&self.spec).chain(&self.shared).collect();
        let policies = paths.iter().map(|path| Ok(Sound::of(path, root)?.policy));
        let policies = policies.collect::<Result<Vec<Policy>, CliError>>()?;
        let prompts: Vec<&str> = policies.iter().map(|policy| policy.prompt().system()).collect();
        let head = shared_head(&prompts);
        for (path, prompt) in paths.iter().zip(&prompts) {
            let share = head.len().saturating_mul(100).checked_div(prompt.len()).unwrap_or_default();
            let (path, shared, whole) = (path.display(), head.len(), prompt.len());
            writeln!(output.err, "{path}: {shared} of {whole} bytes ({share} %)")?;
        }
        writeln!(output.out, "{head}")?;
        Ok(Exit::Done)
    }
}

/// The longest text with which all of them begin.
fn shared_head<'p>(prompts: &[&'p str]) -> &'p str {
    let Some((first, others)) = prompts.split_first() else { return "" };
    let alike = |other: &&str| first.bytes().zip(other.bytes()).take_while(|(one, two)| one == two).count();
    let mut end = others.iter().map(alike).min().unwrap_or(first.len());
    while !first.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    first.get(..end).unwrap_or_default()
}

/// The tail of the first turn of a session that begins in a world.
pub(super) fn tail(policy: &Policy, world: Option<&Path>) -> Result<String, CliError> {
    let opening = Event::new("open", "render", Body::SessionOpened(Opening::default()));
    let opening = match world {
        Some(path) => opening.with_world(WorldChange::Whole(flyball_io::world::load(path)?)),
        None => opening,
    };
    let refused = |error: &dyn std::fmt::Display| CliError::Against(error.to_string());
    let (mut session, step) = Session::open(policy, &opening).map_err(|refusal| refused(&refusal))?;
    session.commit(step).map_err(|stale| refused(&stale))?;
    let step = decide(policy, &session, &Event::new("turn", "render", Body::turn(None)));
    Ok(match step.decision() {
        Decision::Turn(turn) if turn.refused.is_none() => turn.prompt_tail.clone(),
        // Of a turn that is refused the model hears nothing; what it would be shown of the state is this.
        _ => session.tail(policy),
    })
}

fn pretty(value: &serde_json::Value) -> Result<String, CliError> {
    let mut text = serde_json::to_string_pretty(value).map_err(CliError::of_json)?;
    text.push('\n');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::shared_head;

    #[test]
    fn the_shared_head_ends_on_a_character() {
        assert_eq!(shared_head(&["abc", "abd"]), "ab");
        assert_eq!(shared_head(&["né", "nè"]), "n");
        assert_eq!(shared_head(&["same"]), "same");
        assert_eq!(shared_head(&["", "x"]), "");
    }
}
