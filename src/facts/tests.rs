//! What counts as typed, both ways: each value that does beside its twins that do not; and the bounds.

mod answers;

use super::*;
use crate::decimal::Decimal;
use proptest::prelude::*;

fn key() -> SessionKey {
    SessionKey::from_nonce(b"tests")
}

fn after(messages: &[&str]) -> Facts {
    let mut facts = Facts::default();
    for message in messages {
        let runs = facts.heard(&key(), &Typed::new(*message));
        facts.keep(&runs);
    }
    facts
}

/// Whether a text was typed in one message.
fn said(message: &str, text: &str) -> bool {
    said_value(message, &text.into())
}

fn said_value(message: &str, value: &Value) -> bool {
    after(&[message]).said(&key(), value) == Said::Yes
}

/// A value as the tables here write it: a text, or a number as `n:1.5`.
fn written(value: &str) -> Value<'_> {
    match value.strip_prefix("n:") {
        Some(number) => Value::Number(number.parse::<Decimal>().unwrap()),
        None => Value::from(value),
    }
}

/// A message, and of each value whether it was typed.
fn check(message: &str, typed: &[&str], not_typed: &[&str]) {
    for value in typed {
        assert!(said_value(message, &written(value)), "{value:?} was typed in {message:?}");
    }
    for value in not_typed {
        assert!(!said_value(message, &written(value)), "{value:?} was not typed in {message:?}");
    }
}

#[test]
fn whole_tokens_are_typed_and_no_part_of_one() {
    check("Cancel ORD-000017 now", &["ORD-000017", "ord-000017", "Cancel ORD-000017"], &["ORD-00001", "000017", "ORD"]);
    check("write to not-eve@example.com", &["not-eve@example.com"], &["eve@example.com", "example.com", "eve"]);
    check("pay GB29NWBK60161331926819", &["GB29NWBK60161331926819"], &["GB29NWBK6016133192681", "NWBK60161331926819"]);
    check("read https://a.example/x?y=1.", &["https://a.example/x?y=1"], &["https://a.example/x", "a.example"]);
    check("password1", &[], &["password", "n:1"]);
}

#[test]
fn a_value_of_several_words_is_typed_where_they_stand_in_their_order() {
    check(
        "I want Spotify Premium, please",
        &["Spotify Premium", "spotify premium"],
        &["Premium Spotify", "Spotify please"],
    );
    let address = "Send it to 12 Main St., Apt 4, Springfield.";
    check(
        address,
        &["12 Main St., Apt 4, Springfield", "12 Main St. Apt 4 Springfield"],
        &["12 Main St., Springfield", "2 Main St."],
    );
    check("12 Main St Springfield", &["12 Main St, Springfield", "12  Main\nSt Springfield"], &[]);
    let long: Vec<String> = (0..50).map(|n| format!("w{n}")).collect();
    let (long, message) = (long.join(" "), format!("note: {} end", long.join(" ")));
    check(&message, &[&long], &[&format!("{long} x"), &long.replace("w30 ", "")]);
}

#[test]
fn words_of_two_messages_make_no_value() {
    let facts = after(&["Spotify", "Premium"]);
    assert_eq!(facts.said(&key(), &"Spotify Premium".into()), Said::No);
    assert_eq!(facts.said(&key(), &"Premium".into()), Said::Yes);
}

#[test]
fn signs_around_what_was_typed_may_be_left_out_and_none_may_be_added() {
    for message in ["\"A-1\"", "(A-1),", "«A-1».", "'A-1'?", "`A-1`…", "“A-1”!", "¿A-1?"] {
        check(message, &["A-1", message], &["A", "A-1;", ".A-1", "[A-1]"]);
    }
    check("open env", &["env"], &[".env", "env.", "$env", "env:"]);
    check("open .env", &[".env"], &["env"]);
    check("-5 and .5", &["n:-5", "-5", ".5"], &["n:5", "5", "n:0.5"]);
    check("#W123", &["#W123"], &["W123"]);
}

#[test]
fn look_alikes_of_another_script_and_other_forms_are_other_values() {
    check(
        "paypal",
        &["PayPal", "PAYPAL"],
        &["p\u{0430}ypal", "paypa\u{217c}", "\u{ff50}aypal", "pay\u{200b}pal", "pay\u{ad}pal"],
    );
    check("p\u{0430}ypal", &["P\u{0410}YPAL"], &["paypal"]);
    check("kelvin", &["KELVIN"], &["\u{212a}elvin"]);
    check("STRASSE", &["strasse"], &["stra\u{df}e", "\u{17f}trasse"]);
    check("ΟΔΟΣ Ω", &["οδος ω", "οδοσ ω"], &["ΟΔΟΣ \u{2126}", "O\u{394}O\u{3a3}"]);
    check("caf\u{e9}", &["CAF\u{c9}"], &["cafe\u{301}", "cafe"]);
    check("\u{660}\u{661}7", &[], &["017", "17", "n:17"]);
    check("\u{ff11}\u{ff17}", &["\u{ff11}\u{ff17}"], &["17", "n:17"]);
}

#[test]
fn numbers_are_typed_by_their_value_in_one_form() {
    check(
        "pay 1000.50 today",
        &["n:1000.5", "n:1000.50", "1000.50", "1000.5"],
        &["n:1000", "n:100050", "n:50", "1000"],
    );
    check("pay 1,000.50", &["1,000.50"], &["n:1000.5", "n:1", "n:1000"]);
    check("007 and 1e3 and 5% and +4", &["007", "1e3", "5%", "+4"], &["n:7", "7", "n:1000", "n:5", "n:4"]);
    check(
        "0, 0.50; 12345678901234567890123456789012345",
        &["n:0", "n:0.5"],
        &["n:12345678901234567890123456789012340"],
    );
    check("12345678901234567890123456789012345", &["12345678901234567890123456789012345"], &[]);
}

#[test]
fn a_currency_sign_beside_a_number_is_a_token_of_its_own() {
    for message in ["$500", "500€.", "($500)", "500 EUR", "EUR 500,", "£500!"] {
        check(message, &["n:500", "500"], &["n:50", "n:5", "n:-500"]);
    }
    check("$500", &["$500", "$"], &["500$", "€500"]);
    check("500EUR US$500 $500k", &["500EUR", "US$500", "$500k"], &["n:500"]);
}

#[test]
fn a_date_is_the_word_that_it_is_written_as() {
    check("on 2031-03-04.", &["2031-03-04"], &["2031-03", "n:2031", "n:4", "04.03.2031", "2031-03-04T00:00"]);
}

#[test]
fn scripts_without_spaces_are_matched_letter_by_letter() {
    check("请把100元转给张三。", &["张三", "n:100", "100元"], &["张四", "n:10", "三张", "张 丰"]);
    check("送金先はa@example.comです", &["a@example.com"], &["example.com"]);
}

#[test]
fn what_is_empty_and_what_is_no_value_was_never_typed() {
    let facts = after(&["", " \n", "true null yes x [] {}"]);
    for value in [Value::from(""), Value::from("  "), Value::Null, Value::Bool(true), Value::Array(vec!["x".into()])] {
        assert_eq!(facts.said(&key(), &value), Said::No, "{value:?}");
    }
    assert_eq!(facts.said(&key(), &"x".into()), Said::Yes);
    assert_eq!(facts.said(&key(), &"[]".into()), Said::Yes);
    assert_eq!(after(&[]).said(&key(), &"x".into()), Said::No);
}

#[test]
fn beyond_the_bound_what_is_found_is_known_and_what_is_not_cannot_be_told() {
    let words = |from: usize, to: usize| (from..to).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
    // Sixteen runs a word: the short ones are kept first.
    let mut facts = after(&[&words(0, 6_000)]);
    assert_eq!(facts.len(), MAX_HASHES);
    for (value, wanted) in [
        ("w0", Said::Yes),
        ("w5999", Said::Yes),
        ("w10 w11", Said::Yes),
        ("x", Said::No),
        ("w10 w12", Said::No),
        ("w0 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12", Said::CannotTell),
    ] {
        assert_eq!(facts.said(&key(), &value.into()), wanted, "{value}");
    }
    let more = facts.heard(&key(), &Typed::new("one more"));
    facts.keep(&more);
    assert_eq!(facts.len(), MAX_HASHES);
    for (value, wanted) in [("w17", Said::Yes), ("one", Said::CannotTell), ("x", Said::CannotTell)] {
        assert_eq!(facts.said(&key(), &value.into()), wanted, "{value}");
    }
    let known = facts.heard(&key(), &Typed::new("w1 w2"));
    assert_eq!(known.hashes.len(), 0, "what is known takes no room");
}

#[test]
fn a_message_of_more_words_than_can_be_kept_leaves_nothing_certain() {
    let facts = after(&[&"a ".repeat(MAX_HASHES.saturating_add(1))]);
    assert_eq!(facts.said(&key(), &"b".into()), Said::CannotTell);
    assert_eq!(facts.len(), 0);
    let facts = after(&[&"a ".repeat(MAX_HASHES)]);
    assert_eq!((facts.said(&key(), &"b".into()), facts.len()), (Said::No, MAX_TOKENS));
}

#[test]
fn a_hash_takes_at_most_forty_bytes() {
    let facts = after(&[&(0..6_000).map(|n| format!("w{n} ")).collect::<String>()]);
    let slots = facts.runs.capacity().saturating_mul(8).div_ceil(7).next_power_of_two();
    let bytes = slots.saturating_mul(size_of::<(u128, ())>().saturating_add(1));
    assert!(bytes <= 40 * facts.len(), "{bytes} bytes for {}", facts.len());
}

#[test]
fn hashes_of_two_sessions_have_nothing_in_common() {
    let (typed, other) = (Typed::new("one two three"), SessionKey::from_nonce(b"other"));
    let (one, two) = (Facts::default().heard(&key(), &typed), Facts::default().heard(&other, &typed));
    assert!(one.hashes.iter().all(|hash| !two.hashes.contains(hash)));
}

proptest! {
    #[test]
    fn what_was_typed_between_other_words_is_found(before in "[a-z ]{0,20}", value in "[^\\s,;]{1,12}( [^\\s,;]{1,6}){0,3}", after_it in "[a-z ]{0,20}") {
        let message = format!("{before} {value} {after_it}");
        prop_assert!(said(&message, &value));
    }

    #[test]
    fn no_text_at_all_breaks_it(message in any::<String>(), value in any::<String>()) {
        let found = said(&message, &value);
        prop_assert!(!found || !value.trim().is_empty());
        prop_assert!(said(&message, &message) || message.trim().is_empty());
    }

    #[test]
    fn a_longer_word_says_no_shorter_one(value in "[a-zA-Z0-9@._-]{2,10}", more in "[a-z]{1,3}") {
        let (behind, before) = (format!("{value}{more}"), format!("{more}{value}"));
        prop_assert!(!said(&behind, &value));
        prop_assert!(!said(&before, &value));
    }
}
