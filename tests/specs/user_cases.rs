//! What users report about loading specs, in both directions. The numbers are those of the collection.

use crate::disk::{Loaded, linted, load_text};
use flyball::diagnostic::Severity;

pub(super) fn spec(rest: &str) -> Loaded {
    load_text(&format!("agentspec: 1\nid: case\npersona: You are the desk.\n{rest}"))
}

/// `line: rule` of every diagnostic.
pub(super) fn told(loaded: &Loaded) -> Vec<String> {
    let told = |problem: &flyball::diagnostic::Diagnostic| {
        let place = problem.place(&loaded.sources);
        format!("{}: {}", place.split(':').nth(1).unwrap(), problem.rule)
    };
    loaded.diagnostics.iter().map(told).collect()
}

fn help(loaded: &Loaded, rule: &str) -> String {
    let found = loaded.diagnostics.iter().find(|problem| problem.rule == rule);
    found.and_then(|problem| problem.help.clone()).unwrap_or_default()
}

const CRM: &str = "\
tools:
  mcp__crm__get_lead: {effect: read}
  mcp__crm__delete_lead: {effect: write}
  mcp__crm-eu__delete_lead: {effect: write}
  read_file: {effect: read}
guards:
  preTool:
    - {id: partial, tools: ['mcp__crm__get*'], action: allow}
    - {id: server, tools: ['mcp__crm__*'], action: audit}
    - {id: any-mcp, tools: ['mcp__*__delete_*'], kind: forbid}
";

#[test]
fn a01_a_matcher_that_can_match_nothing_is_an_error() {
    let bare = "    - {id: bare, tools: [mcp__crm], kind: forbid}\n";
    let typo = "    - {id: typo, tools: ['mcp__crn__*'], kind: forbid}\n";
    let loaded = spec(&format!("{CRM}{bare}{typo}"));
    assert_eq!(told(&loaded), ["14: matches-nothing", "15: matches-nothing"]);
    assert_eq!(loaded.diagnostics[0].help.as_deref(), Some("for every tool of that server write `crm/*`"));
    for pattern in ["Mcp__crm__*", "crm/get-*", "*lead", "crm", "read_fil", "*/read_file", "mcp__*"] {
        let guard = format!("    - {{id: none, tools: ['{pattern}'], kind: forbid}}\n");
        assert_eq!(told(&spec(&format!("{CRM}{guard}"))), ["14: matches-nothing"], "{pattern}");
    }
}

#[test]
fn a01_a_matcher_means_exactly_these_tools() {
    let (_, policy) = spec(CRM).clean();
    let cases: &[(&str, &[&str])] = &[
        ("mcp__crm__get_lead", &["partial", "server"]),
        ("crm/get_lead", &["partial", "server"]),
        ("mcp__crm__delete_lead", &["server", "any-mcp"]),
        ("mcp__crm-eu__delete_lead", &["any-mcp"]),
        ("read_file", &[]),
    ];
    for (tool, wanted) in cases {
        let rules = policy.rules_about(tool).unwrap();
        let own: Vec<&str> = rules.into_iter().filter(|rule| !rule.starts_with("auto/")).collect();
        assert_eq!(own, *wanted, "{tool}");
    }
    assert_eq!(policy.rules_about("mcp__crm__get"), None);
}

const EXPORT: &str = "\
tools:
  export:
    effect: read
    parameters:
      type: object
      properties: {region: {type: [string, 'null']}, limit: {type: [integer, 'null']}}
guards:
  preTool:
    - {id: eu-only, tools: [export], kind: argOneOf, with: {arg: region, values: [eu]}, missing: deny}
    - {id: big, tools: [export], kind: argRange, with: {arg: limit, max: 1000}, missing: skip}
";

#[test]
fn a13_a_guard_on_optional_fields_loads_and_a_misspelt_one_does_not() {
    spec(EXPORT).clean();
    let cases = [
        ("arg: region", "arg: regoin", "does-not-fit", "did you mean `region`?"),
        ("arg: limit", "arg: args.limit", "does-not-fit", "a path has no root; leave `args.` out"),
        ("missing: skip", "missing: skp", "unknown-word", "did you mean `skip`?"),
        ("missing: deny", "misssing: deny", "unknown-key", "did you mean `missing`?"),
        ("kind: argOneOf", "kind: argOnOf", "unknown-kind", "did you mean `argOneOf`?"),
        (
            "tools: [export], kind: argRange",
            "tools: [exprot], kind: argRange",
            "matches-nothing",
            "did you mean `export`?",
        ),
        ("effect: read", "effect: raed", "unknown-word", "did you mean `read`?"),
        ("type: [integer, 'null']", "type: [int, 'null']", "bad-schema", "did you mean `integer`?"),
    ];
    for (right, wrong, rule, cure) in cases {
        assert!(EXPORT.contains(right), "{right}");
        let loaded = spec(&EXPORT.replacen(right, wrong, 1));
        assert_eq!(loaded.rules(), [rule], "{wrong}: {:#?}", loaded.lines());
        assert_eq!(help(&loaded, rule), cure, "{wrong}");
    }
}

#[test]
fn a13_a_kind_that_reads_numbers_does_not_stand_on_a_text() {
    let loaded = spec(&EXPORT.replacen("arg: limit", "arg: region", 1));
    assert_eq!(loaded.rules(), ["does-not-fit"]);
    assert!(loaded.lines()[0].contains("and this kind reads a number"), "{:#?}", loaded.lines());
}

#[test]
fn a24_a_limit_is_a_whole_number_from_zero() {
    let budgets =
        |of: &str| spec(&format!("tools: {{search: {{effect: read}}, delete: {{effect: write}}}}\nbudgets:\n{of}"));
    let bad = budgets(
        "  - {id: n, count: calls, max: -1}\n  - {id: f, count: calls, max: 2.5}\n  - {id: q, count: calls, max: .nan}\n",
    );
    let lines: Vec<String> = told(&bad);
    for wanted in ["6: bad-count", "7: bad-count", "8: inexact-number"] {
        assert!(lines.iter().any(|line| line == wanted), "{lines:?}");
    }
    assert!(bad.policy.is_none());
    budgets("  - {id: a, count: calls, tools: [search], max: 2}\n  - {id: z, count: calls, tools: [delete], max: 0}\n")
        .clean();
    budgets("  - {id: a, count: calls, max: 2.0}\n").clean();
}

#[test]
fn a33_the_second_of_two_equal_keys_does_not_win() {
    let loaded = spec(
        "tools: {read_file: {effect: read}}\nguards: {preTool: [{id: g1, tools: '*', kind: precondition, with: {check: world.country == no}}]}\ntools: {read_file: {effect: read}, shell: {effect: external}}\n",
    );
    assert_eq!(told(&loaded), ["6: duplicate-key"]);
    let [twice] = loaded.diagnostics.as_slice() else { panic!("{:#?}", loaded.lines()) };
    let first = twice.labels[0].span;
    assert_eq!(loaded.sources.file(first.file).unwrap().line_column(first.start).line, 4);
    let bare = spec(
        "tools: {read_file: {effect: read}}\nguards: {preTool: [{id: g1, tools: '*', kind: precondition, with: {check: world.country == no}}]}\n",
    );
    assert_eq!(told(&bare), ["5: unknown-name"]);
    spec("tools: {read_file: {effect: read}}\nguards: {preTool: [{id: g1, tools: '*', kind: precondition, with: {check: world.country == 'no'}}]}\n").clean();
}

/// What is said about a spec, in order.
type Told = &'static [(&'static str, Severity)];

const LOOK_ALIKES: &str = "\
mode: observe
tools: {shell: {effect: external, parameters: {type: object, properties: {country: {type: string}, at: {type: string}}}}}
controls: {auto: {noDuplicateCall: false}}
guards:
  preTool:
    - {id: denied, tools: shell, kind: argOneOf, with: {arg: country, not: ['no', se, dk]}}
    - {id: hours, tools: shell, kind: argOneOf, with: {arg: at, values: ['12:30', '1_000', '0123']}}
";

#[test]
fn a33_a_word_that_readers_disagree_on_is_never_taken_silently() {
    spec(LOOK_ALIKES).clean();
    let cases: &[(&str, &str, Told)] = &[
        ("observe", "off", &[("ambiguous-scalar", Severity::Warning), ("unknown-word", Severity::Error)]),
        ("'no'", "no", &[("ambiguous-scalar", Severity::Warning)]),
        ("'12:30'", "12:30", &[("ambiguous-scalar", Severity::Warning)]),
        ("'1_000'", "1_000", &[("ambiguous-scalar", Severity::Warning)]),
        ("'0123'", "0123", &[("ambiguous-scalar", Severity::Warning)]),
        ("noDuplicateCall: false", "noDuplicateCall: 'false'", &[("wrong-type", Severity::Error)]),
        ("guards:", "guard:", &[("unknown-key", Severity::Error)]),
        ("preTool:", "pretool:", &[("unknown-key", Severity::Error)]),
    ];
    for (right, wrong, wanted) in cases {
        assert!(LOOK_ALIKES.contains(right), "{right}");
        let loaded = spec(&LOOK_ALIKES.replacen(right, wrong, 1));
        let mut found: Vec<(&str, Severity)> =
            loaded.diagnostics.iter().map(|problem| (problem.rule, problem.severity)).collect();
        found.sort();
        assert_eq!(found, *wanted, "{wrong}: {:#?}", loaded.lines());
    }
}

#[test]
fn a33_a_misspelt_hook_or_section_names_the_right_one() {
    assert_eq!(help(&spec(&LOOK_ALIKES.replacen("guards:", "guard:", 1)), "unknown-key"), "did you mean `guards`?");
    assert_eq!(help(&spec(&LOOK_ALIKES.replacen("preTool:", "pretool:", 1)), "unknown-key"), "did you mean `preTool`?");
}

#[test]
fn a33_a_key_sent_twice_in_a_call_is_rejected() {
    let call = |args: &str| {
        format!(
            r#"{{"v":"flyball/1","type":"toolProposed","id":"e1","session":"s","call":"c1","tool":"refund","args":{args}}}"#
        )
    };
    let twice = call(r#"{"amount_cents":100,"amount_cents":900000}"#);
    assert_eq!(flyball::event::read(twice.as_bytes()).unwrap_err().code, "duplicate_key");
    assert!(flyball::event::read(call(r#"{"amount_cents":100}"#).as_bytes()).is_ok());
}

#[test]
fn a13_a_guard_on_an_optional_field_says_what_its_absence_means() {
    let unsaid = EXPORT.replacen(", missing: deny", "", 1);
    let loaded = linted(spec(&unsaid));
    let about = |loaded: &Loaded| loaded.rules().into_iter().filter(|rule| *rule == "unsaid-missing").count();
    assert_eq!(about(&loaded), 1, "{:#?}", loaded.lines());
    assert_eq!(about(&linted(spec(EXPORT))), 0);
}

#[test]
fn a24_none_is_remarked_and_no_error() {
    let budget = |max: &str| {
        linted(spec(&format!(
            "tools: {{delete: {{effect: write}}}}\nbudgets:\n  - {{id: z, count: calls, tools: [delete], max: {max}}}\n"
        )))
    };
    let found = budget("0");
    let remark = found.diagnostics.iter().find(|found| found.rule == "zero-budget").unwrap();
    assert_eq!(remark.severity, Severity::Note);
    assert!(found.policy.is_some() && !budget("1").rules().contains(&"zero-budget"));
}

#[test]
fn a28_a_pattern_that_looks_around_or_grows_too_large_is_an_error_and_a_slow_looking_one_is_not() {
    let guard = |pattern: &str| {
        spec(&format!(
            "tools: {{note: {{effect: read, parameters: {{type: object, required: [text], properties: {{text: {{type: string}}}}}}}}}}\n\
             guards: {{preTool: [{{id: r, tools: [note], check: \"!args.text.matches('{pattern}')\", prose: p, correction: Do c.}}]}}\n"
        ))
    };
    guard("([a-z]+)*=$").clean();
    guard("^[0-9]{4}$").clean();
    for pattern in ["(?<=key=)[a-z]+", "([a-z0-9_]{1,200}){1,200}", "(a)\\\\\\\\1"] {
        let loaded = guard(pattern);
        assert!(loaded.policy.is_none() && !loaded.rules().is_empty(), "{pattern}: {:?}", loaded.lines());
    }
}
