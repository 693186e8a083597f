//! Cases as data: every document under `tests/cases` is a spec, events and what each must be answered.
//!
//! A document is `{note, spec, files?, events, want}`. A file may hold several, `---` between them; one without `spec` has
//! spec and files of the document before it, so a case and its harmless twin stand together.
//!
//! * `spec`: the spec, as a map or as text, or the path of one. Without `agentspec`, `id` and `persona` it gets some.
//! * `files`: the texts of files that the spec refers to, by path; any other is read from this repository, whose root a
//!   spec of text stands in.
//! * `events`: a text is a raw line. A map is an event; what it leaves out of `v`, `id` and `session` is filled in, and
//!   so is `type` where `tool`, `calls` or what a call ended with tells it; `user`, `reply` and `delta` are the texts of
//!   `turnStarted`, `replyProposed` and `replyDelta`. Where the first event opens no session,
//!   one is opened before it. `$digest.c1` stands for the digest of what was asked about the call `c1`, `$code.c1` for its code;
//!   inside a longer text it is `${code.c1}`.
//! * `want`: one entry an event. `allow`, `ask`, … is the decision, `deny cap` a decision with its code. A map must be
//!   found in the answer, member by member; a list has the same length. `{contains: text}` stands for a text with that
//!   in it, `{lacks: text}` for one without, `absent` for a member that is not there.
//!
//! Adding a case needs no Rust.

#![expect(clippy::disallowed_methods, reason = "tests read the files they are about")]

use flyball::decision::{Answered, Decision};
use flyball::event::{Body, Event, Opening, read};
use flyball::guards::Hook;
use flyball::policy::{Policy, compile};
use flyball::session::{Session, decide};
use flyball::source::Sources;
use flyball::spec::{Parsed, parse};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    note: String,
    #[serde(default)]
    spec: Value,
    #[serde(default)]
    files: BTreeMap<String, String>,
    events: Vec<Value>,
    want: Vec<Value>,
}

/// The cases of a file.
fn cases_of(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    for document in serde_yaml::Deserializer::from_str(&text) {
        let read = Value::deserialize(document).and_then(|value| {
            serde_json::from_value::<Case>(value).map_err(<serde_yaml::Error as serde::de::Error>::custom)
        });
        let mut case = read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if case.spec.is_null() {
            let before = cases.last().unwrap_or_else(|| panic!("{}: no spec", path.display()));
            (case.spec, case.files) = (before.spec.clone(), before.files.clone());
        }
        cases.push(case);
    }
    cases
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// The policy of a case's spec.
fn policy(spec: &Value, files: &BTreeMap<String, String>) -> Result<Policy, String> {
    let mut sources = match spec.as_str() {
        Some(text) if text.contains('\n') => {
            Sources::new("case.yaml", format!("agentspec: 1\nid: desk\npersona: You are the desk.\n{text}"))
        }
        Some(path) => Sources::new(path, std::fs::read(path).map_err(|error| format!("{path}: {error}"))?),
        None => {
            let mut whole = json!({"agentspec": 1, "id": "desk", "persona": "You are the desk."});
            whole.as_object_mut().unwrap().extend(spec.as_object().ok_or("the spec is no map")?.clone());
            Sources::new("case.yaml", serde_yaml::to_string(&whole).unwrap())
        }
    };
    for (path, text) in files {
        sources.insert(path.as_str(), text.as_str());
    }
    let parsed = parsed_with_files(&mut sources)?;
    let lines: Vec<String> = parsed.diagnostics.iter().map(|problem| problem.one_line(&sources)).collect();
    let spec = parsed.spec.ok_or_else(|| lines.join("\n"))?;
    compile(&spec)
        .map_err(|problems| problems.iter().map(|problem| problem.one_line(&sources)).collect::<Vec<_>>().join("\n"))
}

/// Parses, with the files that the spec refers to.
fn parsed_with_files(sources: &mut Sources) -> Result<Parsed, String> {
    loop {
        let parsed = parse(sources);
        if parsed.missing.is_empty() {
            return Ok(parsed);
        }
        for path in &parsed.missing {
            sources.insert(path.as_str(), std::fs::read(path).map_err(|error| format!("{path}: {error}"))?);
        }
    }
}

/// A session that the lines of one case are fed to.
struct Run {
    policy: Policy,
    session: Option<Session>,
    /// What was asked about, by call: the digest and the code.
    asked: BTreeMap<String, Value>,
}

impl Run {
    fn of(case: &Case) -> Result<Run, String> {
        Ok(Run { policy: policy(&case.spec, &case.files)?, session: None, asked: BTreeMap::new() })
    }

    /// The answer to one line, as the wire has it.
    fn answer(&mut self, line: &[u8]) -> Value {
        let answered = match read(line) {
            Ok(event) => {
                let decision = self.decide(&event);
                Answered { id: Some(event.id.to_string()), session: Some(event.session.to_string()), decision }
            }
            Err(rejection) => Answered::rejected(rejection),
        };
        let answer: Value = serde_json::from_str(&answered.to_line()).unwrap();
        let calls = answer["calls"].as_array().into_iter().flatten().chain([&answer]);
        let asked = calls.filter(|call| call["request"].is_object());
        self.asked.extend(asked.map(|call| (call["call"].as_str().unwrap().to_owned(), call["request"].clone())));
        answer
    }

    /// `$digest.c1` and `$code.c1` stand for what was asked about the call.
    fn filled(&self, event: &Value) -> Value {
        match event {
            Value::String(text) => match text.strip_prefix('$').and_then(|text| text.split_once('.')) {
                Some((member, call)) if !member.starts_with('{') => self.asked(member, call),
                _ => Value::String(self.filled_text(text)),
            },
            Value::Array(items) => Value::Array(items.iter().map(|item| self.filled(item)).collect()),
            Value::Object(members) => {
                Value::Object(members.iter().map(|(key, member)| (key.clone(), self.filled(member))).collect())
            }
            other => other.clone(),
        }
    }

    fn asked(&self, member: &str, call: &str) -> Value {
        self.asked.get(call).map_or(Value::Null, |request| request[member].clone())
    }

    /// A text with what was asked in the place of each `${code.c1}`.
    fn filled_text(&self, text: &str) -> String {
        let Some((before, rest)) = text.split_once("${") else { return text.to_owned() };
        let (name, behind) = rest.split_once('}').expect("`${` without `}`");
        let (member, call) = name.split_once('.').expect("`${code.CALL}`");
        let value = self.asked(member, call);
        let value = value.as_str().unwrap_or_else(|| panic!("nothing was asked about `{call}`"));
        format!("{before}{value}{}", self.filled_text(behind))
    }

    fn decide(&mut self, event: &Event<'_>) -> Arc<Decision> {
        if self.session.is_none() && matches!(event.body, Body::SessionOpened(_)) {
            return Arc::new(match Session::open(&self.policy, event) {
                Ok((mut session, step)) => {
                    let opened = session.commit(step).unwrap();
                    self.session = Some(session);
                    return opened;
                }
                Err(refusal) => Decision::Refuse { code: refusal.code(), message: refusal.to_string() },
            });
        }
        let session = self.session.get_or_insert_with(|| {
            let opening = Event::new("opening", "s1", Body::SessionOpened(Opening::default()));
            let (mut session, step) = Session::open(&self.policy, &opening).unwrap();
            session.commit(step).unwrap();
            session
        });
        let step = decide(&self.policy, session, event);
        session.commit(step).unwrap()
    }
}

/// Members that tell the type of their event.
const TELLING: &[(&str, &str)] = &[
    ("tool", "toolProposed"),
    ("calls", "modelTurn"),
    ("result", "toolFinished"),
    ("error", "toolFinished"),
    ("outcome", "toolFinished"),
    ("granted", "approvalDecided"),
    ("decisions", "approvalDecided"),
    ("remembered", "approvalRevoked"),
];

/// Members that stand for the `text` of an event, and tell its type.
const SAYING: &[(&str, &str)] = &[("reply", "replyProposed"), ("delta", "replyDelta"), ("user", "turnStarted")];

/// An event as a line: a raw one as it stands, a map with what every event needs.
fn line_of(number: usize, event: &Value) -> Vec<u8> {
    if let Some(raw) = event.as_str() {
        return raw.as_bytes().to_vec();
    }
    let mut whole = json!({"v": "flyball/1", "id": format!("e{number}"), "session": "s1"});
    let members = event.as_object().expect("an event is a map or a line");
    if let Some((_, kind)) = TELLING.iter().find(|(key, _)| members.contains_key(*key)) {
        whole["type"] = json!(kind);
    }
    whole.as_object_mut().unwrap().extend(members.clone());
    if let Some((key, kind)) = SAYING.iter().find(|(key, _)| members.contains_key(*key)) {
        let text = whole.as_object_mut().unwrap().remove(*key).unwrap();
        (whole["type"], whole["text"]) = (json!(kind), text);
    }
    serde_json::to_vec(&whole).unwrap()
}

/// Why an answer is not what is wanted; `None` where it is.
fn differs(place: &str, want: &Value, answer: Option<&Value>) -> Option<String> {
    let Some(answer) = answer else { return (want != "absent").then(|| format!("{place} is absent, not {want}")) };
    match want {
        Value::String(word) if word == "absent" => Some(format!("{place} is there: {answer}")),
        Value::Object(members) => match special(members) {
            Some((wanted, text)) => {
                let found = answer.as_str().is_some_and(|answer| answer.contains(text));
                (found != wanted).then(|| format!("{place}: {answer} against {want}"))
            }
            None => members.iter().find_map(|(key, want)| differs(&format!("{place}.{key}"), want, answer.get(key))),
        },
        Value::Array(items) => {
            let answers = answer.as_array().map_or(&[][..], Vec::as_slice);
            if items.len() != answers.len() {
                return Some(format!("{place} has {} entries, not {}: {answer}", answers.len(), items.len()));
            }
            let pairs = items.iter().zip(answers).enumerate();
            pairs
                .into_iter()
                .find_map(|(at, (want, answer))| differs(&format!("{place}[{at}]"), &spelled_out(want), Some(answer)))
        }
        _ => (want != answer).then(|| format!("{place} is {answer}, not {want}")),
    }
}

fn special(members: &serde_json::Map<String, Value>) -> Option<(bool, &str)> {
    let wanted = |key| members.get(key).and_then(Value::as_str);
    if members.len() != 1 {
        return None;
    }
    wanted("contains").map(|text| (true, text)).or_else(|| wanted("lacks").map(|text| (false, text)))
}

/// `allow` and `deny cap` as the maps they stand for; every other text is itself.
fn spelled_out(want: &Value) -> Value {
    const WORDS: &[&str] = &[
        "proceed", "accept", "accepted", "withhold", "refuse", "reject", "allow", "deny", "ask", "defer", "need",
        "calls", "deliver", "redrive", "abstain", "hold", "release",
    ];
    let mut words = want.as_str().unwrap_or_default().split(' ');
    match (words.next().filter(|word| WORDS.contains(word)), words.next(), words.next()) {
        (Some(decision), None, None) => json!({"decision": decision}),
        (Some(decision), Some(code), None) => json!({"decision": decision, "code": code}),
        _ => want.clone(),
    }
}

/// What is wrong with a case, event by event.
fn problems(case: &Case) -> Vec<String> {
    let mut run = match Run::of(case) {
        Ok(run) => run,
        Err(problem) => return vec![problem],
    };
    if case.events.len() != case.want.len() {
        return vec![format!("{} events and {} entries of `want`", case.events.len(), case.want.len())];
    }
    let pairs = case.events.iter().zip(&case.want).enumerate();
    let answers = pairs.map(|(number, (event, want))| {
        let answer = run.answer(&line_of(number, &run.filled(event)));
        differs("", &spelled_out(want), Some(&answer)).map(|why| format!("event {number}{why}\n    {answer}"))
    });
    answers.collect::<Vec<_>>().into_iter().flatten().collect()
}

/// What is wrong with the cases of a file, and how many there are.
fn judged(path: &Path) -> (Vec<String>, usize) {
    let cases = cases_of(path);
    let problems = cases.iter().filter_map(|case| {
        let problems = problems(case);
        (!problems.is_empty()).then(|| format!("{}: {}\n  {}", path.display(), case.note, problems.join("\n  ")))
    });
    (problems.collect(), cases.len())
}

#[track_caller]
fn assert_file(path: &Path) {
    let (problems, count) = judged(path);
    assert!(count > 0, "there is no case in {}", path.display());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_case_is_answered_as_it_says() {
    let mut problems = Vec::new();
    for path in files_below(Path::new("tests/cases")) {
        let (found, count) = judged(&path);
        assert!(count > 0, "there is no case in {}", path.display());
        problems.extend(found);
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// One test a user case, so that each can be found and run by its number.
macro_rules! user_cases {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            assert_file(Path::new(concat!("tests/cases/user/", stringify!($name), ".yaml")));
        }
    )*

        #[test]
        fn every_user_case_is_a_test_by_its_number() {
            let named = [$(stringify!($name)),*].map(|name| PathBuf::from(format!("tests/cases/user/{name}.yaml")));
            assert_eq!(named.to_vec(), files_below(Path::new("tests/cases/user")));
        }
    };
}

user_cases! {
    a11_numbers_that_arrive_as_strings
    a12_big_integers_and_money_as_decimals
    a13_absent_null_and_the_word_null
    a14_a_deny_cannot_be_lost
    a15_every_element_every_level_every_declared_name
    a16_calls_in_one_turn_share_the_budget
    a17_a_batch_is_matched_by_call_id
    a18_a_retried_call_must_not_act_twice
    a20_a_late_answer_approves_nothing_newer
    a22_what_was_approved_is_what_runs
    a24_zero_means_none
    a28_a_pattern_cannot_stop_the_guard
    a32_bytes_that_are_not_text
    a33_a_repeated_key_in_a_call
    a38_no_lasts_and_yes_covers_what_was_shown
    a39_a_session_is_named_by_the_event
}

/// A case of one call, which is allowed.
fn planted(want: Value) -> Vec<String> {
    let spec = json!("tools: {look: {effect: read}}\n");
    let events = vec![json!({"call": "c1", "tool": "look"})];
    problems(&Case { note: "planted".into(), spec, files: BTreeMap::new(), events, want: vec![want] })
}

#[test]
fn a_wrong_want_fails_and_a_right_one_does_not() {
    for right in [
        json!("allow"),
        json!({"decision": "allow", "call": "c1", "code": "absent"}),
        json!({"session": {"contains": "s"}, "v": {"lacks": "x"}}),
    ] {
        assert_eq!(planted(right.clone()), [""; 0], "{right}");
    }
    for wrong in [
        json!("deny"),
        json!("allow cap"),
        json!({"decision": "allow", "call": "absent"}),
        json!({"call": "c2"}),
        json!({"code": {"contains": "c"}}),
        json!({"session": {"contains": "x"}}),
        json!({"session": {"lacks": "s"}}),
        json!({"calls": []}),
        json!({"decision": ["allow"]}),
    ] {
        assert_eq!(planted(wrong.clone()).len(), 1, "{wrong}");
    }
}

#[test]
fn a_list_of_another_length_and_a_missing_want_fail() {
    let spec = json!("tools: {look: {effect: read}}\n");
    let events = vec![json!({"calls": [{"id": "c1", "tool": "look"}]})];
    let case = |want| {
        let (note, files) = (String::new(), BTreeMap::new());
        Case { note, spec: spec.clone(), files, events: events.clone(), want }
    };
    assert_eq!(problems(&case(vec![json!({"calls": ["allow"]})])), [""; 0]);
    assert_eq!(problems(&case(vec![json!({"calls": []})])).len(), 1);
    assert_eq!(problems(&case(vec![json!({"calls": ["deny"]})])).len(), 1);
    assert_eq!(problems(&case(vec![json!({"calls": ["allow", "allow"]})])).len(), 1);
    assert_eq!(problems(&case(Vec::new())).len(), 1);
}

#[test]
fn a_spec_that_does_not_stand_fails_its_case() {
    let (files, events, want) = (BTreeMap::new(), Vec::new(), Vec::new());
    let case = Case { note: String::new(), spec: json!("tool: {}\n"), files, events, want };
    assert!(problems(&case)[0].contains("tools"), "{:?}", problems(&case));
}

#[test]
fn a_spec_finds_the_files_of_its_case_and_of_the_repository() {
    let tools = "tools: {look: {effect: read}}\n";
    let problems_of = |contract: &str, files: &[(&str, &str)]| {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let spec = json!(format!("contract: {contract}\n{tools}"));
        problems(&Case { note: String::new(), spec, files, events: Vec::new(), want: Vec::new() })
    };
    assert_eq!(problems_of("c.yaml", &[("c.yaml", "contract: 1\nid: c\n")]), [""; 0]);
    assert!(problems_of("c.yaml", &[("c.yaml", "contract: 2\nid: c\n")])[0].contains("unknown-version"));
    assert_eq!(problems_of("contracts/shop.yaml", &[]), [""; 0]);
    assert!(problems_of("c.yaml", &[])[0].contains("c.yaml"));
}

#[test]
fn every_kind_has_cases_of_both_verdicts() {
    for kind in flyball::guards::KINDS {
        let cases = cases_of(Path::new(&format!("tests/cases/guards/{}.yaml", kind.about().name)));
        let wants = cases.iter().flat_map(|case| &case.want).map(|want| spelled_out(want)["decision"].clone());
        let verdicts: Vec<Value> = wants.collect();
        // A mutator stops nothing: its own tests say what it changes.
        let (passes, stops) = match kind.about().hooks {
            [Hook::OnReply] => (["deliver"].as_slice(), ["redrive", "need", "deliver"].as_slice()),
            _ => (["allow"].as_slice(), ["deny", "need"].as_slice()),
        };
        let is_wanted = |words: &[&str]| words.iter().any(|word| verdicts.contains(&json!(word)));
        assert!(is_wanted(passes) && is_wanted(stops), "{}", kind.about().name);
    }
}
