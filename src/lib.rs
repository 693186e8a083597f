//! Flyball, a governor for agent loops.
//!
//! An agent framework runs the loop: think, call a tool, observe, reply. Flyball decides what the loop may do. A spec in
//! YAML says which tools there are and which rules hold; every proposed call is allowed, denied or put before somebody;
//! a denied call comes back to the model as the tool's result, with a correction, so that it recovers in the same
//! generation. Like the governor of a steam engine it never drives: it senses and limits, and works on any engine.
//!
//! # The picture
//!
//! ```text
//!  agent.yaml  contract.yaml  guards/*.yaml  schemas/*.json
//!         │  spec::parse: spans kept, limits, every problem collected
//!         ▼
//!       Spec ────────────────► diagnostics (file, place, rule, help)
//!         │  policy::compile: names to ids, plan per tool, slots, index plan, digests
//!         ▼
//!       Policy (immutable, Send + Sync, shared)
//!         │
//!         │       Event ───────────────────┐
//!         ▼                                ▼
//!       Session ── decide(&policy, &session, &event) ──► Step { decision, changes, records }     pure
//!         ▲                                                │
//!         └────────── commit(step) ◄── records written ◄───┘
//! ```
//!
//! The modules below stand in the order of the data, and each uses only those above it: text with places
//! ([`source`], [`diagnostic`]), values ([`decimal`] to [`json`]), what files are made of ([`tool`] to [`schema`]), what
//! a check may read, expressions and kinds ([`observed`] to [`guards`]), the author's spec and what it compiles to ([`spec`],
//! [`policy`]), the running conversation ([`event`] to [`session`]), recorded ones ([`replay`]), and what can be said of a
//! spec without any ([`diff`], [`lint`]).
//! `flyball_io::Governor` puts files, locks and streams around it; surfaces only translate.
//!
//! # The laws
//!
//! 1. **Purity.** No clock, entropy, environment, file, network, thread or model call. Nonce, time and world are
//!    inputs; the same inputs give the same bytes.
//! 2. **Firewall.** No guard reads what a person typed: [`facts`] keeps hashes of it, and answers of an argument, or of a
//!    figure in a reply, whether it was typed, and of a whole message whether it is an answer. One fact is no value: that
//!    a question mark was typed. A reply can be asked for again on it, and no call is decided by it.
//! 3. **Check and prose are one object.** A kind of guard has a check, the prose that teaches the same rule, and a
//!    correction. The checker never reads the prose.
//! 4. **Deny cannot be lost.** `deny > ask > allow > no opinion`, whatever the order of files and guards. A guard that
//!    cannot judge denies. Malformed input is refused, never half-evaluated; a malformed *result* is an outcome.
//! 5. **No tool is run again by a correction.** A veto is returned as the tool's result; a reply is asked for again with
//!    tools off.
//! 6. **Tools are scoped by what the agent needs**, never by reading a message.
//! 7. **Zero business words.** Every domain word comes from a spec or a contract.
//! 8. **Stored bytes are what is hashed.** A record is never serialised again to be checked.
//! 9. **Constant work per step.** What guards may ask is indexed as it arrives.
//!
//! # An existing loop, governed
//!
//! `model` and `run` are the host's own; what is new stands between them.
//!
//! ```
//! use flyball::decision::{CallDecision, Decision, Verdict};
//! use flyball::event::{Body, Event, Opening};
//! use flyball::json::{Limits, parse};
//! use flyball::session::{Session, decide};
//! use flyball::source::Sources;
//!
//! # const SPEC: &str = "
//! # agentspec: 1
//! # id: refunds
//! # persona: You are the refunds desk of a shop.
//! # tools:
//! #   lookup_order: {effect: read}
//! #   refund:
//! #     effect: external
//! #     parameters: {type: object, required: [order_id, amount], properties: {order_id: {type: string}, amount: {type: number}}}
//! # flow: [{id: look-first, from: lookup_order, to: refund, same: order_id}]
//! # guards: {preTool: [{id: cap, tools: [refund], kind: argRange, with: {arg: amount, max: 500}}]}
//! # ";
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A model that first asks for too much, too early, and heeds what it is told.
//! let model = |seen: &[String]| match seen {
//!     [] => Some(("refund", r#"{"order_id": "A7", "amount": 900}"#)),
//!     [.., last] if last.contains("First call `lookup_order`") => Some(("lookup_order", r#"{"order_id": "A7"}"#)),
//!     [.., last] if last.contains("total") => Some(("refund", r#"{"order_id": "A7", "amount": 40}"#)),
//!     _ => None,
//! };
//! let run = |tool: &str| match tool {
//!     "lookup_order" => r#"{"total": 40}"#,
//!     _ => r#"{"refunded": true}"#,
//! };
//!
//! let spec = flyball::spec::parse(&Sources::new("refunds.yaml", SPEC)).spec.ok_or("the spec has errors")?;
//! let policy = flyball::policy::compile(&spec).map_err(|problems| format!("{problems:?}"))?;
//! let opening = Event::new("open", "s1", Body::SessionOpened(Opening::default()));
//! let (mut session, step) = Session::open(&policy, &opening)?;
//! session.commit(step)?;
//!
//! let mut seen: Vec<String> = Vec::new();
//! while let Some((tool, args)) = model(&seen) {
//!     let (id, call) = (format!("propose-{}", seen.len()), format!("call-{}", seen.len()));
//!     let args = parse(args.as_bytes(), &Limits::default())?;
//!     let step = decide(&policy, &session, &Event::call(&id, "s1", &call, tool, args));
//!     let result = match &*session.commit(step)? {
//!         Decision::Call(CallDecision { verdict: Verdict::Allow(_), .. }) => {
//!             let (id, result) = (format!("finish-{}", seen.len()), run(tool));
//!             let value = parse(result.as_bytes(), &Limits::default())?;
//!             session.commit(decide(&policy, &session, &Event::result(&id, "s1", &call, value)))?;
//!             result.to_owned()
//!         }
//!         Decision::Call(CallDecision { verdict: Verdict::Deny(deny), .. }) => deny.output(),
//!         other => format!("not run: {other:?}"),
//!     };
//!     seen.push(result);
//! }
//!
//! assert_eq!(seen.len(), 3);
//! assert!(seen[0].contains(r#""guard":"look-first""#) && seen[0].contains("`amount` must be at most 500"));
//! assert_eq!(seen[1..], [r#"{"total": 40}"#, r#"{"refunded": true}"#]);
//! # Ok(())
//! # }
//! ```

pub mod source;

pub mod diagnostic;

pub mod decimal;

pub mod value;

pub mod canon;

pub mod hash;

pub mod json;

pub mod time;

pub mod tool;

pub mod yaml;

pub mod outline;

pub mod decode;

pub mod text;

pub mod ledger;

pub mod path;

pub mod schema;

pub mod figures;

pub mod observed;

pub mod consent;

pub mod facts;

pub mod acts;

pub mod grounds;

pub mod context;

pub mod expr;

pub mod guards;

pub mod spec;

pub mod render;

pub mod policy;

pub mod event;

pub mod decision;

pub mod session;

pub mod replay;

pub(crate) mod proof;

pub mod diff;

pub mod lint;
