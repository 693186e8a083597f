//! `flyball.toml` and `--rule`: what is linted, and how bad each rule is.

use crate::support::{Folder, Run, flyball_in, flyball_quiet, repository};

const OBSERVES: &[u8] =
    b"agentspec: 1\nid: trial\npersona: x\nmode: observe\ntools: {look: {description: Look., effect: read}}\n";
const BROKEN: &[u8] = b"agentspec: 1\nid: broken\n";

/// A repository with a spec that only observes, one that is broken, and a configuration.
fn folder(name: &str, configuration: &str) -> Folder {
    Folder::of(
        name,
        &[
            (".git/HEAD", b""),
            ("flyball.toml", configuration.as_bytes()),
            ("specs/trial.yaml", OBSERVES),
            ("specs/old/trial.yaml", OBSERVES),
            ("drafts/broken.yaml", BROKEN),
        ],
    )
}

fn lint(folder: &Folder, arguments: &[&str]) -> Run {
    flyball_quiet(folder.path(), &[&["lint"], arguments].concat(), &["left-observing"])
}

/// The files in which a spec is told to observe only.
fn observing(run: &Run) -> Vec<&str> {
    let at = run.stdout.lines().collect::<Vec<_>>();
    let pairs = at.windows(2).filter(|pair| pair[0].contains("[left-observing]"));
    pairs.map(|pair| pair[1].trim_start().trim_start_matches("--> ").split(':').next().unwrap()).collect()
}

#[test]
fn without_arguments_what_the_configuration_names_is_linted() {
    let folder = folder("paths", "paths = [\"specs\"]\nexclude = [\"specs/old\"]\n");
    let run = lint(&folder, &[]);
    assert_eq!((run.code, observing(&run)), (0, vec!["specs/trial.yaml"]), "{run}");
    let below = flyball_in(&folder.path().join("drafts"), &["lint"]);
    assert_eq!(observing(&below), ["../specs/trial.yaml"], "{below}");
    let named = lint(&folder, &["specs/old/trial.yaml"]);
    assert_eq!(observing(&named), ["specs/old/trial.yaml"], "a file that is named is linted: {named}");
    let excluded = lint(&folder, &["specs/old"]);
    assert_eq!(excluded.code, 2, "{excluded}");
    assert!(
        excluded.stderr.starts_with("error: everything below `specs/old` is excluded by `flyball.toml`\n"),
        "{excluded}"
    );
    let beside = lint(&folder, &["specs/old", "drafts"]);
    assert!(beside.stderr.contains("note: everything below `specs/old` is excluded by `flyball.toml`\n"), "{beside}");
}

#[test]
fn without_a_configuration_everything_below_is_linted() {
    let folder = folder("default", "");
    std::fs::remove_file(folder.path().join("flyball.toml")).unwrap();
    let run = lint(&folder, &[]);
    assert_eq!((run.code, observing(&run)), (1, vec!["specs/old/trial.yaml", "specs/trial.yaml"]), "{run}");
}

#[test]
fn levels_are_set_for_all_files_for_some_and_on_the_command_line() {
    let text = "deny = \"warnings\"\n[rules]\nleft-observing = \"error\"\n\
                [[files]]\npaths = [\"specs/old/**\"]\nrules = {left-observing = \"off\"}\n";
    let folder = folder("levels", text);
    let run = lint(&folder, &["specs"]);
    assert_eq!((run.code, observing(&run)), (1, vec!["specs/trial.yaml"]), "{run}");
    assert!(run.stdout.contains("error[left-observing]"), "{run}");
    let run = lint(&folder, &["specs", "--rule", "left-observing=note"]);
    assert_eq!((run.code, observing(&run).len()), (0, 2), "the command line wins: {run}");
    let run = lint(&folder, &["specs/trial.yaml", "--rule", "left-observing=warning"]);
    assert_eq!(run.code, 1, "warnings are denied: {run}");
}

#[test]
fn another_file_is_taken_where_it_is_named() {
    let folder = folder("named", "deny = \"warnings\"\n");
    std::fs::write(folder.path().join("lax.toml"), "[rules]\nleft-observing = \"off\"\n").unwrap();
    let run = lint(&folder, &["specs", "--config", "lax.toml"]);
    assert_eq!((run.code, observing(&run).len()), (0, 0), "{run}");
    let run = lint(&folder, &["specs", "--config", "gone.toml"]);
    assert_eq!(run.code, 2);
    assert_eq!(run.stderr, "error: the configuration `gone.toml` cannot be read: there is no such file\n");
}

#[test]
fn what_is_wrong_in_a_configuration_is_told_with_its_place() {
    for (text, told) in [
        ("path = []\n", "flyball.toml:1:1: unknown field `path`"),
        ("[rules]\nleft-observin = \"off\"\n", "flyball.toml:2:1: there is no rule `left-observin`\n"),
        ("[rules]\nleft-observing = \"quiet\"\n", "flyball.toml:2:18: `quiet` is no level\n"),
    ] {
        let run = lint(&folder("wrong", text), &["specs"]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
        assert!(run.stderr.contains(told), "{run}");
    }
    let folder = folder("wrong-rule", "");
    let run = lint(&folder, &["specs", "--rule", "left-observin=off"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("there is no rule `left-observin`; did you mean `left-observing`?"), "{run}");
}

#[test]
fn an_error_of_loading_cannot_be_lowered() {
    let rules = flyball::lint::RULES.iter();
    let mut of_loading = rules.filter(|rule| {
        matches!(rule.check, flyball::lint::Check::Loading) && rule.severity == flyball::diagnostic::Severity::Error
    });
    let Some(rule) = of_loading.next() else { return };
    let folder = folder("lowered", &format!("[rules]\n{} = \"warning\"\n", rule.name));
    let run = lint(&folder, &["specs"]);
    assert_eq!(run.code, 2, "{run}");
    assert!(run.stderr.contains("cannot be lowered: what it finds keeps a spec from loading"), "{run}");
}

#[test]
fn a_comment_in_a_shared_file_is_idle_only_if_no_spec_needs_it() {
    const LOOK: &str =
        "  look: {description: Look., effect: read, parameters: {type: object, properties: {most: {type: number}}}}\n";
    let base = format!(
        "agentspec: 1\nid: base\npersona: x\nlet:\n  # flyball: allow unused-let -- those who extend this read it\n  \
         largest: 5\ntools:\n{LOOK}"
    );
    let cap = "{id: cap, check: args.most <= largest, missing: skip, prose: Ask for few., correction: Ask for fewer.}";
    let reads = format!("agentspec: 1\nid: reads\nextends: base.yaml\nguards:\n  preTool:\n    - {cap}\n");
    let idle = |files: &[(&str, &str)]| {
        let files: Vec<(&str, &[u8])> = files.iter().map(|(path, text)| (*path, text.as_bytes())).collect();
        let run = flyball_in(Folder::of("needed", &files).path(), &["lint", "."]);
        assert!(run.stdout.contains(" 0 errors"), "{run}");
        run.stdout.matches("nothing here breaks `unused-let`").count()
    };
    let (base, reads) = (("specs/base.yaml", base.as_str()), ("specs/reads.yaml", reads.as_str()));
    assert_eq!(idle(&[base, reads]), 0, "the base itself needs it");
    let everybody_reads =
        base.1.replace("tools:", &format!("guards:\n  preTool:\n    - {}\ntools:", cap.replace("id: cap", "id: own")));
    assert_eq!(idle(&[(base.0, &everybody_reads), reads]), 1, "it is told once");
}

#[test]
fn a_comment_allows_a_finding_in_a_contract_and_in_a_pack() {
    if flyball::lint::Rule::find("ambiguous-scalar").is_none() {
        return;
    }
    let allow = "  # flyball: allow ambiguous-scalar -- a word of the desk";
    let contract = format!("contract: 1\nid: shared\nrules:\n  - no{allow}\n");
    let pack = std::fs::read_to_string(repository().join("guards/money.yaml")).unwrap();
    let pack = pack.replacen("id: money\n", &format!("id: no{allow}\n"), 1);
    let spec = "agentspec: 1\nid: a\ncontract: ../contracts/shared.yaml\npersona: x\ntools: {look: {effect: read}}\n";
    let lint = |contract: &str, pack: &str| {
        let files = [("contracts/shared.yaml", contract), ("guards/no.yaml", pack), ("specs/a.yaml", spec)];
        let folder = Folder::of("allowed", &files.map(|(path, text)| (path, text.as_bytes())));
        flyball_quiet(folder.path(), &["lint", "."], &[])
    };
    let run = lint(&contract, &pack);
    assert_eq!(run.stdout, "1 spec, 1 pack, 0 errors, 0 warnings\n");
    let run = lint(&contract.replace(allow, ""), &pack.replace(allow, ""));
    assert_eq!(run.stdout.matches("[ambiguous-scalar]").count(), 2, "{run}");
}

#[test]
fn paths_may_be_globs_and_one_that_finds_nothing_is_told_with_its_place() {
    let globs = folder("path-globs", "paths = [\"sp*/old\", \"dra*/**\"]\n");
    let run = lint(&globs, &[]);
    assert_eq!(observing(&run), ["specs/old/trial.yaml"], "{run}");
    assert!(run.stdout.contains("2 specs, "), "{run}");
    for (entry, told) in [("spcs", "there is no such file or folder"), ("spcs/*", "it matches no YAML file")] {
        let folder = folder("path-gone", &format!("paths = [\"specs\", \"{entry}\"]\n"));
        let run = lint(&folder, &[]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{run}");
        assert!(
            run.stderr.starts_with(&format!("error: flyball.toml:1:19: `paths` names `{entry}`, and {told}\n")),
            "{run}"
        );
        assert_eq!(lint(&folder, &["specs"]).code, 0, "paths that are not asked for are not looked at");
    }
}

#[test]
fn a_glob_that_matches_nothing_is_warned_of_where_the_configuration_says_what_is_linted() {
    let text = "paths = [\"specs\"]\nexclude = [\"specs/odl\", \"specs/old\", \"drafts\"]\n\
                [[files]]\npaths = [\"specs/tri.yaml\", \"specs/t*.yaml\"]\nrules = {left-observing = \"off\"}\n";
    let folder = folder("idle", text);
    let run = lint(&folder, &[]);
    assert_eq!((run.code, observing(&run).len(), run.stderr.matches("warning:").count()), (0, 0, 2), "{run}");
    assert!(run.stderr.contains("flyball.toml:2:12: `exclude` names `specs/odl`, which matches no YAML file"), "{run}");
    assert!(run.stderr.contains("flyball.toml:4:10: `paths` names `specs/tri.yaml`, which matches nothing"), "{run}");
    assert_eq!(lint(&folder, &["specs"]).stderr, "");
}
