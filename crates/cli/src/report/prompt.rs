//! A prompt as text and as JSON: the system prompt, the tools' cards, the tail, and where each line came from.

use crate::table::aligned;
use flyball::render::{Line, Prompt, ToolCard};
use flyball::source::Sources;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What of a prompt is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Part {
    /// What all agents of the contract share
    Trunk,
    /// The whole system prompt
    System,
    /// The tools: description, rules, schema
    Tools,
    /// The state, as it stands at the end of a message
    Tail,
    /// Everything
    All,
}

/// A prompt and where it came from.
#[derive(Debug)]
pub(crate) struct Rendered<'r> {
    pub(crate) prompt: &'r Prompt,
    pub(crate) sources: &'r Sources,
    pub(crate) tail: String,
}

impl Rendered<'_> {
    /// The text of a part; of everything, each part under its name.
    pub(crate) fn text(&self, part: Part) -> Result<String, serde_json::Error> {
        let prompt = self.prompt;
        let mut out = match part {
            Part::Trunk => prompt.trunk().to_owned(),
            Part::System => prompt.system().to_owned(),
            Part::Tail => self.tail.clone(),
            Part::Tools => self.tools()?,
            Part::All => {
                let mut out = format!("===== system =====\n{}\n\n{}", prompt.system(), self.tools()?.trim_end());
                if !self.tail.is_empty() {
                    out.push_str("\n\n===== tail of the message =====\n");
                    out.push_str(&self.tail);
                }
                out
            }
        };
        if !out.is_empty() && !out.ends_with('\n') {
            out.push('\n');
        }
        Ok(out)
    }

    fn tools(&self) -> Result<String, serde_json::Error> {
        let cards = self.prompt.tools().iter().map(card).collect::<Result<Vec<String>, _>>()?;
        let families =
            self.prompt.families().iter().map(|family| format!("===== tools {family}, listed by their host =====\n"));
        Ok(cards.into_iter().chain(families).collect::<Vec<String>>().join("\n"))
    }

    /// Where every line of a part came from: place, section, rule, text.
    pub(crate) fn origins(&self, part: Part) -> String {
        let system = self.prompt.lines().iter().filter(|line| match part {
            Part::System | Part::All => true,
            Part::Trunk => line.place.end <= self.prompt.trunk().len(),
            Part::Tools | Part::Tail => false,
        });
        let system = system.map(|line| self.row(line, self.prompt.system(), line.section.name()));
        let cards = self.prompt.tools().iter().filter(|_| matches!(part, Part::Tools | Part::All));
        let cards = cards.flat_map(|card| card.lines().iter().map(move |line| (card, line)));
        let cards = cards.map(|(card, line)| self.row(line, card.description(), card.name()));
        let rows: Vec<[String; 4]> = system.chain(cards).collect();
        aligned(&rows)
    }

    fn row(&self, line: &Line, text: &str, section: &str) -> [String; 4] {
        let said = text.get(line.place.clone()).unwrap_or_default().replace('\n', " ");
        [self.at(line), section.to_owned(), line.rule.clone().unwrap_or_else(|| "-".to_owned()), said]
    }

    /// `file:line` of what a line says.
    fn at(&self, line: &Line) -> String {
        let Some(file) = self.sources.file(line.origin.file) else { return "-".to_owned() };
        format!("{}:{}", file.path(), file.line_column(line.origin.start).line)
    }

    /// A part as JSON.
    pub(crate) fn json(&self, part: Part, origins: bool) -> Result<Value, serde_json::Error> {
        let prompt = self.prompt;
        let lines = |lines: &[Line], text: &str| -> Vec<Value> {
            let one = |line: &Line| {
                json!({
                    "at": self.at(line), "rule": line.rule, "section": line.section.name(),
                    "text": text.get(line.place.clone()).unwrap_or_default(),
                })
            };
            lines.iter().map(one).collect()
        };
        let tools = prompt.tools().iter().map(|card| {
            let mut tool = tool(card)?;
            if let Some(members) = tool.as_object_mut().filter(|_| origins) {
                members.insert("lines".into(), Value::Array(lines(card.lines(), card.description())));
            }
            Ok(tool)
        });
        let tools = tools.collect::<Result<Vec<Value>, serde_json::Error>>()?;
        let mut all = json!({
            "system": prompt.system(), "trunk": prompt.trunk(), "tools": tools, "families": prompt.families(),
            "tail": self.tail,
        });
        if let Some(members) = all.as_object_mut().filter(|_| origins) {
            members.insert("lines".into(), Value::Array(lines(prompt.lines(), prompt.system())));
        }
        let key = match part {
            Part::All => return Ok(all),
            Part::Trunk => "trunk",
            Part::System => "system",
            Part::Tools => "tools",
            Part::Tail => "tail",
        };
        Ok(all.get_mut(key).map(Value::take).unwrap_or_default())
    }
}

/// A tool's card under its name, its effect and its scopes.
fn card(card: &ToolCard) -> Result<String, serde_json::Error> {
    let mut out = format!("===== tool {} ({}", card.name(), card.effect().name());
    if !card.scopes().is_empty() {
        let _ = write!(out, "; {}", card.scopes().join(", "));
    }
    let schema: Value = serde_json::from_str(&flyball::canon::to_text(card.parameters()))?;
    let _ = writeln!(out, ") =====\n{}\n\n{}", card.description(), serde_json::to_string_pretty(&schema)?);
    Ok(out)
}

/// A tool as a program reads it.
fn tool(card: &ToolCard) -> Result<Value, serde_json::Error> {
    let schema: Value = serde_json::from_str(&flyball::canon::to_text(card.parameters()))?;
    Ok(json!({
        "name": card.name(), "description": card.description(), "schema": schema,
        "effect": card.effect().name(), "scopes": card.scopes(), "cost": card.cost().map(|cost| cost.to_string()),
    }))
}
