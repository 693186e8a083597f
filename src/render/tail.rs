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
    lines: Vec<WorldLine>,
}

/// One path of the world.
#[derive(Debug)]
struct WorldLine {
    path: Vec<String>,
    /// What stands before the value.
    label: String,
    is_masked: bool,
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
    const STATE: &str = "## State\n";
    let mut out = String::with_capacity(512);
    out.push_str(STATE);
    for line in state.world.iter().flat_map(|world| view.lines.iter().map(move |line| (*world, line))) {
        line.1.write(line.0, &mut out);
    }
    for budget in &state.budgets {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "- `{}`: {}", budget.code, budget.left);
    }
    for upload in &state.uploads {
        let _ = writeln!(out, "- upload: {}, {} bytes", crate::text::quoted(upload.kind), upload.size);
    }
    if out.len() == STATE.len() {
        out.clear();
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
    /// The paths that a tail shows, each with constant keys only: those that no outsider can write. A field of a name
    /// that is hidden is left out or masked, and so is all inside it.
    #[must_use]
    pub fn new(paths: &[Vec<String>], untrusted: &[&Path], hidden: impl Fn(&str) -> Option<Hiding>) -> WorldView {
        let shown = paths.iter().filter(|path| !untrusted.iter().any(|marked| meets(marked, path)));
        let lines = shown.filter_map(|path| {
            let hiding = path.iter().find_map(|key| hidden(key));
            (hiding != Some(Hiding::Omit)).then(|| WorldLine {
                label: format!("- `world.{}`: ", path.join(".")),
                path: path.clone(),
                is_masked: hiding.is_some(),
            })
        });
        WorldView { lines: lines.collect() }
    }
}

/// True if what stands at a path lies at, inside or around a marked one.
fn meets(marked: &Path, path: &[String]) -> bool {
    marked.steps().iter().zip(path).all(|(step, key)| match step {
        Step::Key(name) => name == key,
        Step::Each | Step::Values => true,
    })
}

impl WorldLine {
    /// The line as it stands in this world; nothing where the path leads nowhere.
    fn write(&self, world: &Value<'_>, out: &mut String) {
        let Some(value) = self.path.iter().try_fold(world, |value, key| value.get(key)) else { return };
        out.push_str(&self.label);
        if self.is_masked {
            out.push_str("[hidden]")
        } else {
            out.push_str(&said(value))
        }
        out.push('\n');
    }
}

/// A value in a line: a scalar, a short list of scalars, or how many entries a table has.
fn said(value: &Value<'_>) -> String {
    match value {
        Value::Array(items) if items.len() <= SHOWN_ITEMS && items.iter().all(is_scalar) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            if items.is_empty() { "none".to_owned() } else { items.join(", ") }
        }
        Value::Array(items) => format!("{} entries", items.len()),
        Value::Object(members) => format!("{} entries", members.len()),
        scalar => shown(scalar),
    }
}

fn is_scalar(value: &Value<'_>) -> bool {
    !matches!(value, Value::Array(_) | Value::Object(_))
}
