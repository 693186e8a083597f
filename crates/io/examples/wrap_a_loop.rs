//! An existing agent loop with a governor around it. Run it in the root of the repository:
//! `cargo run -p flyball-io --example wrap_a_loop`

#![expect(clippy::disallowed_macros, reason = "an example prints what happens")]

use flyball::decision::Decision;
use flyball::event::{Body, Event, Opening, WorldChange};
use flyball::json::{Limits, parse};
use flyball_io::{Governor, load_policy};
use std::{error::Error, path::Path, sync::Arc};

/// Stands for a model: it asks for a refund at once, and does what the answer tells it.
fn model(last: &str) -> Option<(&'static str, &'static str)> {
    match last {
        "" => Some(("refund", REFUND)),
        last if last.contains("First call `lookup_order`") => Some(("lookup_order", r#"{"order_id": "ORD-000017"}"#)),
        last if last.contains("delivered") => Some(("refund", REFUND)),
        _ => None,
    }
}

const REFUND: &str = r#"{"order_id": "ORD-000017", "amount": 40, "currency": "EUR", "reason": "arrived broken"}"#;

/// Stands for the host's tools.
fn run(tool: &str, _args: &str) -> String {
    match tool {
        "lookup_order" => r#"{"order_id": "ORD-000017", "status": "delivered"}"#.into(),
        _ => r#"{"refund_id": "R-1"}"#.into(),
    }
}

// begin: the loop
fn main() -> Result<(), Box<dyn Error>> {
    let (policy, _) = load_policy(Path::new("specs/refunds.yaml"), None)?;
    let governor = Governor::new(Arc::new(policy));

    let world = WorldChange::Whole(parse(br#"{"shopOpen": true}"#, &Limits::default())?);
    let opened = governor.answer(&Event::new("open", "s1", Body::SessionOpened(Opening::default())).with_world(world));
    assert_eq!(*opened.decision, Decision::Proceed);

    let mut last = String::new();
    for step in 1.. {
        let Some((tool, args)) = model(&last) else { break };
        let (propose, finish, call) = (format!("p{step}"), format!("f{step}"), format!("c{step}"));
        let args = parse(args.as_bytes(), &Limits::default())?;
        let decision = governor.answer(&Event::call(&propose, "s1", &call, tool, args.clone())).decision;
        last = match decision.to_run(&args) {
            Some(args) => {
                let result = run(tool, &flyball::canon::to_text(args));
                let value = parse(result.as_bytes(), &Limits::default())?;
                let ended = governor.answer(&Event::result(&finish, "s1", &call, value)).decision;
                ended.shown(&decision, &result)
            }
            None => decision.output(),
        };
        println!("{tool}: {last}");
    }
    Ok(())
}
// end: the loop
