//! `flyball guards`: the catalog of kinds, one kind's documentation, or the rules of a spec by tool.

use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::{Judged, Sound};
use crate::output::Output;
use crate::table::aligned;
use flyball::diagnostic::did_you_mean;
use flyball::guards::{About, Hook, KINDS, Registry};
use flyball::spec::{Layer, Pack, PackKind, Selection, Spec, ToolSpec};
use flyball_io::sources::{self, FileKind};
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLE: &str = "\
Examples:
  flyball guards                             every kind in a line
  flyball guards argRange                    what it checks, why, an example, its parameters
  flyball guards money/cap                   a kind of a pack in the folder `guards`
  flyball guards guards/money.yaml           the kinds of a pack, and their parameters
  flyball guards --of specs/refunds.yaml     the rules of a spec, and the tools they judge";

/// List guard kinds, explain one, or list the rules of a spec
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Guards {
    /// Explain this kind, or the kinds of this pack
    kind: Option<String>,
    /// List only the kinds that every spec has without asking
    #[arg(long, conflicts_with = "kind")]
    auto: bool,
    /// List the rules of this spec by tool, and the tools of each rule
    #[arg(long, value_name = "SPEC", conflicts_with_all = ["kind", "auto"])]
    of: Option<PathBuf>,
}

impl Guards {
    pub(super) fn run(&self, root: Option<&Path>, output: &mut Output) -> Result<Exit, CliError> {
        let text = match (&self.kind, &self.of) {
            (Some(name), _) if name.ends_with(".yaml") => {
                pack_explained(&Judged::of_pack(Path::new(name), root)?, name)?
            }
            (Some(name), _) if name.contains('/') => pack_kind_explained(name, &packs(root, output)?)?,
            (Some(name), _) => explained(find(name)?),
            (None, Some(spec)) => rules_of(&Sound::of(spec, root)?),
            (None, None) => {
                let native = KINDS.iter().map(|kind| kind.about()).filter(|about| about.automatic || !self.auto);
                let packs = if self.auto { Vec::new() } else { packs(root, output)? };
                listed(native, &packs)
            }
        };
        write!(output.out, "{text}")?;
        Ok(Exit::Done)
    }
}

fn find(name: &str) -> Result<&'static About, CliError> {
    let registry = Registry::native();
    registry.find(name).map(|kind| kind.about()).ok_or_else(|| {
        let near = did_you_mean(name, registry.names());
        let help = near.unwrap_or_else(|| "`flyball guards` lists the kinds".into());
        CliError::UnknownKind { name: name.to_owned(), help }
    })
}

/// The packs of the workspace: those in its folder `guards`. One with errors is named and passed over.
fn packs(root: Option<&Path>, output: &mut Output) -> Result<Vec<Pack>, CliError> {
    let folder = root.unwrap_or(Path::new("")).join("guards");
    let found = if folder.is_dir() { sources::find(&folder)? } else { Vec::new() };
    let mut packs = Vec::new();
    for found in found.iter().filter(|found| found.kind == FileKind::Pack) {
        match Judged::of_pack(&found.path, root)?.pack {
            Some(pack) => packs.push(pack),
            None => {
                let path = found.path.display();
                writeln!(output.err, "note: `{path}` has errors and is left out; `flyball lint {path}` lists them")?;
            }
        }
    }
    Ok(packs)
}

fn listed(kinds: impl Iterator<Item = &'static About>, packs: &[Pack]) -> String {
    let mut rows: Vec<[String; 4]> = kinds
        .map(|about| [about.name.to_owned(), hooks(about), about.dimension.name().to_owned(), summary(about)])
        .collect();
    for (pack, kind) in packs.iter().flat_map(|pack| pack.kinds.iter().map(move |kind| (pack, kind))) {
        let name = format!("{}/{}", pack.id.value, kind.name.value);
        rows.push([name, kind.hook.name().to_owned(), "pack".to_owned(), kind.prose.text().to_owned()]);
    }
    aligned(&rows)
}

/// The kinds of one pack, each with what a guard gives it.
fn pack_explained(judged: &Judged, name: &str) -> Result<String, CliError> {
    let is_pack = !judged.diagnostics.iter().any(|problem| problem.rule == "wrong-file");
    let error = if is_pack { CliError::PackHasErrors } else { CliError::NotAPack };
    let pack = judged.pack.as_ref().ok_or_else(|| error(name.into()))?;
    let kinds = pack.kinds.iter().map(|kind| format!("\n## {}\n{}", kind.name.value, about_pack_kind(kind)));
    Ok(format!("# {}\n{}", pack.id.value, kinds.collect::<String>()))
}

fn pack_kind_explained(name: &str, packs: &[Pack]) -> Result<String, CliError> {
    let named = |(pack, kind): &(&Pack, &PackKind)| format!("{}/{}", pack.id.value, kind.name.value);
    let kinds: Vec<(&Pack, &PackKind)> =
        packs.iter().flat_map(|pack| pack.kinds.iter().map(move |kind| (pack, kind))).collect();
    let names: Vec<String> = kinds.iter().map(named).collect();
    match names.iter().zip(&kinds).find(|(known, _)| *known == name) {
        Some((_, (_, kind))) => Ok(format!("# {name}\n{}", about_pack_kind(kind))),
        None => {
            let near = did_you_mean(name, names.iter().map(String::as_str));
            let help = near.unwrap_or_else(|| "of a pack elsewhere, name its file".into());
            Err(CliError::UnknownKind { name: name.to_owned(), help })
        }
    }
}

fn about_pack_kind(kind: &PackKind) -> String {
    let rows: Vec<[String; 2]> = kind.parameters().map(|(name, what)| [name.to_owned(), what]).collect();
    let rows = if rows.is_empty() { "none\n".to_owned() } else { aligned(&rows) };
    let (hook, prose) = (kind.hook.name(), kind.prose.text());
    let (check, correction) = (kind.check.text(), kind.correction.text());
    format!("{hook}: {prose}\n\ncheck: {check}\ncorrection: {correction}\n\n{rows}")
}

fn hooks(about: &About) -> String {
    about.hooks.iter().map(|hook| hook.name()).collect::<Vec<_>>().join(", ")
}

/// The first sentence of what it checks.
fn summary(about: &About) -> String {
    let body = about.docs.split("## ").find_map(|section| section.strip_prefix("What it checks\n"));
    let words = body.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = words.split_once(". ").map_or(words.as_str(), |(first, _)| first);
    sentence.trim_end_matches('.').to_owned()
}

fn explained(about: &About) -> String {
    let automatic = if about.automatic { "; every spec has it without asking" } else { "" };
    let parameters: Vec<[String; 3]> = about
        .parameters
        .fields
        .iter()
        .map(|field| {
            let needed = if field.required { " (required)" } else { "" };
            [format!("{}{needed}", field.key), field.ty.words(), field.doc.to_owned()]
        })
        .collect();
    let parameters = if parameters.is_empty() { "none\n".to_owned() } else { aligned(&parameters) };
    let (name, hooks, dimension) = (about.name, hooks(about), about.dimension.name());
    format!("# {name}\n{hooks}, {dimension}{automatic}\n\n{}\n## Parameters\n{parameters}", about.docs)
}

/// A rule of a spec: its id, what it is, and who it is about.
struct RuleOf<'s> {
    id: &'s str,
    what: &'s str,
    /// `None` for one that judges turns.
    selection: Option<&'s Selection>,
}

/// The rules as the author wrote them: contract, flow, spec, budgets. Automatic ones are the policy's.
fn rules(spec: &Spec) -> Vec<RuleOf<'_>> {
    let of_layer = |layer| {
        let guards = spec.guards.iter().filter(move |guard| guard.layer == layer);
        guards.map(|guard| RuleOf {
            id: &guard.id.value,
            what: guard.kind.unwrap_or(if guard.check.is_some() { "check" } else { guard.action.name() }),
            selection: (guard.hook != Hook::OnInput).then_some(&guard.selection),
        })
    };
    let edges =
        spec.flow.iter().map(|edge| RuleOf { id: &edge.id.value, what: "flow", selection: Some(&edge.selection) });
    let budgets = spec.budgets.iter().map(|budget| RuleOf {
        id: &budget.id.value,
        what: "budget",
        selection: Some(&budget.selection),
    });
    of_layer(Layer::Contract).chain(edges).chain(of_layer(Layer::Spec)).chain(budgets).collect()
}

fn rules_of(sound: &Sound) -> String {
    let rules = rules(&sound.spec);
    let by_tool: Vec<[String; 2]> = sound
        .spec
        .tools
        .iter()
        .map(|tool| [tool.name.value.text().to_owned(), or_none(&judging(sound, &rules, tool))])
        .collect();
    let by_rule: Vec<[String; 3]> = rules
        .iter()
        .map(|rule| {
            let about = rule.selection.map_or_else(
                || "every turn".to_owned(),
                |selection| {
                    or_none(&sound.spec.selected(selection).map(|tool| tool.name.value.text()).collect::<Vec<_>>())
                },
            );
            [rule.id.to_owned(), rule.what.to_owned(), about]
        })
        .collect();
    let by_rule = if by_rule.is_empty() { "none\n".to_owned() } else { aligned(&by_rule) };
    format!("# Rules by tool\n{}\n# Tools by rule\n{by_rule}", aligned(&by_tool))
}

/// The rules that judge a tool, in the order in which they are shown; for a family, those that may.
fn judging<'s>(sound: &'s Sound, rules: &[RuleOf<'s>], tool: &'s ToolSpec) -> Vec<&'s str> {
    let of_policy = sound.policy.rules_about(tool.name.value.text()).unwrap_or_default();
    if tool.name.value.is_exact() {
        return of_policy;
    }
    let of_family = rules.iter().filter(|rule| rule.selection.is_some_and(|selection| selection.may_match(tool)));
    of_family.map(|rule| rule.id).chain(of_policy.into_iter().filter(|id| id.starts_with("auto/"))).collect()
}

fn or_none(names: &[&str]) -> String {
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
