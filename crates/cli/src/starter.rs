//! The texts that `flyball init` writes.

use crate::tools_file::Tools;

/// Where a new spec finds its schema, from its own folder.
pub(crate) const SCHEMA: &str = "schemas/agentspec-1.json";

const HEAD: &str = "\
# yaml-language-server: $schema=../schemas/agentspec-1.json
# What this agent may do. `flyball lint` checks it, `flyball render` prints what it teaches the model, and
# `flyball check` decides one call.
agentspec: 1
";

const EXAMPLE: &str = "\
# Replace these two by the tools of your loop: what each does to the world, and what it takes.
tools:
  find_note:
    description: Find one note by its id.
    effect: read  # read looks, write changes something of ours, external reaches others
    parameters:
      type: object
      required: [note_id]
      properties:
        note_id: {type: string, maxLength: 40, description: The id of the note.}
  replace_note:
    description: Replace the text of one note.
    effect: write
    label: replacing the text of note {args.note_id}
    parameters:
      type: object
      required: [note_id, text]
      properties:
        note_id: {type: string, maxLength: 40, description: The id of the note.}
        text: {type: string, maxLength: 2000, description: The whole new text.}

# What must have happened before.
flow:
  - {id: look-first, from: find_note, to: replace_note, same: note_id}

# What is checked of each call. `flyball guards` lists the kinds there are.
guards:
  preTool:
    - id: no-links
      tools: [replace_note]
      check: \"!args.text.contains('://')\"
      prose: a note holds no links
      correction: Write the note without links.

# How much may be done.
budgets:
  - {id: changes, count: calls, effects: [write], scope: session, max: 10}
  - {id: tries, count: attempts, scope: turn, max: 12}  # denied calls count too, so a stuck agent stops
";

const LOOKING: &str = "
# How much may be done.
budgets:
  - {id: tries, count: attempts, scope: turn, max: 12}  # denied calls count too, so a stuck agent stops
";

/// A spec that is to be filled in.
pub(crate) fn spec(id: &str, tools: Option<&Tools>) -> String {
    match tools {
        None => format!("{HEAD}id: {id}\npersona: You look notes up and keep them current.\n\n{EXAMPLE}"),
        Some(tools) => {
            let rest = if tools.acts.is_empty() { LOOKING.to_owned() } else { acting(tools) };
            let persona = "persona: You are an assistant.  # say who the agent is, and for whom";
            format!("{HEAD}id: {id}\n{persona}\n\ntools:\n{}{rest}", tools.yaml)
        }
    }
}

fn acting(tools: &Tools) -> String {
    let effects = tools.acts.iter().copied().collect::<Vec<_>>().join(", ");
    format!(
        "
# Until you write guards of your own, somebody is asked about each call that does more than look. `flyball guards` lists
# the kinds of guard there are.
approvals: {{require: [{effects}]}}

# How much may be done.
budgets:
  - {{id: changes, count: calls, effects: [{effects}], scope: session, max: 10}}
  - {{id: tries, count: attempts, scope: turn, max: 12}}  # denied calls count too, so a stuck agent stops
"
    )
}

/// A configuration that lints these folders.
pub(crate) fn configuration(paths: &[String]) -> String {
    let paths: Vec<String> = paths.iter().map(|path| format!("{path:?}")).collect();
    format!(
        "\
# What `flyball lint` does here without arguments.
paths = [{}]
# exclude = [\"specs/drafts\"]
# Warnings fail too.
deny = \"warnings\"

# How bad the findings of a rule are: \"off\", \"note\", \"warning\" or \"error\". `flyball rules` lists the rules.
[rules]
# unused-let = \"error\"

# The same for some files only.
# [[files]]
# paths = [\"specs/trial/**\"]
# rules = {{left-observing = \"off\"}}
",
        paths.join(", ")
    )
}

/// Where the source of this build is, if its manifest says so.
#[expect(clippy::disallowed_macros, reason = "the manifest is read when this is built")]
const ADDRESS: &str = env!("CARGO_PKG_REPOSITORY");

/// The version of this build.
#[expect(clippy::disallowed_macros, reason = "the manifest is read when this is built")]
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// True if the workflow takes the address of the source from a variable.
pub(crate) const NEEDS_ADDRESS: bool = ADDRESS.is_empty();

/// A workflow that lints on every push.
pub(crate) fn workflow() -> String {
    let (note, source) = match ADDRESS {
        "" => (
            "# The variable FLYBALL_REPOSITORY (Settings, Secrets and variables, Actions) is the address of Flyball's source.\n",
            "${{ vars.FLYBALL_REPOSITORY }}",
        ),
        address => ("", address),
    };
    format!(
        "\
# Lints the specs of this repository; each finding is shown at its line.
{note}name: flyball
on: [push, pull_request]
permissions:
  contents: read
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Keep flyball between runs  # change the key to build a newer one
        id: kept
        uses: actions/cache@v4
        with:
          path: ~/.cargo/bin/flyball
          key: flyball-{VERSION}-${{{{ runner.os }}}}
      - name: Install flyball
        if: steps.kept.outputs.cache-hit != 'true'
        env:
          SOURCE: {source}
        run: cargo install --locked --git \"$SOURCE\" flyball-cli
      - name: Lint
        run: flyball lint --format github
"
    )
}
