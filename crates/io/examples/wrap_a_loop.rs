//! An existing agent loop with a governor around it. Run it in the root of the repository:
//! `cargo run -p flyball-io --example wrap_a_loop`

#![expect(clippy::disallowed_macros, reason = "an example prints what happens")]

use flyball::decision::{CallDecision, Decision, Verdict};
use flyball::event::{Body, Event, Opening, WorldChange};
use flyball::json::{Limits, parse};
use flyball_io::{Governor, sources::Workspace};
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
    let path = Path::new("specs/refunds.yaml");
    let spec = Workspace::of(path, None)?.load(path)?.parsed.spec.ok_or("the spec has errors: see flyball lint")?;
    let policy = flyball::policy::compile(&spec).map_err(|_| "the spec has errors: see flyball lint")?;
    let governor = Governor::new(Arc::new(policy));

    let world = WorldChange::Whole(parse(br#"{"shopOpen": true}"#, &Limits::default())?);
    let opened = governor.answer(&Event::new("open", "s1", Body::SessionOpened(Opening::default())).with_world(world));
    assert_eq!(*opened.decision, Decision::Proceed);

    let mut last = String::new();
    for step in 1.. {
        let Some((tool, args)) = model(&last) else { break };
        let (propose, finish, call) = (format!("p{step}"), format!("f{step}"), format!("c{step}"));
        let event = Event::call(&propose, "s1", &call, tool, parse(args.as_bytes(), &Limits::default())?);
        last = match &*governor.answer(&event).decision {
            Decision::Call(CallDecision { verdict: Verdict::Allow(allow), .. }) => {
                let result = run(tool, &allow.args.as_deref().map_or(args.into(), flyball::canon::to_text));
                let value = parse(result.as_bytes(), &Limits::default())?;
                assert_eq!(*governor.answer(&Event::result(&finish, "s1", &call, value)).decision, Decision::Accept);
                result
            }
            Decision::Call(CallDecision { verdict: Verdict::Deny(deny), .. }) => deny.output(),
            _ => r#"{"ok": false, "correction": "This call cannot run now. Say so."}"#.into(),
        };
        println!("{tool}: {last}");
    }
    Ok(())
}
// end: the loop
