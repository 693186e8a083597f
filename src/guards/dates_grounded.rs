//! `datesGrounded`: a reply names no date that did not come up.

use super::grounded::{
    AUTHORED, LOCALE, Standing, authored, correction, decode_locales, finding, known, locale_value, scopes,
};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{Context, Finding};
use crate::decode::{Decoder, Fields, Shape};
use crate::expr::{Compiler, Evaluation};
use crate::figures::{Date, Figure, Figures, Locales, Order, WrittenDate};
use crate::grounds::{Grounds, Scope};
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
one of any year that came up; one with a year needs that year. Months are read in English, German, French, Spanish,
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
            Standing::of(told.into_iter().chain(as_written).chain(spelled.iter().map(|text| typed(text))))
        };
        match (day(first), last.map(day)) {
            (Standing::Grounded, Some(last)) => last,
            (first, _) => first,
        }
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
    fn a_date_that_was_typed_may_be_said_in_other_words() {
        let typed = "From 4 March 2031 to April 7th, or 08/09/2031";
        let case = Case { typed, ..Case::of("{kind: datesGrounded}") };
        case.allows(&["March 4, 2031", "2031-03-04, the 4th of March 2031", "7 April", "08/09/2031"]);
        case.stops(&["April 7, 2031", "March 5, 2031", "2031-09-08"]);
    }
}
