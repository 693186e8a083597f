//! Law 8: the library holds no word of anybody's business. Every domain word comes from a spec, a contract or a pack.

#![expect(clippy::arithmetic_side_effects, reason = "places in short lists")]

use super::code::{File, rust_below};
use super::{assert_found, assert_none};

/// Words of the domains that the example specs are about, and of the next ones that come to mind.
const BUSINESS: &[&str] = &[
    "airline",
    "airport",
    "baggage",
    "bank",
    "booking",
    "cabin",
    "cart",
    "checkout",
    "checking",
    "clinic",
    "coupon",
    "customer",
    "dispute",
    "disputed",
    "dob",
    "flight",
    "hotel",
    "iban",
    "insurance",
    "invoice",
    "loan",
    "loyalty",
    "merchant",
    "order",
    "ord",
    "parcel",
    "passenger",
    "patient",
    "payee",
    "payment",
    "pnr",
    "product",
    "purchase",
    "refund",
    "reservation",
    "retail",
    "salary",
    "shipment",
    "shipping",
    "shop",
    "supplier",
    "tenancy",
    "tracking",
    "vendor",
    "voucher",
    "warehouse",
];

/// Phrases in which such a word means something else.
const HARMLESS: &[&str] = &[
    "byte order",
    "out of order",
    "in order",
    "in this order",
    "in the order",
    "order of",
    "in_flight",
    "in flight",
    "unenforced-order",
];

/// The words of string literals outside tests and outside the documentation that a kind prints, that are somebody's business.
fn violations(files: &[File]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files {
        let code = file.code();
        let is_docs = |at: usize| at >= 2 && code[at - 2].text == "docs" && code[at - 1].text == ":";
        for (at, token) in code.iter().enumerate() {
            let Some(literal) = token.literal().filter(|_| !is_docs(at)) else { continue };
            let text = HARMLESS.iter().fold(literal.to_lowercase(), |text, phrase| text.replace(phrase, ""));
            let words = text.split(|c: char| !c.is_alphabetic());
            violations.extend(
                words
                    .filter(|word| {
                        BUSINESS.contains(word) || word.strip_suffix('s').is_some_and(|one| BUSINESS.contains(&one))
                    })
                    .map(|word| format!("{}:{}: `{word}` in a string", file.path, token.line)),
            );
        }
    }
    violations
}

#[test]
fn the_library_holds_no_business_words() {
    assert_none(&violations(&rust_below("src")));
}

#[test]
fn a_business_word_in_a_string_is_found() {
    let good = "//! A refund.\n/// The `refund` of an order.\nfn refund() { static A: About = About { docs: \"a refund\" }; f(\"keys out of order\", 'o'); g(\"an ordering\") }\n\
                #[cfg(test)]\nmod tests { const T: &str = \"refund\"; }";
    assert_none(&violations(&[File::new("src/a.rs", good), File::new("src/a/tests.rs", "\"refund\"")]));
    let bad = "fn f() {\n g(\"lookup_order\"); g(r#\"a \"Refund\" now\"#); g(b\"two flights\") }";
    assert_found(
        &violations(&[File::new("src/a.rs", bad)]),
        &["src/a.rs:2: `order`", "src/a.rs:2: `refund`", "src/a.rs:2: `flights`"],
    );
}
