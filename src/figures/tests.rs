//! What is found in texts and how it reads: tables both ways, and each language's own form read back.

use super::*;
use crate::decimal::Decimal;
use proptest::prelude::*;

fn locales(tags: &str) -> Locales {
    Locales::of(tags.split_whitespace().map(|tag| Locale::find(tag).unwrap()).collect())
}

fn number(text: &str) -> Decimal {
    Decimal::parse_plain(text).unwrap()
}

/// What is found, one figure a word: `€1234.56`, `?` for what has no value, ids and dates as they read.
fn told(text: &str, tags: &str) -> String {
    let locales = locales(tags);
    let date = |date: Date| {
        let year = date.year.map_or("any".to_owned(), |year| year.to_string());
        format!("{year}-{:02}-{:02}", date.month, date.day)
    };
    let figures = Figures::of(text, &locales).map(|found| match found.figure {
        Figure::Amount(amount) => {
            let name = amount.currency.map_or(String::new(), |currency| currency.name().to_owned());
            format!("{name}{}", amount.numeral.read(&locales).map_or("?".to_owned(), |number| number.to_string()))
        }
        Figure::Date(written) => match written.read(&locales) {
            None => "date?".to_owned(),
            Some((day, None)) => date(day),
            Some((first, Some(last))) => format!("{}..{}", date(first), date(last)),
        },
        Figure::Id => format!("#{}", found.text),
    });
    figures.collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn finds(cases: &[(&str, &str, &str)]) {
    for (text, tags, wanted) in cases {
        assert_eq!(told(text, tags), *wanted, "{text:?} under `{tags}`");
    }
}

#[test]
fn a_number_is_read_in_the_forms_of_the_declared_languages_alone() {
    finds(&[
        ("1.234,56 €", "de", "EUR1234.56"),
        ("1.234,56 €", "en", "EUR?"),
        ("€1,234.56", "en", "EUR1234.56"),
        ("€1,234.56", "de", "EUR?"),
        ("€1,234.56", "de en", "EUR1234.56"),
        ("1.234 €", "de", "EUR1234"),
        ("1.234 €", "en", "EUR1.234"),
        ("1.234 €", "de en", "EUR?"),
        ("1.5 €", "de", "EUR?"),
        ("1 234,56 €", "fr", "EUR1234.56"),
        ("1\u{202f}234,56 €", "fr", "EUR1234.56"),
        ("1\u{202f}234,56 €", "de", "EUR1234.56"),
        ("1\u{a0}234,56 €", "en", "EUR?"),
        ("1 234,56 €", "de", "EUR?"),
        ("CHF 1'234.50", "de-CH", "CHF1234.5"),
        ("CHF 1’234,50", "de-CH", "CHF1234.5"),
        ("₹12,34,567.50", "en-IN", "INR1234567.5"),
        ("₹1,234,567", "en-IN", "INR1234567"),
        ("₹12,34,567", "en-US", "INR?"),
        ("1.234.567 kr", "da", "kr1234567"),
        ("12 345 kr", "sv", "kr12345"),
        ("1 234,50 zł", "pl", "PLN1234.5"),
        ("١٢٣٤٫٥٦ €", "de", "EUR1234.56"),
        ("۱٬۲۳۴٫۵ €", "fa", "EUR1234.5"),
        ("￥１，２３４．５０", "ja", "¥1234.5"),
        ("1٢3 €", "en", "EUR?"),
    ]);
}

#[test]
fn without_a_language_only_that_counts_which_reads_the_same_in_all() {
    finds(&[
        ("$1,234.56", "", "$1234.56"),
        ("1.234,56 €", "", "EUR1234.56"),
        ("1'234.56 CHF", "", "CHF1234.56"),
        ("1\u{202f}234,56 €", "", "EUR1234.56"),
        ("$1,234,567", "", "$1234567"),
        ("₹12,34,567", "", "INR1234567"),
        ("$12.5 and 0.500 EUR and 1234.567 EUR", "", "$12.5 EUR0.5 EUR1234.567"),
        ("$1,234", "", "$?"),
        ("1.234 €", "", "EUR?"),
        ("1 234 €", "", "EUR?"),
        ("$1.2.3", "", "$?"),
        ("$1,23,45", "", "$?"),
        ("$05", "", "$?"),
        ("١٢٣٤٫٥٦ €", "", "EUR1234.56"),
    ]);
}

#[test]
fn currency_and_sign_stand_before_or_behind() {
    finds(&[
        ("-$5, $-5, −5 €, (-5 EUR)", "", "$-5 $-5 EUR-5 EUR-5"),
        ("10-20 USD, $5–7, €5-€7", "", "USD10 USD20 $5 $7 EUR5 EUR7"),
        ("USD 5, 5USD, EUR5, US$5, R$ 5, 5 R$", "", "USD5 USD5 EUR5 USD5 BRL5 BRL5"),
        ("Rs. 500, rs 500, kr 5, 5 kr., Kr. 5, 5 Kč, 5円です", "", "Rs500 Rs500 kr5 kr5 kr5 CZK5 JPY5"),
        ("$5 USD and $5 CAD and $5 EUR", "", "USD5 CAD5 $?"),
        ("5 dollars, 5 Euro, 5 euros", "", "$5 EUR5 EUR5"),
        ("Room 5 $20", "", "5 $20"),
        ("TRY 500.00 but try TRY 5 and TOP 10 and 5 TRY", "", "TRY500 5 10 TRY5"),
        ("$5k, $5.5 million, 5 Mio. €, 5bn USD, $5 millions more", "", "$? $? EUR? USD? $?"),
        ("$1\u{200b}234", "", "$? 234"),
        ("20% of 50 €, 5 % and 7‰", "", "EUR50"),
    ]);
}

#[test]
fn what_is_no_amount_is_not_taken_for_one() {
    finds(&[
        ("10:30, 10:30:15, 10am, 21st, 20kg, 24-hour, 5-7, 3/4, v1.2.3", "", ""),
        ("1. First\n2) Second\n## 3. Third", "", ""),
        ("10.0.0.1 and 1.2.3", "", ""),
        ("3 nights in 2 rooms", "", "3 2"),
        ("12 300 pieces", "fr", "12300"),
        ("12 300 pieces", "en", "12 300"),
    ]);
}

#[test]
fn ids_are_whole_tokens_with_letters_and_digits_or_long_runs() {
    finds(&[
        ("inv_12 and inv_1, #ORD-000017.", "", "#inv_12 #inv_1 #ORD-000017"),
        ("550e8400-e29b-41d4-a716-446655440000", "", "#550e8400-e29b-41d4-a716-446655440000"),
        ("123456-78", "", "#123456-78"),
        ("0012345 0044", "", "#0012345"),
        ("24-hour 90-day 2-in-1 1080p 500mb 16GB 24-Stunden 5-7-day", "", ""),
        ("A1 B12 mp3", "", ""),
        ("ORD\u{2011}12345", "", "#ORD\u{2011}12345"),
        ("注文番号AB12345です", "", "#AB12345"),
        ("123ABC 12AB-34", "", "#123ABC #12AB-34"),
        ("737-800", "", ""),
    ]);
    let found: Vec<_> = Figures::of("call 4482019375 or 44820, $123456", &Locales::default()).collect();
    assert_eq!(found.iter().filter_map(Found::id).collect::<Vec<_>>(), ["4482019375"]);
    assert_eq!(canonical("ORD\u{2011}１２"), "ord-12");
}

#[test]
fn dates_with_a_month_or_the_year_first_are_the_same_everywhere() {
    finds(&[
        ("2031-03-04, 2031/3/4 and 2031-03-04T10:00:00+02:00.", "", "2031-03-04 2031-03-04 2031-03-04"),
        ("on 2031-03-04 10:30 there", "", "2031-03-04"),
        ("4 March 2031; March 4th, 2031; Mar. 4, 2031; 4-Mar-2031", "", "2031-03-04 2031-03-04 2031-03-04 2031-03-04"),
        ("March 4 and the 4th of March", "", "any-03-04 any-03-04"),
        ("4. März 2031, 4 de marzo de 2031, 1er mars 2031", "", "2031-03-04 2031-03-04 2031-03-01"),
        ("4 marzo 2031, 4 de março de 2031, 4 maart 2031", "", "2031-03-04 2031-03-04 2031-03-04"),
        ("4–6 March 2031, March 4-6", "", "2031-03-04..2031-03-06 any-03-04..any-03-06"),
        ("March 4 300 USD", "", "any-03-04 USD300"),
        ("30 February 2031, 2031-02-30", "", "date? date?"),
        ("29 February, 29 February 2031", "", "any-02-29 date?"),
        ("May 4, may 4 people, 4 may come, 4 out of 5", "", "any-05-04 4 4 4 5"),
        ("March 2031, in March, tomorrow, 45 March", "", "2031 45"),
        ("March 10:30", "", ""),
    ]);
}

#[test]
fn a_numeric_date_needs_an_order_of_day_and_month() {
    finds(&[
        ("03/04/2031", "", "date?"),
        ("03/04/2031", "en", "date?"),
        ("03/04/2031", "en-US", "2031-03-04"),
        ("03/04/2031", "en-GB", "2031-04-03"),
        ("03/04/2031", "en-US de", "date?"),
        ("4.3.2031, 04.03.31, 4. 3. 2031", "de", "2031-03-04 2031-03-04 2031-03-04"),
        ("25/12/2031 and 12/25/2031 and 4.4.2031", "", "2031-12-25 2031-12-25 2031-04-04"),
        ("3/4/31", "fr", "2031-04-03"),
        ("1.2.3.2031 99/99/2031", "", ""),
    ]);
}

#[test]
fn nothing_is_found_where_nothing_is() {
    finds(&[("", "", ""), ("No digits here: €, EUR, March.", "de", ""), ("-_-- _ €", "", "")]);
}

#[test]
fn a_date_is_spelled_as_it_is_read() {
    let day = Date::of(Some(2031), 3, 4).unwrap();
    for text in day.spellings(&locales("de")) {
        let found: Vec<_> = Figures::of(&text, &locales("de")).collect();
        let [Found { figure: Figure::Date(written), .. }] = found.as_slice() else { panic!("{text}: {found:?}") };
        assert_eq!(written.read(&locales("de")), Some((day, None)), "{text}");
    }
}

const TAGS: &[&str] =
    &["en", "en-IN", "de", "de-CH", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "da", "nb", "fi", "tr", "ru", "uk"];

proptest! {
    #[test]
    fn a_number_in_a_languages_own_form_reads_back_to_itself(
        coefficient in -99_999_999_999_i64..99_999_999_999,
        places in 0_usize..4,
        tag in proptest::sample::select(TAGS),
        behind in proptest::sample::select(&[" €", " EUR", "€"][..]),
    ) {
        let unit = number(["1", "0.1", "0.01", "0.001"][places]);
        let plain = Decimal::from(coefficient.unsigned_abs()).checked_mul(&unit).unwrap();
        let wanted = if coefficient < 0 { plain.neg() } else { plain };
        let locales = locales(tag);
        let spelled = spellings(&wanted, &locales);
        prop_assert!(!spelled.is_empty());
        for spelled in spelled {
            let text = format!("It is {spelled}{behind}, then.");
            let found: Vec<_> = Figures::of(&text, &locales).collect();
            let [Found { figure: Figure::Amount(amount), .. }] = found.as_slice() else { panic!("{text}: {found:?}") };
            prop_assert_eq!(amount.numeral.read(&locales), Some(wanted), "{}", text);
            prop_assert_eq!(amount.currency, Currency::of_code("EUR"));
        }
    }

    #[test]
    fn any_text_is_read_once_from_left_to_right(text in "[0-9a-zA-Z $€.,/:'%_\\-–\u{a0}\u{202f}\u{200b}٣é円]{0,60}") {
        let mut rest = text.as_str();
        for found in Figures::of(&text, &locales("fr")) {
            prop_assert!(has_digit(found.text));
            rest = rest.split_once(found.text).unwrap().1;
        }
    }

    #[test]
    fn an_id_is_found_whole_and_only_whole(id in "[a-z]{2,6}[_-][0-9]{3,6}", more in "[0-9a-z]") {
        let found = |text: &str| Figures::of(text, &Locales::default()).filter_map(|one| one.id().map(str::to_owned)).collect::<Vec<_>>();
        prop_assert_eq!(found(&format!("It is {id}.")), vec![id.clone()]);
        prop_assert_eq!(found(&format!("({id}{more})")), vec![format!("{id}{more}")]);
    }
}
