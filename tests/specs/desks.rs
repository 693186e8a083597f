//! The rules of the τ-bench desks one by one, on small tables of our own: what breaks a rule is denied by it, its harmless
//! twin is not.

use crate::disk::load;
use flyball::decision::{CallDecision, Decision, Verdict};
use flyball::event::{Body, Event, Opening, Principal, WorldChange};
use flyball::facts::Typed;
use flyball::json::{Limits, parse};
use flyball::policy::Policy;
use flyball::session::{Session, decide};
use flyball::value::Value;

/// When the calls take place: 15:00 at the airline.
const AT: &str = "2024-05-15T20:00:00.000000Z";

fn json(text: &str) -> Value<'_> {
    parse(text.as_bytes(), &Limits::default()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// A conversation with a desk.
pub(super) struct Desk {
    policy: Policy,
    session: Session,
    /// What names the next call.
    calls: std::ops::RangeFrom<usize>,
    latest: String,
}

impl Desk {
    pub(super) fn open(spec: &str, world: &str, user: Option<&'static str>) -> Desk {
        let (_, policy) = load(spec).clean();
        let principal = Principal { id: user.map(Into::into), ..Principal::default() };
        let opening = Body::SessionOpened(Opening { principal, ..Opening::default() });
        let event = Event::new("open", "s", opening).with_world(WorldChange::Whole(json(world).into_owned()));
        let (mut session, step) = Session::open(&policy, &event.with_time(Some(AT.into()))).unwrap();
        session.commit(step).unwrap();
        Desk { policy, session, calls: 1.., latest: String::new() }
    }

    fn answer(&mut self, event: &Event<'_>) -> Decision {
        let step = decide(&self.policy, &self.session, event);
        (*self.session.commit(step).unwrap()).clone()
    }

    /// The user types a text.
    pub(super) fn says(mut self, text: &'static str) -> Desk {
        let turn = format!("turn-{}", self.calls.next().unwrap());
        let event = Event::new(turn, "s", Body::turn(Some(Typed::new(text))));
        assert_eq!(self.answer(&event.with_time(Some(AT.into()))), Decision::Proceed);
        self
    }

    /// The codes that deny a call, `ask` with the guard that asks, or `allow`.
    pub(super) fn call(&mut self, tool: &str, args: &str) -> String {
        let call = format!("c{}", self.calls.next().unwrap());
        let event = Event::call(&call, "s", &call, tool, json(args)).with_time(Some(AT.into()));
        let answer = self.answer(&event);
        self.latest.clone_from(&call);
        let Decision::Call(CallDecision { verdict, .. }) = answer else { panic!("{tool} {args}: {answer:?}") };
        match verdict {
            Verdict::Allow(_) => "allow".to_owned(),
            Verdict::Deny(deny) => deny.matches().map(|one| &*one.code).collect::<Vec<_>>().join(" "),
            Verdict::Ask(ask) => format!("ask {}", ask.guard),
            other => panic!("{tool} {args}: {other:?}"),
        }
    }

    /// A call that is allowed and succeeds.
    pub(super) fn done(mut self, tool: &str, args: &str, result: &str) -> Desk {
        assert_eq!(self.call(tool, args), "allow", "{tool} {args}");
        let (call, event) = (self.latest.clone(), format!("{}-ends", self.latest));
        let event = Event::result(&event, "s", &call, json(result)).with_time(Some(AT.into()));
        assert_eq!(self.answer(&event), Decision::Accept);
        self
    }
}

const AIRLINE: &str = r#"{
  "users": {
    "ann_lee_1": {
      "membership": "gold",
      "reservations": ["ECONOM", "BASICE", "BUSINE", "FLOWNF", "LATEFL", "GONEFL"],
      "payment_methods": {
        "credit_card_1": {"source": "credit_card"},
        "gift_card_2": {"source": "gift_card", "amount": 300},
        "certificate_3": {"source": "certificate", "amount": 100},
        "certificate_4": {"source": "certificate", "amount": 100}
      }
    },
    "bob_ray_2": {"membership": "regular", "reservations": ["PLAINL"], "payment_methods": {"credit_card_9": {"source": "credit_card"}}}
  },
  "reservations": {
    "ECONOM": {"reservation_id": "ECONOM", "user_id": "ann_lee_1", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "economy", "insurance": "no",
      "created_at": "2024-05-01T10:00:00", "total_baggages": 2, "passengers": [{"first_name": "Ann"}], "flights": [{"flight_number": "HAT001", "date": "2024-05-20"}]},
    "NEWONE": {"reservation_id": "NEWONE", "user_id": "ann_lee_1", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "economy", "insurance": "no",
      "created_at": "2024-05-14T15:00:00", "total_baggages": 0, "passengers": [{"first_name": "Ann"}], "flights": [{"flight_number": "HAT001", "date": "2024-05-20"}]},
    "BASICE": {"reservation_id": "BASICE", "user_id": "ann_lee_1", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "basic_economy", "insurance": "yes",
      "created_at": "2024-05-01T10:00:00", "total_baggages": 0, "passengers": [{"first_name": "Ann"}, {"first_name": "Eve"}], "flights": [{"flight_number": "HAT001", "date": "2024-05-20"}]},
    "BUSINE": {"reservation_id": "BUSINE", "user_id": "ann_lee_1", "origin": "JFK", "destination": "SEA", "flight_type": "round_trip", "cabin": "business", "insurance": "no",
      "created_at": "2024-05-01T10:00:00", "total_baggages": 0, "passengers": [{"first_name": "Ann"}],
      "flights": [{"flight_number": "HAT001", "date": "2024-05-20"}, {"flight_number": "HAT002", "date": "2024-05-25"}]},
    "FLOWNF": {"reservation_id": "FLOWNF", "user_id": "ann_lee_1", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "business", "insurance": "no",
      "created_at": "2024-05-01T10:00:00", "total_baggages": 0, "passengers": [{"first_name": "Ann"}], "flights": [{"flight_number": "HAT001", "date": "2024-05-10"}]},
    "LATEFL": {"reservation_id": "LATEFL", "user_id": "ann_lee_1", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "economy", "insurance": "no",
      "created_at": "2024-05-01T10:00:00", "total_baggages": 0, "passengers": [{"first_name": "Ann"}], "flights": [{"flight_number": "HAT001", "date": "2024-05-15"}]},
    "GONEFL": {"reservation_id": "GONEFL", "user_id": "ann_lee_1", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "economy", "insurance": "no",
      "created_at": "2024-05-01T10:00:00", "total_baggages": 0, "passengers": [{"first_name": "Ann"}, {"first_name": "Eve"}], "flights": [{"flight_number": "HAT001", "date": "2024-05-16"}]},
    "UNDONE": {"reservation_id": "UNDONE", "user_id": "ann_lee_1", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "business", "insurance": "no", "status": "cancelled",
      "created_at": "2024-05-01T10:00:00", "total_baggages": 0, "passengers": [{"first_name": "Ann"}], "flights": [{"flight_number": "HAT001", "date": "2024-05-20"}]},
    "PLAINL": {"reservation_id": "PLAINL", "user_id": "bob_ray_2", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "economy", "insurance": "no",
      "created_at": "2024-05-01T10:00:00", "total_baggages": 0, "passengers": [{"first_name": "Bob"}], "flights": [{"flight_number": "HAT001", "date": "2024-05-16"}]}
  },
  "flights": {
    "HAT001": {"origin": "JFK", "destination": "SEA", "dates": {
      "2024-05-10": {"status": "landed"}, "2024-05-15": {"status": "delayed"}, "2024-05-16": {"status": "cancelled"},
      "2024-05-20": {"status": "available", "available_seats": {"basic_economy": 9, "economy": 2, "business": 9}, "prices": {"basic_economy": 60, "economy": 100, "business": 300}},
      "2024-05-21": {"status": "available", "available_seats": {"basic_economy": 9, "economy": 2, "business": 9}, "prices": {"basic_economy": 60, "economy": 100, "business": 300}}}},
    "HAT002": {"origin": "SEA", "destination": "JFK", "dates": {
      "2024-05-25": {"status": "available", "available_seats": {"basic_economy": 9, "economy": 9, "business": 9}, "prices": {"basic_economy": 60, "economy": 100, "business": 300}}}},
    "HAT003": {"origin": "JFK", "destination": "LAX", "dates": {
      "2024-05-20": {"status": "available", "available_seats": {"basic_economy": 9, "economy": 9, "business": 9}, "prices": {"basic_economy": 60, "economy": 100, "business": 300}}}}
  }
}"#;

/// The airline after the customer, a flight and a reservation were looked up, and what it says of a call.
fn airline(reservation: &str, tool: &str, args: &str) -> String {
    airline_of("ann_lee_1", reservation).call(tool, args)
}

fn airline_of(user: &'static str, reservation: &str) -> Desk {
    let desk = Desk::open("specs/airline.yaml", AIRLINE, Some(user))
        .done("get_user_details", &format!(r#"{{"user_id": "{user}"}}"#), r#"{"membership": "any"}"#)
        .done("search_direct_flight", r#"{"origin": "JFK", "destination": "SEA", "date": "2024-05-20"}"#, "[1]");
    if reservation.is_empty() {
        return desk;
    }
    desk.done("get_reservation_details", &format!(r#"{{"reservation_id": "{reservation}"}}"#), r#"{"cabin": "any"}"#)
}

/// A booking that nothing is wrong with: one gold member in economy, a bag beyond the three free ones, insured.
const BOOKING: &str = r#"{"user_id": "ann_lee_1", "origin": "JFK", "destination": "SEA", "flight_type": "one_way", "cabin": "economy",
  "flights": [{"flight_number": "HAT001", "date": "2024-05-20"}], "passengers": [{"first_name": "Ann", "last_name": "Lee", "dob": "1990-04-05"}],
  "payment_methods": [{"payment_id": "credit_card_1", "amount": 180}], "total_baggages": 4, "nonfree_baggages": 1, "insurance": "yes"}"#;

#[test]
fn a_booking_is_paid_seated_and_routed_as_the_policy_says() {
    let book = |from: &str, to: &str| {
        let booking = BOOKING.replacen(from, to, 1);
        assert!(from.is_empty() || booking != BOOKING, "{from}");
        airline("", "book_reservation", &booking)
    };
    assert_eq!(book("", ""), "allow");
    let pay = |methods: &str| book(r#"{"payment_id": "credit_card_1", "amount": 180}"#, methods);
    assert_eq!(
        pay(r#"{"payment_id": "credit_card_1", "amount": 80}, {"payment_id": "certificate_3", "amount": 100}"#),
        "allow"
    );
    assert_eq!(pay(r#"{"payment_id": "credit_card_1", "amount": 130}"#), "total-adds-up");
    assert_eq!(pay(r#"{"payment_id": "credit_card_9", "amount": 180}"#), "payment-in-profile");
    assert_eq!(pay(r#"{"payment_id": "certificate_3", "amount": 180}"#), "balance");
    let two = r#"{"payment_id": "certificate_3", "amount": 100}, {"payment_id": "certificate_4", "amount": 80}"#;
    assert_eq!(pay(two), "payment-kinds");
    let twice = r#"{"payment_id": "gift_card_2", "amount": 100}, {"payment_id": "gift_card_2", "amount": 80}"#;
    assert_eq!(pay(twice), "payment-once");
    assert_eq!(pay(r#"{"payment_id": "credit_card_1", "amount": -180}"#), "invalid_arguments");
    assert_eq!(book(r#""nonfree_baggages": 1"#, r#""nonfree_baggages": 4"#), "total-adds-up bags-at-booking");
    assert_eq!(book("2024-05-20", "2024-05-19"), "flight-known");
    assert_eq!(book("2024-05-20", "2024-05-15"), "seats");
    assert_eq!(book("HAT001", "HAT003"), "booked-route");
    assert_eq!(book("one_way", "round_trip"), "booked-route");
    let there_and_back =
        r#"{"flight_number": "HAT002", "date": "2024-05-25"}, {"flight_number": "HAT001", "date": "2024-05-20"}"#;
    let backwards = book(r#"{"flight_number": "HAT001", "date": "2024-05-20"}"#, there_and_back);
    assert_eq!(backwards, "flights-connect booked-route total-adds-up");
    assert_eq!(book("ann_lee_1", "bob_ray_2"), "customer-first one-customer");
}

#[test]
fn a_booking_is_searched_before_it_is_made() {
    let mut desk = Desk::open("specs/airline.yaml", AIRLINE, Some("ann_lee_1"));
    assert_eq!(desk.call("book_reservation", BOOKING), "customer-first search-first");
}

#[test]
fn a_reservation_is_cancelled_only_where_the_fare_permits_it() {
    let cancel = |id: &str| airline(id, "cancel_reservation", &format!(r#"{{"reservation_id": "{id}"}}"#));
    assert_eq!(cancel("ECONOM"), "cancel-eligible");
    assert_eq!(["NEWONE", "BASICE", "BUSINE", "GONEFL"].map(cancel), ["allow"; 4]);
    assert_eq!(cancel("FLOWNF"), "not-flown");
    assert_eq!(cancel("UNDONE"), "not-cancelled");
    let busine = r#"{"reservation_id": "BUSINE"}"#;
    let mut desk = airline_of("ann_lee_1", "BUSINE").done("cancel_reservation", busine, r#"{"status": "cancelled"}"#);
    assert!(desk.call("cancel_reservation", busine).contains("not-cancelled"));
}

#[test]
fn a_change_keeps_the_route_and_basic_economy_keeps_its_flights() {
    let change = |id: &str, cabin: &str, flights: &str| {
        let args = format!(
            r#"{{"reservation_id": "{id}", "cabin": "{cabin}", "flights": [{flights}], "payment_id": "credit_card_1"}}"#
        );
        airline(id, "update_reservation_flights", &args)
    };
    let flight = |number: &str, day: &str| format!(r#"{{"flight_number": "{number}", "date": "2024-05-{day}"}}"#);
    let (old, new) = (flight("HAT001", "20"), flight("HAT001", "21"));
    let back = flight("HAT002", "25");
    assert_eq!(change("ECONOM", "economy", &new), "allow");
    assert_eq!(change("ECONOM", "economy", &flight("HAT003", "20")), "same-route");
    assert_eq!(change("ECONOM", "economy", &flight("HAT001", "15")), "new-seats");
    assert_eq!(change("BASICE", "basic_economy", &new), "basic-economy");
    assert_eq!(change("BASICE", "business", &old), "allow");
    assert_eq!(change("BUSINE", "business", &format!("{new}, {back}")), "allow");
    assert_eq!(change("BUSINE", "business", &old), "same-route");
    assert_eq!(change("FLOWNF", "business", &new), "not-flown");
}

#[test]
fn the_cabin_of_a_change_counts_for_what_follows() {
    let upgrade = r#"{"reservation_id": "BASICE", "cabin": "economy", "flights": [{"flight_number": "HAT001", "date": "2024-05-20"}], "payment_id": "credit_card_1"}"#;
    let bags =
        r#"{"reservation_id": "BASICE", "total_baggages": 6, "nonfree_baggages": 0, "payment_id": "credit_card_1"}"#;
    assert_eq!(airline("BASICE", "update_reservation_baggages", bags), "bags-at-change");
    let mut desk =
        airline_of("ann_lee_1", "BASICE").done("update_reservation_flights", upgrade, r#"{"cabin": "economy"}"#);
    assert_eq!(desk.call("update_reservation_baggages", bags), "allow");
}

#[test]
fn bags_are_added_and_passengers_replaced_one_for_one() {
    let bags = |total: u32, paid: u32, by: &str| {
        let args = format!(
            r#"{{"reservation_id": "ECONOM", "total_baggages": {total}, "nonfree_baggages": {paid}, "payment_id": "{by}"}}"#
        );
        airline("ECONOM", "update_reservation_baggages", &args)
    };
    assert_eq!(bags(4, 1, "credit_card_1"), "allow");
    assert_eq!(bags(3, 1, "gift_card_2"), "bags-at-change");
    assert_eq!(bags(1, 0, "credit_card_1"), "bags-only-added");
    assert_eq!(bags(4, 1, "certificate_3"), "change-paid-by-card");
    let passengers = |list: &str| {
        airline(
            "ECONOM",
            "update_reservation_passengers",
            &format!(r#"{{"reservation_id": "ECONOM", "passengers": [{list}]}}"#),
        )
    };
    let eve = r#"{"first_name": "Eve", "last_name": "Lee", "dob": "1991-01-01"}"#;
    assert_eq!(passengers(eve), "allow");
    assert_eq!(passengers(&format!("{eve}, {eve}")), "same-number");
}

#[test]
fn records_of_another_customer_are_out_of_reach() {
    let mut desk = airline_of("ann_lee_1", "");
    assert_eq!(desk.call("get_reservation_details", r#"{"reservation_id": "PLAINL"}"#), "own-reservation");
    assert_eq!(desk.call("get_reservation_details", r#"{"reservation_id": "NOSUCH"}"#), "allow");
    assert_eq!(desk.call("get_user_details", r#"{"user_id": "bob_ray_2"}"#), "one-customer");
    let unknown = desk.call("cancel_reservation", r#"{"reservation_id": "NOSUCH"}"#);
    assert_eq!(unknown, "let/res reservation-first");
}

#[test]
fn a_host_that_does_not_know_the_customer_learns_it_from_the_first_profile() {
    let mut desk = Desk::open("specs/airline.yaml", AIRLINE, None);
    assert!(desk.call("cancel_reservation", r#"{"reservation_id": "BUSINE"}"#).contains("let/customerId"));
    let mut desk = desk.done("get_user_details", r#"{"user_id": "ann_lee_1"}"#, r#"{"membership": "gold"}"#);
    assert_eq!(desk.call("get_user_details", r#"{"user_id": "bob_ray_2"}"#), "one-customer");
    assert_eq!(desk.call("get_reservation_details", r#"{"reservation_id": "BUSINE"}"#), "allow");
}

#[test]
fn a_certificate_is_earned_by_a_flight_and_a_membership() {
    let gift = |user: &'static str, amount: u32| {
        airline_of(user, "").call("send_certificate", &format!(r#"{{"user_id": "{user}", "amount": {amount}}}"#))
    };
    assert_eq!(gift("ann_lee_1", 200), "allow", "two passengers, cancelled");
    assert_eq!(gift("ann_lee_1", 50), "delay-after-change", "one passenger, delayed");
    assert_eq!(gift("ann_lee_1", 150), "gesture-earned");
    assert_eq!(gift("bob_ray_2", 100), "gesture-earned", "regular, economy, not insured");
    let change = r#"{"reservation_id": "LATEFL", "cabin": "economy", "flights": [{"flight_number": "HAT001", "date": "2024-05-21"}], "payment_id": "credit_card_1"}"#;
    let mut desk =
        airline_of("ann_lee_1", "LATEFL").done("update_reservation_flights", change, r#"{"cabin": "economy"}"#);
    assert_eq!(desk.call("send_certificate", r#"{"user_id": "ann_lee_1", "amount": 50}"#), "allow", "changed first");
}

#[test]
fn nothing_is_called_after_the_hand_over() {
    let mut desk = airline_of("ann_lee_1", "").done(
        "transfer_to_human_agents",
        r#"{"summary": "Ann Lee wants a dog on board."}"#,
        r#""ok""#,
    );
    assert_ne!(desk.call("get_reservation_details", r#"{"reservation_id": "BUSINE"}"#), "allow");
}

const RETAIL: &str = r##"{
  "users": {
    "ann_lee_1": {"payment_methods": {"credit_card_1": {"source": "credit_card"}, "paypal_2": {"source": "paypal"}, "gift_card_3": {"source": "gift_card", "balance": 25.000000000000004}}},
    "bob_ray_2": {"payment_methods": {"paypal_9": {"source": "paypal"}}}
  },
  "orders": {
    "#P": {"user_id": "ann_lee_1", "status": "pending", "items": [
        {"item_id": "1000000001", "product_id": "10", "price": 20.5}, {"item_id": "1000000001", "product_id": "10", "price": 20.5}, {"item_id": "2000000001", "product_id": "20", "price": 80}],
      "payment_history": [{"transaction_type": "payment", "amount": 121, "payment_method_id": "credit_card_1"}]},
    "#D": {"user_id": "ann_lee_1", "status": "delivered", "items": [{"item_id": "1000000001", "product_id": "10", "price": 20.5}],
      "payment_history": [{"transaction_type": "payment", "amount": 20.5, "payment_method_id": "credit_card_1"}]},
    "#B": {"user_id": "bob_ray_2", "status": "pending", "items": [{"item_id": "1000000001", "product_id": "10", "price": 20.5}],
      "payment_history": [{"transaction_type": "payment", "amount": 20.5, "payment_method_id": "paypal_9"}]}
  },
  "products": {
    "10": {"variants": {"1000000001": {"available": true, "price": 20.5}, "1000000002": {"available": true, "price": 45.5}, "1000000003": {"available": false, "price": 20},
      "1000000004": {"available": true, "price": 45.51}}},
    "20": {"variants": {"2000000001": {"available": true, "price": 80}, "2000000002": {"available": true, "price": 60}}}
  }
}"##;

fn retail(tool: &str, args: &str) -> String {
    Desk::open("specs/retail.yaml", RETAIL, Some("ann_lee_1")).call(tool, args)
}

fn swap(order: &str, old: &str, new: &str, by: &str) -> String {
    format!(r#"{{"order_id": "{order}", "item_ids": [{old}], "new_item_ids": [{new}], "payment_method_id": "{by}"}}"#)
}

#[test]
fn the_state_of_an_order_says_what_is_possible() {
    let cancel = |order: &str| {
        retail("cancel_pending_order", &format!(r#"{{"order_id": "{order}", "reason": "no longer needed"}}"#))
    };
    assert_eq!([cancel("#P"), cancel("#D"), cancel("#B")], ["allow", "pending-only", "own-order"]);
    assert_eq!(cancel("#X"), "let/order");
    let give_back = |order: &str, to: &str| {
        retail(
            "return_delivered_order_items",
            &format!(r#"{{"order_id": "{order}", "item_ids": ["1000000001"], "payment_method_id": "{to}"}}"#),
        )
    };
    assert_eq!([give_back("#D", "credit_card_1"), give_back("#D", "gift_card_3")], ["allow", "allow"]);
    assert_eq!(give_back("#D", "paypal_2"), "refund-target");
    assert_eq!(give_back("#P", "credit_card_1"), "delivered-only");
    assert_eq!(give_back("#D", "paypal_9"), "let/method");
}

#[test]
fn items_are_swapped_for_available_ones_of_the_same_product_and_paid() {
    let change = |old: &str, new: &str, by: &str| retail("modify_pending_order_items", &swap("#P", old, new, by));
    let (a, b) = (r#""1000000001""#, r#""1000000002""#);
    assert_eq!(change(a, b, "gift_card_3"), "allow", "25.00 of 25.000000000000004");
    assert_eq!(change(a, r#""1000000004""#, "gift_card_3"), "gift-card-covers-difference");
    assert_eq!(change(a, r#""1000000004""#, "credit_card_1"), "allow");
    assert_eq!(change(a, r#""1000000003""#, "credit_card_1"), "same-product", "not available");
    assert_eq!(change(a, r#""2000000002""#, "credit_card_1"), "same-product", "another product");
    assert_eq!(change(&format!("{a}, {a}"), &format!("{b}, {b}"), "credit_card_1"), "allow", "the order has two");
    assert_eq!(change(&format!("{a}, {a}, {a}"), &format!("{b}, {b}, {b}"), "credit_card_1"), "items-of-order");
    assert_eq!(change(b, a, "credit_card_1"), "items-of-order");
    assert_eq!(change(&format!("{a}, {a}"), b, "credit_card_1"), "one-for-one");
}

#[test]
fn items_are_swapped_once_and_then_nothing_else_about_the_order_changes() {
    let first = swap("#P", r#""1000000001""#, r#""1000000002""#, "credit_card_1");
    let second = swap("#P", r#""2000000001""#, r#""2000000002""#, "credit_card_1");
    let open = || Desk::open("specs/retail.yaml", RETAIL, Some("ann_lee_1"));
    let mut desk = open().done("modify_pending_order_items", &first, r#"{"status": "pending (item modified)"}"#);
    assert_eq!(desk.call("modify_pending_order_items", &second), "still-pending");
    assert_eq!(
        desk.call("cancel_pending_order", r##"{"order_id": "#P", "reason": "no longer needed"}"##),
        "still-pending"
    );
    let exchange = swap("#D", r#""1000000001""#, r#""1000000002""#, "credit_card_1");
    let mut desk = open().done("exchange_delivered_order_items", &exchange, r#"{"status": "exchange requested"}"#);
    assert_eq!(desk.call("modify_pending_order_items", &second), "allow", "another order");
    let give_back = r##"{"order_id": "#D", "item_ids": ["1000000001"], "payment_method_id": "credit_card_1"}"##;
    assert_eq!(desk.call("return_delivered_order_items", give_back), "still-delivered");
}

#[test]
fn an_order_is_paid_with_another_method_that_covers_it() {
    let pay = |by: &str| {
        retail("modify_pending_order_payment", &format!(r##"{{"order_id": "#P", "payment_method_id": "{by}"}}"##))
    };
    assert_eq!(pay("paypal_2"), "allow");
    assert_eq!(pay("credit_card_1"), "other-method");
    assert_eq!(pay("gift_card_3"), "gift-card-covers-order");
    assert_eq!(pay("paypal_9"), "let/method");
    let cancel = r##"{"order_id": "#P", "reason": "no longer needed"}"##;
    let mut desk = Desk::open("specs/retail.yaml", RETAIL, Some("ann_lee_1")).done(
        "cancel_pending_order",
        cancel,
        r#"{"status": "cancelled"}"#,
    );
    let swap = swap("#D", r#""1000000001""#, r#""1000000004""#, "gift_card_3");
    assert_eq!(desk.call("exchange_delivered_order_items", &swap), "allow", "the balance may be another one by now");
}

#[test]
fn the_customer_is_found_first_and_stays_the_same() {
    let mut desk = Desk::open("specs/retail.yaml", RETAIL, None);
    assert_eq!(desk.call("get_order_details", r##"{"order_id": "#P"}"##), "let/customerId");
    assert_eq!(desk.call("get_user_details", r#"{"user_id": "ann_lee_1"}"#), "let/customerId");
    let mut desk = desk.done("find_user_id_by_email", r#"{"email": "ann@example.com"}"#, r#""ann_lee_1""#);
    assert_eq!(desk.call("get_order_details", r##"{"order_id": "#P"}"##), "allow");
    assert_eq!(desk.call("get_order_details", r##"{"order_id": "#B"}"##), "own-order-read");
    assert_eq!(desk.call("get_order_details", r##"{"order_id": "P"}"##), "allow", "the tool says that there is none");
    assert_eq!(desk.call("get_user_details", r#"{"user_id": "bob_ray_2"}"#), "own-profile");
}

#[test]
fn a_look_up_that_failed_finds_nobody() {
    let mut desk = Desk::open("specs/retail.yaml", RETAIL, None);
    let email = r#"{"email": "nobody@example.com"}"#;
    assert_eq!(desk.call("find_user_id_by_email", email), "allow");
    let event = Event::result("f", "s", "c1", json(r#""Error: user not found""#)).with_time(Some(AT.into()));
    desk.answer(&event);
    assert_eq!(desk.call("get_order_details", r##"{"order_id": "#P"}"##), "let/customerId");
}
