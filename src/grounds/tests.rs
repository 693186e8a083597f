//! What values add, and what is found again: whole figures, their currency, what nobody can read, and full sets.

use super::*;
use crate::figures::{Locale, Locales};
use crate::json::{Limits, parse};
use crate::observed::AmountSource;
use crate::path::Path;
use crate::tool::Pattern;
use proptest::prelude::*;

fn key() -> SessionKey {
    SessionKey::from_nonce(b"grounds")
}

fn locales(tag: &str) -> Locales {
    Locales::of(Locale::find(tag).into_iter().collect())
}

fn value(text: &str) -> Value<'static> {
    parse(text.as_bytes(), &Limits::default()).unwrap().into_owned()
}

/// What is kept of some values, which may come from `look`.
fn kept(plan: &GroundPlan, values: &[&str]) -> Grounds {
    let mut grounds = Grounds::default();
    for text in values {
        let gathered = grounds.gathered(&key(), plan, Some("look"), &value(text));
        grounds.keep(&gathered);
    }
    grounds
}

fn amount(grounds: &Grounds, scopes: &[Scope], currency: &str, number: &str) -> bool {
    let number = Decimal::parse_plain(number).unwrap();
    grounds.amount(&key(), scopes, Currency::of_text(currency), &number) == Known::Yes
}

fn amounts(tag: &str) -> (GroundPlan, Vec<Scope>) {
    let mut plan = GroundPlan::default();
    let reading = plan.ask_amounts(&locales(tag));
    (plan, [Scope::Any].into_iter().chain(reading.map(Scope::Read)).collect())
}

#[test]
fn an_amount_is_found_by_its_number_and_a_currency_that_agrees() {
    let (plan, scopes) = amounts("");
    let grounds = kept(&plan, &[r#"{"a": 12.50, "b": ["20 EUR", "$30", {"40 USD": null}], "c": "-5"}"#]);
    for (currency, number, wanted) in [
        ("EUR", "12.5", true),
        ("$", "12.5", true),
        ("", "12.50", true),
        ("", "20", true),
        ("€", "20", true),
        ("$", "20", false),
        ("USD", "30", true),
        ("CAD", "30", true),
        ("EUR", "30", false),
        ("$", "40", true),
        ("CAD", "40", false),
        ("", "40", true),
        ("EUR", "5", true),
        ("EUR", "-5", true),
        ("EUR", "-20", false),
        ("EUR", "12", false),
    ] {
        assert_eq!(amount(&grounds, &scopes, currency, number), wanted, "{currency}{number}");
    }
}

#[test]
fn a_text_is_read_under_the_languages_of_the_guard_that_asks() {
    let (mut plan, german) = amounts("de");
    let english: Vec<Scope> =
        [Scope::Any].into_iter().chain(plan.ask_amounts(&locales("en")).map(Scope::Read)).collect();
    let grounds = kept(&plan, &[r#"["Summe 1.234 €", "Total €9,876.50", "2.500"]"#]);
    assert!(amount(&grounds, &german, "€", "1234") && !amount(&grounds, &german, "€", "1.234"));
    assert!(amount(&grounds, &english, "€", "1.234") && !amount(&grounds, &english, "€", "1234"));
    assert!(amount(&grounds, &german, "€", "9876.5"), "it reads the same everywhere");
    assert!(amount(&grounds, &german, "€", "2.5") && !amount(&grounds, &german, "€", "2500"), "a machine's number");
    let text = |text: &str| grounds.amount_text(&key(), &[Scope::Any], text);
    assert_eq!((text("1.234 €"), text("1.235 €")), (Known::Yes, Known::No));
}

#[test]
fn a_source_grounds_only_its_own_amounts_in_its_units_and_currency() {
    let source = |path: &str, minor, currency: &str, currency_path: Option<&str>| AmountSource {
        tools: vec![Pattern::selector("look")],
        path: Path::parse(path).unwrap(),
        minor,
        currency: Currency::of_text(currency),
        currency_path: currency_path.map(|path| Path::parse(path).unwrap()),
        locales: locales("de"),
    };
    let told = r#"{"total": {"minor": 123456, "currency": "EUR"}, "text": "1.234,50 €", "other": 77,
        "lines": [{"p": 100, "c": "USD"}, {"p": "200", "c": "EUR"}, {"p": 300, "c": "points"}]}"#;
    let ask = |source: AmountSource, currency: &str, number: &str| {
        let mut plan = GroundPlan::default();
        let scopes = [Scope::From(plan.ask_source(source))];
        assert!(plan.asks());
        amount(&kept(&plan, &[told]), &scopes, currency, number)
    };
    let total = || source("total.minor", 2, "", Some("total.currency"));
    assert!(ask(total(), "€", "1234.56") && !ask(total(), "$", "1234.56"));
    assert!(!ask(total(), "€", "123456") && !ask(total(), "€", "77"));
    let lines = || source("lines[].p", 0, "", Some("lines[].c"));
    assert!(ask(lines(), "$", "100") && !ask(lines(), "€", "100") && ask(lines(), "€", "200"));
    assert!(!ask(lines(), "€", "300") && !ask(lines(), "", "300"), "nobody knows its currency");
    assert!(ask(source("text", 2, "EUR", None), "€", "1234.5") && !ask(source("text", 0, "USD", None), "€", "1234.5"));
    assert!(ask(source("other", 0, "", None), "$", "77") && ask(source("other", 1, "", None), "", "7.7"));
    let mut plan = GroundPlan::default();
    let scopes = [Scope::From(plan.ask_source(total()))];
    let gathered = Grounds::default().gathered(&key(), &plan, Some("find"), &value(told));
    assert!(gathered.is_empty() && scopes.len() == 1, "another tool's result");
}

#[test]
fn ids_are_found_whole_wherever_they_stand() {
    let mut plan = GroundPlan::default();
    plan.ask_ids(&[]);
    let grounds = kept(&plan, &[r#"{"inv_12": 4482019375, "note": "see #ORD-000017, (ab-cd-99).", "n": 12345}"#]);
    for (id, wanted) in [
        ("inv_12", Known::Yes),
        ("inv_1", Known::No),
        ("INV_12", Known::Yes),
        ("ord-000017", Known::Yes),
        ("ORD-00001", Known::No),
        ("4482019375", Known::Yes),
        ("448201937", Known::No),
        ("ab-cd-99", Known::Yes),
        ("12345", Known::No),
        ("000017", Known::Yes),
        ("00017", Known::No),
    ] {
        assert_eq!(grounds.id(&key(), id), wanted, "{id}");
    }
    let mut plan = GroundPlan::default();
    plan.ask_ids(&[regex::Regex::new("[0-9]{5}|K[0-9]").unwrap()]);
    let grounds = kept(&plan, &[r#"{"K1": [12345, "123456", "K2.", "K34"]}"#]);
    let known = |id: &str| grounds.id(&key(), id) == Known::Yes;
    assert!(known("K1") && known("12345") && known("k2") && !known("K3") && !known("23456"));
}

#[test]
fn a_date_grounds_itself_and_its_day_in_any_year() {
    let mut plan = GroundPlan::default();
    let scopes: Vec<Scope> =
        [Scope::Any].into_iter().chain(plan.ask_dates(&locales("en-US")).map(Scope::Read)).collect();
    let grounds = kept(&plan, &[r#"["2031-03-04T10:00:00Z", "due 05/06/2031", "on April 7", "2031-12-24 to 26"]"#]);
    let known = |year: Option<u16>, month, day| {
        grounds.date(&key(), &scopes, &Date::of(year, month, day).unwrap()) == Known::Yes
    };
    assert!(known(Some(2031), 3, 4) && known(None, 3, 4) && !known(Some(2032), 3, 4) && !known(None, 3, 5));
    assert!(known(Some(2031), 5, 6) && !known(Some(2031), 6, 5));
    assert!(known(None, 4, 7) && !known(Some(2031), 4, 7));
    assert_eq!(grounds.date(&key(), &[Scope::Any], &Date::of(Some(2031), 5, 6).unwrap()), Known::No);
    assert_eq!(grounds.date_text(&key(), &[Scope::Any], "05/06/2031"), Known::Yes);
}

#[test]
fn a_full_set_cannot_tell_what_it_misses() {
    let (mut plan, scopes) = amounts("");
    plan.ask_ids(&[]);
    let many = Value::Array((0..70_000_i64).map(Value::from).collect());
    let mut grounds = Grounds::default();
    let gathered = grounds.gathered(&key(), &plan, None, &many);
    grounds.keep(&gathered);
    let known = |number: i64| grounds.amount(&key(), &scopes, None, &Decimal::from(number));
    assert_eq!((known(1), known(65_535)), (Known::Yes, Known::Yes));
    assert_eq!((known(65_536), known(80_000)), (Known::CannotTell, Known::CannotTell));
    assert_eq!(grounds.id(&key(), "ab-123"), Known::No, "each set has its own bound");
    assert!(grounds.gathered(&key(), &plan, None, &Value::from(5)).is_empty());
    let more = grounds.gathered(&key(), &plan, None, &Value::from(90_000));
    assert!(!more.is_empty());
}

#[test]
fn what_nobody_asks_is_not_kept() {
    let told = value(r#"["5 EUR", "AB-10023", "2031-03-04"]"#);
    assert!(!GroundPlan::default().asks());
    assert!(Grounds::default().gathered(&key(), &GroundPlan::default(), None, &told).is_empty());
    let mut plan = GroundPlan::default();
    plan.ask_dates(&Locales::default());
    let grounds = kept(&plan, &[r#"["5 EUR", "AB-10023"]"#]);
    assert!(grounds.gathered(&key(), &plan, None, &value(r#""AB-10024""#)).is_empty());
}

proptest! {
    #[test]
    fn what_is_kept_of_two_values_is_what_each_adds(one in "[0-9A-Z$ .,-]{0,20}", other in "[0-9A-Z$ .,-]{0,20}") {
        let (mut plan, _) = amounts("de");
        plan.ask_ids(&[]);
        let mut apart = Grounds::default();
        for text in [&one, &other] {
            let gathered = apart.gathered(&key(), &plan, None, &Value::from(text.as_str()));
            apart.keep(&gathered);
        }
        let both = Value::Array(vec![Value::from(other.as_str()), Value::from(one.as_str())]);
        prop_assert!(apart.gathered(&key(), &plan, None, &both).is_empty());
    }
}
