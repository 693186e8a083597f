//! How a person is asked about a call: the label of its tool, and what no question shows.

use super::bind::Binder;
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Secret, Template, Text};
use crate::observed::Root;
use crate::path::Step;
use crate::spec::{Spec, ToolSpec};

/// What a question about a call of one tool shows, and what not.
#[derive(Debug, Default)]
pub(crate) struct QuestionView {
    /// The tool's label.
    pub(crate) label: Option<Text>,
    /// True if the label shows what the model declared beside the arguments.
    pub(crate) shows_declared: bool,
    /// The arguments that are not shown.
    hidden: Vec<String>,
    /// The arguments of which parts are not shown.
    hidden_parts: Vec<String>,
    /// True if none is.
    hides_all: bool,
}

impl QuestionView {
    /// True if an argument is not shown.
    pub(crate) fn hides(&self, argument: &str) -> bool {
        self.hides_all || self.hidden.iter().any(|hidden| hidden == argument)
    }

    /// True if parts of an argument are not shown.
    pub(crate) fn hides_parts(&self, argument: &str) -> bool {
        self.hidden_parts.iter().any(|hidden| hidden == argument)
    }
}

impl Binder<'_, '_, '_> {
    /// How a person is asked about calls of the tool.
    pub(super) fn question(&mut self, spec: &Spec) -> QuestionView {
        let Some(tool) = self.tool else { return QuestionView::default() };
        let whose = format!("`label` of `{}`", tool.name.value);
        let label = tool.label.as_ref().and_then(|label| {
            self.diagnostics.extend(secrets_shown(spec, tool, label, self.compiler));
            self.text_of(&whose, tool.name.span, label)
        });
        let mut view = QuestionView { label, ..QuestionView::default() };
        view.shows_declared =
            tool.label.as_ref().is_some_and(|label| label.roots().iter().any(|root| root.value == "declared"));
        for at in tool.sensitive.iter().filter(|at| at.value.root == Root::Args) {
            match at.value.path.steps() {
                [Step::Key(name)] => view.hidden.push(name.clone()),
                [Step::Values, ..] => view.hides_all = true,
                // A question shows of what has parts only the size.
                [Step::Key(name), ..] => view.hidden_parts.push(name.clone()),
                _ => {}
            }
        }
        view.hidden.extend(spec.words.sensitive.iter().map(|(field, _)| field.value.clone()));
        view
    }
}

/// Values of a label in which something can be read that the spec calls sensitive.
fn secrets_shown(spec: &Spec, tool: &ToolSpec, label: &Template, compiler: &Compiler<'_, '_>) -> Vec<Diagnostic> {
    let is_hidden = |key: &str| spec.words.sensitive.iter().any(|(field, _)| field.value == key);
    let secrets = compiler.secrets_in(label, is_hidden).into_iter();
    let problems = secrets.map(|Secret { shown, span, marked }| {
        let is_itself = shown == marked || shown.rsplit_once('.').is_some_and(|(_, last)| last == marked);
        let how = if is_itself { "which".to_owned() } else { format!("in which `{marked}`") };
        let message = format!("`label` of `{}` shows `{shown}`, {how} is sensitive", tool.name.value);
        let problem = Diagnostic::error("shows-secret", span, message);
        problem.help("show what tells the call from others; a question is read by people")
    });
    problems.collect()
}
