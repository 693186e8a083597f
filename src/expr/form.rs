//! What an expression says by its form, for the linter: the paths it reads, the functions it calls, the texts it names.
//!
//! Nothing is typed or evaluated here. What a path leads to is known only as far as the form shows it.

use super::ast::{Access, Expr, Kind, Operator};
use super::template::Template;
use super::{Expression, parse};
use crate::source::Span;
use crate::value::Value;

/// A path as it is read: `world.users[].name` of `world.users[id].name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReadPath {
    /// What it begins with: `args`, `world`, a let, `last(…)`.
    pub(crate) root: String,
    /// Its keys in order; `[]` for a key or an index that is not written out.
    pub(crate) steps: Vec<String>,
    /// Where it ends.
    pub(crate) span: Span,
}

/// A text that a value is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ComparedText {
    /// The value.
    pub(crate) path: ReadPath,
    /// The text.
    pub(crate) text: String,
    /// Where the text stands.
    pub(crate) span: Span,
}

/// A path, and the names that what it is set equal to begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Equality {
    /// The path.
    pub(crate) path: ReadPath,
    /// The names.
    pub(crate) roots: Vec<String>,
}

/// The variables of the macros around a node, each with the path of what it stands for.
type Variables = Vec<(String, Option<ReadPath>)>;

/// The step for what is not written out.
const SOME: &str = "[]";

impl Expression {
    /// Every path that it reads, the longer ones together with those that they go through.
    pub(crate) fn read_paths(&self) -> Vec<ReadPath> {
        let mut found = Vec::new();
        self.root.visit(&mut Vec::new(), &mut |expr, variables| {
            if !matches!(expr.kind, Kind::Method(..) | Kind::Conditional(..)) {
                found.extend(expr.path(variables));
            }
        });
        found
    }

    /// The path that it is, or that its value comes from; `None` where the form does not show one.
    pub(crate) fn path(&self) -> Option<ReadPath> {
        self.root.path(&Vec::new())
    }

    /// True if it calls a function of this name.
    pub(crate) fn calls(&self, function: &str) -> bool {
        let mut calls = false;
        self.root.visit(&mut Vec::new(), &mut |expr, _| {
            calls |= matches!(&expr.kind, Kind::Call(name, _) if name.value == function);
        });
        calls
    }

    /// The texts that it names, each with its place.
    pub(crate) fn literal_texts(&self) -> Vec<(String, Span)> {
        self.root.literal_texts()
    }

    /// The texts that values are compared with: by `==` and `!=`, and by `in` a list that is written out.
    pub(crate) fn compared_texts(&self) -> Vec<ComparedText> {
        let mut found = Vec::new();
        self.root.visit(&mut Vec::new(), &mut |expr, variables| {
            let Kind::Binary(operator, left, right) = &expr.kind else { return };
            let sides = match operator {
                Operator::Equal | Operator::NotEqual => [(left, right), (right, left)].to_vec(),
                Operator::In => [(left, right)].to_vec(),
                _ => Vec::new(),
            };
            for (value, with) in sides {
                let Some(path) = value.path(variables) else { continue };
                let texts = with.listed_texts().into_iter();
                found.extend(texts.map(|(text, span)| ComparedText { path: path.clone(), text, span }));
            }
        });
        found
    }

    /// The paths that must equal something for it to hold.
    pub(crate) fn equalities(&self) -> Vec<Equality> {
        let parts =
            if let Kind::And(parts) = &self.root.kind { parts.as_slice() } else { std::slice::from_ref(&self.root) };
        let mut found = Vec::new();
        for part in parts {
            let Kind::Binary(Operator::Equal, left, right) = &part.kind else { continue };
            for (side, other) in [(left, right), (right, left)] {
                let mut roots = Vec::new();
                other.roots(&mut Vec::new(), &mut roots);
                let roots = roots.into_iter().map(|root| root.value).collect();
                found.extend(side.path(&Vec::new()).map(|path| Equality { path, roots }));
            }
        }
        found
    }
}

/// What an expression asks of the values that it reads, so that not any may stand there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limited {
    /// Equal to something, among something, the key of something, or given to a function that takes few.
    pub(crate) pinned: Vec<ReadPath>,
    /// Of some length or form.
    pub(crate) sized: Vec<ReadPath>,
}

impl Expression {
    /// The paths that it limits where it holds; `variables` stand for elements of them. Of `a || b` both are taken to hold.
    pub(crate) fn limited(&self, variables: &[(String, Option<ReadPath>)]) -> Limited {
        const ANY: [&str; 5] = ["count", "has", "size", "string", "type"];
        let is_of_call = |expr: &Expr| expr.path(&Vec::new()).is_some_and(|path| path.root == "args");
        let mut found = Limited::default();
        let mut denied: Vec<Span> = Vec::new();
        self.root.visit(&mut variables.to_vec(), &mut |expr, variables| {
            let is_denied = denied.iter().any(|span| span.start <= expr.span.start && expr.span.end <= span.end);
            let (pinned, sized): (Vec<&Expr>, Vec<&Expr>) = match &expr.kind {
                Kind::Not(inner) => {
                    denied.push(inner.span);
                    (vec![], vec![])
                }
                Kind::Call(name, parts) if name.value == "size" => (vec![], parts.iter().collect()),
                Kind::Method(base, name, _) if name.value == "size" => (vec![], vec![base]),
                _ if is_denied => (vec![], vec![]),
                Kind::Method(base, name, _) if name.value == "matches" => (vec![], vec![base]),
                Kind::Method(base, name, _) if name.value == "endsWith" => (vec![base], vec![]),
                // Two values of one call say nothing of each other.
                Kind::Binary(Operator::Equal, left, right) if is_of_call(left) && is_of_call(right) => (vec![], vec![]),
                Kind::Binary(Operator::Equal, left, right) => (vec![left, right], vec![]),
                Kind::Binary(Operator::In, left, _) => (vec![left], vec![]),
                Kind::Index(_, key, Access::Plain) => (vec![key], vec![]),
                Kind::Call(name, parts) if !ANY.contains(&name.value.as_str()) => {
                    let values = parts.iter().flat_map(|part| match &part.kind {
                        Kind::Map(entries) => entries.iter().map(|(_, value)| value).collect(),
                        _ => vec![part],
                    });
                    (values.collect(), vec![])
                }
                _ => (vec![], vec![]),
            };
            found.pinned.extend(pinned.into_iter().filter_map(|expr| expr.path(variables)));
            found.sized.extend(sized.into_iter().filter_map(|expr| expr.path(variables)));
        });
        found
    }
}

impl Template {
    /// As [`Expression::literal_texts`], of the values in it.
    pub(crate) fn literal_texts(&self) -> Vec<(String, Span)> {
        self.values().flat_map(Expr::literal_texts).collect()
    }

    /// What stands between its values.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            super::template::Piece::Words(words) => Some(words.as_str()),
            super::template::Piece::Value(_) => None,
        })
    }
}

impl Expr {
    /// Calls `see` with each node and the variables around it.
    fn visit(&self, variables: &mut Variables, see: &mut impl FnMut(&Expr, &Variables)) {
        see(self, variables);
        match &self.kind {
            Kind::Method(base, name, parts) if parse::is_macro(&name.value) => {
                base.visit(variables, see);
                let before = variables.len();
                let names = bind(base, &name.value, parts, variables);
                parts.iter().skip(names).for_each(|part| part.visit(variables, see));
                variables.truncate(before);
            }
            _ => self.parts().into_iter().for_each(|part| part.visit(variables, see)),
        }
    }

    /// The path that it reads, or goes on from: that of a list for one of its elements, of one branch for a condition.
    fn path(&self, variables: &Variables) -> Option<ReadPath> {
        match &self.kind {
            Kind::Name(name) => match variables.iter().rev().find(|(variable, _)| variable == name) {
                Some((_, path)) => path.clone().map(|path| ReadPath { span: self.span, ..path }),
                None => Some(ReadPath { root: name.clone(), steps: Vec::new(), span: self.span }),
            },
            Kind::Call(name, _) if matches!(name.value.as_str(), "first" | "last") => {
                Some(ReadPath { root: format!("{}(…)", name.value), steps: Vec::new(), span: self.span })
            }
            Kind::Select(base, name, _) => Some(base.path(variables)?.then(&name.value, name.span)),
            Kind::Index(base, key, _) => {
                let step = if let Kind::Literal(Value::String(name)) = &key.kind { name } else { SOME };
                Some(base.path(variables)?.then(step, key.span))
            }
            Kind::Method(base, name, parts) => match (name.value.as_str(), parts.as_slice()) {
                ("filter" | "orValue" | "distinct" | "lowerAscii", _) => base.path(variables),
                ("map" | "transformList", [.., last]) => {
                    let mut inner = variables.clone();
                    bind(base, &name.value, parts, &mut inner);
                    last.path(&inner)
                }
                _ => None,
            },
            Kind::Conditional(_, yes, no) => yes.path(variables).or_else(|| no.path(variables)),
            _ => None,
        }
    }

    fn literal_texts(&self) -> Vec<(String, Span)> {
        let mut found = Vec::new();
        self.visit(&mut Vec::new(), &mut |expr, _| {
            if let Kind::Literal(Value::String(text)) = &expr.kind {
                found.push((text.as_ref().to_owned(), expr.span));
            }
        });
        found
    }

    /// The text that it is, or the texts of the list that it is.
    fn listed_texts(&self) -> Vec<(String, Span)> {
        match &self.kind {
            Kind::Literal(Value::String(text)) => vec![(text.as_ref().to_owned(), self.span)],
            Kind::List(items) => items.iter().flat_map(Expr::listed_texts).collect(),
            _ => Vec::new(),
        }
    }
}

impl ReadPath {
    fn then(mut self, step: &str, span: Span) -> ReadPath {
        self.steps.push(step.to_owned());
        ReadPath { span, ..self }
    }
}

/// Adds the variables of a macro, and tells how many of its parts name one. An index or a key stands for no path.
fn bind(base: &Expr, name: &str, parts: &[Expr], variables: &mut Variables) -> usize {
    let element = base.path(variables).map(|path| {
        let span = path.span;
        path.then(SOME, span)
    });
    let names = if parse::has_two_variables(name, parts.len()) { 2 } else { 1 };
    for (at, part) in parts.iter().take(names).enumerate() {
        if let Kind::Name(variable) = &part.kind {
            let is_element = at.saturating_add(1) == names;
            variables.push((variable.clone(), element.clone().filter(|_| is_element)));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::place::Places;

    fn read(text: &str) -> Expression {
        let root = parse::whole(text, &Places::at(Span::default())).unwrap();
        Expression { root, span: Span::default() }
    }

    fn paths(text: &str) -> Vec<String> {
        let mut paths: Vec<String> = Vec::new();
        for path in read(text).read_paths() {
            paths.push([&[path.root], path.steps.as_slice()].concat().join("."));
        }
        paths.sort();
        paths.dedup();
        paths
    }

    #[test]
    fn a_path_is_read_through_keys_variables_and_macros() {
        let cases: [(&str, &[&str]); 7] = [
            ("world.a['b'] == 1", &["world", "world.a", "world.a.b"]),
            ("has(world.a)", &["world", "world.a"]),
            ("world.?a.orValue('')", &["world", "world.a"]),
            ("m[args.x].c", &["args", "args.x", "m", "m.[]", "m.[].c"]),
            ("args.l.exists(i, p, p.c > i)", &["args", "args.l", "args.l.[]", "args.l.[].c"]),
            ("args.l.filter(p, p.c > 1)[0].d", &["args", "args.l", "args.l.[]", "args.l.[].c", "args.l.[].d"]),
            ("last('f', {'id': args.x}).at", &["args", "args.x", "last(…)", "last(…).at"]),
        ];
        for (text, wanted) in cases {
            assert_eq!(paths(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_text_is_compared_where_it_stands_beside_a_value() {
        let told = |text: &str| read(text).compared_texts().into_iter().map(|one| one.text).collect::<Vec<_>>();
        assert_eq!(told("params.a == 'x' && 'y' != params.b"), ["x", "y"]);
        assert_eq!(told("params.a in ['x', 'y'] || params.a.lowerAscii() == 'z'"), ["x", "y", "z"]);
        assert_eq!(told("params.l.exists(k, k == 'x')"), ["x"]);
        assert_eq!(told("params.a.endsWith('x') && size(params.a) == 3"), [""; 0]);
    }

    #[test]
    fn a_path_is_limited_by_what_not_any_value_passes() {
        let told = |text: &str| {
            let Limited { pinned, sized } = read(text).limited(&[]);
            [pinned, sized].map(|paths| {
                paths
                    .into_iter()
                    .filter(|path| path.root == "args")
                    .map(|path| path.steps.join("."))
                    .collect::<Vec<_>>()
            })
        };
        let cases: [(&str, &[&str], &[&str]); 13] = [
            ("size(args.a) <= 5", &[], &["a"]),
            ("args.a.size() <= 5 || !has(args.a)", &[], &["a"]),
            ("size(args.?a.orValue([])) <= 5", &[], &["a"]),
            ("!(size(args.a) > 5)", &[], &["a"]),
            ("args.l.all(line, size(line.a) < 5)", &[], &["l.[].a"]),
            ("args.a.matches('^.{1,5}$') && !args.b.matches('x')", &[], &["a"]),
            ("args.a in world.list && !(args.b in world.other)", &["a"], &[]),
            ("args.a != 'x' && args.b == 'x'", &["b"], &[]),
            ("world.rows[args.a].open && world.rows[?args.b] != null", &["a"], &[]),
            ("done('f', {'id': args.a})", &["a"], &[]),
            ("timestamp(args.a) < now && string(args.b) != ''", &["a"], &[]),
            ("has(args.a) && type(args.b) == string", &[], &[]),
            ("count('f', {'id': args.a}) < 1 && args.a == args.b", &[], &[]),
        ];
        for (text, pinned, sized) in cases {
            assert_eq!(told(text), [pinned, sized], "{text}");
        }
    }

    #[test]
    fn an_equality_holds_of_the_whole_condition_only() {
        let told = |text: &str| read(text).equalities().len();
        assert_eq!(told("args.a == 'x' && args.b > 1"), 1);
        assert_eq!(told("args.a == 'x' || args.b > 1"), 0);
        assert_eq!(told("args.a == world.b"), 2);
    }
}
