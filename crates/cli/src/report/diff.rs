//! What two versions of a spec decide otherwise, and the calls that show it.

use super::{Format, prose};
use flyball::canon::{ObjectWriter, write_array, write_string};
use flyball::diff::{Change, Comparison, Scene};

/// A comparison, for people or for programs.
pub(crate) fn comparison(format: Format, comparison: &Comparison) -> String {
    match format {
        Format::Human => human(comparison),
        Format::Json => json(comparison),
    }
}

fn human(comparison: &Comparison) -> String {
    let mut text = String::new();
    for change in &comparison.changes {
        let Change { tool, from, to, by, scene } = change;
        let (tool, by) = (prose(tool), prose(by));
        let head = match change.loosens() {
            true => format!("looser    `{tool}` was {} by `{by}`, is {}", from.name(), to.name()),
            false => format!("stricter  `{tool}` was {}, is {} by `{by}`", from.name(), to.name()),
        };
        let shown: String = scene.to_string().lines().map(|line| format!("            {}\n", prose(line))).collect();
        text.push_str(&format!("{head}\n{shown}"));
    }
    for line in &comparison.undecided {
        text.push_str(&format!("undecided {}\n", prose(line)));
    }
    let count = |wanted: bool| comparison.changes.iter().filter(|change| change.loosens() == wanted).count();
    let tools = if comparison.unchanged == 1 { "1 tool".to_owned() } else { format!("{} tools", comparison.unchanged) };
    let undecided = comparison.undecided.len();
    text + &format!(
        "{} looser, {} stricter, {undecided} undecided; {tools} proved unchanged\n",
        count(true),
        count(false)
    )
}

fn json(comparison: &Comparison) -> String {
    let mut out = Vec::new();
    let mut object = ObjectWriter::new(&mut out);
    object.field("changes", |out| write_array(&comparison.changes, out, change));
    object.bool("loosened", comparison.is_loosened());
    object.number("unchanged", u64::try_from(comparison.unchanged).unwrap_or(u64::MAX));
    object.field("undecided", |out| write_array(&comparison.undecided, out, |line, out| write_string(line, out)));
    object.finish();
    out.push(b'\n');
    String::from_utf8(out).unwrap_or_default()
}

fn change(change: &Change, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::new(out);
    object.string("by", &change.by).string("from", change.from.word());
    object.field("scene", |out| scene(&change.scene, out));
    object.string("to", change.to.word()).string("tool", &change.tool);
    object.finish();
}

fn scene(scene: &Scene, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::new(out);
    object.value("args", &scene.args).value("attributes", &scene.attributes);
    object.field("earlier", |out| {
        write_array(&scene.earlier, out, |one, out| {
            let mut object = ObjectWriter::new(out);
            object.value("args", &one.args).bool("inNewTurn", one.in_new_turn);
            object.value("result", &one.result).string("tool", &one.tool);
            object.finish();
        });
    });
    object.bool("inNewTurn", scene.in_new_turn);
    object.field("roles", |out| write_array(&scene.roles, out, |role, out| write_string(role, out)));
    object.string("tool", &scene.tool).bool("typed", scene.is_typed);
    object.optional("user", scene.user.as_deref(), write_string).value("world", &scene.world);
    object.finish();
}
