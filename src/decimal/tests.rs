//! What `decimal` promises, as behaviour.

#![expect(clippy::arithmetic_side_effects, reason = "tests")]

use super::*;
use proptest::prelude::*;
use std::hash::{BuildHasher, BuildHasherDefault};

fn number(text: &str) -> Decimal {
    Decimal::parse_json(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// `units / 10^places` by way of its text.
fn scaled(units: i128, places: usize) -> Decimal {
    let digits = format!("{:0>1$}", units.unsigned_abs(), places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let sign = if units < 0 { "-" } else { "" };
    number(&if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
}

/// Any number of the range, most of them wide.
pub(crate) fn decimals() -> impl Strategy<Value = Decimal> {
    let coefficient = prop_oneof![
        any::<i64>().prop_map(i128::from),
        (-1000_i128..1000),
        (1 - LIMIT..LIMIT),
        (0_u32..34, -99_i128..99).prop_map(|(power, factor)| 10_i128.pow(power) * factor / 100),
    ];
    let exponent = prop_oneof![Just(0), -6..6_i32, -400..=366_i32];
    (coefficient, exponent).prop_map(|(coefficient, exponent)| Decimal::from_parts(coefficient, exponent).unwrap())
}

/// The texts of two numbers, compared digit by digit.
fn compare_texts(left: &str, right: &str) -> Ordering {
    let size = |text: &str| {
        let (whole, fraction) =
            text.trim_start_matches('-').split_once('.').unwrap_or((text.trim_start_matches('-'), ""));
        format!("{whole:0>450}{fraction:0<450}")
    };
    match (left.starts_with('-'), right.starts_with('-')) {
        (false, false) => size(left).cmp(&size(right)),
        (true, true) => size(right).cmp(&size(left)),
        (left, right) => right.cmp(&left),
    }
}

fn hash(number: Decimal) -> u64 {
    BuildHasherDefault::<siphasher::sip::SipHasher13>::default().hash_one(number)
}

#[test]
fn one_number_has_one_form_however_it_is_written() {
    let groups: [&[&str]; 6] = [
        &["1", "1.0", "1e0", "10e-1", "0.1E+1", "1.000000000000000000000000000000000000000000000000"],
        &["0", "0.0", "0e5", "0.000e-999999999999999999999"],
        &["1200", "1.2e3", "12E2", "1200.00", "0.0012e6"],
        &["0.001", "1e-3", "100e-5", "0.00100"],
        &["1e40", "10000000000000000000000000000000000000000", "0.1e41", "1.0e+40"],
        &[
            "-9999999999999999999999999999999999",
            "-9999999999999999999999999999999999.0",
            "-0.9999999999999999999999999999999999e34",
        ],
    ];
    for texts in groups {
        for text in texts {
            assert_eq!(number(text), number(texts[0]), "{text}");
            assert_eq!(hash(number(text)), hash(number(texts[0])), "{text}");
        }
    }
}

#[test]
fn a_number_is_printed_without_exponent() {
    let cases = [
        ("0", "0"),
        ("-12.50", "-12.5"),
        ("1.2e3", "1200"),
        ("1e-3", "0.001"),
        ("-5E-1", "-0.5"),
        ("123456789012345678901234567890.1234", "123456789012345678901234567890.1234"),
        ("1e36", "1000000000000000000000000000000000000"),
        ("18446744073709551615", "18446744073709551615"),
        ("-9223372036854775808", "-9223372036854775808"),
    ];
    for (text, want) in cases {
        assert_eq!(number(text).to_string(), want);
        assert_eq!(format!("{:?}", number(text)), want);
    }
    assert_eq!(number("1e-400").to_string(), format!("0.{}1", "0".repeat(399)));
    assert_eq!(number("1e400").to_string(), format!("1{}", "0".repeat(400)));
}

#[test]
fn what_is_not_an_exact_number_is_refused_with_its_reason() {
    use DecimalError::{ExponentOutOfRange, Grammar, NegativeZero, TooManyDigits};
    let cases = [
        ("", Grammar),
        ("-", Grammar),
        ("+1", Grammar),
        (".5", Grammar),
        ("1.", Grammar),
        ("1.e2", Grammar),
        ("01", Grammar),
        ("-01", Grammar),
        ("00", Grammar),
        ("00.5", Grammar),
        ("1e", Grammar),
        ("1e+", Grammar),
        ("1 ", Grammar),
        (" 1", Grammar),
        ("0x10", Grammar),
        ("1_000", Grammar),
        ("1,5", Grammar),
        ("NaN", Grammar),
        ("Infinity", Grammar),
        ("-Infinity", Grammar),
        ("1e5.0", Grammar),
        ("1.2.3", Grammar),
        ("--1", Grammar),
        ("000000000000000000000000000000000000001", Grammar),
        ("٣", Grammar),
        ("-0", NegativeZero),
        ("-0.0", NegativeZero),
        ("-0e7", NegativeZero),
        ("-0.000000000000000000000", NegativeZero),
        ("12345678901234567890123456789012345", TooManyDigits),
        ("1.0000000000000000000000000000000001e0", TooManyDigits),
        ("10000000000000000000000000000000000.1", TooManyDigits),
        ("1e401", ExponentOutOfRange),
        ("1e-401", ExponentOutOfRange),
        ("10e400", ExponentOutOfRange),
        ("12e-401", ExponentOutOfRange),
        ("1e99999999999999999999999", ExponentOutOfRange),
        ("1e-99999999999999999999999", ExponentOutOfRange),
        ("0.1e-400", ExponentOutOfRange),
    ];
    for (text, want) in cases {
        let got = Decimal::parse_json(text);
        assert_eq!(got, Err(want), "{text}");
        assert!(!want.help().is_empty());
    }
}

#[test]
fn zeros_that_do_not_count_are_no_digits() {
    let zeros = "0".repeat(1000);
    assert_eq!(number(&format!("0.5{zeros}")), number("0.5"));
    assert_eq!(number(&format!("0.{zeros}5e1001")), number("5"));
    assert_eq!(number(&format!("5{zeros}e-1000")), number("5"));
    assert_eq!(number("10e-401"), number("1e-400"));
}

#[test]
fn money_has_a_plain_form() {
    for (text, want) in [("500", "500"), ("500.00", "500"), ("-0.50", "-0.5"), ("007.5", "7.5")] {
        assert_eq!(Decimal::parse_plain(text).unwrap(), number(want));
    }
    for text in ["", "-", "5e2", "1,000.00", "$5", "5 ", "5.", ".5", "+5", "-0", "0x5", "5.0.0"] {
        assert!(Decimal::parse_plain(text).is_err(), "{text}");
    }
}

#[test]
fn whole_numbers_convert_and_others_do_not() {
    assert_eq!(number("1.0").to_i64(), Some(1));
    assert_eq!(number("-9223372036854775808").to_i64(), Some(i64::MIN));
    assert_eq!(number("9223372036854775808").to_i64(), None);
    assert_eq!(number("18446744073709551615").to_u64(), Some(u64::MAX));
    assert_eq!(number("18446744073709551616").to_u64(), None);
    assert_eq!((number("-1").to_u64(), number("1.5").to_i64(), number("1.5").to_u64()), (None, None, None));
    assert!(number("1e400").is_integer() && number("5.0").is_integer() && !number("0.5").is_integer());
    assert!(number("-0.1").is_negative() && !number("0").is_negative() && number("0.0").is_zero());
    assert_eq!(size_of::<Decimal>(), 24);
}

#[test]
fn arithmetic_is_exact_or_refused() {
    let (max, one) = (number("9999999999999999999999999999999999"), Decimal::ONE);
    // 10^34 has one significant digit, 10^34 + 1 has 35.
    assert_eq!(max.checked_add(&one), Some(number("1e34")));
    assert_eq!(number("1e34").checked_sub(&one), Some(max));
    assert_eq!(number("1e34").checked_add(&one), None);
    assert_eq!(number("1e40").checked_add(&number("5e33")), Some(number("10000005000000000000000000000000000000000")));
    assert_eq!(number("1e400").checked_sub(&number("1e400")), Some(Decimal::ZERO));
    assert_eq!(number("9e400").checked_add(&number("1e400")), None);
    assert_eq!(number("1e400").checked_add(&Decimal::ZERO), Some(number("1e400")));
    assert_eq!(max.checked_mul(&max), None);
    assert_eq!(number("1e-300").checked_mul(&number("1e-200")), None);
    let (five, two) = (number("3552713678800500929355621337890625"), number("281474976710656"));
    assert_eq!(five.checked_mul(&two), Some(number("1e48")));
    assert_eq!(two.checked_mul(&five), Some(number("1e48")));
    assert_eq!(number("0.1").checked_add(&number("0.2")), Some(number("0.3")));
}

#[test]
fn multiples_are_exact() {
    let multiple = |left: &str, right: &str| number(left).is_multiple_of(&number(right));
    let yes = [("0", "7"), ("19.99", "0.01"), ("-4.5", "1.5"), ("1e300", "5e-400"), ("1e40", "1e39"), ("1e9", "512")];
    for (left, right) in yes {
        assert!(multiple(left, right), "{left} of {right}");
    }
    let no = [("1", "0"), ("0", "0"), ("19.999", "0.01"), ("1", "3"), ("1e39", "1e40"), ("1", "1e40"), ("1e8", "512")];
    for (left, right) in no {
        assert!(!multiple(left, right), "{left} of {right}");
    }
}

#[test]
fn rounding_goes_half_away_from_zero() {
    let cases = [
        ("2.5", 0, "3"),
        ("-2.5", 0, "-3"),
        ("2.4999999", 0, "2"),
        ("1.005", 2, "1.01"),
        ("0.04", 1, "0"),
        ("7", 500, "7"),
        ("1e400", 0, "1e400"),
        ("1e-400", 3, "0"),
        ("-0.4", 0, "0"),
    ];
    for (text, places, want) in cases {
        assert_eq!(number(text).round(places), Some(number(want)), "{text} to {places}");
    }
    assert_eq!(number("1").checked_div_round(&number("3"), 33), Some(number("0.333333333333333333333333333333333")));
    assert_eq!(number("1").checked_div_round(&number("3"), 40), None);
    assert_eq!(number("1").checked_div_round(&Decimal::ZERO, 2), None);
}

proptest! {
    #[test]
    fn numbers_of_one_scale_compute_as_integers(x in -1_000_000_000_000_i128..1_000_000_000_000, y in prop_oneof![-3000_i128..3000, -1_000_000_000_000_i128..1_000_000_000_000], places in 0_usize..7) {
        let (a, b) = (scaled(x, places), scaled(y, places));
        prop_assert_eq!(a.checked_add(&b), Some(scaled(x + y, places)));
        prop_assert_eq!(a.checked_sub(&b), Some(scaled(x - y, places)));
        prop_assert_eq!(a.checked_mul(&b), Some(scaled(x * y, 2 * places)));
        prop_assert_eq!(a.cmp(&b), x.cmp(&y));
        prop_assert_eq!(a == b, x == y);
        prop_assert_eq!(a.is_multiple_of(&b), y != 0 && x % y == 0);
        prop_assert_eq!(a.is_integer(), x % 10_i128.pow(places as u32) == 0);
        if y != 0 {
            let top = x * 10_i128.pow(places as u32);
            let half_up = (2 * top.abs() + y.abs()) / (2 * y.abs());
            let want = if (x < 0) == (y < 0) { half_up } else { -half_up };
            prop_assert_eq!(a.checked_div_round(&b, places as u32), Some(scaled(want, places)));
        }
    }

    #[test]
    fn the_text_of_a_number_reads_back_as_the_number(a in decimals()) {
        prop_assert_eq!(number(&a.to_string()), a);
        prop_assert_eq!(Decimal::parse_plain(&a.to_string()), Ok(a));
        let text = format!("{}e{}", a.coefficient(), a.exponent());
        prop_assert_eq!(number(&text), a);
        prop_assert!(!a.to_string().contains('e'));
    }

    #[test]
    fn order_is_the_order_of_the_digits(a in decimals(), b in decimals()) {
        prop_assert_eq!(a.cmp(&b), compare_texts(&a.to_string(), &b.to_string()));
        prop_assert_eq!(a == b, a.to_string() == b.to_string());
        prop_assert_eq!(a.neg().cmp(&b.neg()), b.cmp(&a));
    }

    #[test]
    fn wide_results_obey_the_laws(a in decimals(), b in decimals()) {
        prop_assert_eq!(a.checked_add(&b), b.checked_add(&a));
        prop_assert_eq!(a.checked_mul(&b), b.checked_mul(&a));
        prop_assert_eq!(a.checked_sub(&a), Some(Decimal::ZERO));
        if let Some(sum) = a.checked_add(&b) {
            prop_assert_eq!(sum.checked_sub(&b), Some(a));
            prop_assert_eq!(sum.cmp(&a), b.cmp(&Decimal::ZERO));
        }
        if let Some(product) = a.checked_mul(&b).filter(|product| !product.is_zero()) {
            prop_assert_eq!(product.is_multiple_of(&a), b.is_integer());
            prop_assert_eq!(product.checked_div_round(&b, 400), Some(a));
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[-+0-9.eE ]{0,60}") {
        let float = text.parse::<f64>();
        if let Ok(exact) = Decimal::parse_json(&text) {
            prop_assert_eq!(exact.to_string().parse::<f64>(), float);
        }
    }

    #[test]
    fn short_numbers_are_read_like_long_ones(whole in 0_u64..1_000_000_000_000, fraction in "[0-9]{0,6}", negative: bool) {
        let sign = if negative { "-" } else { "" };
        let text = if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") };
        prop_assert_eq!(Decimal::parse_json(&text), Decimal::parse_json(&format!("{text}e0")));
    }
}
