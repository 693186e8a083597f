//! What is to be said of the thing under the cursor.

use super::focus::Focus;
use super::place::{Expect, KEYWORDS};
use super::project::{Named, Schema};
use flyball::decode::Field;
use flyball::expr::{Sort, VOCABULARY};
use flyball::guards::KINDS;
use flyball::lint::Rule;
use flyball::outline::{Cursor, Node, Part, Spot, Word};
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};
use std::ops::Range;

/// The most lines of a value that are shown.
const MAX_LINES: usize = 30;

/// What is said, and about which part of the text.
pub(crate) fn at(focus: &Focus<'_>) -> Option<Hover> {
    let (value, range) = said(focus)?;
    let range = Some(focus.text.range(&range, focus.files.units));
    Some(Hover { contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }), range })
}

fn said(focus: &Focus<'_>) -> Option<(String, Range<usize>)> {
    if let Some(comment) = focus.comment() {
        return rule(focus, &comment);
    }
    let cursor = focus.cursor.as_ref()?;
    match (cursor.part, focus.spot()) {
        (Part::Key, _) => Some((of_key(focus, cursor)?, cursor.range.clone())),
        (Part::Value, Some(Spot::Word(word))) => Some((of_word(focus, &word)?, word.range.clone())),
        (Part::Value, Some(Spot::Text { function: Some(_), range })) => {
            let tool = focus.project.tools().find(|tool| tool.name == focus.slice(range.clone()))?;
            Some((of_tool(focus, tool), range))
        }
        (Part::Value, Some(Spot::Text { .. })) => None,
        (Part::Value, None) => Some((of_value(focus, cursor)?, focus.inner().unwrap_or(cursor.range.clone()))),
    }
}

/// The rule that a comment names where the cursor is.
fn rule(focus: &Focus<'_>, comment: &Range<usize>) -> Option<(String, Range<usize>)> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let head = focus.slice(comment.start..focus.place);
    let start = comment.start.saturating_add(head.trim_end_matches(is_part).len());
    let tail = focus.slice(focus.place..comment.end);
    let end = focus.place.saturating_add(tail.find(|letter| !is_part(letter)).unwrap_or(tail.len()));
    let rule = Rule::find(focus.slice(start..end))?;
    Some((format!("**{}** ({})\n\n{}", rule.name, rule.code, rule.docs), start..end))
}

fn of_field(field: &Field) -> String {
    let required = if field.required { ", required" } else { "" };
    format!("**{}**: {}{required}\n\n{}", field.key, field.ty.words(), field.doc)
}

fn of_key(focus: &Focus<'_>, cursor: &Cursor) -> Option<String> {
    if let Some(field) = focus.field() {
        return Some(of_field(field));
    }
    let expected = focus.expected();
    let is_schema = expected.iter().any(|one| matches!(one, Expect::Schema));
    if let Some((key, doc)) = KEYWORDS.iter().find(|(key, _)| is_schema && *key == cursor.text) {
        return Some(format!("**{key}**\n\n{doc}"));
    }
    if focus.key(0) == Some("tools") && cursor.path.len() == 1 {
        let tool = focus.project.tools().find(|tool| tool.name == cursor.text)?;
        return Some(of_tool(focus, tool));
    }
    let kind = expected.iter().find_map(|one| if let Expect::PackWith(kind) = one { Some(*kind) } else { None })?;
    let kinds = focus.project.pack_kinds();
    let (_, kind) = kinds.iter().find(|(name, _)| name == kind)?;
    let params = kind.node.get("params")?;
    Some(written(cursor.text.as_str(), kind.unit.text.get(params.get(&cursor.text)?.range.clone())?))
}

fn of_value(focus: &Focus<'_>, cursor: &Cursor) -> Option<String> {
    if focus.names_kind() {
        return of_kind(focus, &cursor.text);
    }
    if focus.names_tool() {
        let tools = focus.project.meant(&[&cursor.text]);
        return match tools.as_slice() {
            [] => focus.field().map(of_field),
            [tool] => Some(of_tool(focus, *tool)),
            many => {
                let names: Vec<String> = many.iter().map(|tool| format!("* `{}`", tool.name)).collect();
                Some(format!("`{}` means\n\n{}", cursor.text, names.join("\n")))
            }
        };
    }
    if focus.names_argument() {
        let path: Vec<String> = cursor.text.replace("[]", ".[]").split('.').map(str::to_owned).collect();
        let path: Vec<String> = ["args".to_owned()].into_iter().chain(path).collect();
        return of_schemas(focus, &cursor.text, &focus.schemas(&path)).or_else(|| focus.field().map(of_field));
    }
    focus.field().map(of_field)
}

fn of_kind(focus: &Focus<'_>, name: &str) -> Option<String> {
    if let Some(about) = KINDS.iter().map(|kind| kind.about()).find(|about| about.name == name) {
        let parameters: Vec<String> = about.parameters.fields.iter().map(parameter).collect();
        let table =
            if parameters.is_empty() { String::new() } else { format!("\n## Parameters\n{}\n", parameters.join("\n")) };
        return Some(format!("**{name}**\n\n{}{table}", about.docs));
    }
    let kinds = focus.project.pack_kinds();
    let (_, kind) = kinds.iter().find(|(known, _)| known == name)?;
    Some(written(name, kind.unit.text.get(kind.node.range.clone())?))
}

fn parameter(field: &Field) -> String {
    let required = if field.required { ", required" } else { "" };
    format!("* `{}` ({}{required}): {}", field.key, field.ty.words(), field.doc)
}

/// A tool: its effect, what it does, its arguments.
fn of_tool(focus: &Focus<'_>, tool: Named<'_>) -> String {
    let said = |key: &str| tool.node.get(key).and_then(Node::text);
    let mut text = format!("**{}**: {}", tool.name, said("effect").unwrap_or("external"));
    if let Some(description) = said("description") {
        text.push_str(&format!("\n\n{description}"));
    }
    if let Some(schema) = tool.node.get("parameters").map(|node| focus.project.schema((tool.unit, node))) {
        let required: Vec<&str> =
            schema.1.get("required").map(Node::items).unwrap_or_default().iter().filter_map(Node::text).collect();
        let mut lines = String::new();
        for property in focus.project.properties(schema) {
            let (_, node) = focus.project.schema((property.unit, property.node));
            let said = |key: &str| node.get(key).and_then(Node::text).unwrap_or_default();
            let must = if required.contains(&property.name) { ", required" } else { "" };
            lines.push_str(&format!("\n* `{}` {}{must}", property.name, said("type")));
            if !said("description").is_empty() {
                lines.push_str(&format!(": {}", said("description")));
            }
        }
        if !lines.is_empty() {
            text.push_str(&format!("\n{lines}"));
        }
    }
    text
}

/// A name in an expression.
fn of_word(focus: &Focus<'_>, word: &Word) -> Option<String> {
    let path: Vec<String> = word.before.iter().cloned().chain([word.text.clone()]).collect();
    let shown = path.join(".").replace(".[]", "[]");
    if let ["params", name, ..] = path.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        let known = focus.project.entries("params").find(|known| known.name == *name)?;
        return Some(written(&shown, known.unit.text.get(known.node.range.clone())?));
    }
    if word.before.is_empty()
        && let Some(known) = focus.project.entries("let").find(|known| known.name == word.text)
    {
        let value = written(&shown, known.unit.text.get(known.node.range.clone())?);
        let ty = of_schemas(focus, "its type", &focus.schemas(&path)).map(|ty| format!("\n\n{ty}"));
        return Some(value + &ty.unwrap_or_default());
    }
    let is_alone = word.before.is_empty();
    let meant = |sort: Sort| match sort {
        Sort::Root => is_alone && !word.is_call,
        Sort::Function => is_alone && word.is_call,
        Sort::Method | Sort::Macro => !is_alone && word.is_call,
    };
    if let Some(term) = VOCABULARY.iter().find(|term| term.name == word.text && meant(term.sort)) {
        return Some(format!("`{}`\n\n{}", term.form, term.doc));
    }
    of_schemas(focus, &shown, &focus.schemas(&path))
}

/// Schemas, each once.
fn of_schemas(focus: &Focus<'_>, name: &str, schemas: &[Schema<'_>]) -> Option<String> {
    let mut texts: Vec<&str> = Vec::new();
    for schema in schemas {
        let (unit, node) = focus.project.schema(*schema);
        let text = unit.text.get(node.range.clone()).unwrap_or_default();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let (first, rest) = texts.split_first()?;
    let others = if rest.is_empty() { String::new() } else { format!("\n\nand {} more, by tool", rest.len()) };
    Some(written(name, first) + &others)
}

/// A name with the text that declares it.
fn written(name: &str, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let behind = lines.iter().skip(1).filter(|line| !line.trim().is_empty());
    let indent = behind.map(|line| line.len().saturating_sub(line.trim_start().len())).min().unwrap_or(0);
    let shown = lines
        .iter()
        .take(MAX_LINES)
        .enumerate()
        .map(|(at, line)| if at == 0 { *line } else { line.get(indent..).unwrap_or_default() });
    let shown: Vec<&str> = shown.collect();
    let more = if lines.len() > MAX_LINES { "\n# …" } else { "" };
    let shown = shown.join("\n");
    format!("**{name}**\n\n```yaml\n{shown}{more}\n```")
}
