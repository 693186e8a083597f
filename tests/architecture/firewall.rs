//! Law 2: what a person typed is nowhere but in the line of its event, and only some files may touch it.

use super::code::{File, lines_of, rust_below};
use super::{assert_found, assert_none};
use flyball::event::{Rejection, read};
use flyball::policy::{Policy, compile};
use flyball::session::{Session, decide};
use flyball::source::Sources;

/// What the person types; it occurs nowhere else.
const TYPED: &str = "Xq7typed";

/// Which of some renderings hold the typed text.
fn holders(renderings: &[(&str, String)]) -> Vec<String> {
    let holding = renderings.iter().filter(|(_, text)| text.contains(TYPED));
    holding.map(|(name, text)| format!("{name} holds what was typed: {text}")).collect()
}

/// A policy that asks what was typed, so that the session keeps of it what there is to keep.
fn policy() -> Policy {
    let text = "agentspec: 1\nid: desk\npersona: You are the desk.\n\
        tools: {look: {effect: read, parameters: {type: object, properties: {id: {type: string}}}}}\n\
        guards:\n  onInput: [{id: small, check: size(input.attachments) < 1, prose: no files, correction: No files.}]\n  \
        preTool: [{id: typed, kind: valueFromUser, missing: skip, with: {arg: id}}]\n";
    compile(&flyball::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap()).unwrap()
}

/// Everything that comes of one event after the opening.
fn trace(line: &str) -> Vec<(&'static str, String)> {
    let policy = policy();
    let opening = br#"{"v":"flyball/1","type":"sessionOpened","id":"e1","session":"s1","nonce":"n"}"#;
    let (mut session, step) = Session::open(&policy, &read(opening).unwrap()).unwrap();
    session.commit(step).unwrap();
    let event = read(line.as_bytes()).unwrap();
    let step = decide(&policy, &session, &event);
    let before = [("event", format!("{event:?}")), ("line", event.to_line()), ("step", format!("{step:?}"))];
    let decision = session.commit(step).unwrap();
    let after = [("decision", format!("{decision:?}")), ("session", format!("{session:?}"))];
    before.into_iter().chain(after).collect()
}

fn line(members: &str) -> String {
    format!(r#"{{"v":"flyball/1","id":"e2","session":"s1",{members}}}"#)
}

#[test]
fn typed_text_is_in_the_events_line_and_nowhere_else() {
    for members in [
        format!(r#""type":"turnStarted","text":"please {TYPED} now""#),
        format!(r#""text":"{TYPED}","attachments":[{{"kind":"image/png","size":3}}],"type":"turnStarted""#),
    ] {
        let found = holders(&trace(&line(&members)));
        assert_found(&found, &["line holds what was typed"]);
    }
}

#[test]
fn what_no_rule_reads_is_dropped_while_it_is_read() {
    let members = format!(r#""type":"turnStarted","text":"","ext":{{"text":"{TYPED}"}}"#);
    assert_none(&holders(&trace(&line(&members))));
}

/// The names by which typed text is held and read, and the files that may say them.
const TOUCHES: &[(&str, &[&str])] = &[
    (
        "Typed",
        &[
            "src/diff/scene.rs",
            "src/event.rs",
            "src/event/read.rs",
            "src/facts.rs",
            "src/replay.rs",
            "src/replay/chat.rs",
            "src/replay/ledger.rs",
            "src/session/approvals.rs",
            "src/session/decide.rs",
            "src/session/record.rs",
        ],
    ),
    ("for_record", &["src/event/write.rs", "src/facts.rs", "src/session/record.rs"]),
    ("heard", &["src/facts.rs", "src/session/decide.rs"]),
    ("has_question_mark", &["src/facts.rs", "src/session/decide.rs"]),
    ("is_code", &["src/facts.rs", "src/session/approvals.rs"]),
    ("is_word", &["src/facts.rs", "src/session/approvals.rs"]),
];

/// Files that touch typed text and may not. An expression's `Typed` is its own.
fn touching(files: &[File]) -> Vec<String> {
    let mut violations = Vec::new();
    for file in files.iter().filter(|file| !file.path.starts_with("src/expr/")) {
        let code = file.code();
        for (name, _) in TOUCHES.iter().filter(|(_, homes)| !homes.contains(&file.path.as_str())) {
            let calls = match *name {
                "heard" => vec![".", "heard", "(", "&"],
                // Others have words too.
                "is_word" => vec![".", "is_word", "("],
                name => vec![name],
            };
            let lines = lines_of(&code, &calls).into_iter();
            violations.extend(lines.map(|line| format!("{}:{line}: touches typed text by `{name}`", file.path)));
        }
    }
    let named = files.iter().filter(|file| file.path.starts_with("src/expr/"));
    for file in named {
        let lines = lines_of(&file.code(), &["facts", "::", "Typed"]).into_iter();
        violations.extend(lines.map(|line| format!("{}:{line}: touches typed text by `Typed`", file.path)));
    }
    violations
}

#[test]
fn what_was_typed_stays_in_its_files() {
    assert_none(&touching(&rust_below("src")));
}

#[test]
fn a_file_that_touches_what_was_typed_is_found() {
    let harmless = "use crate::facts::{Facts, Said};\n//! Typed, for_record\nfn f(x: &Facts) { x.said(key, value) }";
    assert_none(&touching(&[File::new("src/guards/a.rs", harmless)]));
    for (path, planted) in [
        ("src/guards/a.rs", "\nuse crate::facts::Typed;"),
        ("src/context.rs", "\nfn f(x: &crate::facts::Typed<'_>) {}"),
        ("src/expr/a.rs", "\nuse crate::facts::Typed;"),
        ("src/guards/a.rs", "\nfn f() { x.for_record() }"),
        ("src/event.rs", "\nfn f() { x.for_record() }"),
        ("src/session/judge.rs", "\nfn f() { facts.heard(&key, text) }"),
        ("src/guards/a.rs", "\nfn f() { x.is_code(&code) }"),
        ("src/session/judge.rs", "\nfn f() { x.is_word(&words) }"),
        ("src/consent.rs", "\nfn f() { x.is_word(&words) }"),
    ] {
        assert_found(&touching(&[File::new(path, planted)]), &[&format!("{path}:2: touches typed text")]);
    }
}

#[test]
fn a_rejection_does_not_repeat_typed_text() {
    for members in [
        format!(r#""type":"turnStarted","text":"{TYPED}","text":"{TYPED}""#),
        format!(r#""type":"turnStarted","text":"{TYPED}\ud800""#),
        format!(r#""type":"turnStarted","text":"{TYPED}"#),
        format!(r#""type":"turnStarted","text":["{TYPED}"]"#),
        format!(r#""type":"toolProposed","call":"c1","tool":"look","text":"{TYPED}""#),
        format!(r#""type":"turnStarted","attachments":[{{"name":"{TYPED}"}}]"#),
    ] {
        let rejection: Rejection = read(line(&members).as_bytes()).unwrap_err();
        assert_none(&holders(&[("rejection", format!("{rejection:?}"))]));
    }
}

#[test]
fn text_that_is_kept_is_found() {
    let kept = trace(&line(&format!(r#""type":"toolProposed","call":"{TYPED}","tool":"look","args":{{}}"#)));
    let holders = holders(&kept);
    assert_found(&holders[..2], &["event holds what was typed", "line holds"]);
    assert!(holders.iter().any(|holder| holder.starts_with("session holds")), "{holders:#?}");
}
