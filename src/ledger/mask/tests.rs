//! Masking: the table, the calls of the report, and the laws.

use super::*;
use crate::json::{Limits, parse};
use proptest::prelude::*;

const TABLE: &str = include_str!("table.txt");

fn json(text: &str) -> Value<'static> {
    parse(text.as_bytes(), &Limits::default()).unwrap().into_owned()
}

fn mask(text: &str) -> Option<Masked> {
    Masker::default().mask(&json(text))
}

fn bytes(value: &Value<'_>) -> String {
    String::from_utf8(crate::canon::to_vec(value)).unwrap()
}

/// Each text of the table, and what it becomes.
fn table() -> Vec<(String, String)> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let unescaped = lines.map(|line| line.replace("\\n", "\n").replace("\\\n", "\\n"));
    unescaped
        .map(|line| {
            let mut wanted = String::new();
            for (number, part) in line.split('⟦').enumerate() {
                let shown = if number == 0 { part } else { part.split_once('⟧').unwrap().1 };
                wanted.push_str(if number == 0 { "" } else { MASK });
                wanted.push_str(shown);
            }
            (line.replace(['⟦', '⟧'], ""), wanted)
        })
        .collect()
}

#[test]
fn the_table_is_covered_exactly() {
    let table = table();
    let mut wrong = Vec::new();
    for (text, wanted) in &table {
        let masked = Masker::default().mask(&Value::from(text.as_str()));
        let shown = masked.as_ref().map_or(text.as_str(), |masked| masked.value.as_str().unwrap());
        if shown != wanted || masked.is_some() != (text != wanted) {
            wrong.push(format!("{text}\n   is {shown}\nwanted {wanted}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(table.iter().filter(|(text, wanted)| text != wanted).count() >= 40);
    assert!(table.iter().filter(|(text, wanted)| text == wanted).count() >= 40);
}

#[test]
fn secrets_at_any_depth_stay_out_and_the_rest_stays_in() {
    let masked = mask(
        r#"{"url":"https://api.example/x","headers":{"authorization":"Bearer EXAMPLE-aaaa-bbbb","Cookie":"sid=EXAMPLE1"},"retry":[{"auth":{"private_key":"EXAMPLEKEY"}}]}"#,
    )
    .unwrap();
    assert_eq!(masked.paths, ["headers.Cookie", "headers.authorization", "retry[0].auth.private_key"]);
    let shown = bytes(&masked.value);
    assert_eq!(
        shown,
        r#"{"headers":{"Cookie":"[masked]","authorization":"[masked]"},"retry":[{"auth":{"private_key":"[masked]"}}],"url":"https://api.example/x"}"#
    );
}

#[test]
fn a_key_typed_inside_a_shell_command_is_covered() {
    let masked = mask(r#"{"command":"export SHOP_API_KEY=sk-EXAMPLE0000000000000000 && ./run.sh"}"#).unwrap();
    assert_eq!(bytes(&masked.value), r#"{"command":"export SHOP_API_KEY=[masked] && ./run.sh"}"#);
    assert_eq!(masked.paths, ["command"]);
}

#[test]
fn order_numbers_unix_times_and_hashes_are_not_secrets() {
    let args =
        r#"{"order_id":"4482019375","created_at":1893456000,"commit":"0f3c9a1be57d2248c6aa90e1d47b35f8126e0d7c"}"#;
    assert_eq!(mask(args), None);
}

#[test]
fn a_secret_name_covers_whatever_is_under_it_unless_it_hides_nothing() {
    for value in [r#""x""#, "7", "[1]", r#"{"a":1}"#] {
        let masked = mask(&format!(r#"{{"a":[{{"password":{value}}}]}}"#)).unwrap();
        assert_eq!(bytes(&masked.value), r#"{"a":[{"password":"[masked]"}]}"#);
        assert_eq!(masked.paths, ["a[0].password"]);
    }
    for value in ["null", "true", "false", r#""""#, "[]", "{}", r#""[masked]""#] {
        assert_eq!(mask(&format!(r#"{{"password":{value}}}"#)), None, "{value}");
    }
    assert_eq!(
        mask(
            r#"{"credentials":"same-origin","pin":"top","token":"BTC","pwd":"/srv/shop","next_page_token":"EXAMPLE0000"}"#
        ),
        None
    );
}

#[test]
fn names_beside_values_and_options_before_them_count_too() {
    let masked = mask(r#"[{"name":"Cookie","value":"sid=1"},{"name":"Accept","value":"text/html"}]"#).unwrap();
    assert_eq!(masked.paths, ["[0].value"]);
    let masked = mask(r#"{"argv":["login","--password","hunter2","--user","ada"]}"#).unwrap();
    assert_eq!(bytes(&masked.value), r#"{"argv":["login","--password","[masked]","--user","ada"]}"#);
    assert_eq!(mask(r#"["--password","--verbose"]"#), None);
}

#[test]
fn card_numbers_are_found_as_numbers_too() {
    assert_eq!(mask(r#"{"n":4111111111111111}"#).unwrap().paths, ["n"]);
    assert_eq!(mask(r#"{"n":4111111111111112, "t":1893456000000, "ns":1893456000000000000}"#), None);
    assert_eq!(mask("4111111111111111").unwrap().paths, [""]);
}

#[test]
fn a_secret_that_is_a_key_is_covered_without_losing_a_member() {
    let (one, two) = ("ghp_EXAMPLE000000000000000000000000000000", "ghp_EXAMPLE000000000000000000000000000001");
    let masked = mask(&format!(r#"{{"{one}":1,"{two}":2}}"#)).unwrap();
    assert_eq!(bytes(&masked.value), r#"{"[masked]":1,"[masked] 2":2}"#);
    assert_eq!(masked.paths, ["[masked]", "[masked] 2"]);
}

#[test]
fn keys_of_the_spec_are_covered_as_well() {
    let masker = Masker::new(&["loyalty-number".into()]);
    let args = json(r#"{"memberLoyaltyNumber":"77","loyalty_numbers_seen":1}"#);
    assert_eq!(masker.mask(&args).unwrap().paths, ["memberLoyaltyNumber"]);
    assert_eq!(Masker::default().mask(&args), None);
}

/// Words that make and unmake secrets when they meet.
const PARTS: &[&str] = &[
    "password",
    "API_KEY",
    "Cookie",
    "Authorization",
    "Bearer",
    "Basic",
    "token",
    "=",
    ": ",
    ":",
    " ",
    "\n",
    "\"",
    "'",
    "\\",
    "{",
    "}",
    "[",
    "]",
    "--",
    "-p",
    "curl -u ",
    "://",
    "@",
    "/",
    ",",
    ";",
    "$",
    "é",
    MASK,
    "hunter2",
    "a",
    "dXNlcjpwYXNz",
    "sk-EXAMPLE0000000000000000",
    "4111 1111 1111 1111",
    "-----BEGIN PRIVATE KEY-----",
    "eyJhbGciOiJub25lIn0.e30.",
    "1",
];

fn texts() -> impl Strategy<Value = String> {
    let part = prop_oneof![3 => prop::sample::select(PARTS).prop_map(str::to_owned), 1 => "[a-z0-9=:\"' ]{0,6}"];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

fn values() -> impl Strategy<Value = Value<'static>> {
    let key = prop_oneof![texts(), prop::sample::select(PARTS).prop_map(str::to_owned)];
    let leaf = prop_oneof![texts().prop_map(Value::from), any::<i64>().prop_map(Value::from), Just(Value::Null)];
    leaf.prop_recursive(4, 32, 5, move |inner| {
        let members = prop::collection::btree_map(key.clone(), inner.clone(), 0..5);
        let object = members.prop_map(|members| {
            let members = members.into_iter().map(|(key, value)| (Cow::Owned(key), value)).collect();
            Value::Object(Object::from_members(members).unwrap())
        });
        prop_oneof![prop::collection::vec(inner, 0..5).prop_map(Value::Array), object]
    })
}

proptest! {
    #[test]
    fn masking_twice_covers_nothing_more(value in values()) {
        let masker = Masker::default();
        if let Some(masked) = masker.mask(&value) {
            prop_assert_eq!(masker.mask(&masked.value), None);
        }
    }

    #[test]
    fn something_is_answered_exactly_when_something_is_covered(value in values()) {
        match Masker::default().mask(&value) {
            None => {}
            Some(masked) => {
                prop_assert!(!masked.paths.is_empty());
                prop_assert!(masked.value != value);
                prop_assert_eq!(json(&bytes(&masked.value)), masked.value);
            }
        }
    }

    #[test]
    fn a_secret_never_comes_through_its_surroundings(
        secret in "ghp_[A-Za-z0-9]{36}|sk-[A-Z0-9]{24}7|glpat-[a-z0-9-]{20}",
        before in "[^A-Za-z0-9_\u{80}-\u{10ffff}]{0,6}",
        after in "[^A-Za-z0-9_-]{0,6}",
        key in "[a-z]{1,8}",
    ) {
        let text = format!("{before}{secret}{after}");
        let value: Value<'_> = Value::Array(vec![Object::from_members(vec![(key.into(), text.into())]).unwrap().into()]);
        let masked = Masker::default().mask(&value).unwrap();
        prop_assert!(!bytes(&masked.value).contains(&secret));
    }

    #[test]
    fn what_a_name_tells_of_never_comes_through(
        name in prop::sample::select(vec!["password", "SHOP_API_KEY", "client_secret", "x-api-key"]),
        secret in "[A-Za-z0-9]{6,20}[0-9]",
        form in 0_usize..8,
    ) {
        let text = match form {
            0 => format!("export {name}={secret} && x"),
            1 => format!("{{\"{name}\": \"{secret}\", \"n\": 1}}"),
            2 => format!("{{\\\"{name}\\\":\\\"{secret}\\\"}}"),
            3 => format!("run --{name} {secret}"),
            4 => format!("run --{name}='{secret}'"),
            5 => format!("https://h.example/?a=1&{name}={secret}&b=2"),
            6 => format!("{name}: {secret}"),
            _ => format!("mongodb://u:{secret}@h.example/db"),
        };
        let masked = Masker::default().mask(&Value::from(text)).unwrap();
        prop_assert!(!bytes(&masked.value).contains(&secret));
    }
}

/// Run with `--release -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement, not a check"]
#[expect(clippy::disallowed_methods, clippy::disallowed_types, clippy::disallowed_macros, reason = "a measurement")]
fn measured() {
    let masker = Masker::default();
    let long = "Refund 12.50 EUR for order 4482019375: it came broken. ".repeat(80);
    let cases = [
        ("small", json(r#"{"amount": 12.50, "currency": "EUR", "order_id": "ORD-000017"}"#)),
        ("hash", json(r#"{"commit":"0f3c9a1be57d2248c6aa90e1d47b35f8126e0d7c","at":"2031-03-04T09:00:00Z"}"#)),
        ("4 KiB", Value::from(long)),
    ];
    for (name, value) in cases {
        let rounds = 200_000_u32;
        let best = (0..5).map(|_| {
            let start = std::time::Instant::now();
            for _ in 0..rounds {
                assert!(std::hint::black_box(&masker).mask(std::hint::black_box(&value)).is_none());
            }
            start.elapsed() / rounds
        });
        println!("{name}: {:?}", best.min().unwrap());
    }
}
