//! The state tail: what is true on this turn, at the end of the user's message, and nowhere else.
//!
//! It shows of the world only what some rule reads and no outsider can write; of a table only how much it holds. Fields
//! that the contract calls sensitive are left out or masked.

use crate::path::{Path, Step};
use crate::spec::words::Hiding;
use crate::text::shown;
use crate::value::Value;
use std::fmt::Write as _;

/// What a tail may show of the world.
#[derive(Debug, Default)]
pub struct WorldView {
    /// The paths, each with constant keys only.
    pub(crate) paths: Vec<Vec<String>>,
    /// The paths that outsiders can write.
    pub(crate) untrusted: Vec<Path>,
    /// The fields that are not shown as they are.
    pub(crate) hidden: Vec<(String, Hiding)>,
}

/// An upload that came with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upload<'u> {
    /// Its kind.
    pub kind: &'u str,
    /// Its size in bytes.
    pub size: u64,
}

/// How much of a budget is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left<'l> {
    /// The budget.
    pub code: &'l str,
    /// What is left, and of how much.
    pub left: String,
}

/// What a tail says.
#[derive(Debug, Default)]
pub struct State<'s> {
    /// The world; `None` while nobody sent one, or while what is known of it is old.
    pub world: Option<&'s Value<'static>>,
    /// What is left of the budgets.
    pub budgets: Vec<Left<'s>>,
    /// What came with the message.
    pub uploads: Vec<Upload<'s>>,
    /// The directives that hold on this turn.
    pub directives: Vec<String>,
}

/// The most items of a list that is shown.
const SHOWN_ITEMS: usize = 8;

/// The tail; empty where there is nothing to say.
#[must_use]
pub fn tail(view: &WorldView, state: &State<'_>) -> String {
    let mut lines = String::new();
    if let Some(world) = state.world {
        view.paths.iter().filter_map(|path| view.line(world, path)).for_each(|line| lines.push_str(&line));
    }
    for budget in &state.budgets {
        // Writing to a String cannot fail.
        let _ = writeln!(lines, "- `{}`: {}", budget.code, budget.left);
    }
    for upload in &state.uploads {
        let _ = writeln!(lines, "- upload: {}, {} bytes", crate::text::quoted(upload.kind), upload.size);
    }
    let mut out = String::new();
    if !lines.is_empty() {
        out.push_str("## State\n");
        out.push_str(&lines);
    }
    if !state.directives.is_empty() {
        out.push_str(if out.is_empty() { "## Directives\n" } else { "\n## Directives\n" });
        for directive in &state.directives {
            let _ = writeln!(out, "- {}", super::prose::sentence(directive));
        }
    }
    out.truncate(out.trim_end().len());
    out
}

impl WorldView {
    /// One path as it stands in this world.
    fn line(&self, world: &Value<'_>, path: &[String]) -> Option<String> {
        if self.is_untrusted(path) {
            return None;
        }
        let hiding = path.iter().find_map(|key| self.hiding(key));
        let value = path.iter().try_fold(world, |value, key| value.get(key))?;
        let said = match hiding {
            Some(Hiding::Omit) => return None,
            Some(Hiding::Mask) => "[hidden]".to_owned(),
            None => said(value)?,
        };
        Some(format!("- `world.{}`: {said}\n", path.join(".")))
    }

    fn hiding(&self, key: &str) -> Option<Hiding> {
        self.hidden.iter().find(|(field, _)| field == key).map(|(_, hiding)| *hiding)
    }

    /// True if an outsider may have written what stands at a path, or something inside or around it.
    fn is_untrusted(&self, path: &[String]) -> bool {
        self.untrusted.iter().any(|marked| {
            marked.steps().iter().zip(path).all(|(step, key)| match step {
                Step::Key(name) => name == key,
                _ => true,
            })
        })
    }
}

/// A value in a line: a scalar, a short list of scalars, or how many entries a table has.
fn said(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Array(items) if items.len() <= SHOWN_ITEMS && items.iter().all(is_scalar) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            Some(if items.is_empty() { "none".to_owned() } else { items.join(", ") })
        }
        Value::Array(items) => Some(format!("{} entries", items.len())),
        Value::Object(members) => Some(format!("{} entries", members.len())),
        scalar => Some(shown(scalar)),
    }
}

fn is_scalar(value: &Value<'_>) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}
