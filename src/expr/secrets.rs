//! Whether a text shows what its spec calls sensitive, however it is written: through a let, an index or a function.
//!
//! What is compared or counted is not shown, and neither is a part that the author cut out of a text.

use super::check::Compiler;
use super::provenance::{Sought, Spring, Start, Way, meets, serving};
use super::template::Template;
use crate::observed::Root;
use crate::source::Span;

/// A value of a text in which something sensitive can be read.
#[derive(Debug)]
pub(crate) struct Secret {
    /// The value, as it is written.
    pub(crate) shown: String,
    /// Where it stands.
    pub(crate) span: Span,
    /// What of it is sensitive: a marked path, or the name of a field.
    pub(crate) marked: String,
}

impl Compiler<'_, '_> {
    /// The values of a text that show what a tool marks `sensitive`, or a field that is hidden wherever it stands.
    pub(crate) fn secrets_in(&self, text: &Template, is_hidden: impl Fn(&str) -> bool) -> Vec<Secret> {
        let secrets = text.values().filter_map(|value| {
            let springs = self.springs(Sought::Shown, value);
            let marked =
                springs.iter().find_map(|spring| self.marked(spring).or_else(|| hidden(spring, &is_hidden)))?;
            Some(Secret { shown: value.text(), span: value.span, marked })
        });
        secrets.collect()
    }

    /// The mark of a tool that is met on the way to a value.
    fn marked(&self, spring: &Spring) -> Option<String> {
        let (tools, root, rest): (Vec<_>, Root, &[Way]) = match &spring.start {
            Start::Args => (self.scope.tool.iter().collect(), Root::Args, &spring.way),
            Start::Result => (self.scope.tool.iter().collect(), Root::Result, &spring.way),
            Start::Calls(tools) => {
                let (root, rest) = match spring.way.split_first() {
                    Some((Way::Key(key), rest)) if key == "args" => (Root::Args, rest),
                    Some((Way::Key(key), rest)) if key == "result" => (Root::Result, rest),
                    _ => return None,
                };
                (serving(self.scope.tools, tools).collect(), root, rest)
            }
            Start::World | Start::Declared | Start::Known => return None,
        };
        let marks = tools.into_iter().flat_map(|tool| tool.sensitive).map(|mark| &mark.value);
        let mut met = marks.filter(|mark| mark.root == root && meets(rest, mark.path.steps()));
        met.next().map(ToString::to_string)
    }
}

/// The field on the way to a value that is hidden wherever it stands.
fn hidden(spring: &Spring, is_hidden: &impl Fn(&str) -> bool) -> Option<String> {
    let keys = spring.way.iter().filter_map(|way| if let Way::Key(key) = way { Some(key) } else { None });
    keys.into_iter().find(|key| is_hidden(key)).cloned()
}
