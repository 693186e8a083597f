//! The `arg:` parameter that the argument kinds share: a path into the call's arguments, read at its place in the
//! spec and bound to a tool's slots.

use crate::context::{BindProblem, Context};
use crate::decimal::Decimal;
use crate::decode::Decoder;
use crate::diagnostic::Diagnostic;
use crate::guards::{Read, ToolFacts};
use crate::path::{Path, Reach, Step};
use crate::schema::{Bound, Located, Slot, Subject, TypeSet};
use crate::source::{Span, Spanned};
use crate::value::Value;
use crate::yaml::Node;

/// A path under `args` as the author wrote it.
#[derive(Clone, Debug)]
pub struct ArgumentPath {
    path: Spanned<Path>,
}

/// What a visit of an argument's values found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    /// Every value fits, and the path reaches whatever it can.
    Fits,
    /// Some value does not.
    Unfit,
    /// The path breaks off: an absent or null step.
    Missing,
}

/// The value that keeps a guard from passing.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unfit<'c> {
    /// This one, null among them.
    Value(&'c Value<'c>),
    /// There is none.
    Absent,
}

/// How many values of one argument an explanation shows.
const SHOWN_READS: usize = 8;

impl ArgumentPath {
    /// Reads the path at a node.
    pub(crate) fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<ArgumentPath> {
        let text = decoder.text(node)?;
        ArgumentPath::parse(decoder, &text)
    }

    /// Reads the path in a text.
    pub(crate) fn parse(decoder: &mut Decoder<'_>, text: &Spanned<String>) -> Option<ArgumentPath> {
        match Path::parse(&text.value) {
            Ok(path) if !path.is_whole() => Some(ArgumentPath { path: Spanned::new(path, text.span) }),
            Ok(_) => {
                decoder.report(Diagnostic::error("bad-path", text.span, "an empty path names no argument"));
                None
            }
            Err(error) => {
                let help = "a path is `a`, `a.b`, `a[].b` (every element) or `a.*.b` (every value), without `args.`";
                decoder.report(Diagnostic::error("bad-path", text.span, error.to_string()).help(help));
                None
            }
        }
    }

    /// Where it stands in the spec.
    pub(crate) fn span(&self) -> Span {
        self.path.span
    }

    /// The path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path.value
    }

    /// The path as text.
    #[must_use]
    pub fn text(&self) -> String {
        self.path.value.to_string()
    }

    /// The path as a parameter's value.
    pub(crate) fn value(&self) -> Value<'static> {
        Value::from(self.text())
    }

    /// The path in a tool's arguments; refused where the tool has no such argument, or none of a wanted type.
    pub(crate) fn locate(&self, tool: &ToolFacts<'_>, wanted: TypeSet) -> Result<Argument, Vec<BindProblem>> {
        let problem = |message, help| vec![BindProblem { rule: "does-not-fit", span: self.span(), message, help }];
        let located = tool.args.locate(&self.path.value, Subject::Tool(tool.name));
        let located = located.map_err(|found| problem(found.message, found.help))?;
        if !located.types.meets(wanted) {
            let message =
                format!("`{}` of `{}` is {}, and this kind reads {}", self.text(), tool.name, located.types, wanted);
            return Err(problem(message, None));
        }
        Ok(Argument { located, path: self.path.value.clone(), text: self.text() })
    }
}

/// An argument of one tool.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    located: Located,
    path: Path,
    text: String,
}

impl Argument {
    /// The path as the author wrote it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Why it can never equal a value, if it cannot.
    pub(crate) fn never_equals(&self, value: &Value<'_>, tool: &ToolFacts<'_>) -> Option<(String, Option<String>)> {
        self.located.never_equals(value, &format!("`{}` of `{}`", self.text, tool.name))
    }

    /// The place of the argument in the bound call.
    pub(crate) fn into_located(self) -> Located {
        self.located
    }

    /// The slot, where the path is one and no more.
    pub(crate) fn plain_slot(&self) -> Option<Slot> {
        self.located.slot.filter(|_| self.located.tail.is_empty())
    }

    /// Visits every value that the path reaches in some arguments.
    pub(crate) fn each<'c>(&self, args: &'c Bound<'c>, visit: impl FnMut(&'c Value<'c>)) -> Reach {
        self.located.each(args, visit)
    }

    /// Asks `fits` of every value the path reaches, until one does not fit or is missing.
    pub(crate) fn visit(&self, context: &Context<'_>, mut fits: impl FnMut(&Value<'_>) -> bool) -> Visit {
        let mut judge = |value: &Value<'_>| match value {
            Value::Null => Visit::Missing,
            value if fits(value) => Visit::Fits,
            _ => Visit::Unfit,
        };
        if let Some(slot) = self.plain_slot() {
            return context.args.get(slot).map_or(Visit::Missing, judge);
        }
        let mut visit = Visit::Fits;
        let reach = self.located.each(context.args, |value| {
            if visit == Visit::Fits {
                visit = judge(value);
            }
        });
        if visit == Visit::Fits && reach == Reach::Partial { Visit::Missing } else { visit }
    }

    /// Every value the path reaches, and whether it breaks off.
    pub(crate) fn reads(&self, context: &Context<'_>) -> Vec<Read> {
        let (mut reads, mut more) = (Vec::new(), 0_usize);
        let reach = self.located.each(context.args, |value| {
            if reads.len() < SHOWN_READS {
                reads.push(Read::of(self.text.clone(), value));
            } else {
                more = more.saturating_add(1);
            }
        });
        if more > 0 {
            reads.push(Read::words(self.text.clone(), format!("{more} more")));
        }
        if reach == Reach::Partial {
            reads.push(Read::words(self.text.clone(), "absent"));
        }
        reads
    }

    /// The one value whose change is enough; `None` where it takes more, or nobody can say how many.
    pub(crate) fn only_unfit<'c>(
        &self,
        context: &Context<'c>,
        mut fits: impl FnMut(&Value<'_>) -> bool,
    ) -> Option<Unfit<'c>> {
        let (mut unfit, mut count) = (Unfit::Absent, 0_usize);
        let reach = self.located.each(context.args, |value| {
            if value.is_null() || !fits(value) {
                (unfit, count) = (Unfit::Value(value), count.saturating_add(1));
            }
        });
        let is_single = self.located.tail.iter().all(|step| matches!(step, Step::Key(_)));
        match (count, reach) {
            (1, Reach::Complete) => Some(unfit),
            (0, Reach::Partial) if is_single => Some(Unfit::Absent),
            _ => None,
        }
    }

    /// The only value that the schema lets stand here, where it is one.
    pub(crate) fn only_value(&self) -> Option<&Value<'static>> {
        if let Some([only]) = self.located.choices.as_deref() { Some(only) } else { None }
    }

    /// The types that can stand here.
    pub(crate) fn types(&self) -> TypeSet {
        self.located.types
    }

    /// True if the schema lets this value stand here, as far as it lists what may.
    pub(crate) fn may_be(&self, value: &Value<'_>) -> bool {
        self.located.types.accepts(value) && self.located.choices.as_ref().is_none_or(|choices| choices.contains(value))
    }

    /// The numbers that the schema lists for it.
    pub(crate) fn listed_numbers(&self) -> impl Iterator<Item = Decimal> {
        self.located.choices.iter().flatten().filter_map(Value::as_number)
    }

    /// `amount` 620 → 500.
    pub(crate) fn change(&self, from: Unfit<'_>, to: &str) -> String {
        let from = match from {
            Unfit::Value(value) => crate::text::shown(value),
            Unfit::Absent => "absent".to_owned(),
        };
        format!("`{}` {from} → {to}", self.text)
    }

    /// The first value that does not fit or is missing, for the correction: `lines[2].sku`, and what was sent there.
    pub(crate) fn unfit(&self, context: &Context<'_>, mut fits: impl FnMut(&Value<'_>) -> bool) -> Misfit {
        let found = unfit(self.path.steps(), context.args.args(), String::new(), &mut fits);
        found.unwrap_or_else(|| Misfit { place: self.text.clone(), sent: None })
    }
}

/// A value that does not fit, in words.
#[derive(Debug)]
pub(crate) struct Misfit {
    /// Its path, with the element that it is in.
    pub(crate) place: String,
    sent: Option<String>,
}

impl Misfit {
    /// The path breaks off at a place, with these steps left.
    fn missing(place: String, rest: &[Step]) -> Misfit {
        let rest = Path::from_steps(rest.to_vec()).to_string();
        let dot = if rest.is_empty() || rest.starts_with('[') || place.is_empty() { "" } else { "." };
        Misfit { place: format!("{place}{dot}{rest}"), sent: None }
    }

    /// `you sent 9`, `it is missing`.
    pub(crate) fn words(&self) -> String {
        self.sent.as_ref().map_or_else(|| "it is missing".to_owned(), |sent| format!("you sent {sent}"))
    }
}

/// The first value on the path that does not fit. Only corrections ask, so the path is walked anew.
fn unfit(
    steps: &[Step],
    value: &Value<'_>,
    place: String,
    fits: &mut impl FnMut(&Value<'_>) -> bool,
) -> Option<Misfit> {
    let below = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    match (steps.split_first(), value) {
        (None, Value::Null) => Some(Misfit { place, sent: None }),
        (None, value) if fits(value) => None,
        (None, value) => Some(Misfit { place, sent: Some(crate::text::shown(value)) }),
        (Some((Step::Key(name), rest)), Value::Object(members)) => match members.get(name) {
            Some(member) => unfit(rest, member, below(name), fits),
            None => Some(Misfit::missing(below(name), rest)),
        },
        (Some((Step::Each, rest)), Value::Array(items)) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(at, item)| unfit(rest, item, format!("{place}[{at}]"), fits))
        }
        (Some((Step::Values, rest)), Value::Object(members)) => {
            // The name is the model's own, so it is shown as a value is.
            let below = |name: &str| format!("{place}[{}]", crate::text::quoted(name));
            members.iter().find_map(|(name, member)| unfit(rest, member, below(name), fits))
        }
        (Some(_), _) => Some(Misfit::missing(place, steps)),
    }
}
