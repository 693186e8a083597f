//! What a ledger shows of secrets and of large values, and what it takes to make the decisions again.

use crate::support::{Scratch, policy};
use flyball::canon::Digest;
use flyball::ledger::Salt;
use flyball::replay::ledger::{Rederived, Rederiver};
use flyball_io::Governor;
use flyball_io::entropy::Entropy;
use flyball_io::ledger::LedgerFolder;
use flyball_io::run::Run;
use std::path::Path;

const SPEC: &str = "
agentspec: 1
id: desk
persona: You are the desk.
tools: {http: {effect: read}, shell: {effect: read}, lookup: {effect: read}, write_file: {effect: write}}
guards:
  preTool:
    - {id: mark, tools: [write_file], kind: argFormat, with: {arg: path, pattern: '[a-z.]+'}}
";

/// Records a session of these calls, each with its result or its error.
fn record(spec: &str, folder: &Path, calls: &[(&str, String, &str)]) {
    // As `serve` does; the decisions must come out the same all the same.
    record_with(spec, folder, calls, Some(Entropy::of_system().unwrap()));
}

fn record_with(spec: &str, folder: &Path, calls: &[(&str, String, &str)], entropy: Option<Entropy>) {
    let (policy, sources) = policy(spec);
    let governor = Governor::with_ledger(policy, &sources, LedgerFolder::open(folder).unwrap()).unwrap();
    let governor = match entropy {
        Some(entropy) => governor.with_entropy(entropy),
        None => governor,
    };
    let tell = |line: String| governor.handle(line.as_bytes()).to_line();
    tell(r#"{"v":"flyball/1","type":"sessionOpened","id":"open","session":"s1","nonce":"n"}"#.into());
    for (number, (tool, args, ended)) in calls.iter().enumerate() {
        let call = format!(r#""session":"s1","call":"c{number}""#);
        let answer = tell(format!(
            r#"{{"v":"flyball/1","type":"toolProposed","id":"p{number}",{call},"tool":"{tool}","args":{args}}}"#
        ));
        if answer.contains(r#""decision":"allow""#) {
            // The tool gets what the model sent: an allow says otherwise where it does not.
            assert!(!answer.contains("\"args\""), "{answer}");
            tell(format!(r#"{{"v":"flyball/1","type":"toolFinished","id":"f{number}",{call},{ended}}}"#));
        }
    }
}

fn rederived(spec: &str, folder: &Path) -> Vec<Rederived> {
    let (policy, _) = policy(spec);
    let run = Run::of(&folder.join("s1.jsonl")).unwrap();
    let mut rederiver = Rederiver::new(&policy);
    run.events().unwrap().iter().map(|event| rederiver.push(event)).collect()
}

fn secret_calls() -> Vec<(&'static str, String, &'static str)> {
    let http = r#"{"url":"https://api.example/x","headers":{"authorization":"Bearer EXAMPLE-aaaa-bbbb","Cookie":"sid=EXAMPLE1"},"retry":[{"auth":{"private_key":"EXAMPLEKEY"}}]}"#;
    let shell = r#"{"command":"export SHOP_API_KEY=sk-EXAMPLE0000000000000000 && ./run.sh"}"#;
    let denied = r#"{"path":"A","password":"EXAMPLEPASS"}"#;
    vec![
        ("http", http.to_owned(), r#""error":"refused: Authorization: Bearer EXAMPLE-cccc-dddd""#),
        ("shell", shell.to_owned(), r#""result":{"token":"EXAMPLETOKEN1"}"#),
        ("write_file", denied.to_owned(), r#""result":null"#),
    ]
}

const SECRETS: &[&str] = &[
    "EXAMPLE-aaaa-bbbb",
    "sid=EXAMPLE1",
    "EXAMPLEKEY",
    "sk-EXAMPLE",
    "EXAMPLE-cccc-dddd",
    "EXAMPLETOKEN1",
    "EXAMPLEPASS",
];

#[test]
fn a26_secrets_at_any_depth_stay_out_of_the_log_and_every_decision_is_still_made_again() {
    let folder = Scratch::new();
    record(SPEC, &folder.0, &secret_calls());
    let log = std::fs::read_to_string(folder.0.join("s1.jsonl")).unwrap();
    for secret in SECRETS {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
    for line in log.lines() {
        flyball::json::parse(line.as_bytes(), &flyball::json::Limits::default()).unwrap();
    }
    let values = std::fs::read_to_string(folder.0.join("s1.values.jsonl")).unwrap();
    assert!(values.contains("EXAMPLE-aaaa-bbbb") && values.contains("EXAMPLEPASS"));
    assert!(rederived(SPEC, &folder.0).iter().all(|outcome| *outcome == Rederived::Same));
}

#[test]
fn a26_ordinary_numbers_times_and_hashes_stay_in() {
    let folder = Scratch::new();
    let args =
        r#"{"commit":"0f3c9a1be57d2248c6aa90e1d47b35f8126e0d7c","created_at":1893456000,"order_id":"4482019375"}"#;
    record(SPEC, &folder.0, &[("lookup", args.to_owned(), r#""result":{"ok":true}"#)]);
    let log = std::fs::read_to_string(folder.0.join("s1.jsonl")).unwrap();
    assert!(log.contains(args) && !log.contains("masked"));
}

#[test]
fn a26_secrets_that_are_not_kept_are_nowhere_and_their_decisions_are_said_to_be_gone() {
    let spec = format!("{SPEC}ledger: {{keepSecrets: false}}\n");
    let folder = Scratch::new();
    record(&spec, &folder.0, &secret_calls());
    for entry in std::fs::read_dir(&folder.0).unwrap() {
        let path = entry.unwrap().path();
        let text = if path.is_file() { std::fs::read_to_string(&path).unwrap() } else { String::new() };
        for secret in SECRETS {
            assert!(!text.contains(secret), "{secret} is in {}", path.display());
        }
    }
    let outcomes = rederived(&spec, &folder.0);
    assert!(outcomes.iter().any(|outcome| matches!(outcome, Rederived::Lost(_))));
    assert!(!outcomes.iter().any(|outcome| matches!(outcome, Rederived::Differs { .. })));
}

#[test]
fn a31_a_large_value_is_a_reference_in_the_log_and_its_bytes_beside_it() {
    let folder = Scratch::new();
    let large = format!(r#"{{"path":"big.txt","text":"{} FORBIDDEN-MARK"}}"#, "A".repeat(1_048_576));
    let small = r#"{"path":"small.txt","text":"kept"}"#.to_owned();
    record(SPEC, &folder.0, &[("write_file", large, r#""result":null"#), ("write_file", small, r#""result":null"#)]);
    let log = std::fs::read_to_string(folder.0.join("s1.jsonl")).unwrap();
    assert!(!log.contains("FORBIDDEN-MARK") && log.contains(r#""n":10486"#) && log.contains("\"kept\""));
    assert!(log.lines().all(|line| line.len() < 4_096), "no line grows with a value");
    let values = std::fs::read_to_string(folder.0.join("s1.values.jsonl")).unwrap();
    assert!(values.contains("FORBIDDEN-MARK"));
    assert!(rederived(SPEC, &folder.0).iter().all(|outcome| *outcome == Rederived::Same));
}

/// The limit that the format states, and the control of the test below.
#[test]
fn without_entropy_a_value_of_few_possibilities_can_be_guessed() {
    let folder = Scratch::new();
    record_with(SPEC, &folder.0, &[("http", r#"{"pin":"4711"}"#.to_owned(), r#""result":null"#)], None);
    let log = std::fs::read_to_string(folder.0.join("s1.jsonl")).unwrap();
    let guess = |pin: &str| Salt::derived(b"2:s1n", "p0", 0).reference(format!(r#"{{"pin":"{pin}"}}"#).as_bytes());
    assert!(log.contains(&guess("4711").to_string()) && !log.contains(&guess("4712").to_string()));
}

#[test]
fn what_is_left_of_a_masked_value_does_not_tell_a_right_guess_from_a_wrong_one() {
    let folder = Scratch::new();
    record(SPEC, &folder.0, &[("http", r#"{"pin":"4711"}"#.to_owned(), r#""result":null"#)]);
    let log = std::fs::read_to_string(folder.0.join("s1.jsonl")).unwrap();
    assert!(log.contains("masked") && !log.contains("4711"));
    let run = b"2:s1n".as_slice();
    for pin in 0..10_000 {
        let args = format!(r#"{{"pin":"{pin:04}"}}"#);
        let line = format!(
            r#"{{"v":"flyball/1","type":"toolProposed","id":"p0","session":"s1","call":"c0","tool":"http","args":{args}}}"#
        );
        let bytes = Digest::of(line.as_bytes());
        let salted = |from: &[u8], number| Salt::derived(from, "p0", number);
        let guesses = [bytes, salted(run, usize::MAX).reference(&bytes.0), salted(run, 0).reference(args.as_bytes())];
        assert!(guesses.iter().all(|guess| !log.contains(&guess.to_string())), "{pin}");
    }
}
