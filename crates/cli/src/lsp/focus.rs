//! What is under the cursor: the keys that lead there, what may stand there, which names are known there.

use super::files::{Files, Format};
use super::place::{self, Expect};
use super::project::{Named, Project, Schema};
use super::text::Text;
use flyball::decode::{Field, Type};
use flyball::expr::{Sort, VOCABULARY};
use flyball::outline::{Cursor, Node, Outline, Part, Spot, Step, comment_at, expression_in_text, spot};
use flyball_io::sources::FileKind;
use std::ops::Range;

/// How often a name may stand for another one.
const MAX_NAMES: usize = 8;

/// Keys that name tools.
const TOOLS: [&str; 7] = ["tools", "except", "from", "to", "after", "call", "tool"];

/// A place of an open document.
#[derive(Debug)]
pub(crate) struct Focus<'f> {
    pub(crate) files: &'f Files,
    pub(crate) project: &'f Project,
    pub(crate) text: &'f Text,
    pub(crate) place: usize,
    pub(crate) format: Format,
    pub(crate) outline: Outline,
    pub(crate) cursor: Option<Cursor>,
}

/// A variable of an expression, and the path to what it goes over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) over: Vec<String>,
}

impl<'f> Focus<'f> {
    pub(crate) fn of(files: &'f Files, project: &'f Project, text: &'f Text, place: usize) -> Option<Focus<'f>> {
        let format = project.main()?.format?;
        let outline = Outline::read(text.as_str(), Some(place));
        let cursor = outline.at(place);
        Some(Focus { files, project, text, place, format, outline, cursor })
    }

    pub(crate) fn slice(&self, range: Range<usize>) -> &str {
        self.text.as_str().get(range).unwrap_or_default()
    }

    fn path(&self) -> &[Step] {
        self.cursor.as_ref().map(|cursor| cursor.path.as_slice()).unwrap_or_default()
    }

    /// The key of a step, counted from the root.
    pub(crate) fn key(&self, at: usize) -> Option<&str> {
        if let Step::Key(key) = self.path().get(at)? { Some(key) } else { None }
    }

    /// The innermost key, and the steps to the map that has it.
    pub(crate) fn last_key(&self) -> Option<(&str, &[Step])> {
        let at = self.path().iter().rposition(|step| matches!(step, Step::Key(_)))?;
        Some((self.key(at)?, self.path().get(..at)?))
    }

    pub(crate) fn expected(&self) -> Vec<Expect<'_>> {
        place::expected(self.format, &self.outline, self.path())
    }

    /// The field of the innermost key, or of the key under the cursor.
    pub(crate) fn field(&self) -> Option<&'static Field> {
        let cursor = self.cursor.as_ref()?;
        match cursor.part {
            Part::Key => place::field(self.format, &self.outline, &cursor.path, &cursor.text),
            Part::Value => {
                let (key, path) = self.last_key()?;
                place::field(self.format, &self.outline, path, key)
            }
        }
    }

    /// The comment under the cursor, if it speaks to Flyball.
    pub(crate) fn comment(&self) -> Option<Range<usize>> {
        let range = comment_at(self.text.as_str(), self.place)?;
        let is_text = self.cursor.as_ref().is_some_and(|cursor| cursor.range.contains(&range.start));
        (!is_text && self.slice(range.clone()).starts_with("# flyball:")).then_some(range)
    }

    /// Where the scalar under the cursor says something: without its quotes, or the head of a block.
    pub(crate) fn inner(&self) -> Option<Range<usize>> {
        let cursor = self.cursor.as_ref().filter(|cursor| cursor.part == Part::Value)?;
        let range = cursor.range.clone();
        let text = self.slice(range.clone());
        let first = text.chars().next();
        let start = match first {
            Some('\'' | '"') => range.start.saturating_add(1),
            Some('|' | '>') => {
                let head = text.find('\n').map_or(text.len(), |at| at.saturating_add(1));
                range.start.saturating_add(head)
            }
            _ => range.start,
        };
        let is_closed = matches!(first, Some(quote @ ('\'' | '"')) if text.len() > 1 && text.ends_with(quote));
        let end = range.end.saturating_sub(usize::from(is_closed));
        (start <= self.place && self.place <= end).then_some(start..end)
    }

    /// Where the expression under the cursor stands: the whole value, or between the braces of a text.
    pub(crate) fn expression(&self) -> Option<Range<usize>> {
        let inner = self.inner()?;
        let expected = self.expected();
        let is = |wanted: fn(&Type) -> bool| expected.iter().any(|one| matches!(one, Expect::Type(ty) if wanted(ty)));
        let text = self.slice(inner.clone());
        if self.last_key().is_some_and(|(key, _)| key == "forEach") {
            let behind = text.find(" in ").map(|at| inner.start.saturating_add(at).saturating_add(4));
            return behind.filter(|start| *start <= self.place).map(|start| start..inner.end);
        }
        let is_constant = text.starts_with("params.") && self.path().contains(&Step::Key("with".to_owned()));
        if is(|ty| matches!(ty, Type::Expression)) || is_constant {
            return Some(inner);
        }
        is(|ty| matches!(ty, Type::Text)).then(|| expression_in_text(self.text.as_str(), inner, self.place)).flatten()
    }

    /// What is under the cursor in an expression.
    pub(crate) fn spot(&self) -> Option<Spot> {
        spot(self.text.as_str(), self.expression()?, self.place)
    }

    /// True where the value under the cursor names a tool.
    pub(crate) fn names_tool(&self) -> bool {
        let is_text = self.expected().iter().any(|one| matches!(one, Expect::Type(Type::Text)));
        is_text && self.last_key().is_some_and(|(key, _)| TOOLS.contains(&key))
    }

    /// True where the value under the cursor names an argument.
    pub(crate) fn names_argument(&self) -> bool {
        let is_text = self.expected().iter().any(|one| matches!(one, Expect::Type(Type::Text)));
        is_text && self.last_key().is_some_and(|(key, _)| matches!(key, "arg" | "args" | "same"))
    }

    /// True where the value under the cursor is a guard's kind.
    pub(crate) fn names_kind(&self) -> bool {
        self.key(0) == Some("guards") && self.path().len() == 4 && self.key(3) == Some("kind")
    }

    /// The kind of file that the value under the cursor names, if it names one.
    pub(crate) fn names_file(&self) -> Option<FileKind> {
        match (self.format, self.path()) {
            (Format::Spec, [Step::Key(key)]) if key == "contract" => Some(FileKind::Contract),
            (Format::Spec, [Step::Key(key)]) if key == "extends" => Some(FileKind::Spec),
            (Format::Spec, [Step::Key(key), Step::Key(_)]) if key == "packs" => Some(FileKind::Pack),
            _ => None,
        }
    }

    /// The hook that what is under the cursor is asked at; `None` where any may be.
    pub(crate) fn hook(&self) -> Option<&str> {
        match self.key(0)? {
            "guards" => self.key(1),
            "budgets" | "flow" => Some("preTool"),
            "chains" => Some("postTool"),
            "tools" => Some(if self.key(2) == Some("errorWhen") { "postTool" } else { "preTool" }),
            "kinds" => Some("kinds"),
            "directives" | "time" | "controls" | "world" => Some("turn"),
            _ => None,
        }
    }

    /// The tools whose calls what is under the cursor is about.
    pub(crate) fn tools(&self) -> Vec<Named<'f>> {
        let map_at = |depth: usize| self.path().get(..depth).and_then(|path| self.outline.find(path));
        let (map, key) = match self.key(0) {
            Some("tools") => {
                let name = self.key(1);
                return self.project.tools().filter(|tool| Some(tool.name) == name).collect();
            }
            Some("guards") => (map_at(3), "tools"),
            Some("budgets") => (map_at(2), "tools"),
            Some("flow") => (map_at(2), "to"),
            Some("chains") => (map_at(2), "after"),
            _ => (None, "tools"),
        };
        let texts = |key: &str| -> Vec<&str> {
            let node = map.and_then(|map| map.get(key));
            node.map(Node::one_or_many).unwrap_or_default().iter().filter_map(Node::text).collect()
        };
        let (patterns, except) = (texts(key), texts("except"));
        if patterns.is_empty() {
            let left_out = self.project.meant(&except);
            let is_left_out = |tool: &Named<'_>| left_out.iter().any(|one| one.name == tool.name);
            return self.project.tools().filter(|tool| !is_left_out(tool)).collect();
        }
        self.project.meant(&patterns)
    }

    /// The variables of the guard's `forEach` and of the macros of the expression.
    pub(crate) fn locals(&self) -> Vec<Local> {
        let guard = self.path().get(..3).filter(|_| self.key(0) == Some("guards"));
        let each = guard.and_then(|path| self.outline.find(path)).and_then(|guard| guard.get("forEach"));
        let mut locals: Vec<Local> = each.and_then(Node::text).map(for_each).unwrap_or_default();
        if let Some(range) = self.expression() {
            locals.extend(variables(self.slice(range)));
        }
        locals
    }

    /// The schemas of what a path of names leads to, one for each tool it can be about.
    pub(crate) fn schemas(&self, path: &[String]) -> Vec<Schema<'f>> {
        let path = self.rooted(path);
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        if let Some(names) = earlier(first) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let tools = self.project.meant(&names);
            let Some((part, rest)) = rest.split_first() else { return Vec::new() };
            let start = match part.as_str() {
                "args" => self.of_tools(&tools, "parameters"),
                "result" => self.of_tools(&tools, "returns"),
                _ => Vec::new(),
            };
            return self.members(start, rest);
        }
        match (first.as_str(), rest.split_first()) {
            ("args", _) => self.members(self.of_tools(&self.tools(), "parameters"), rest),
            ("result", _) => self.members(self.of_tools(&self.tools(), "returns"), rest),
            ("declared", Some((name, rest))) => {
                let declared = self.of_tools(&self.tools(), "declares").into_iter();
                self.members(declared.filter_map(|(unit, node)| Some((unit, node.get(name)?))).collect(), rest)
            }
            ("world", _) => self.members(self.project.world().into_iter().collect(), rest),
            _ => Vec::new(),
        }
    }

    fn of_tools(&self, tools: &[Named<'f>], key: &str) -> Vec<Schema<'f>> {
        tools.iter().filter_map(|tool| Some((tool.unit, tool.node.get(key)?))).collect()
    }

    /// A path from a root or from an earlier call: what stands for a path is replaced by it. Empty, where that is not known.
    pub(crate) fn rooted(&self, path: &[String]) -> Vec<String> {
        let mut path = path.to_vec();
        for _ in 0..MAX_NAMES {
            let Some((first, rest)) = path.split_first() else { break };
            let Some(over) = self.stands_for(first) else { break };
            if over.is_empty() {
                return over;
            }
            path = over.into_iter().chain(rest.iter().cloned()).collect();
        }
        path
    }

    /// The path that a variable or a let stands for; empty, where that is none.
    fn stands_for(&self, name: &str) -> Option<Vec<String>> {
        let is_root = VOCABULARY.iter().any(|term| term.sort == Sort::Root && term.name == name);
        let local = || self.locals().into_iter().rfind(|local| local.name == name).map(|local| local.over);
        let named = || {
            let known = self.project.entries("let").find(|known| known.name == name)?;
            let value = known.node.get("value").unwrap_or(known.node);
            Some(value.text().map(path_of).unwrap_or_default())
        };
        if is_root { None } else { local().or_else(named) }
    }

    fn members(&self, start: Vec<Schema<'f>>, path: &[String]) -> Vec<Schema<'f>> {
        path.iter().fold(start, |schemas, name| {
            schemas.into_iter().filter_map(|schema| self.project.member(schema, name)).collect()
        })
    }
}

/// The tools whose earlier call a path begins with: of `last('look_up', {})` it is `look_up`.
pub(crate) fn earlier(first: &str) -> Option<Vec<String>> {
    let (function, given) = first.split_once('(')?;
    let which = given.trim_start();
    let end = if which.starts_with('[') { which.find(']') } else { which.find([',', ')']) };
    let which = which.get(..end.unwrap_or(which.len()))?.replace("''", "'");
    // What stands between two quotes is every second part.
    let names = which.split(['\'', '"']).skip(1).step_by(2).map(str::to_owned).collect();
    matches!(function, "first" | "last").then_some(names)
}

/// The names of an expression that is nothing but a path; none of any other.
fn path_of(written: &str) -> Vec<String> {
    let is_block = written.starts_with(['>', '|']);
    let expression = if is_block { written.split_once('\n').map_or("", |(_, said)| said) } else { written }.trim();
    let pointed = format!("{expression}.");
    match spot(&pointed, 0..pointed.len(), pointed.len()) {
        Some(Spot::Word(word)) if is_one_path(expression) => word.before,
        _ => Vec::new(),
    }
}

/// True where nothing but names, points and what is in brackets stands in an expression.
fn is_one_path(expression: &str) -> bool {
    let (mut depth, mut quote) = (0_usize, None);
    expression.char_indices().all(|(at, letter)| {
        let is_quoted = quote.is_some();
        match letter {
            '\'' | '"' if quote == Some(letter) => quote = None,
            '\'' | '"' if quote.is_none() => quote = Some(letter),
            '(' | '[' | '{' if !is_quoted => depth = depth.saturating_add(1),
            ')' | ']' | '}' if !is_quoted => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ if letter.is_whitespace() => {
                return expression.get(at..).is_some_and(|rest| rest.trim_start().starts_with(['.', '[']));
            }
            _ => return letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '?'),
        }
        depth > 0 || !is_quoted && quote.is_none()
    })
}

/// The variables of `index, item in list`.
fn for_each(text: &str) -> Vec<Local> {
    let Some((names, over)) = text.split_once(" in ") else { return Vec::new() };
    let names: Vec<&str> = names.split(',').map(str::trim).collect();
    let over: Vec<String> = path_of(over).into_iter().chain(["[]".to_owned()]).collect();
    let last = names.len().saturating_sub(1);
    let local = |(at, name): (usize, &&str)| {
        let over = if at == last { over.clone() } else { Vec::new() };
        Local { name: (*name).to_owned(), over }
    };
    names.iter().enumerate().map(local).collect()
}

/// The variables that macros of an expression name.
fn variables(expression: &str) -> Vec<Local> {
    let mut locals = Vec::new();
    for term in VOCABULARY.iter().filter(|term| term.sort == Sort::Macro) {
        let call = format!(".{}(", term.name);
        for (at, _) in expression.match_indices(&call) {
            let over = match spot(expression, 0..expression.len(), at.saturating_add(1)) {
                Some(Spot::Word(word)) => word.before,
                _ => continue,
            };
            let parts = expression.get(at.saturating_add(call.len())..).unwrap_or_default();
            let is_name =
                |part: &str| !part.is_empty() && part.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
            let named: Vec<&str> = parts.split(',').map(str::trim).take(2).take_while(|part| is_name(part)).collect();
            let last = named.len().saturating_sub(1);
            for (number, name) in named.iter().enumerate() {
                let element = over.iter().cloned().chain(["[]".to_owned()]).collect();
                let over = if number == last { element } else { Vec::new() };
                locals.push(Local { name: (*name).to_owned(), over });
            }
        }
    }
    locals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_known_with_what_they_go_over() {
        let local = |name: &str, over: &[&str]| Local {
            name: name.to_owned(),
            over: over.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert_eq!(for_each("i, p in args.lines"), [local("i", &[]), local("p", &["args", "lines", "[]"])]);
        assert_eq!(for_each("p"), []);
        assert_eq!(variables("args.ids.all(x, x > 1)"), [local("x", &["args", "ids", "[]"])]);
        assert_eq!(variables("world.rows.exists(i, r, r.a)").len(), 2);
        assert_eq!(path_of("world.orders[args.id]"), ["world", "orders", "[]"]);
        assert_eq!(path_of(">-\n  first('a', {'id': b})\n  .result"), ["first('a', {'id': b})", "result"]);
        for other in ["a + b", "a ? b : c", "'a'", "a ||\n  b.c", "!a", "x in a.b"] {
            assert_eq!(path_of(other), [""; 0], "{other}");
        }
    }

    #[test]
    fn an_earlier_call_is_known_by_its_tools() {
        assert_eq!(earlier("last('look_up')").unwrap(), ["look_up"]);
        assert_eq!(earlier("last(''look_up'', {''id'': args.id})").unwrap(), ["look_up"]);
        assert_eq!(earlier("first([\"a\", 'b'], {'id': args.id})").unwrap(), ["a", "b"]);
        assert_eq!(earlier("count('a')"), None);
        assert_eq!(earlier("args"), None);
    }
}
