//! The documents say what the program does: what stands between their markers is made here and compared.
//!
//! A part opens with `<!-- begin: NAME -->` and ends with `<!-- end: NAME -->`. `FLYBALL_UPDATE_DOCS=1` writes the parts
//! anew instead of comparing, except where `CI` is set.

use crate::support::{flyball, flyball_in, repository};
use flyball::decode::{Field, Shape, Type};
use flyball::guards::{About, KINDS};
use flyball::lint::{RULES, Rule};
use flyball::spec::shapes::{CONTRACT, EXPRESSION_PARAMETER, PACK, SPEC};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The documents of the repository, by path.
pub(crate) fn documents() -> Vec<(PathBuf, String)> {
    let top = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| repository().join(name));
    let docs = std::fs::read_dir(repository().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = top.into_iter().chain(docs).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// The names of the generated parts of a text.
fn parts(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("<!-- begin: ")?.strip_suffix(" -->")).collect()
}

/// The text with a part put in.
fn with_part(text: &str, name: &str, part: &str) -> String {
    let (begin, end) = (format!("<!-- begin: {name} -->\n"), format!("<!-- end: {name} -->"));
    let (head, rest) = text.split_once(&begin).unwrap();
    let (_, tail) = rest.split_once(&end).unwrap_or_else(|| panic!("`{name}` does not end"));
    format!("{head}{begin}{part}{end}{tail}")
}

/// What the part of a name holds now.
fn generated(name: &str) -> String {
    match name.split_once(' ').unwrap_or((name, "")) {
        ("run", command) => ran(command),
        ("file", path) => crate::examples::fenced(path),
        ("keys", shape) => keys(shapes()[shape]),
        ("commands", _) => commands(),
        ("findings", _) => findings(),
        ("rules", _) => rules(),
        ("kinds", _) => KINDS.iter().map(|kind| explained(kind.about())).collect(),
        _ => panic!("nobody knows how to make `{name}`"),
    }
}

/// True where documents are written and not compared.
pub(crate) fn updates() -> bool {
    std::env::var_os("FLYBALL_UPDATE_DOCS").is_some() && std::env::var_os("CI").is_none()
}

#[test]
fn generated_parts_are_current() {
    for (path, text) in documents() {
        let current = parts(&text).iter().fold(text.clone(), |text, name| with_part(&text, name, &generated(name)));
        if current != text && updates() {
            std::fs::write(&path, current).unwrap();
        } else {
            assert!(
                current == text,
                "`{}` is out of date: FLYBALL_UPDATE_DOCS=1 cargo test -p flyball-cli",
                path.display()
            );
        }
    }
}

#[test]
fn a_part_that_is_out_of_date_is_seen() {
    let text = "a\n<!-- begin: keys a guard -->\nold\n<!-- end: keys a guard -->\nb\n";
    assert_eq!(parts(text), ["keys a guard"]);
    assert_ne!(with_part(text, "keys a guard", &generated("keys a guard")), text);
    assert_eq!(with_part(text, "keys a guard", "old\n"), text);
}

#[test]
fn schemas_are_current() {
    for (path, arguments) in [
        ("schemas/agentspec-1.json", &["schema"][..]),
        ("schemas/contract-1.json", &["schema", "--contract"]),
        ("schemas/pack-1.json", &["schema", "--pack"]),
    ] {
        let (file, current) = (repository().join(path), flyball(arguments).stdout);
        if updates() {
            std::fs::write(&file, &current).unwrap();
        }
        assert!(std::fs::read_to_string(file).unwrap() == current, "`{path}` is not what `flyball schema` prints");
    }
}

#[test]
fn every_map_of_the_format_and_every_kind_is_documented() {
    let text = |name: &str| std::fs::read_to_string(repository().join("docs").join(name)).unwrap();
    let (format, guards) = (text("spec-format.md"), text("guards.md"));
    for name in shapes().keys() {
        assert!(format.contains(&format!("<!-- begin: keys {name} -->")), "`{name}` has no table");
    }
    for kind in KINDS {
        assert!(guards.contains(&format!("\n### {}\n", kind.about().name)));
    }
}

/// Every line marked `INVARIANT` in the source of the library and the edges, by file.
fn invariants(folder: &str, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(repository().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}/{}", entry.file_name().into_string().unwrap());
        if entry.path().is_dir() {
            invariants(&path, found);
        } else if std::fs::read_to_string(entry.path()).unwrap_or_default().contains("// INVARIANT:") {
            found.push(path);
        }
    }
}

#[test]
fn every_invariant_and_every_module_has_its_place_in_the_architecture() {
    let text = std::fs::read_to_string(repository().join("docs/architecture.md")).unwrap();
    let mut found = Vec::new();
    ["src", "crates/io/src", "crates/cli/src"].iter().for_each(|folder| invariants(folder, &mut found));
    assert!(found.len() >= 5);
    found.retain(|path| !text.contains(&format!("| `{path}` |")));
    assert_eq!(found, [""; 0], "no test is named for what these lean on");
    let library = std::fs::read_to_string(repository().join("src/lib.rs")).unwrap();
    for module in library.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')) {
        assert!(text.contains(&format!("\n* `{module}`: ")), "`{module}` is not explained");
    }
}

/// A test that a document names is there: `path::name` in backticks, or the path alone.
#[test]
fn the_tests_that_hold_the_laws_exist() {
    let text = std::fs::read_to_string(repository().join("docs/architecture.md")).unwrap();
    let mut found = 0;
    for named in text.split('`').skip(1).step_by(2).filter(|named| named.contains(".rs")) {
        let (path, test) = named.split_once("::").unwrap_or((named, ""));
        let file = repository().join(path);
        let source = std::fs::read_to_string(&file).unwrap_or_else(|_| panic!("`{named}` is not there"));
        assert!(test.is_empty() || source.contains(&format!("fn {test}(")), "`{named}` is not there");
        found += usize::from(!test.is_empty());
    }
    assert!(found >= 10, "only {found} tests are named");
}

#[test]
fn links_between_documents_lead_somewhere() {
    for (path, text) in documents() {
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.starts_with("http") {
                assert!(path.parent().unwrap().join(target).exists(), "`{}` links to `{link}`", path.display());
            }
        }
    }
}

/// What a command of the README prints, run in the root.
fn ran(command: &str) -> String {
    let arguments: Vec<&str> = command.split_whitespace().collect();
    let run = flyball_in(&repository(), &arguments);
    assert_eq!(run.stderr, "", "{command}");
    format!("```text\n{}```\n", run.stdout)
}

/// The subcommands, as `--help` lists them.
fn commands() -> String {
    let help = flyball(&["--help"]).stdout;
    let listed = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let mut rows = String::from("| command | what it does");
    for line in listed.lines() {
        match line.strip_prefix("  ").and_then(|line| line.split_once(' ')).filter(|(name, _)| !name.is_empty()) {
            Some((name, about)) => rows.extend([" |\n| `flyball ", name, "` | ", about.trim()]),
            None => rows.extend([" ", line.trim()]),
        }
    }
    rows.replacen(" |\n", " |\n| --- | --- |\n", 1) + " |\n"
}

/// Every map with known keys, by its name without quotes.
fn shapes() -> BTreeMap<String, &'static Shape> {
    fn add(shape: &'static Shape, found: &mut BTreeMap<String, &'static Shape>) {
        if found.insert(shape.name.replace('`', ""), shape).is_none() {
            shape.fields.iter().for_each(|field| inner(&field.ty, found));
        }
    }
    fn inner(ty: &'static Type, found: &mut BTreeMap<String, &'static Shape>) {
        match ty {
            Type::Shape(shape) => add(shape, found),
            Type::List(ty) | Type::OneOrMany(ty) | Type::Map(ty) => inner(ty, found),
            Type::Either(forms) => forms.iter().for_each(|form| inner(form, found)),
            _ => {}
        }
    }
    let mut found = BTreeMap::new();
    add(&SPEC, &mut found);
    add(&CONTRACT, &mut found);
    add(&PACK, &mut found);
    add(&EXPRESSION_PARAMETER, &mut found);
    found
}

fn keys(shape: &Shape) -> String {
    let row = |field: &Field| {
        let needed = if field.required { "required" } else { "" };
        format!("| `{}` | {needed} | {} | {} |\n", field.key, cell(&field.ty.words()), cell(field.doc))
    };
    let rows: String = shape.fields.iter().map(row).collect();
    format!("| key | | holds | meaning |\n| --- | --- | --- | --- |\n{rows}")
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn explained(about: &About) -> String {
    let hooks: Vec<&str> = about.hooks.iter().map(|hook| hook.name()).collect();
    let automatic = if about.automatic { "; every spec has it without asking" } else { "" };
    let docs = about.docs.trim_end().replace("## ", "#### ");
    let parameters = if about.parameters.fields.is_empty() { "None.\n".into() } else { keys(about.parameters) };
    format!(
        "### {}\n\nHook {}, dimension {}{automatic}.\n\n{docs}\n\n#### Parameters\n\n{parameters}\n",
        about.name,
        hooks.join(", "),
        about.dimension.name()
    )
}

/// Every rule of the linter: a table, then the page of each.
fn rules() -> String {
    let listed = flyball(&["rules", "--format", "json"]).stdout;
    let row = |(rule, line): (&&Rule, &str)| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let (summary, severity) = (cell(line["summary"].as_str().unwrap()), rule.severity.name());
        let link = format!("#{}-{}", rule.name, rule.code.to_lowercase());
        format!("| {} | [`{}`]({link}) | {severity} | {summary} |\n", rule.code, rule.name)
    };
    let page = |rule: &&Rule| {
        let docs = rule.docs.trim().replace("\n## ", "\n### ");
        format!("\n## {} ({})\n\nSeverity: {}.\n\n#{docs}\n", rule.name, rule.code, rule.severity.name())
    };
    let rows: String = RULES.iter().zip(listed.lines()).map(row).collect();
    let pages: String = RULES.iter().map(page).collect();
    format!("| code | rule | severity | what it does |\n| --- | --- | --- | --- |\n{rows}{pages}")
}

/// What the reader says of each example in `specs/bad`: the finding that the file is named after.
fn findings() -> String {
    let mut rows = BTreeMap::new();
    for entry in std::fs::read_dir(repository().join("specs/bad")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some((rule, "yaml")) = name.split_once('.') else { continue };
        let run = flyball_in(&repository(), &["lint", "--format", "json", &format!("specs/bad/{name}")]);
        let found = run.stdout.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let Some(finding) = found.into_iter().find(|finding| finding["rule"] == rule) else { continue };
        let text = |key: &str| cell(finding[key].as_str().unwrap_or_default());
        rows.insert(rule.to_owned(), format!("| `{rule}` | {} | {} |\n", text("message"), text("help")));
    }
    format!("| rule | for example | help |\n| --- | --- | --- |\n{}", rows.into_values().collect::<String>())
}

/// The kinds of looprun: those of 0.20, those of the seed era that are gone or different there, and those of its rebuild.
const SEEDS: &[&str] = &[
    "argAbsent",
    "argFormat",
    "argRequired",
    "blockPattern",
    "brokenReply",
    "checkResult",
    "claimIsComplete",
    "claimIsGrounded",
    "confirmFirst",
    "consentRequired",
    "custom",
    "degenerationGuard",
    "destructiveClaimRequiresSuccess",
    "destructiveThrottle",
    "emptyReply",
    "forbidThisTurn",
    "groundedDates",
    "groundedIds",
    "hallucinationCheck",
    "impossibilityCheck",
    "injectionCheck",
    "jargonScrub",
    "labelExists",
    "labelProvenance",
    "lieCheck",
    "llmCheck",
    "llmCheckLie",
    "maskPattern",
    "maxCalls",
    "maxCallsPerConversation",
    "maxCallsPerTurn",
    "maxDestructive",
    "minimalDisclosure",
    "mustAccountFor",
    "mutator",
    "noActAfterAskSameTurn",
    "noCompetitorClaim",
    "noDuplicateCall",
    "noFabricatedSuccess",
    "noFalseFailureClaim",
    "noInstructionFromData",
    "noOutOfSurfaceActionClaim",
    "noUngroundedRegulatedFigure",
    "onlyAfter",
    "pendingConfirmMustAsk",
    "precondition",
    "purgePattern",
    "questionAnswered",
    "replyConfirmsLabels",
    "replyMaxOccurrences",
    "replyMustMention",
    "replyNoProductionClaim",
    "replySingleQuestion",
    "requiresBefore",
    "resultInvariant",
    "swapTerms",
    "valueFromUser",
];

/// Words of the table that are no kinds: keys of the format.
const KEYS: &[&str] = &["flow", "required", "pattern", "check", "postTool", "onReply", "onInput", "any", "all"];

/// What is wrong with the table of the seeds' names.
fn misnamed(page: &str) -> Vec<String> {
    let table = page.split("## The names of the seeds").nth(1).unwrap_or_default();
    let rows: Vec<Vec<&str>> =
        table.lines().filter(|line| line.starts_with("| `")).map(|line| line.split('|').collect()).collect();
    let ticked = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let named: BTreeSet<String> = rows.iter().flat_map(|row| ticked(row[1])).collect();
    let missing = SEEDS.iter().filter(|seed| !named.contains(**seed)).map(|seed| format!("`{seed}` has no row"));
    let is_plain = |word: &String| word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_known = |word: &str| KINDS.iter().any(|kind| kind.about().name == word) || KEYS.contains(&word);
    let ours = rows.iter().flat_map(|row| ticked(row[2])).filter(is_plain);
    let strays = ours.filter(|word| !is_known(word)).map(|word| format!("`{word}` is no kind"));
    missing.chain(strays).collect()
}

#[test]
fn every_kind_of_the_seeds_has_its_row_and_every_row_leads_to_a_kind() {
    let page = std::fs::read_to_string(crate::support::repository().join("docs/guards.md")).unwrap();
    assert_eq!(misnamed(&page), [""; 0]);
    let without = page.replace("| `mustAccountFor` |", "| `mustAccount` |");
    assert_eq!(misnamed(&without), ["`mustAccountFor` has no row"]);
    let astray = page.replace("kind `maxMentions`", "kind `mostMentions`");
    assert_eq!(misnamed(&astray), ["`mostMentions` is no kind"]);
}
