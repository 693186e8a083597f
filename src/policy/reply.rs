//! What is judged before a reply goes out: guards under `onReply`, which are about no tool.

use super::ReplyPolicy;
use super::bind::{Binder, BoundReply, Constants, Source};
use super::compile::PolicyCompiler;
use crate::expr::{Compiler, Scope};
use crate::guards::Hook;
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
        BoundReply { policy: ReplyPolicy { mutators, guards, lets: compiled.lets }, world_paths: compiled.world_paths }
    }
}
