//! Where the thing under the cursor is declared.

use super::focus::Focus;
use super::project::{Named, Unit};
use super::text::Text;
use flyball::outline::{Cursor, Part, Spot, Step, Word};
use lsp_types::Location;
use std::ops::Range;

/// Every place where it is declared.
pub(crate) fn at(focus: &Focus<'_>) -> Option<Vec<Location>> {
    let found: Vec<Location> = declared(focus)?.into_iter().filter_map(|place| location(focus, place)).collect();
    (!found.is_empty()).then_some(found)
}

/// A file and a part of it.
type Place<'p> = (&'p Unit, Range<usize>);

fn of<'p>(named: Named<'p>) -> Place<'p> {
    (named.unit, named.key.clone())
}

fn location(focus: &Focus<'_>, (unit, range): Place<'_>) -> Option<Location> {
    let range = Text::new(&*unit.text).range(&range, focus.files.units);
    Some(Location { uri: focus.files.uri(&unit.path)?, range })
}

fn declared<'f>(focus: &Focus<'f>) -> Option<Vec<Place<'f>>> {
    let cursor = focus.cursor.as_ref().filter(|cursor| cursor.part == Part::Value)?;
    match focus.spot() {
        Some(Spot::Word(word)) => Some(of_word(focus, &word)),
        Some(Spot::Text { range, .. }) => Some(tools(focus, focus.slice(range))),
        None => of_value(focus, cursor),
    }
}

fn tools<'f>(focus: &Focus<'f>, pattern: &str) -> Vec<Place<'f>> {
    focus.project.meant(&[pattern]).into_iter().map(of).collect()
}

fn of_value<'f>(focus: &Focus<'f>, cursor: &Cursor) -> Option<Vec<Place<'f>>> {
    let main = focus.project.main()?;
    let whole = |unit: &'f Unit| vec![(unit, 0..0)];
    if focus.names_kind() {
        let kind = focus.project.pack_kinds().into_iter().find(|(name, _)| *name == cursor.text)?;
        return Some(vec![of(kind.1)]);
    }
    if focus.names_tool() {
        return Some(tools(focus, &cursor.text));
    }
    if focus.names_argument() {
        let path: Vec<String> =
            ["args".to_owned()].into_iter().chain(cursor.text.split('.').map(str::to_owned)).collect();
        return Some(properties(focus, &path));
    }
    match (focus.last_key()?, cursor.path.as_slice()) {
        (("$ref", _), _) => {
            let (unit, node) = focus.project.referred(main, &cursor.text)?;
            let key = focus.project.entries("$defs").find(|entry| std::ptr::eq(entry.node, node));
            Some(vec![key.map_or((unit, node.range.start..node.range.start), of)])
        }
        (("contract" | "extends", []), _) | (("schema", [Step::Key(_)]), _) => {
            Some(whole(focus.project.unit(main, &cursor.text)?))
        }
        (_, [Step::Key(packs), Step::Key(_)]) if packs == "packs" => {
            Some(whole(focus.project.unit(main, &cursor.text)?))
        }
        _ => None,
    }
}

fn of_word<'f>(focus: &Focus<'f>, word: &Word) -> Vec<Place<'f>> {
    let path: Vec<String> = word.before.iter().cloned().chain([word.text.clone()]).collect();
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    match names.as_slice() {
        ["params", name] => {
            let own = of_kind(focus, name);
            let shared = focus.project.entries("params").filter(|known| known.name == *name).map(of);
            own.into_iter().chain(shared).collect()
        }
        [name] => focus.project.entries("let").filter(|known| known.name == *name).map(of).collect(),
        ["declared", name] => {
            let maps = focus.tools().into_iter().filter_map(|tool| Some((tool.unit, tool.node.get("declares")?)));
            maps.filter_map(|(unit, map)| Some((unit, map.entry(name)?.key_range.clone()))).collect()
        }
        _ => properties(focus, &path),
    }
}

/// The parameter of the pack's kind that the cursor is in.
fn of_kind<'f>(focus: &Focus<'f>, name: &str) -> Option<Place<'f>> {
    let unit = focus.project.main().filter(|_| focus.hook() == Some("kinds"))?;
    let params = unit.outline.get(&["kinds", focus.key(1)?, "params"])?;
    Some((unit, params.entry(name)?.key_range.clone()))
}

/// The keys under `properties` that a path of names ends with.
fn properties<'f>(focus: &Focus<'f>, path: &[String]) -> Vec<Place<'f>> {
    let Some((last, before)) = path.split_last() else { return Vec::new() };
    let schemas = focus.schemas(before).into_iter();
    let found = schemas.flat_map(|schema| focus.project.properties(schema)).filter(|property| property.name == last);
    let mut places: Vec<Place<'f>> = Vec::new();
    for (unit, range) in found.map(of) {
        if !places.iter().any(|(known, place)| known.path == unit.path && *place == range) {
            places.push((unit, range));
        }
    }
    places
}
