//! Texts of arguments that begin, end, contain or match as a model says.

use super::{Maker, Model, Value};
use crate::json::{Limits, parse};
use crate::schema::matching;

/// Texts of which some schema asks for the form, and others.
const OTHERS: &[&str] = &["b@example.net", "https://example.net/b", "b", "B-2", "0"];

/// What a text is to be, or not to be.
struct Wish {
    /// The argument.
    path: String,
    test: Test,
    is_wanted: bool,
}

enum Test {
    Starts(String),
    Ends(String),
    Contains(String),
    Matches(regex::Regex),
}

impl Test {
    fn holds(&self, text: &str) -> bool {
        match self {
            Test::Starts(part) => text.starts_with(part),
            Test::Ends(part) => text.ends_with(part),
            Test::Contains(part) => text.contains(part),
            Test::Matches(regex) => regex.is_match(text),
        }
    }

    /// Texts that hold it, most likely.
    fn made(&self, now: &str) -> Vec<String> {
        match self {
            Test::Starts(part) => vec![format!("{part}{now}"), part.clone()],
            Test::Ends(part) => vec![format!("a{part}"), format!("{now}{part}"), part.clone()],
            Test::Contains(part) => vec![part.clone(), format!("{now}{part}"), format!("a{part}a")],
            Test::Matches(regex) => matching(regex.as_str()).into_iter().collect(),
        }
    }
}

impl Maker<'_, '_> {
    /// The arguments with their texts changed where a wish is not met and another text of the schema meets it.
    pub(super) fn with_texts(&self, model: &Model, mut args: Value<'static>) -> Value<'static> {
        let wishes = self.wishes(model);
        for wish in &wishes {
            let Some(now) = super::staging::at(&args, &wish.path).and_then(|now| now.as_str().map(str::to_owned))
            else {
                continue;
            };
            let meets = |text: &str| {
                wishes
                    .iter()
                    .filter(|other| other.path == wish.path)
                    .all(|other| other.test.holds(text) == other.is_wanted)
            };
            if meets(&now) {
                continue;
            }
            let others = OTHERS.iter().map(|text| (*text).to_owned());
            let fits = |text: &String| {
                let mut other = args.clone();
                super::staging::put_at(&mut other, &wish.path, Value::from(text.clone()));
                [self.new, self.old].into_iter().any(|version| version.tool.args.bind(&other).is_ok())
            };
            let mut better = wish.test.made(&now).into_iter().chain(others).filter(|text| meets(text));
            if let Some(text) = better.find(fits) {
                super::staging::put_at(&mut args, &wish.path, Value::from(text));
            }
        }
        args
    }

    fn wishes(&self, model: &Model) -> Vec<Wish> {
        let of_terms = model.terms.iter().filter_map(|(term, left)| {
            let known = self.space.known(*term)?;
            // What may be either is no wish.
            (left.yes != left.no).then_some((known.text.as_str(), left.yes))
        });
        let of_facts = model.facts.iter().map(|(fact, truth)| (self.space.text_of(*fact), *truth));
        of_terms.chain(of_facts).filter_map(|(text, is_wanted)| wish(text, is_wanted)).collect()
    }
}

/// `endsWith(args.to, "…")…` as a wish.
fn wish(text: &str, is_wanted: bool) -> Option<Wish> {
    let (name, rest) = text.split_once("(args.")?;
    let (path, rest) = rest.split_once(", ")?;
    let constant = rest.get(..rest.rfind('"')?.saturating_add(1))?;
    let part = parse(constant.as_bytes(), &Limits::default()).ok()?.as_str()?.to_owned();
    let test = match name {
        "startsWith" => Test::Starts(part),
        "endsWith" => Test::Ends(part),
        "contains" => Test::Contains(part),
        "matches" => Test::Matches(regex::Regex::new(&part).ok()?),
        _ => return None,
    };
    Some(Wish { path: path.to_owned(), test, is_wanted })
}
