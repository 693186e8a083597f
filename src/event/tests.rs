//! Events as lines: what is read, what is refused and why, and that a line written reads back.

use super::{
    Beside, Body, Call, Claims, Event, EventSalt, Opening, Outcome, Principal, Said, Unknown, WorldChange, read,
};
use crate::canon::Digest;
use crate::context::Answer;
use crate::facts::Typed;
use crate::json::{Limits, parse};
use crate::value::{Object, Value};
use proptest::prelude::*;
use std::borrow::Cow;

fn line(members: &str) -> String {
    format!(r#"{{"v":"flyball/1","id":"e1","session":"s1",{members}}}"#)
}

fn code(line: impl AsRef<[u8]>) -> &'static str {
    read(line.as_ref()).map_or_else(|rejection| rejection.code, |event| event.body.name())
}

fn outcome_of(line: &[u8]) -> Option<Unknown> {
    match read(line).ok()?.body {
        Body::ToolFinished { outcome: Outcome::Unknown(why), .. } => Some(why),
        _ => None,
    }
}

#[test]
fn what_is_suggested_for_an_unknown_member_is_one_of_the_events_own() {
    let told = |line: String| read(line.as_bytes()).unwrap_err().message;
    let known = told(line(r#""type":"turnStarted","resullt":1"#));
    assert!(known.contains("unknown member `resullt`") && !known.contains("did you mean"), "{known}");
    let own = told(line(r#""type":"turnStarted","txet":"hi""#));
    assert!(own.contains("did you mean `text`?"), "{own}");
    let unknown = told(line(r#""resullt":1,"type":"turnStarted""#));
    assert!(unknown.contains("did you mean `result`?"), "the type is not read yet: {unknown}");
}

#[test]
fn every_reject_code_has_a_line_that_gets_it_and_a_twin_that_does_not() {
    let proposed = |args: &str| line(&format!(r#""type":"toolProposed","call":"c1","tool":"t","args":{args}"#));
    let deep = |depth: usize| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
    let cases = [
        ("bad_json", proposed("{'a':1}"), proposed(r#"{"a":1}"#)),
        ("bad_json", proposed("{}x"), proposed("{} ")),
        ("bad_json", line(r#""type":"turnStarted","text":1"#), line(r#""type":"turnStarted","text":"1""#)),
        ("too_deep", proposed(&deep(64)), proposed(&deep(63))),
        ("bad_text", proposed(r#"{"a":"\ud83d"}"#), proposed(r#"{"a":"\ud83e\udd80"}"#)),
        (
            "bad_text",
            line(r#""type":"turnEnded","at":"today""#),
            line(r#""type":"turnEnded","at":"2031-03-04T09:00:00.000000Z""#),
        ),
        (
            "bad_text",
            line(r#""type":"turnEnded","at":"2031-03-04T09:00:00+01:00""#),
            line(r#""type":"turnEnded","at":"2031-03-04T09:00:00.5Z""#),
        ),
        ("duplicate_key", proposed(r#"{"a":1,"\u0061":2}"#), proposed(r#"{"a":1,"A":2}"#)),
        ("duplicate_key", line(r#""type":"turnEnded","id":"e2""#), line(r#""type":"turnEnded""#)),
        ("bad_number", proposed(r#"{"a":1e999}"#), proposed(r#"{"a":1e99}"#)),
        ("bad_number", proposed(r#"{"a":NaN}"#), proposed(r#"{"a":"NaN"}"#)),
        ("bad_number", line(r#""type":"turnStarted","turn":1.5"#), line(r#""type":"turnStarted","turn":1.0"#)),
        ("bad_number", line(r#""type":"turnStarted","turn":-1"#), line(r#""type":"turnStarted","turn":0"#)),
        (
            "unknown_member",
            line(r#""type":"turnStarted","txet":"hi""#),
            line(r#""type":"turnStarted","ext":{"txet":"hi"}"#),
        ),
        (
            "unknown_member",
            line(r#""type":"turnStarted","tool":"t""#),
            line(r#""type":"turnStarted","attachments":[]"#),
        ),
        ("unknown_member", line(r#""type":"turnStrated""#), line(r#""type":"turnStarted""#)),
        (
            "missing_member",
            line(r#""type":"toolProposed","tool":"t""#),
            line(r#""type":"toolProposed","tool":"t","call":"c1""#),
        ),
        (
            "missing_member",
            line(r#""type":"toolProposed","tool":"t","call":"""#),
            line(r#""type":"toolProposed","tool":"t","call":" ""#),
        ),
        (
            "missing_member",
            line(r#""type":"toolProposed","tool":"t","server":"","call":"c1""#),
            line(r#""type":"toolProposed","tool":"t","call":"c1","server":"s""#),
        ),
        (
            "missing_member",
            line(r#""type":"modelTurn","calls":[{"id":"c1","tool":"t","server":""}]"#),
            line(r#""type":"modelTurn","calls":[{"id":"c1","tool":"t","server":"s"}]"#),
        ),
        ("missing_member", line(r#""text":"hi""#), line(r#""type":"turnStarted","text":"hi""#)),
    ];
    for (wanted, refused, twin) in cases {
        assert_eq!(code(&refused), wanted, "{refused}");
        assert!(read(twin.as_bytes()).is_ok(), "{twin}: {:?}", read(twin.as_bytes()));
    }
    let large = |size: usize| proposed(&format!(r#"{{"a":"{}"}}"#, "A".repeat(size)));
    assert_eq!(code(large(Limits::default().bytes)), "too_large");
    assert_eq!(code(large(Limits::default().bytes - 200)), "toolProposed");
}

#[test]
fn bytes_that_are_not_text_are_refused_not_replaced() {
    let text = line(r#""type":"toolProposed","call":"c1","tool":"t","args":{"a":"café"}"#);
    assert_eq!(code(&text), "toolProposed");
    let latin: Vec<u8> = text.chars().map(|character| u8::try_from(u32::from(character)).unwrap()).collect();
    assert_eq!(code(&latin), "bad_text");
    assert_eq!(code([b"\xef\xbb\xbf", text.as_bytes()].concat()), "bad_json");
}

#[test]
fn a_rejection_tells_what_could_be_read_of_the_envelope() {
    let told = |text: &str| read(text.as_bytes()).map(|_| ()).unwrap_err();
    let rejection = told(r#"{"v":"flyball/1","id":"e7","session":"s1","type":"turnStarted","text":"nev"#);
    assert_eq!((rejection.id.as_deref(), rejection.session.as_deref()), (Some("e7"), Some("s1")));
    assert_eq!(told(r#"{"text":"#).id, None);
    assert_eq!(told("").length, 0);
}

#[test]
fn versions_and_types_are_told_by_name() {
    let message = |text: &str| read(text.as_bytes()).unwrap_err().message;
    assert!(message(r#"{"v":"flyball/2","type":"turnEnded","id":"e","session":"s"}"#).contains("flyball/1"));
    assert!(message(&line(r#""type":"toolPropose""#)).contains("did you mean `toolProposed`"));
    assert!(message(&line(r#""type":"turnStarted","tool":"t""#)).contains("a `turnStarted` has no member `tool`"));
}

const FINISHED: &str = r#""type":"toolFinished","call":"c1""#;

#[test]
fn a_result_that_cannot_be_read_is_an_outcome_wherever_the_fault_is_in_it() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(100_000), "}".repeat(100_000));
    let faults = [
        r#"{"a":1,"a":2}"#,
        r#"[{"x":{"a":1,"\u0061":2}}]"#,
        r#"{"a":1e999}"#,
        "NaN",
        r#""\ud83d alone""#,
        r#"{"a":tru}"#,
        r#""never closed"#,
        "{\"a\":\"\u{1}\"}",
        "",
        deep.as_str(),
    ];
    for fault in faults {
        for key in ["result", "error"] {
            let text = line(&format!(r#"{FINISHED},"{key}":{fault}"#));
            assert_eq!(outcome_of(text.as_bytes()), Some(Unknown::Unreadable), "{key}: {:.60}", fault);
        }
    }
    let bytes = [line(FINISHED).trim_end_matches('}').as_bytes(), b",\"result\":\"caf\xe9 \xff\"}"].concat();
    assert_eq!(outcome_of(&bytes), Some(Unknown::Unreadable));
    let large = line(&format!(r#"{FINISHED},"result":"{}""#, "A".repeat(40_000_000)));
    assert_eq!(outcome_of(large.as_bytes()), Some(Unknown::Unreadable));
}

#[test]
fn a_result_that_can_be_read_is_one_and_its_large_twin_too() {
    for result in [r#"{"a":1,"b":2}"#, "null", "[]", "\"日本\"", &format!("\"{}\"", "A".repeat(8 << 20))] {
        let text = line(&format!(r#"{FINISHED},"result":{result}"#));
        let event = read(text.as_bytes()).unwrap();
        let outcome = Outcome::Ok { result: parse(result.as_bytes(), &Limits::default()).unwrap(), effect: None };
        assert_eq!(event.body, Body::ToolFinished { call: "c1".into(), outcome });
    }
}

#[test]
fn a_fault_outside_the_result_is_a_reject_before_and_behind_it() {
    let cases = [
        ("duplicate_key", format!(r#"{FINISHED},"result":{{}},"usage":{{"a":1,"a":2}}"#)),
        ("duplicate_key", format!(r#"{FINISHED},"usage":{{"a":1,"a":2}},"result":{{}}"#)),
        ("duplicate_key", format!(r#"{FINISHED},"result":1,"result":2"#)),
        ("bad_number", format!(r#"{FINISHED},"result":{{}},"turn":1.5"#)),
        ("bad_json", format!(r#"{FINISHED},"result":{{}},"worldPatch":[]"#)),
        ("bad_json", format!(r#"{FINISHED},"result":{{}},"outcome":"timed_out""#)),
        ("bad_json", format!(r#"{FINISHED},"result":{{}},"outcome":"unreadable""#)),
        ("bad_json", format!(r#"{FINISHED},"result":1,"error":2"#)),
        ("bad_text", format!(r#"{FINISHED},"result":{{}},"ext":"\ud83d""#)),
        ("unknown_member", format!(r#"{FINISHED},"outcome":"timed_out","effect":true"#)),
        ("missing_member", FINISHED.to_owned()),
        ("bad_json", r#""type":"toolFinished","call":5,"result":{"a":1,"a":2}"#.to_owned()),
        ("duplicate_key", r#""type":"toolFinished","result":{"a":1,"a":2},"call":"c1""#.to_owned()),
        ("duplicate_key", r#""type":"toolFinished","call":"","result":{"a":1,"a":2}"#.to_owned()),
        ("duplicate_key", r#""type":"toolFinished","result":{"a":1,"a":2}"#.to_owned()),
        ("duplicate_key", r#""type":"toolProposed","call":"c1","tool":"t","args":{"a":1,"a":2}"#.to_owned()),
        ("duplicate_key", r#""type":"toolProposed","call":"c1","tool":"t","result":{"a":1,"a":2}"#.to_owned()),
    ];
    for (wanted, members) in cases {
        assert_eq!(code(line(&members)), wanted, "{members}");
    }
    let cut = line(&format!(r#"{FINISHED},"result":{{}}"#));
    assert_eq!(code(cut.trim_end_matches('}').to_owned() + "}"), "bad_json");
    assert_eq!(code(cut), "toolFinished");
    let nobody = r#"{"v":"flyball/1","type":"toolFinished","id":"e1","session":"","call":"c1","result":{"a":1,"a":2}}"#;
    assert_eq!(code(nobody), "duplicate_key");
    let bytes = [line(FINISHED).trim_end_matches('}').as_bytes(), b",\"result\":{},\"ext\":\"\xff\"}"].concat();
    assert_eq!(code(&bytes), "bad_text");
}

#[test]
fn what_stands_before_an_unreadable_result_is_kept() {
    let text = line(&format!(
        r#"{FINISHED},"agent":"root","turn":3,"at":"2031-03-04T09:00:00Z","worldPatch":{{"a":1}},"result":{{"a":"#
    ));
    let event = read(text.as_bytes()).unwrap();
    assert_eq!((event.agent.as_deref(), event.turn), (Some("root"), Some(3)));
    assert!(event.at.is_some());
    assert_eq!(event.world, WorldChange::Patch(Object::of([("a", Value::from(1))]).into()));
    assert_eq!(event.digest, Digest::of(text.as_bytes()));
}

#[test]
fn a_tools_name_has_one_spelling() {
    let tool = |members: &str| match read(line(&format!(r#""type":"toolProposed","call":"c",{members}"#)).as_bytes()) {
        Ok(Event { body: Body::ToolProposed(call), .. }) => call.tool.into_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(tool(r#""tool":"get","server":"crm""#), "crm/get");
    assert_eq!(tool(r#""tool":"mcp__crm__get""#), "crm/get");
    assert_eq!(tool(r#""tool":"crm/get""#), "crm/get");
    assert_eq!(tool(r#""tool":"get""#), "get");
}

#[test]
fn a_name_is_short_and_its_length_is_no_fault_of_a_result() {
    let with = |length: usize| line(&format!(r#""type":"toolFinished","call":"{}","result":{{}}"#, "c".repeat(length)));
    assert_eq!(code(with(512)), "toolFinished");
    assert_eq!(code(with(513)), "too_large");
    assert_eq!(code(with(100_000)), "too_large");
}

#[test]
fn a_time_has_one_form_whatever_its_digits() {
    let at = |text: &str| {
        read(line(&format!(r#""type":"turnEnded","at":"{text}""#)).as_bytes()).unwrap().at.map(Cow::into_owned)
    };
    for text in ["2031-03-04T09:00:00Z", "2031-03-04T09:00:00.0Z", "2031-03-04T09:00:00.000000Z"] {
        assert_eq!(at(text).as_deref(), Some("2031-03-04T09:00:00.000000Z"));
    }
    assert_eq!(at("2031-03-04T09:00:00.25Z").as_deref(), Some("2031-03-04T09:00:00.250000Z"));
}

#[test]
fn user_text_leaves_no_trace_in_an_event() {
    let with = |text: &str| format!("{:?}", read(line(&format!(r#""type":"turnStarted","text":"{text}""#)).as_bytes()));
    assert!(!with("SECRET WORDS").contains("SECRET"));
}

/// Any foreign value that is not too deep.
fn values() -> impl Strategy<Value = Value<'static>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        "[a-c\"\\\\\u{0}é🦀]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array),
            objects(inner).prop_map(Value::Object),
        ]
    })
}

fn objects(inner: impl Strategy<Value = Value<'static>>) -> impl Strategy<Value = Object<'static>> {
    prop::collection::btree_map("[a-d]{1,2}", inner, 0..3).prop_map(|members| {
        let mut object = Object::new();
        members.into_iter().for_each(|(key, value)| _ = object.insert(key.into(), value));
        object
    })
}

fn words() -> impl Strategy<Value = Cow<'static, str>> {
    "[a-z\"é\u{202e} ]{1,5}".prop_map(Cow::Owned)
}

fn calls() -> impl Strategy<Value = Call<'static>> {
    let tools = prop_oneof!["[a-z]{1,4}", "[a-z]{1,3}/[a-z]{1,3}"].prop_map(Cow::Owned);
    let cwd = prop::option::of(words());
    (words(), tools, values(), cwd).prop_map(|(id, tool, args, cwd)| Call { id, tool, args, cwd })
}

fn outcomes() -> impl Strategy<Value = Outcome<'static>> {
    prop_oneof![
        (values(), any::<Option<bool>>()).prop_map(|(result, effect)| Outcome::Ok { result, effect }),
        (values(), any::<Option<bool>>()).prop_map(|(error, effect)| Outcome::Failed { error, effect }),
        Just(Outcome::Unknown(Unknown::TimedOut)),
        Just(Outcome::Unknown(Unknown::Interrupted)),
    ]
}

fn openings() -> impl Strategy<Value = Opening<'static>> {
    let optional = || prop::option::of(words());
    let principal = (optional(), prop::collection::vec(words(), 0..3), prop::option::of(objects(values())))
        .prop_map(|(id, roles, attributes)| Principal { id, roles, attributes: attributes.map(Value::Object) });
    let scopes = prop::option::of(prop::collection::vec(words(), 0..3));
    let capabilities = prop::option::of(prop::collection::vec(Just(Cow::Borrowed("hold")), 0..2));
    let limits = prop::collection::btree_map("[a-z]{1,3}", any::<u64>(), 0..3);
    (optional(), optional(), optional(), principal, scopes, capabilities, limits).prop_map(
        |(tenant, run, nonce, principal, scopes, capabilities, limits)| Opening {
            capabilities,
            tenant,
            run,
            nonce,
            principal,
            scopes,
            limits: limits.into_iter().map(|(budget, max)| (Cow::Owned(budget), max.into())).collect(),
        },
    )
}

fn claims() -> impl Strategy<Value = Option<Claims<'static>>> {
    let claim = (words(), prop::option::of(words()), prop::option::of(words()), prop::option::of(any::<u32>()));
    let claim = claim.prop_map(|(op, target, outcome, amount)| {
        let claim = Object::of_some([
            ("op", Some(Value::String(op))),
            ("target", target.map(Value::String)),
            ("outcome", outcome.map(Value::String)),
            ("amount", amount.map(|amount| Value::Number(amount.into()))),
        ]);
        Value::from(claim)
    });
    prop::option::of(prop::collection::vec(claim, 0..3).prop_map(|claims| Claims::of(Value::Array(claims)).unwrap()))
}

fn bodies() -> impl Strategy<Value = Body<'static>> {
    let answer =
        (words(), prop::option::of(values())).prop_map(|(query, value)| Answer { query: query.into_owned(), value });
    prop_oneof![
        openings().prop_map(Body::SessionOpened),
        Just(Body::turn(None)),
        "[a-zé \"]{0,8}".prop_map(|text| Body::turn(Some(Typed::new(text)))),
        (prop::collection::vec(calls(), 0..3), "[a-zé \"]{0,8}")
            .prop_map(|(calls, text)| Body::ModelTurn { calls, text: Beside::of(text) }),
        ("[a-zé \"]{0,8}", claims()).prop_map(|(text, claims)| Body::ReplyProposed(Said { text: text.into(), claims })),
        "[a-zé \"]{0,8}".prop_map(|text| Body::ReplyDelta { text: text.into() }),
        claims().prop_map(|claims| Body::ReplyEnd { claims, streamed: None }),
        calls().prop_map(Body::ToolProposed),
        words().prop_map(|call| Body::ToolStarted { call }),
        (words(), outcomes()).prop_map(|(call, outcome)| Body::ToolFinished { call, outcome }),
        (prop::option::of(words()), prop::collection::vec(answer, 0..3))
            .prop_map(|(call, answers)| Body::Answers { call, answers }),
        Just(Body::TurnEnded),
        Just(Body::SessionClosed),
    ]
}

fn events() -> impl Strategy<Value = Event<'static>> {
    let at = prop::option::of(Just(Cow::Borrowed("2031-03-04T09:00:00.250000Z")));
    let salt = prop_oneof![Just(EventSalt::OfRun), words().prop_map(EventSalt::Host)];
    (
        words(),
        words(),
        (prop::option::of(words()), salt),
        any::<Option<u32>>(),
        at,
        bodies(),
        objects(values()),
        0..3_u8,
    )
        .prop_map(|(id, session, (agent, salt), turn, at, body, world, how)| {
            let opens = matches!(body, Body::SessionOpened(_));
            let may =
                opens || matches!(body, Body::TurnStarted { .. } | Body::ModelTurn { .. } | Body::ToolFinished { .. });
            let world = match how {
                1 if may => WorldChange::Whole(world.into()),
                2 if may && !opens => WorldChange::Patch(world.into()),
                _ => WorldChange::None,
            };
            Event { id, session, agent, turn, at, salt, digest: Digest::ZERO, world, body }
        })
}

proptest! {
    #[test]
    fn a_line_that_was_written_reads_back_to_the_same_event(event in events()) {
        let line = event.to_line();
        let sealed = Event { digest: Digest::of(line.as_bytes()), ..event };
        prop_assert_eq!(read(line.as_bytes()), Ok(sealed.clone()));
        prop_assert_eq!(read(line.as_bytes()).unwrap().to_line(), line);
    }

    #[test]
    fn members_in_any_order_are_the_same_event(event in events(), order in any::<u64>()) {
        let line = event.to_line();
        let Value::Object(members) = parse(line.as_bytes(), &Limits::default()).unwrap() else { panic!("{line}") };
        let mut members: Vec<String> = members
            .iter()
            .map(|(key, value)| format!("{}: {}", crate::canon::to_text(&Value::from(key)), crate::canon::to_text(value)))
            .collect();
        members.sort_by_key(|member| order.wrapping_mul(Digest::of(member.as_bytes()).0[0].into()) % 251);
        let shuffled = format!("{{ {} }}", members.join(" ,\n"));
        let digest = Digest::of(shuffled.as_bytes());
        prop_assert_eq!(read(shuffled.as_bytes()), Ok(Event { digest, ..event }));
    }

    #[test]
    fn whatever_the_bytes_are_there_is_an_event_or_a_code(event in events(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = event.to_line().into_bytes();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        if let Err(rejection) = read(&bytes) {
            prop_assert!(!rejection.message.is_empty());
            prop_assert_eq!(rejection.length, bytes.len());
        }
    }

    #[test]
    fn noise_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&bytes).is_err());
    }
}
