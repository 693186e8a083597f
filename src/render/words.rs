//! From a spec to what it says: its texts of constants put in, and what is wrong in them.

use super::layout::{Automatic, Source, prompt};
use super::tail::WorldView;
use super::wording::engine_texts;
use super::{EngineTexts, Prompt};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Scope, Template};
use crate::guards::{Hook, Rule, ToolFacts};
use crate::observed::IndexPlan;
use crate::schema::ArgSchema;
use crate::spec::Spec;
use std::sync::Arc;

impl Prompt {
    /// The prompt of a spec, rendered anew. A policy holds its own, which [`crate::policy::Policy::prompt`] gives.
    ///
    /// # Errors
    /// What is wrong in the texts of constants.
    pub fn of(spec: &Spec) -> Result<Prompt, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let prompt = words(spec, &[], &mut problems).prompt;
        if problems.iter().any(Diagnostic::is_error) { Err(problems) } else { Ok(prompt) }
    }
}

/// What a policy says.
#[derive(Debug)]
pub(crate) struct Words {
    /// What the model is told before it is asked anything.
    pub(crate) prompt: Prompt,
    /// What a person is told.
    pub(crate) texts: EngineTexts,
    /// What of the world the model is shown.
    pub(crate) view: WorldView,
}

/// What a spec says; of the world it shows what is at these paths. What is wrong in a text of constants is a problem.
pub(crate) fn words(spec: &Spec, world_paths: &[Vec<String>], problems: &mut Vec<Diagnostic>) -> Words {
    let under = |hook| {
        let automatic = crate::guards::automatic(&spec.controls.off, hook);
        automatic.iter().map(|(kind, rule)| about(spec, kind.about().name, rule)).collect::<Vec<Automatic>>()
    };
    let (automatic, of_replies) = (under(Hook::PreTool), under(Hook::OnReply));
    let scope = Scope {
        hook: Hook::OnInput,
        tool: None,
        world: None,
        untrusted_world: &[],
        params: &spec.params,
        authored: &[],
        lets: &[],
        tools: &[],
        offset: spec.offset,
    };
    let mut constant = |template: &Template| {
        if let Some(words) = template.bare() {
            return words.to_owned();
        }
        // A constant text asks for nothing, so nothing is planned for it.
        let mut plan = IndexPlan::default();
        let text = constant(Compiler::new(scope, &mut plan), template, problems);
        text.unwrap_or_else(|| template.text().to_owned())
    };
    let prompt = prompt(&Source { spec, automatic: &automatic, of_replies: &of_replies }, &mut constant);
    let texts = engine_texts(&spec.words.wording, &spec.controls, &mut constant);
    problems.extend(partial_wording(spec));
    Words { prompt, texts, view: view(spec, world_paths) }
}

/// A person who is told one thing in the contract's language and the next in English.
fn partial_wording(spec: &Spec) -> Option<Diagnostic> {
    let entries: Vec<_> = spec.words.wording.entries().collect();
    let first = entries.iter().find_map(|(_, text)| *text)?;
    let left: Vec<String> =
        entries.iter().filter(|(_, text)| text.is_none()).map(|(key, _)| format!("`{key}`")).collect();
    if left.is_empty() {
        return None;
    }
    let message = format!("the engine words {} itself, in English", crate::text::joined(&left, "and"));
    let warning = Diagnostic::warning("partial-wording", first.span, message);
    Some(warning.help("word all of `wording` or nothing of it, so that a person is spoken to in one way"))
}

fn constant(mut compiler: Compiler<'_, '_>, template: &Template, diagnostics: &mut Vec<Diagnostic>) -> Option<String> {
    match compiler.text(template) {
        Ok(text) => text.constant(),
        Err(problems) => {
            for problem in problems {
                let diagnostic = Diagnostic::error(problem.rule, problem.span, problem.message);
                let diagnostic = problem.help.into_iter().fold(diagnostic, Diagnostic::help);
                if !diagnostics.contains(&diagnostic) {
                    diagnostics.push(diagnostic);
                }
            }
            None
        }
    }
}

/// An automatic guard and the tools that it is about.
fn about(spec: &Spec, name: &str, rule: &Arc<dyn Rule>) -> Automatic {
    let any = ArgSchema::any();
    let concerns = spec.tools.iter().map(|tool| {
        rule.concerns(&ToolFacts {
            rule: name,
            name: tool.name.value.text(),
            effect: tool.effect,
            destructive: tool.destructive.may_be(),
            args: &any,
            world: None,
        })
    });
    Automatic { code: format!("auto/{name}"), prose: rule.prose(), concerns: concerns.collect() }
}

/// What of the world a model is shown: what some rule reads.
fn view(spec: &Spec, world_paths: &[Vec<String>]) -> WorldView {
    let untrusted: Vec<&crate::path::Path> = spec.untrusted_world.iter().map(|path| &path.value).collect();
    let hidden = |key: &str| {
        let mut fields = spec.words.sensitive.iter();
        fields.find(|(field, _)| field.value == key).map(|(_, hiding)| *hiding)
    };
    WorldView::new(world_paths, &untrusted, hidden)
}
