//! What a policy teaches: the prompt, its texts of constants put in, and what of the world the model is shown.

use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Scope, Template};
use crate::guards::{Hook, Rule, ToolFacts};
use crate::observed::IndexPlan;
use crate::render::tail::WorldView;
use crate::render::{Automatic, EngineTexts, Prompt, Source};
use crate::spec::Spec;
use std::sync::Arc;

/// The prompt, and the texts of the engine; what is wrong in a text of constants is a problem.
pub(super) fn words(
    spec: &Spec,
    automatic: &[(&'static str, Arc<dyn Rule>)],
    scope: Scope<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Prompt, EngineTexts) {
    let automatic: Vec<Automatic> = automatic.iter().map(|(name, rule)| about(spec, name, rule, &scope)).collect();
    let scope = Scope { hook: Hook::OnInput, tool: None, world: None, lets: &[], tools: &[], ..scope };
    let mut constant = |template: &Template| {
        // A constant text asks for nothing, so nothing is planned for it.
        let mut plan = IndexPlan::default();
        let text = constant(Compiler::new(scope, &mut plan), template, diagnostics);
        text.unwrap_or_else(|| template.text().to_owned())
    };
    let prompt = crate::render::prompt(&Source { spec, automatic: &automatic }, &mut constant);
    let texts = crate::render::engine_texts(&spec.words.wording, &mut constant);
    diagnostics.extend(partial_wording(spec));
    (prompt, texts)
}

/// A person who is told one thing in the contract's language and the next in English.
fn partial_wording(spec: &Spec) -> Option<Diagnostic> {
    let entries = spec.words.wording.entries();
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
fn about(spec: &Spec, name: &str, rule: &Arc<dyn Rule>, scope: &Scope<'_>) -> Automatic {
    let tools = spec.tools.iter().zip(scope.tools);
    let concerns = tools.map(|(tool, types)| {
        let facts = ToolFacts {
            rule: name,
            name: types.name,
            effect: tool.effect,
            destructive: tool.destructive.may_be(),
            args: types.args,
            world: scope.world,
        };
        rule.concerns(&facts)
    });
    Automatic { code: format!("auto/{name}"), prose: rule.prose(), concerns: concerns.collect() }
}

/// What of the world a model is shown: what some rule reads.
pub(super) fn view(spec: &Spec, world_paths: &[Vec<String>]) -> WorldView {
    WorldView {
        paths: world_paths.to_vec(),
        untrusted: spec.untrusted_world.iter().map(|path| path.value.clone()).collect(),
        hidden: spec.words.sensitive.iter().map(|(field, hiding)| (field.value.clone(), *hiding)).collect(),
    }
}
