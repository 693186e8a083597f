//! `flyball rules`: every rule of the linter in a line, or the page of one.

use crate::config::near_rule;
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{Output, columns};
use crate::report::Format;
use crate::rule_page;
use crate::table::aligned;
use flyball::lint::{RULES, Rule};
use serde::Serialize;
use std::io::Write;

const EXAMPLE: &str = "\
Examples:
  flyball rules                  every rule in a line: code, name, severity, what it finds
  flyball rules unused-let       what it does, why, an example, what to write instead
  flyball rules F910 --format json";

/// List the rules of the linter, or explain one
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Rules {
    /// Explain the rule of this name or code
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// Write rules this way
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Serialize)]
struct Line {
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    summary: String,
    docs: &'static str,
}

impl Rules {
    pub(super) fn run(&self, output: &mut Output) -> Result<Exit, CliError> {
        let named = self.name.as_deref().map(find).transpose()?;
        let rules = named.map_or_else(|| RULES.to_vec(), |rule| vec![rule]);
        let text = match (self.format, named) {
            (Format::Json, _) => rules.into_iter().map(line).collect(),
            (Format::Human, Some(rule)) => rule_page::page(rule),
            (Format::Human, None) => {
                cut(&aligned(&rules.into_iter().map(row).collect::<Vec<_>>()), columns().unwrap_or(COLUMNS))
            }
        };
        write!(output.out, "{text}")?;
        Ok(Exit::Done)
    }
}

/// What a line may have where no terminal reads.
const COLUMNS: usize = 100;

/// The lines, each cut to so many characters.
fn cut(text: &str, columns: usize) -> String {
    let line = |line: &str| {
        if line.chars().count() <= columns {
            return format!("{line}\n");
        }
        let kept: String = line.chars().take(columns.saturating_sub(1)).collect();
        format!("{}…\n", kept.trim_end())
    };
    text.lines().map(line).collect()
}

fn find(name: &str) -> Result<&'static Rule, CliError> {
    let unknown = || CliError::UnknownRule { name: name.to_owned(), help: near_rule(name) };
    let spellings = [name.to_owned(), name.to_uppercase(), name.to_lowercase()];
    spellings.iter().find_map(|name| Rule::find(name)).ok_or_else(unknown)
}

fn row(rule: &'static Rule) -> [String; 4] {
    [rule.code.to_owned(), rule.name.to_owned(), rule.severity.name().to_owned(), rule_page::summary(rule)]
}

fn line(rule: &'static Rule) -> String {
    let Rule { code, name, severity, docs, .. } = *rule;
    let line = Line { code, name, severity: severity.name(), summary: rule_page::summary(rule), docs: docs.trim() };
    // Texts under text keys: nothing here that JSON cannot say.
    serde_json::to_string(&line).unwrap_or_default() + "\n"
}
