//! `datesGrounded`: a reply names no date that did not come up.

use super::grounded::{
    AUTHORED, LOCALE, Standing, authored, correction, decode_locales, finding, known, locale_value, scopes,
};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::figures::{Date, Figure, Figures, Locales, Order, WrittenDate};
use crate::grounds::{Grounds, Known, Scope};
use crate::observed::GroundPlan;
use crate::value::{Object, Value};
use std::sync::Arc;

/// The kind `datesGrounded`.
#[derive(Debug)]
pub struct DatesGrounded;

static ABOUT: About = About {
    name: "datesGrounded",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape { name: "the parameters of `datesGrounded`", fields: &[LOCALE] },
    docs: "\
## What it checks
Each date of the reply came up in a result that the model saw, in the world, in what the user typed or in what this spec and its
contract tell the agent (tools and their examples apart), in whatever form: `2031-03-04`, `4 March 2031`, `March 4th`. One without a year is
one of any year that came up; one with a year needs that year, unless the
user typed the day alone and it is the next or the last one at the time of the event. Months are read in English, German, French, Spanish,
Italian, Portuguese and Dutch. `tomorrow`, `in March` and seconds since 1970 are no dates.

`03/04/2031` is read in the order of day and month that the languages under `locale` have: `en-US` month first, `en-GB` day first,
`en` says neither. Without an order, or with two, it is never taken for a date: it passes only where the same text came up or the day
cannot be a month, and fires else.

## Why
A date is copied wrongly as easily as an amount, and one that is read in the other order is a month off.

## Example
```yaml
- {id: grounded-dates, kind: datesGrounded, with: {locale: en-US}}
```

## Correction
\"March 5, 2031\" is not among the dates that came up. Use only dates that are, or leave it out.
",
};

/// As many years to either side somebody who types a year may mean.
const YEARS: i64 = 20;

impl Kind for DatesGrounded {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        decode_locales(decoder, with).map(|locales| -> Arc<dyn Rule> { Arc::new(Dates { locales }) })
    }
}

#[derive(Debug)]
struct Dates {
    locales: Locales,
}

impl Rule for Dates {
    fn parameters(&self) -> Value<'static> {
        Object::of_some([("locale", locale_value(&self.locales))]).into()
    }

    fn prose(&self) -> String {
        let written = match self.locales.order() {
            Some(Order::DayFirst) => "day first",
            Some(Order::MonthFirst) => "month first",
            None => "as 2031-03-04",
        };
        format!(
            "a reply names only dates that a tool returned, the user typed or these instructions state, those in numbers {written}"
        )
    }

    fn bind(
        &self,
        _: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let mut own = GroundPlan::default();
        let own_scopes = scopes(own.ask_dates(&self.locales));
        let authored = authored(compiler, &own);
        compiler.plan().keep_typed();
        compiler.plan().keep_time();
        let scopes = scopes(compiler.plan().grounds_mut().ask_dates(&self.locales));
        Ok(Some(Box::new(Bound { locales: self.locales.clone(), scopes, own_scopes, authored })))
    }
}

#[derive(Debug)]
struct Bound {
    locales: Locales,
    scopes: Vec<Scope>,
    own_scopes: Vec<Scope>,
    authored: Grounds,
}

impl Bound {
    /// The dates of the reply, and how each stands.
    fn figures<'c>(&self, context: &Context<'c>) -> impl Iterator<Item = (&'c str, Standing)> {
        let reply = context.reply.into_iter();
        reply.flat_map(move |reply| {
            Figures::of(reply.text, &self.locales).filter_map(move |found| match found.figure {
                Figure::Date(date) => Some((found.text, self.standing(context, reply.grounds, found.text, &date))),
                _ => None,
            })
        })
    }

    fn standing(&self, context: &Context<'_>, grounds: &Grounds, text: &str, written: &WrittenDate) -> Standing {
        let typed = |text: &str| known(context.facts.said(context.key, &Value::from(text)));
        let Some((first, last)) = written.read(&self.locales) else {
            let told = [
                grounds.date_text(context.key, &self.scopes, text),
                self.authored.date_text(&AUTHORED, &self.own_scopes, text),
            ];
            return Standing::of_text(told.into_iter().chain(std::iter::once_with(|| typed(text))));
        };
        let day = |date: Date| {
            let told = [
                grounds.date(context.key, &self.scopes, &date),
                self.authored.date(&AUTHORED, &self.own_scopes, &date),
            ];
            if Standing::of(told) == Standing::Grounded {
                return Standing::Grounded;
            }
            // The user may have written the same day in another way.
            let spelled = date.spellings(&self.locales);
            let as_written = std::iter::once_with(|| typed(text));
            let spelled = as_written.chain(spelled.iter().map(|text| typed(text)));
            let nearest = std::iter::once_with(|| self.typed_without_year(context, &date));
            Standing::of(told.into_iter().chain(spelled).chain(nearest))
        };
        match (day(first), last.map(day)) {
            (Standing::Grounded, Some(last)) => last,
            (first, _) => first,
        }
    }
}

impl Bound {
    /// Whether the user typed the day alone, and this is the next one from now, or the last.
    fn typed_without_year(&self, context: &Context<'_>, date: &Date) -> Known {
        let Some((year, now)) = date.year.zip(context.now) else { return Known::No };
        let now = now.parts(0);
        let is_later = (i64::from(date.month), i64::from(date.day)) >= (now.month, now.day);
        let other_year = if is_later { now.year.saturating_sub(1) } else { now.year.saturating_add(1) };
        if i64::from(year) != now.year && i64::from(year) != other_year {
            return Known::No;
        }
        let typed = |text: &str| known(context.facts.said(context.key, &Value::from(text)));
        // One that was typed with another year is not this one.
        let has_year = |text: &str| {
            let years = (now.year.saturating_sub(YEARS)..=now.year.saturating_add(YEARS))
                .flat_map(|year| [", ", " ", " de "].map(|joint| format!("{text}{joint}{year}")));
            years.map(|text| typed(&text)).any(|known| known != Known::No)
        };
        let spelled = Date { year: None, ..*date }.spellings(&self.locales);
        let mut all = spelled.iter().map(|text| (text, typed(text))).filter(|(_, known)| *known != Known::No);
        all.find(|(text, _)| !has_year(text)).map_or(Known::No, |(_, known)| known)
    }
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        finding(self.figures(&evaluation.context))
    }

    fn correction(&self, context: &Context<'_>) -> String {
        correction(self.figures(context), "dates", "the dates that came up", "2031-03-04")
    }
}

#[cfg(test)]
mod tests {
    use super::super::grounded::tests::Case;
    use crate::guards::reply::tests::{Told, judge};

    const RESULTS: &[&str] = &[r#"{"due": "2031-03-04T10:00:00Z", "text": "since 05/06/2031"}"#];

    #[test]
    fn a_date_that_came_up_nowhere_is_named() {
        let case = Case { results: RESULTS, ..Case::of("{kind: datesGrounded, with: {locale: en-US}}") };
        case.allows(&["On March 4, 2031, the 4th of March or 3/4/2031; 4. März 2031; May 6.", "Tomorrow at 10:30."]);
        case.stops(&["March 5", "March 4, 2032", "4/3/2031", "June 5, 2031", "March 4-6, 2031"]);
        let said = "\"March 5, 2031\" is not among the dates that came up. Use only dates that are, or leave it out.";
        assert_eq!(case.says("It is due on March 5, 2031.").unwrap_err(), said);
    }

    /// The last reply of user case A27.
    #[test]
    fn a_numeric_date_is_read_only_where_its_order_is_declared() {
        let case = Case { results: RESULTS, ..Case::of("{kind: datesGrounded}") };
        let said = "\"03/04/2031\" cannot be read for certain. Write it like 2031-03-04.";
        assert_eq!(case.says("Lieferung am 03/04/2031.").unwrap_err(), said);
        case.allows(&["Lieferung am 2031-03-04.", "since 05/06/2031"]);
        let case = Case { guard: "{kind: datesGrounded, with: {locale: de}}", ..case };
        case.stops(&["Lieferung am 03/04/2031.", "2031-02-30"]);
        case.allows(&["Lieferung am 04.03.2031."]);
    }

    #[test]
    fn a_day_that_was_typed_without_a_year_is_the_next_or_the_last_one() {
        let typed = "From May 20th to 3 June; not 1 July 2040";
        let says = |at: Option<&str>, reply: &str| {
            let guard = "{kind: datesGrounded}";
            judge(guard, &Told { typed, at, ..Told::of(reply) }).is_ok()
        };
        let at = Some("2031-05-25T12:00:00Z");
        for (reply, wanted) in [
            ("May 20, 2031", true),
            ("2032-05-20", true),
            ("May 20, 2030", false),
            ("2031-06-03", true),
            ("June 3, 2030", true),
            ("June 3, 2032", false),
            ("1 July 2031", false),
            ("1 July 2040", true),
            ("May 21, 2031", false),
        ] {
            assert_eq!(says(at, reply), wanted, "{reply}");
        }
        assert!(!says(None, "May 20, 2031"));
    }

    #[test]
    fn a_date_that_was_typed_may_be_said_in_other_words() {
        let typed = "From 4 March 2031 to April 7th, or 08/09/2031";
        let case = Case { typed, ..Case::of("{kind: datesGrounded}") };
        case.allows(&["March 4, 2031", "2031-03-04, the 4th of March 2031", "7 April", "08/09/2031"]);
        case.stops(&["April 7, 2031", "March 5, 2031", "2031-09-08"]);
    }
}
