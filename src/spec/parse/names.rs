//! What expressions call by name: `params`, `let` and the offset of `time`.

use super::Parser;
use crate::decode::{Fields, suggest_part};
use crate::diagnostic::Diagnostic;
use crate::expr::{Expression, Let, Template};
use crate::source::{Span, Spanned};
use crate::spec::shapes::{LET, TIME};
use crate::value::Value;
use crate::yaml::{Data, Entry, Node};
use std::collections::{BTreeMap, BTreeSet};

/// The lets so that each stands behind those it reads, and by name where that leaves a choice: their order in a file means
/// nothing. Those that read each other in a circle come last, and are told where they are compiled.
pub(super) fn arranged(lets: Vec<Let>) -> Vec<Let> {
    let numbers: BTreeMap<&str, usize> =
        lets.iter().enumerate().map(|(number, one)| (one.name.value.as_str(), number)).collect();
    let mut readers: Vec<Vec<usize>> = lets.iter().map(|_| Vec::new()).collect();
    let mut waits_for: Vec<usize> = Vec::new();
    for (reader, one) in lets.iter().enumerate() {
        let texts = one.missing.iter().flat_map(Template::roots);
        let names: BTreeSet<String> = one.value.roots().into_iter().chain(texts).map(|name| name.value).collect();
        let read: Vec<usize> = names.iter().filter_map(|name| numbers.get(name.as_str()).copied()).collect();
        waits_for.push(read.len());
        for number in read {
            readers.get_mut(number).into_iter().for_each(|readers| readers.push(reader));
        }
    }
    let mut ready: BTreeSet<(&str, usize)> = numbers.iter().map(|(name, number)| (*name, *number)).collect();
    ready.retain(|(_, number)| waits_for.get(*number) == Some(&0));
    let mut places: Vec<usize> = vec![usize::MAX; lets.len()];
    let mut placed: usize = 0;
    while let Some((_, number)) = ready.pop_first() {
        if let Some(place) = places.get_mut(number) {
            *place = placed;
        }
        placed = placed.saturating_add(1);
        for reader in readers.get(number).into_iter().flatten() {
            let Some(waits) = waits_for.get_mut(*reader) else { continue };
            *waits = waits.saturating_sub(1);
            if *waits == 0 {
                ready.extend(lets.get(*reader).map(|one| (one.name.value.as_str(), *reader)));
            }
        }
    }
    let mut arranged: Vec<(usize, Let)> = places.into_iter().zip(lets).collect();
    arranged.sort_by(|left, right| left.0.cmp(&right.0).then_with(|| left.1.name.value.cmp(&right.1.name.value)));
    arranged.into_iter().map(|(_, one)| one).collect()
}

/// The most lets of a spec and its contract.
const MAX_LETS: usize = 1024;

/// The most parts of lets inside each other.
const MAX_LET_DEPTH: usize = 256;

/// What expressions mean by a name already.
const ROOTS: &[&str] = &[
    "world", "params", "session", "now", "args", "declared", "call", "result", "input", "reply", "true", "false",
    "null", "in",
];

impl Parser<'_, '_> {
    /// `params`: constants, any YAML values. A name stands in one file.
    pub(super) fn params(&mut self, fields: &Fields<'_>, named: &mut BTreeMap<String, Span>) {
        let Some(node) = fields.get("params") else { return };
        for entry in self.decoder.entries(node) {
            if !self.is_free_name(&entry.key, entry.key_span) || !self.is_new(entry, "params", named) {
                continue;
            }
            if let Some(value) = self.decoder.value(&entry.value) {
                self.params.insert(entry.key.to_string().into(), value);
                self.constants.push(entry.clone());
            }
        }
    }

    /// `let`: named expressions.
    pub(super) fn lets(&mut self, fields: &Fields<'_>, named: &mut BTreeMap<String, Span>) -> Vec<Let> {
        let Some(node) = fields.get("let") else { return Vec::new() };
        let mut lets = Vec::new();
        for entry in self.decoder.entries(node) {
            let is_free = self.is_free_name(&entry.key, entry.key_span) && self.is_free_let(entry);
            if is_free && self.is_new(entry, "let", named) {
                self.lets.insert(entry.key.to_string());
                lets.extend(self.one_let(entry));
            }
        }
        lets
    }

    fn one_let(&mut self, entry: &Entry) -> Option<Let> {
        let name = Spanned::new(entry.key.to_string(), entry.key_span);
        if !matches!(entry.value.data, Data::Map(_)) {
            let value = Expression::decode(&mut self.decoder, &entry.value)?;
            return Some(Let { name, value, missing: None });
        }
        let fields = self.decoder.open(&entry.value, &LET)?;
        let value = Expression::decode(&mut self.decoder, fields.get("value")?)?;
        let missing = match fields.get("missing") {
            Some(node) => Some(Template::decode(&mut self.decoder, node)?),
            None => None,
        };
        Some(Let { name, value, missing })
    }

    /// `time: {offset: '-05:00'}` in minutes east of UTC.
    pub(super) fn offset(&mut self, fields: &Fields<'_>) -> Option<i32> {
        let node = fields.get("time").and_then(|node| self.decoder.open(node, &TIME))?.get("offset")?;
        let text = self.decoder.text(node)?;
        let offset = minutes(&text.value);
        if offset.is_none() {
            let message = format!("`{}` is no offset from UTC", text.value);
            let problem = Diagnostic::error("bad-offset", text.span, message);
            self.decoder
                .report(problem.help("write hours and minutes, such as `'-05:00'`; zone names change, offsets do not"));
        }
        offset
    }

    /// True if a name can be given: letters, digits and `_`, and none that means something already.
    pub(super) fn is_free_name(&mut self, name: &str, span: Span) -> bool {
        let sound = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let help = if !sound {
            "write letters, digits and `_`, a letter first"
        } else if ROOTS.contains(&name) {
            "expressions mean something by it already; choose another"
        } else {
            return true;
        };
        self.decoder.report(Diagnostic::error("bad-name", span, format!("`{name}` cannot be a name")).help(help));
        false
    }

    /// False for a word of the language.
    fn is_free_let(&mut self, entry: &Entry) -> bool {
        let is_word = crate::expr::is_word(&entry.key);
        if is_word {
            let problem = Diagnostic::error("bad-name", entry.key_span, format!("`{}` cannot be a name", entry.key));
            self.decoder.report(problem.help("expressions mean something by it already; choose another"));
        }
        !is_word
    }

    /// Lets beyond what can be computed: too many, or one that others carry too far.
    pub(super) fn check_lets(&mut self, lets: &[Let]) {
        if let Some(first) = lets.get(MAX_LETS) {
            let message = format!("there are {} lets, and {MAX_LETS} are the most", lets.len());
            self.decoder.report(Diagnostic::error("bad-count", first.name.span, message).help("take some out"));
        }
        let mut depths: BTreeMap<&str, usize> = BTreeMap::new();
        for one in lets {
            let texts = one.missing.iter().flat_map(Template::roots);
            let read = one.value.roots().into_iter().chain(texts);
            let below = read.filter_map(|name| depths.get(name.value.as_str()).copied()).max().unwrap_or(0);
            let depth = below.saturating_add(one.value.depth());
            if depth > MAX_LET_DEPTH {
                let message = format!("with the lets it reads, `{}` nests deeper than {MAX_LET_DEPTH}", one.name.value);
                let problem = Diagnostic::error("bad-expression", one.value.span(), message);
                self.decoder.report(problem.help("read fewer lets one through another"));
                return;
            }
            depths.insert(one.name.value.as_str(), depth);
        }
    }

    /// False for a name that the contract gives too.
    fn is_new(&mut self, entry: &Entry, key: &str, named: &mut BTreeMap<String, Span>) -> bool {
        let Some(earlier) = named.insert(format!("{key} {}", entry.key), entry.key_span) else { return true };
        let message = format!("`{}` is named in the contract too", entry.key);
        let problem = Diagnostic::error("shadowed-name", entry.key_span, message);
        self.decoder.report(problem.label(earlier, "named here").help("rename one: a name never shadows another"));
        false
    }

    /// A kind's parameters with `params.NAME` replaced by the constant of that name.
    pub(super) fn with_constants(&mut self, node: &Node) -> Option<Node> {
        let data = match &node.data {
            Data::Map(entries) => {
                let entries = entries.iter().map(|entry| {
                    let value = if &*entry.key == "check" {
                        Some(entry.value.clone())
                    } else {
                        self.with_constants(&entry.value)
                    };
                    Some(Entry { value: value?, ..entry.clone() })
                });
                Data::Map(entries.collect::<Option<_>>()?)
            }
            Data::List(items) => Data::List(items.iter().map(|item| self.with_constants(item)).collect::<Option<_>>()?),
            Data::Text(text) if node.is_plain() && text.starts_with("params.") => return self.constant(node, text),
            _ => return Some(node.clone()),
        };
        Some(Node { data, ..node.clone() })
    }

    fn constant(&mut self, node: &Node, text: &str) -> Option<Node> {
        let mut steps = text.split('.').skip(1);
        let first = steps.next().unwrap_or_default();
        let start = self.constants.iter().find(|entry| &*entry.key == first).map(|entry| entry.value.clone());
        let found = steps.try_fold(start, |at, step| at.map(|at| at.get(step).cloned()));
        match found.flatten() {
            Some(found) => Some(Node { span: node.span, ..found }),
            None => {
                let known: Vec<&str> = self.constants.iter().map(|entry| &*entry.key).collect();
                let problem = Diagnostic::error("unknown-name", node.span, format!("there is no constant `{text}`"));
                let problem = suggest_part(problem, "params.", first, &known);
                self.decoder.report(problem);
                None
            }
        }
    }
}

fn minutes(text: &str) -> Option<i32> {
    if text == "Z" {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    let two = |part: &str, below: i32| {
        let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<i32>().ok().filter(|number| digits && *number < below)
    };
    two(hours, 24)?.checked_mul(60)?.checked_add(two(minutes, 60)?)?.checked_mul(sign)
}

/// An offset as the format writes it.
pub(crate) fn offset_text(minutes: i32) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    let all = minutes.unsigned_abs();
    format!("{sign}{:02}:{:02}", all / 60, all % 60)
}

/// True for nothing at all: what the effective spec leaves out.
pub(crate) fn is_empty(params: &Value<'_>) -> bool {
    params.as_object().is_none_or(|members| members.is_empty())
}
