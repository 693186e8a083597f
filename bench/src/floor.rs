//! The floor of task P: the same 20 rules and the same schema, by hand, as somebody careful would write them for this one
//! tool. No policy, no session, no record: what a decision costs when nothing is general.

use flyball::decimal::Decimal;
use flyball::value::Value;
use std::collections::{HashMap, HashSet};

/// The arguments, typed.
#[derive(Clone, Copy, Debug)]
pub struct Refund<'a> {
    order_id: &'a str,
    amount: &'a Decimal,
    currency: &'a str,
}

/// What the rules remember and compare with.
#[derive(Debug)]
pub struct Floor {
    looked_up: HashSet<String>,
    payments: HashSet<String>,
    fraud: HashMap<String, u32>,
    rates: HashSet<String>,
    quotes: HashMap<String, Vec<Decimal>>,
    turn: u32,
    bounds: [Decimal; 12],
    odd_amounts: [Decimal; 3],
}

impl Floor {
    /// The state after the history of P.
    pub fn new() -> Floor {
        let order = || "ORD-000017".to_owned();
        let number = |text: &str| text.parse::<Decimal>().expect("a number");
        Floor {
            looked_up: HashSet::from([order()]),
            payments: HashSet::from([order()]),
            fraud: HashMap::from([(order(), 1)]),
            rates: HashSet::from(["EUR".to_owned()]),
            quotes: HashMap::from([(order(), vec![number("120.5")])]),
            turn: 1,
            bounds: ["500", "0.01", "0", "1000", "1", "750.5", "5000", "0.5", "10000", "499.99", "2", "99999.999"]
                .map(number),
            odd_amounts: ["13", "666", "1234.56"].map(number),
        }
    }

    /// The schema by hand: closed, typed, lengths, the sign.
    pub fn read<'a>(args: &'a Value<'_>) -> Option<Refund<'a>> {
        let object = args.as_object()?;
        let Some(Value::Number(amount)) = object.get("amount") else { return None };
        let refund =
            Refund { order_id: object.get("order_id")?.as_str()?, amount, currency: object.get("currency")?.as_str()? };
        let fits = object.len() == 3
            && (3..=32).contains(&refund.order_id.chars().count())
            && refund.currency.chars().count() == 3
            && *amount > Decimal::ZERO;
        fits.then_some(refund)
    }

    /// Every rule that does not hold.
    pub fn check(&self, refund: &Refund<'_>) -> Vec<&'static str> {
        let Refund { order_id, amount, currency } = *refund;
        let [b500, cent, zero, b1000, one, b750, b5000, half, b10000, b499, two, b99999] = &self.bounds;
        let mut broken = Vec::new();
        let mut rule = |id, holds: bool| {
            if !holds {
                broken.push(id);
            }
        };
        rule("cap", amount <= b500);
        rule("look-first", self.looked_up.contains(order_id));
        rule("currency", matches!(currency, "EUR" | "USD" | "GBP"));
        rule("range-1", amount >= cent);
        rule("range-2", amount > zero);
        rule("range-3", amount <= b1000);
        rule("range-4", amount >= one && amount <= b750);
        rule("range-5", amount < b5000);
        rule("range-6", amount >= half && amount < b10000);
        rule("range-7", amount <= b499);
        rule("range-8", amount >= two && amount <= b99999);
        rule("list-1", matches!(currency, "EUR" | "USD" | "GBP" | "CHF" | "SEK" | "NOK" | "DKK" | "PLN"));
        rule("list-2", !matches!(currency, "RUB" | "KPW" | "IRR"));
        rule("list-3", !matches!(order_id, "ORD-000000" | "ORD-999999" | "ORD-123456"));
        rule("list-4", !self.odd_amounts.contains(amount));
        rule("list-5", !matches!(currency, "XXX" | "XTS"));
        rule("order-1", self.payments.contains(order_id));
        rule("order-2", self.fraud.get(order_id).is_some_and(|turn| *turn == self.turn));
        rule("order-3", self.rates.contains(currency));
        rule("order-4", self.quotes.get(order_id).is_some_and(|quoted| quoted.contains(amount)));
        broken
    }
}
