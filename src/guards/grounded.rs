//! What the kinds about the figures of a reply share: under which languages they are read, what the author himself
//! wrote, and how what is found becomes a finding and a correction.

use crate::context::{Failure, Finding};
use crate::decode::{Decoder, Field, Fields, Type};
use crate::diagnostic::{Diagnostic, nearest};
use crate::expr::Compiler;
use crate::facts::Said;
use crate::figures::{Locale, Locales};
use crate::grounds::{Grounds, Known, Scope};
use crate::hash::SessionKey;
use crate::observed::{GroundPlan, ReadingId};
use crate::text::quoted;
use crate::value::Value;

/// `locale` of a kind.
pub(super) const LOCALE: Field = Field::optional(
    "locale",
    Type::OneOrMany(&Type::Text),
    "The language tags whose forms count: `en-US`, `de`. Absent: only what reads the same in all of them.",
);

/// Reads `locale`; `None` after a problem.
pub(super) fn decode_locales(decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Locales> {
    let Some(node) = with.get("locale") else { return Some(Locales::default()) };
    let before = decoder.problems();
    let items = decoder.one_or_many(node);
    let items = decoder.some(node, items, "name a language: `en-US`, or leave `locale` out");
    let mut all: Vec<Locale> = Vec::new();
    for item in items {
        let Some(tag) = decoder.text(item) else { continue };
        match Locale::find(&tag.value) {
            Some(locale) if all.contains(&locale) => {
                let message = format!("`{}` says the same as another tag of the list", tag.value);
                decoder.report(Diagnostic::error("repeated-value", tag.span, message).help("take one out"));
            }
            Some(locale) => all.push(locale),
            None => {
                let message = format!("it is not known how numbers and dates are written in `{}`", tag.value);
                let problem = Diagnostic::error("unknown-word", tag.span, message);
                decoder.report(match nearest(&tag.value, Locale::tags()) {
                    Some(near) => problem.help(format!("did you mean `{near}`?")).edit(tag.span, near),
                    None => problem.help("write a language tag such as `en-US`, `de` or `pt`"),
                });
            }
        }
    }
    (decoder.problems() == before).then(|| Locales::of(all))
}

/// `locale` as `with` would say it.
pub(super) fn locale_value(locales: &Locales) -> Option<Value<'static>> {
    let mut tags: Vec<Value<'static>> = locales.iter().map(|locale| Value::from(locale.tag())).collect();
    match tags.len() {
        0 => None,
        1 => tags.pop(),
        _ => Some(Value::Array(tags)),
    }
}

/// Where figures that are read under some languages may come from.
pub(super) fn scopes(reading: Option<ReadingId>) -> Vec<Scope> {
    [Scope::Any].into_iter().chain(reading.map(Scope::Read)).collect()
}

/// The key of what the author wrote, which is no secret.
pub(super) const AUTHORED: SessionKey = SessionKey::new([0; 16]);

/// The figures of what the author wrote, as far as a plan asks.
pub(super) fn authored(compiler: &Compiler<'_, '_>, plan: &GroundPlan) -> Grounds {
    let mut grounds = Grounds::default();
    for value in compiler.authored() {
        let gathered = grounds.gathered(&AUTHORED, plan, None, value);
        grounds.keep(&gathered);
    }
    grounds
}

/// How a figure stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It came up.
    Grounded,
    /// It did not.
    Ungrounded,
    /// Nobody can say what it means.
    Unclear,
    /// More came up than is kept.
    CannotTell,
}

impl Standing {
    /// What places say one after the other, until one has it.
    pub(super) fn of(places: impl IntoIterator<Item = Known>) -> Standing {
        let mut standing = Standing::Ungrounded;
        for known in places {
            match known {
                Known::Yes => return Standing::Grounded,
                Known::No => {}
                Known::CannotTell => standing = Standing::CannotTell,
            }
        }
        standing
    }

    /// The same of a figure that nobody can read: it stands only where it came up as it is written.
    pub(super) fn of_text(places: impl IntoIterator<Item = Known>) -> Standing {
        if Standing::of(places) == Standing::Grounded { Standing::Grounded } else { Standing::Unclear }
    }
}

pub(super) fn known(said: Said) -> Known {
    match said {
        Said::Yes => Known::Yes,
        Said::No => Known::No,
        Said::CannotTell => Known::CannotTell,
    }
}

/// What all figures of a reply come to.
pub(super) fn finding<'t>(figures: impl Iterator<Item = (&'t str, Standing)>) -> Finding {
    let mut finding = Finding::Pass;
    for (_, standing) in figures {
        match standing {
            Standing::Grounded => {}
            Standing::Ungrounded | Standing::Unclear => return Finding::Fires,
            Standing::CannotTell => finding = Finding::Fails(Failure::IndexFull),
        }
    }
    finding
}

/// How many figures a correction names.
const NAMED: usize = 3;

/// What to do about the figures of a reply: what they are (`an amount`), how one is written so that it can be read.
pub(super) fn correction<'t>(
    figures: impl Iterator<Item = (&'t str, Standing)>,
    sort: &str,
    source: &str,
    example: &str,
) -> String {
    let (mut ungrounded, mut unclear): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (text, standing) in figures {
        let list = match standing {
            Standing::Unclear => &mut unclear,
            Standing::Ungrounded => &mut ungrounded,
            Standing::Grounded | Standing::CannotTell => continue,
        };
        if !list.contains(&text) && list.len() < NAMED {
            list.push(text);
        }
    }
    let listed = |list: &[&str]| {
        let quoted: Vec<String> = list.iter().map(|text| quoted(text)).collect();
        (crate::text::joined(&quoted, "and"), list.len() == 1)
    };
    let mut sentences = Vec::new();
    if !ungrounded.is_empty() {
        let (list, is_one) = listed(&ungrounded);
        let (is, it) = if is_one { ("is", "it") } else { ("are", "them") };
        sentences.push(format!("{list} {is} not among {source}. Use only {sort} that are, or leave {it} out."));
    }
    if !unclear.is_empty() {
        let (list, is_one) = listed(&unclear);
        let it = if is_one { "it" } else { "them" };
        sentences.push(format!("{list} cannot be read for certain. Write {it} like {example}."));
    }
    crate::text::spaced(sentences)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::guards::reply::tests::{Told, judge, key, policy};
    use crate::json::{Limits, parse};

    /// A guard, and what came up before the reply.
    pub(in crate::guards) struct Case<'c> {
        pub(in crate::guards) guard: &'c str,
        pub(in crate::guards) spec: &'c str,
        /// Results of `look`, as JSON.
        pub(in crate::guards) results: &'c [&'c str],
        pub(in crate::guards) typed: &'c str,
    }

    impl Case<'_> {
        pub(in crate::guards) fn of(guard: &str) -> Case<'_> {
            Case { guard, spec: "tools: {look: {effect: read}}", results: &[], typed: "" }
        }

        /// What the guard says to a reply: nothing, or its correction.
        pub(in crate::guards) fn says(&self, reply: &str) -> Result<(), String> {
            let policy = policy(self.spec, self.guard).unwrap();
            let mut grounds = Grounds::default();
            for result in self.results {
                let result = parse(result.as_bytes(), &Limits::default()).unwrap();
                let gathered = grounds.gathered(&key(), policy.plan.grounds(), Some("look"), &result);
                grounds.keep(&gathered);
            }
            judge(self.guard, &Told { grounds, typed: self.typed, spec: self.spec, ..Told::of(reply) })
        }

        #[track_caller]
        pub(in crate::guards) fn allows(&self, replies: &[&str]) {
            replies.iter().for_each(|reply| assert_eq!(self.says(reply), Ok(()), "{reply}"));
        }

        #[track_caller]
        pub(in crate::guards) fn stops(&self, replies: &[&str]) {
            replies.iter().for_each(|reply| assert!(self.says(reply).is_err(), "{reply}"));
        }
    }

    #[test]
    fn a_locale_that_is_not_known_or_said_twice_is_refused() {
        let problem = |locale: &str| {
            let guard = format!("{{kind: datesGrounded, with: {{locale: {locale}}}}}");
            policy("tools: {look: {effect: read}}", &guard).unwrap_err()
        };
        assert!(problem("xx").contains("unknown-word: it is not known how numbers and dates are written in `xx`"));
        assert!(problem("[de, de-AT]").contains("repeated-value: `de-AT` says the same as another tag of the list"));
        assert!(problem("[]").contains("empty-list"));
    }

    #[test]
    fn a_figure_stands_where_one_place_has_it_and_fails_where_none_can_tell() {
        use Known::{CannotTell, No, Yes};
        assert_eq!(Standing::of([No, CannotTell, Yes]), Standing::Grounded);
        assert_eq!(Standing::of([No, CannotTell, No]), Standing::CannotTell);
        assert_eq!(Standing::of([No, No]), Standing::Ungrounded);
        assert_eq!(Standing::of_text([No, CannotTell]), Standing::Unclear);
        let full = Finding::Fails(Failure::IndexFull);
        assert_eq!(finding([("a", Standing::CannotTell), ("b", Standing::Grounded)].into_iter()), full);
        let fires = [("a", Standing::CannotTell), ("b", Standing::Ungrounded)];
        assert_eq!(finding(fires.into_iter()), Finding::Fires);
    }
}
