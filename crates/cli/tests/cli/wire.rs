//! `docs/wire.md`: its examples are what the governor answers, and its table of members is what the reader takes.
//!
//! In a fenced block `wire` a line `> …` is told to the governor, the line `< …` below it is the answer. A fenced block
//! `yaml` that begins with `agentspec` is the spec from there on.

use crate::docs::updates;
use crate::support::repository;
use flyball::source::Sources;
use flyball_io::Governor;
use std::path::PathBuf;
use std::sync::Arc;

fn document() -> (PathBuf, String) {
    let path = repository().join("docs/wire.md");
    (path.clone(), std::fs::read_to_string(path).unwrap())
}

fn governor(spec: &str) -> Governor {
    let sources = Sources::new("desk.yaml", spec);
    let parsed = flyball::spec::parse(&sources);
    let problems: Vec<String> = parsed.diagnostics.iter().map(|problem| problem.one_line(&sources)).collect();
    let spec = parsed.spec.unwrap_or_else(|| panic!("{problems:?}"));
    Governor::new(Arc::new(flyball::policy::compile(&spec).unwrap()))
}

/// The text with every answer as it is now, and how many there are.
fn answered(text: &str) -> (String, usize) {
    let (mut out, mut block, mut spec, mut now, mut answers) = (String::new(), "", String::new(), None, 0);
    for line in text.lines() {
        match (block, line) {
            ("", "```wire" | "```yaml") => (block, spec) = (line, String::new()),
            ("", _) => {}
            (_, "```") => {
                if block == "```yaml" && spec.starts_with("agentspec: 1") {
                    now = Some(governor(&spec));
                }
                block = "";
            }
            ("```yaml", line) => spec.extend([line, "\n"]),
            (_, line) if line.starts_with("< ") => continue,
            _ => {}
        }
        out.extend([line, "\n"]);
        if let (Some(told), "```wire") = (line.strip_prefix("> "), block) {
            let governor = now.as_ref().unwrap();
            out.extend(["< ", &governor.handle(told.as_bytes()).to_line(), "\n"]);
            answers += 1;
        }
    }
    (out, answers)
}

#[test]
fn the_examples_are_answered_as_they_say() {
    let (path, text) = document();
    let (current, answers) = answered(&text);
    if updates() && current != text {
        std::fs::write(path, current).unwrap();
        return;
    }
    assert!(answers > 20);
    // What a person answers names a digest or a code, and must be the one of the question above it.
    for taken in [r#""decision":"accepted""#, r#""remembered":"c2-0""#, r#""approval":""#, r#""consents":["c1"]"#] {
        assert!(text.contains(taken), "{taken}");
    }
    for (line, wanted) in current.lines().zip(text.lines()) {
        assert_eq!(line, wanted);
    }
    assert_eq!(current.lines().count(), text.lines().count());
}

#[test]
fn an_answer_that_is_not_given_is_seen() {
    let spec = "```yaml\nagentspec: 1\nid: desk\npersona: You are the desk.\ntools: {look: {effect: read}}\n```\n";
    let told = "```wire\n> {\n< {\"decision\":\"allow\"}\n```\n";
    let (current, answers) = answered(&format!("{spec}{told}"));
    assert_eq!(answers, 1);
    assert!(
        current.starts_with(spec) && current.contains("\n< {\"code\":\"bad_json\",\"decision\":\"reject\""),
        "{current}"
    );
}

/// A value that each member takes.
const SAMPLES: &[(&str, &str)] = &[
    ("agent", r#""root""#),
    ("turn", "1"),
    ("at", r#""2031-03-04T09:00:00Z""#),
    ("salt", r#""x""#),
    ("ext", "{}"),
    ("tenant", r#""t""#),
    ("run", r#""r""#),
    ("nonce", r#""n""#),
    ("root", r#""r""#),
    ("parent", r#""p""#),
    ("principal", "{}"),
    ("scopes", "[]"),
    ("limits", "{}"),
    ("world", "{}"),
    ("worldPatch", "{}"),
    ("text", r#""x""#),
    ("attachments", "[]"),
    ("calls", "[]"),
    ("usage", "{}"),
    ("batch", r#""b""#),
    ("call", r#""c""#),
    ("tool", r#""t""#),
    ("server", r#""s""#),
    ("args", "{}"),
    ("cwd", r#""/""#),
    ("result", "1"),
    ("error", r#""e""#),
    ("outcome", r#""timed_out""#),
    ("effect", "true"),
    ("answers", "[]"),
    ("digest", r#""0000000000000000000000000000000000000000000000000000000000000000""#),
    ("granted", "true"),
    ("approver", r#""a""#),
    ("edit", "{}"),
    ("remember", "{}"),
    ("decisions", "[]"),
    ("remembered", r#""c-0""#),
    ("claims", "[]"),
    ("capabilities", "[]"),
];

/// True unless the reader says that events of this type have no such member.
fn takes(event: &str, member: &str, value: &str) -> bool {
    let line = format!(r#"{{"v":"flyball/1","type":"{event}","id":"e","session":"s","{member}":{value}}}"#);
    match flyball::event::read(line.as_bytes()) {
        Ok(_) => true,
        Err(refused) => !refused.message.contains("has no member") && !refused.message.contains("unknown member"),
    }
}

#[test]
fn the_table_of_events_names_every_member_that_is_taken() {
    let (_, text) = document();
    let ticked = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let of = |event: &str| rows.iter().find(|row| row[1] == format!("`{event}`")).map(|row| ticked(row[2]));
    let envelope = of("every event").expect("a row for every event");
    let events = ["sessionOpened", "turnStarted", "modelTurn", "toolProposed", "toolStarted", "toolFinished"];
    let replies = ["replyProposed", "replyDelta", "replyEnd"];
    let more = ["answers", "approvalDecided", "approvalRevoked", "worldChanged", "turnEnded", "sessionClosed"];
    for event in events.into_iter().chain(replies).chain(more) {
        let listed = of(event).unwrap_or_else(|| panic!("`{event}` has no row"));
        for (member, value) in SAMPLES {
            let is_listed = listed.iter().chain(&envelope).any(|name| name == member);
            assert_eq!(takes(event, member, value), is_listed, "`{member}` of `{event}`");
        }
        let unknown = listed.iter().find(|name| !SAMPLES.iter().any(|(known, _)| known == name));
        assert_eq!(unknown, None, "`{event}`");
    }
}

/// The codes are those of the source, each with its row.
#[test]
fn every_code_of_the_wire_is_in_the_document() {
    let (_, text) = document();
    let source = |path: &str| std::fs::read_to_string(repository().join(path)).unwrap();
    let mut codes: Vec<String> = Vec::new();
    for path in ["src/session/decide.rs", "src/session/call.rs", "src/session.rs", "crates/io/src/governor.rs"] {
        let source = source(path);
        let quoted = source.split("code: \"").skip(1).chain(source.split("gate(\"").skip(1));
        let quoted =
            quoted.chain(source.split("Some((\"").skip(1)).chain(source.split("denied_by_gate(call, \"").skip(1));
        codes.extend(quoted.filter_map(|rest| rest.split('"').next()).map(str::to_owned));
    }
    codes.extend(["bad_json", "too_large", "too_deep", "bad_text", "duplicate_key", "bad_number"].map(str::to_owned));
    codes.push(flyball_io::ledger::LedgerError::CODE.to_owned());
    codes.extend(["unknown_member", "missing_member", "not_open", "unknown_budget", "widens"].map(str::to_owned));
    assert!(codes.len() > 20);
    for code in codes.iter().filter(|code| code.chars().all(|c| c.is_ascii_lowercase() || c == '_')) {
        assert!(text.contains(&format!("`{code}`")), "`{code}` is not in docs/wire.md");
    }
    let rows = |code: &str| text.lines().filter(|line| line.starts_with('|') && line.contains(code)).count();
    assert_eq!((rows("`ledger_unavailable`"), rows("`no_such_code`")), (2, 0), "a row of each table of codes");
}
