//! What is judged before a reply goes out: guards under `onReply`, which are about no tool.

use super::bind::{Binder, BoundReply, Constants, Source};
use super::compile::PolicyCompiler;
use super::{BoundChain, ReplyPolicy};
use crate::acts::CoreOutcome;
use crate::decode::suggest;
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Scope};
use crate::guards::Hook;
use crate::spec::Spec;
use crate::tool::Effect;

impl PolicyCompiler<'_> {
    /// What the rules are for a reply.
    pub(super) fn bind_reply(
        &mut self,
        scope: &Scope<'_>,
        sources: &[Source<'_>],
        constants: &mut Constants,
    ) -> BoundReply {
        let scope = Scope { hook: Hook::OnReply, tool: None, ..*scope };
        let strictest = self.spec.tools.iter().map(|tool| tool.effect).max().unwrap_or(Effect::Read);
        let mut compiler = Compiler::new(scope, &mut self.plan);
        let mut binder = Binder { tool: None, compiler: &mut compiler, diagnostics: &mut self.diagnostics, constants };
        let (changing, judging): (Vec<_>, Vec<_>) = sources.iter().cloned().partition(Source::is_mutator);
        let mutators = binder.guards_of_turn(&changing, &scope, strictest);
        let guards = binder.guards_of_turn(&judging, &scope, strictest);
        self.unread.keep(&compiler.unread_lets());
        let compiled = compiler.finish();
        compiled.asked.iter().for_each(|field| self.unread.ask(field));
        let windows = guards.iter().filter_map(|guard| guard.question.kind()?.window());
        let window = windows.max().unwrap_or(0);
        let policy = ReplyPolicy { mutators, guards, lets: compiled.lets, window };
        BoundReply { policy, world_paths: compiled.world_paths }
    }
}

impl PolicyCompiler<'_> {
    /// What is said of replies must be about tools and words that there are.
    pub(super) fn check_replies(&mut self) {
        let spec = self.spec;
        for name in spec.chains.iter().flat_map(|chain| [&chain.after, &chain.call]) {
            self.check_pattern(&name.value, name.span);
        }
        for word in spec.tools.iter().filter_map(|tool| tool.outcome.as_ref()) {
            let known = spec.words.outcomes.iter().find(|(known, _)| known.value == word.value);
            let problem = match known {
                Some((_, CoreOutcome::Success)) => continue,
                Some((_, other)) => {
                    let message = format!(
                        "`{}` means `{}`, and a success is what a tool's `outcome` names",
                        word.value,
                        other.name()
                    );
                    Diagnostic::error("does-not-fit", word.span, message)
                        .help("name a word of `outcomes` that means `success`")
                }
                None => {
                    let problem = Diagnostic::error(
                        "unknown-word",
                        word.span,
                        format!("the contract has no outcome `{}`", word.value),
                    );
                    let known: Vec<&str> = spec.words.outcomes.iter().map(|(known, _)| known.value.as_str()).collect();
                    suggest(problem, &word.value, &known)
                }
            };
            self.diagnostics.push(problem);
        }
    }
}

impl Binder<'_, '_, '_> {
    /// What is owed once a call of the tool succeeded.
    pub(super) fn chains(&mut self, spec: &Spec) -> Vec<BoundChain> {
        let Some(tool) = self.tool else { return Vec::new() };
        let of_tool = spec.chains.iter().filter(|chain| tool.name.value.matches(chain.after.value.text()));
        let mut bound = Vec::new();
        for chain in of_tool {
            let whose = format!("the chain from `{}` to `{}` reads it", chain.after.value, chain.call.value);
            let when = match &chain.when {
                None => None,
                Some(when) => match self.condition_of(&whose, chain.after.span, when) {
                    Some(when) => Some(when),
                    None => continue,
                },
            };
            bound.push(BoundChain {
                after: chain.after.value.text().into(),
                code: format!("chain/{}", chain.call.value).into(),
                call: chain.call.value.text().into(),
                when,
            });
        }
        bound
    }
}
