//! `amountsGrounded`: a reply names no amount that did not come up.

use super::grounded::{
    AUTHORED, LOCALE, Standing, authored, correction, decode_locales, finding, known, locale_value, scopes,
};
use super::requires_before::decode_patterns;
use super::sources::{For, untold};
use super::{About, BindProblem, Check, Dimension, Hook, Kind, Rule, ToolFacts};
use crate::context::{Context, Finding};
use crate::decimal::Decimal;
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation};
use crate::figures::{Currency, Figure, Figures, Locales, WrittenAmount, spellings};
use crate::grounds::{Grounds, Known, Scope};
use crate::observed::{AmountSource, GroundPlan};
use crate::path::Path;
use crate::source::{Span, Spanned};
use crate::tool::Pattern;
use crate::value::{Object, Value};
use crate::yaml::{Data, Node};
use std::sync::Arc;

/// The kind `amountsGrounded`.
#[derive(Debug)]
pub struct AmountsGrounded;

static ABOUT: About = About {
    name: "amountsGrounded",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `amountsGrounded`",
        fields: &[
            LOCALE,
            Field::optional("all", Type::Bool, "True to ask for every number, not only for those with a currency."),
            Field::optional("from", FROM, "The only places that amounts may come from: `user`, `{tool, path}`."),
        ],
    },
    docs: "\
## What it checks
Each amount of the reply, a number with a currency before or behind it, came up in a result that the model saw, in the
world, in what the user typed or in what this spec and its contract tell the agent (tools and their examples apart). The
currency is part of an amount: one that came up in euros is not one in dollars, and one that came up without a currency
agrees with each. `$` is any dollar. What was typed counts as a number, whatever its currency.

Numbers are read as the languages under `locale` write them, and in no other form; without `locale` only what reads the same
everywhere is read: `1,234.56`, not `1,234`. An amount that cannot be read so, or in two ways, is never taken for another:
it passes only where the same text came up, and fires else. `$5.5k` and `5 million euros` cannot be read either.

With `from` only these places ground amounts: a `path` in results of a `tool`, with `minor: 2` where it counts in cents, and
with its `currency`, or the `currencyPath` beside it; and `user` for what was typed.

With `all` every number is one, but for percentages, times of day, dates, the numbers of a list, and digits inside a word.
What the model computes came up nowhere: let a tool add up.

## Why
A price that the model makes up is the error that costs most and shows least. Asking it to be careful does not help;
comparing what it says with what it was told does.

## Example
```yaml
- {id: grounded-amounts, kind: amountsGrounded, with: {locale: en-US}}
```

## Correction
\"$512.00\" is not among the amounts that came up. Use only amounts that are, or leave it out.
",
};

/// One place that amounts may come from.
const SOURCE: Shape = Shape {
    name: "a source of amounts",
    fields: &[
        Field::required("tool", Type::OneOrMany(&Type::Text), "Results of these tools, by name or glob."),
        Field::required("path", Type::Text, "The path in them: `total`, `items[].price`."),
        Field::optional("minor", Type::Count, "How many digits of a plain number are the fraction: 2 for cents."),
        Field::optional("currency", Type::Text, "The currency of all of them, as a code: `EUR`."),
        Field::optional("currencyPath", Type::Text, "Where the currency stands in the same result."),
    ],
};

const FROM: Type = Type::OneOrMany(&Type::Either(&[Type::Word(&["user"]), Type::Shape(&SOURCE)]));

/// More digits than any currency has behind its point.
const MOST_PLACES: u64 = 9;

impl Kind for AmountsGrounded {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let locales = decode_locales(decoder, with);
        let all = match with.get("all") {
            Some(node) => decoder.bool(node)?,
            None => false,
        };
        let from = match with.get("from") {
            Some(node) => Some(From::decode(decoder, node)?),
            None => None,
        };
        Some(Arc::new(Amounts { locales: locales?, all, from }))
    }
}

/// The places that amounts may come from, as their author wrote them.
#[derive(Debug)]
struct From {
    user: bool,
    places: Vec<Place>,
}

#[derive(Debug)]
struct Place {
    tools: Vec<Spanned<Pattern>>,
    path: Spanned<Path>,
    minor: u8,
    currency: Option<Currency>,
    currency_path: Option<Spanned<Path>>,
}

impl From {
    fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<From> {
        let before = decoder.problems();
        let items = decoder.one_or_many(node);
        let items = decoder.some(node, items, "name a place: `user` or `{tool, path}`");
        let (mut user, mut places) = (false, Vec::new());
        for item in items {
            match item.data {
                Data::Map(_) => places.extend(Place::decode(decoder, item)),
                _ => user |= decoder.word(item, &[("user", ())]).is_some(),
            }
        }
        (decoder.problems() == before).then_some(From { user, places })
    }

    fn value(&self) -> Value<'static> {
        let user = self.user.then(|| Value::from("user"));
        Value::Array(user.into_iter().chain(self.places.iter().map(Place::value)).collect())
    }

    /// `` `quote` returned in `total` or the user typed ``: what follows `amounts that`.
    fn words(&self) -> String {
        let places = self.places.iter().map(Place::words);
        let words: Vec<String> = places.chain(self.user.then(|| "the user typed".to_owned())).collect();
        crate::text::joined(&words, "or")
    }
}

impl Place {
    fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<Place> {
        let fields = decoder.open(node, &SOURCE)?;
        let (tool, path) = (fields.get("tool")?, fields.get("path")?);
        let tools = decode_patterns(decoder, tool, "name a tool");
        let path = path_of(decoder, path);
        let currency_path = fields.get("currencyPath").map(|node| path_of(decoder, node));
        let currency = fields.get("currency").map(|node| currency_of(decoder, node));
        let minor = fields.get("minor").map(|node| places_of(decoder, node));
        if currency.is_some() && currency_path.is_some() {
            let message = "a source has a `currency` or a `currencyPath`, not both";
            let problem = Diagnostic::error("bad-source", fields.head(), message);
            decoder.report(problem.help("keep `currency` if it is always the same, else `currencyPath`"));
        }
        Some(Place {
            tools,
            path: path?,
            minor: minor.map_or(Some(0), |minor| minor)?,
            currency: currency.map_or(Some(None), |currency| currency.map(Some))?,
            currency_path: currency_path.map_or(Some(None), |path| path.map(Some))?,
        })
    }

    fn value(&self) -> Value<'static> {
        let name = |pattern: &Spanned<Pattern>| Value::from(pattern.value.text().to_owned());
        let tools = match self.tools.as_slice() {
            [one] => name(one),
            many => Value::Array(many.iter().map(name).collect()),
        };
        Object::of_some([
            ("tool", Some(tools)),
            ("path", Some(Value::from(self.path.value.to_string()))),
            ("minor", (self.minor > 0).then(|| Value::from(i64::from(self.minor)))),
            ("currency", self.currency.map(|currency| Value::from(currency.name().to_owned()))),
            ("currencyPath", self.currency_path.as_ref().map(|path| Value::from(path.value.to_string()))),
        ])
        .into()
    }

    fn words(&self) -> String {
        let names: Vec<String> = self.tools.iter().map(|pattern| format!("`{}`", pattern.value)).collect();
        let names = crate::text::joined(&names, "or");
        if self.path.value.is_whole() {
            format!("{names} returned")
        } else {
            format!("{names} returned in `{}`", self.path.value)
        }
    }
}

fn path_of(decoder: &mut Decoder<'_>, node: &Node) -> Option<Spanned<Path>> {
    let text = decoder.text(node)?;
    match Path::parse(&text.value) {
        Ok(path) => Some(Spanned::new(path, text.span)),
        Err(error) => {
            let help = "a path is `a`, `a.b`, `a[].b` (every element), `a.*.b` (every value) or `''`";
            decoder.report(Diagnostic::error("bad-path", text.span, error.to_string()).help(help));
            None
        }
    }
}

fn currency_of(decoder: &mut Decoder<'_>, node: &Node) -> Option<Currency> {
    let text = decoder.text(node)?;
    let currency = Currency::of_code(&text.value);
    if currency.is_none() {
        let message = format!("`{}` is no code of a currency", text.value);
        decoder.report(Diagnostic::error("unknown-word", text.span, message).help("write it as ISO 4217 does: `EUR`"));
    }
    currency
}

fn places_of(decoder: &mut Decoder<'_>, node: &Node) -> Option<u8> {
    let count = decoder.count(node)?;
    let places = u8::try_from(count.value).ok().filter(|_| count.value <= MOST_PLACES);
    if places.is_none() {
        let message = format!("`{}` is more digits than any currency has", count.value);
        decoder.report(Diagnostic::error("bad-count", count.span, message).help("write 2 for cents"));
    }
    places
}

#[derive(Debug)]
struct Amounts {
    locales: Locales,
    all: bool,
    from: Option<From>,
}

impl Amounts {
    fn sort(&self) -> &'static str {
        if self.all { "numbers" } else { "amounts" }
    }

    /// What the model may use.
    fn source(&self) -> String {
        match &self.from {
            Some(from) => format!("the {} that {}", self.sort(), from.words()),
            None => format!("the {} that came up", self.sort()),
        }
    }

    /// A number with a currency, in a form that can be read.
    fn example(&self) -> String {
        let number = Decimal::parse_plain("1234.56").unwrap_or_default();
        let shortest = spellings(&number, &self.locales).into_iter().min_by_key(String::len);
        format!("{} EUR", shortest.unwrap_or_default())
    }
}

impl Rule for Amounts {
    fn parameters(&self) -> Value<'static> {
        Object::of_some([
            ("locale", locale_value(&self.locales)),
            ("all", self.all.then_some(Value::Bool(true))),
            ("from", self.from.as_ref().map(From::value)),
        ])
        .into()
    }

    fn prose(&self) -> String {
        let source = match &self.from {
            Some(from) => from.words(),
            None => "a tool returned, the user typed or these instructions state".to_owned(),
        };
        format!("a reply names only {} that {source}, written like {}", self.sort(), self.example())
    }

    fn bind(
        &self,
        _: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let places = self.from.iter().flat_map(|from| &from.places);
        let paths = places.clone().flat_map(|place| {
            [Some(&place.path), place.currency_path.as_ref()].into_iter().flatten().map(|path| (&place.tools, path))
        });
        let problems: Vec<BindProblem> =
            paths.flat_map(|(tools, path)| untold(For::Vouching, tools, path, compiler)).collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        let mut own = GroundPlan::default();
        let own_scopes = scopes(own.ask_amounts(&self.locales));
        let authored = authored(compiler, &own);
        let user = self.from.as_ref().is_none_or(|from| from.user);
        if user {
            compiler.plan().keep_typed();
        }
        let plan = compiler.plan().grounds_mut();
        let scopes = match &self.from {
            None => scopes(plan.ask_amounts(&self.locales)),
            Some(_) => places.map(|place| Scope::From(plan.ask_source(self.source_at(place)))).collect(),
        };
        let (locales, all) = (self.locales.clone(), self.all);
        let words = Words { sort: self.sort(), source: self.source(), example: self.example() };
        Ok(Some(Box::new(Bound { locales, all, user, scopes, own_scopes, authored, words })))
    }

    fn tool_patterns(&self) -> Vec<(Pattern, Span)> {
        let places = self.from.iter().flat_map(|from| &from.places);
        places.flat_map(|place| &place.tools).map(|pattern| (pattern.value.clone(), pattern.span)).collect()
    }
}

impl Amounts {
    fn source_at(&self, place: &Place) -> AmountSource {
        AmountSource {
            tools: place.tools.iter().map(|pattern| pattern.value.clone()).collect(),
            path: place.path.value.clone(),
            minor: place.minor,
            currency: place.currency,
            currency_path: place.currency_path.as_ref().map(|path| path.value.clone()),
            locales: self.locales.clone(),
        }
    }
}

#[derive(Debug)]
struct Words {
    sort: &'static str,
    source: String,
    example: String,
}

#[derive(Debug)]
struct Bound {
    locales: Locales,
    all: bool,
    /// Whether what the user typed grounds amounts.
    user: bool,
    scopes: Vec<Scope>,
    own_scopes: Vec<Scope>,
    authored: Grounds,
    words: Words,
}

impl Bound {
    /// The amounts of the reply, and how each stands.
    fn figures<'c>(&self, context: &Context<'c>) -> impl Iterator<Item = (&'c str, Standing)> {
        let reply = context.reply.into_iter();
        reply.flat_map(move |reply| {
            Figures::of(reply.text, &self.locales).filter_map(move |found| match found.figure {
                Figure::Amount(amount) if self.all || amount.currency.is_some() => {
                    Some((found.text, self.standing(context, reply.grounds, found.text, &amount)))
                }
                _ => None,
            })
        })
    }

    fn standing(&self, context: &Context<'_>, grounds: &Grounds, text: &str, amount: &WrittenAmount<'_>) -> Standing {
        let typed = |text: &str| self.typed(context, &Value::from(text));
        let as_written = || [text, amount.numeral.text].into_iter().map(typed);
        let Some(number) = amount.numeral.read(&self.locales) else {
            let told = [
                grounds.amount_text(context.key, &self.scopes, text),
                self.authored.amount_text(&AUTHORED, &self.own_scopes, text),
            ];
            return Standing::of_text(told.into_iter().chain(as_written()));
        };
        let told = [
            grounds.amount(context.key, &self.scopes, amount.currency, &number),
            self.authored.amount(&AUTHORED, &self.own_scopes, amount.currency, &number),
            self.typed(context, &Value::Number(number)),
        ];
        if let Standing::Grounded = Standing::of(told) {
            return Standing::Grounded;
        }
        // The user may have written the same number in another way.
        let spelled = spellings(&number, &self.locales);
        Standing::of(told.into_iter().chain(as_written()).chain(spelled.iter().map(|text| typed(text))))
    }

    fn typed(&self, context: &Context<'_>, value: &Value<'_>) -> Known {
        if self.user { known(context.facts.said(context.key, value)) } else { Known::No }
    }
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        finding(self.figures(&evaluation.context))
    }

    fn correction(&self, context: &Context<'_>) -> String {
        let Words { sort, source, example } = &self.words;
        correction(self.figures(context), sort, source, example)
    }
}

#[cfg(test)]
mod tests {
    use super::super::grounded::tests::Case;
    use crate::guards::reply::tests::{Told, judge, key, policy};
    use crate::value::Value;

    const QUOTE: &[&str] = &[r#"{"total": {"minor": 123456, "currency": "EUR"}}"#];

    fn german(locale: &str) -> String {
        format!(
            "{{kind: amountsGrounded, with: {{locale: {locale}, from: [{{tool: look, path: total.minor, minor: 2, \
             currencyPath: total.currency}}]}}}}"
        )
    }

    /// The seven replies of user case A27; the last is a date.
    #[test]
    fn the_total_of_a_quote_is_told_in_a_declared_form_or_not_at_all() {
        let (de, both, none) = (german("de-DE"), german("[de-DE, en]"), german("[de-DE, fr]"));
        let case = |guard| Case { results: QUOTE, ..Case::of(guard) };
        let unclear = |text: &str| Err(format!("\"{text}\" cannot be read for certain. Write it like 1234,56 EUR."));
        let other = |text: &str| {
            Err(format!(
                "\"{text}\" is not among the amounts that `look` returned in `total.minor`. Use only amounts that are, or leave it out."
            ))
        };
        assert_eq!(case(&de).says("Die Summe ist 1.234,56 €."), Ok(()));
        assert_eq!(case(&de).says("The total is €1,234.56."), unclear("€1,234.56"));
        assert_eq!(case(&both).says("The total is €1,234.56."), Ok(()));
        assert_eq!(case(&de).says("Die Summe ist 1.234 €."), other("1.234 €"));
        assert_eq!(case(&de).says("La somme est 1\u{202f}234,56 €."), Ok(()));
        assert_eq!(case(&none).says("La somme est 1 234,56 €."), Ok(()));
        assert_eq!(case(&de).says("١٢٣٤٫٥٦ €"), Ok(()));
        assert_eq!(case(&de).says("Die Summe ist 1.234,56 $."), other("1.234,56 $"));
        assert_eq!(case(&de).says("Lieferung am 03/04/2031."), Ok(()));
    }

    #[test]
    fn an_amount_that_came_up_nowhere_is_named() {
        let results: &[&str] = &[r#"{"price": 512, "fee": "$3.50", "text": "You owe 1,300.25 USD in all."}"#];
        let case = Case { results, ..Case::of("{kind: amountsGrounded, with: {locale: en-US}}") };
        case.allows(&[
            "It is $512.00, with a fee of USD 3.5, so $1,300.25 in all.",
            "No amount, 20%, 10:30, 99 items, and room 7.",
            "",
        ]);
        let said = "\"$515\" and \"3.50 €\" are not among the amounts that came up. Use only amounts that are, or leave them out.";
        assert_eq!(case.says("It is $512 or $515, with 3.50 € and $515.").unwrap_err(), said);
        let said = "\"$1.3k\" cannot be read for certain. Write it like 1234.56 EUR.";
        assert_eq!(case.says("About $1.3k.").unwrap_err(), said);
        case.stops(&["$51.2", "$5,12", "-$512", "USD 1300", "512 EUR or $1"]);
    }

    #[test]
    fn what_nobody_can_read_passes_only_as_it_came_up() {
        let results: &[&str] = &[r#"{"text": "It costs 1,234 USD."}"#];
        let case = Case { results, typed: "is it 2.345 €?", ..Case::of("{kind: amountsGrounded}") };
        case.allows(&["It costs 1,234 USD.", "Yes, 2.345 €."]);
        case.stops(&["It costs 1.234 USD.", "It costs 1234 USD.", "It costs $1,234.", "Yes, 2345 €."]);
    }

    #[test]
    fn the_user_and_the_author_ground_amounts_too() {
        let spec = "tools: {look: {effect: read, description: e.g. 77 EUR}}\nparams: {limit: 500.00}\n\
                    behavior: ['Above 250 EUR, ask.']";
        let typed = "I have 1000 dollars, or 1,250.50, or $40.";
        let case = Case { spec, typed, ..Case::of("{kind: amountsGrounded, with: {locale: en}}") };
        case.allows(&["$1,000, $1250.5, 40 USD", "The limit is $500.", "Above €250 I ask."]);
        case.stops(&["$250", "77 EUR", "$1,250", "$100"]);
    }

    #[test]
    fn with_sources_only_these_ground_amounts() {
        let spec = "tools: {look: {effect: read}}\nparams: {limit: 500.00}";
        let results: &[&str] = &[r#"{"total": 12, "other": 13}"#];
        let guard = "{kind: amountsGrounded, with: {from: {tool: look, path: total}}}";
        let case = Case { spec, results, typed: "$14", ..Case::of(guard) };
        case.allows(&["$12", "12 EUR", "$500"]);
        case.stops(&["$13", "$14"]);
        let guard = "{kind: amountsGrounded, with: {from: [user, {tool: look, path: total, currency: USD}]}}";
        let case = Case { guard, ..case };
        case.allows(&["$12", "$14"]);
        case.stops(&["12 EUR", "$13"]);
        let said = "\"$13\" is not among the amounts that `look` returned in `total` or the user typed. Use only amounts that are, or leave it out.";
        assert_eq!(case.says("$13").unwrap_err(), said);
    }

    #[test]
    fn all_asks_for_every_number() {
        let case = Case { results: &["[3, 7.5]"], ..Case::of("{kind: amountsGrounded, with: {all: true}}") };
        case.allows(&["3 nights, 7.50 in all, 20%, at 10:30 on 2031-03-04\n1. One\n2. Two", "AB-1234 is the 21st"]);
        case.stops(&["4 nights", "3.5"]);
    }

    #[test]
    fn a_source_must_be_one_and_be_trusted() {
        let problem = |from: &str| {
            let guard = format!("{{kind: amountsGrounded, with: {{from: {from}}}}}");
            policy("tools: {look: {effect: read, untrusted: [note]}}", &guard).unwrap_err()
        };
        assert!(problem("{tool: find, path: a}").contains("matches-nothing"));
        assert!(problem("{tool: look, path: note.total}").contains("untrusted-source"));
        assert!(problem("{tool: look, path: total, currencyPath: note}").contains("untrusted-source"));
        assert!(problem("{tool: look, path: total, currency: euro}").contains("`euro` is no code of a currency"));
        assert!(problem("{tool: look, path: total, currency: EUR, currencyPath: c}").contains("bad-source"));
        assert!(problem("{tool: look, path: total, minor: 10}").contains("bad-count"));
        assert!(problem("someone").contains("unknown-word"));
        assert!(problem("[]").contains("empty-list"));
    }

    #[test]
    fn what_it_says_of_itself_reads_back() {
        let guard = "{kind: amountsGrounded, with: {locale: [de_DE, en-US], all: true, from: [{tool: look, path: 'a[].b', minor: 2, currency: EUR}, user]}}";
        let spec = crate::spec::parse(&crate::source::Sources::new(
            "desk.yaml",
            format!(
                "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {{look: {{effect: read}}}}\nguards: {{onReply: [{{id: g, {}]}}\n",
                guard.strip_prefix('{').unwrap()
            ),
        ));
        let spec = spec.spec.unwrap();
        let rule = spec.guards[0].rule.as_ref().unwrap();
        assert_eq!(
            crate::canon::to_text(&rule.parameters()),
            r#"{"all":true,"from":["user",{"currency":"EUR","minor":2,"path":"a[].b","tool":"look"}],"locale":["de","en-us"]}"#
        );
        assert_eq!(
            rule.prose(),
            "a reply names only numbers that `look` returned in `a[].b` or the user typed, written like 1234,56 EUR"
        );
    }

    #[test]
    fn where_more_came_up_than_is_kept_a_miss_is_a_failure() {
        let guard = "{kind: amountsGrounded}";
        let policy = policy("tools: {look: {effect: read}}", guard).unwrap();
        let many = Value::Array((0..70_000_i64).map(Value::from).collect());
        let mut grounds = crate::grounds::Grounds::default();
        let gathered = grounds.gathered(&key(), policy.plan.grounds(), None, &many);
        grounds.keep(&gathered);
        let says = |reply: &str| judge(guard, &Told { grounds: grounds.clone(), ..Told::of(reply) });
        assert_eq!(says("$65000"), Ok(()));
        assert_eq!(says("$80000").unwrap_err(), "Fails(IndexFull)");
    }
}
