//! What is judged when a turn begins: guards under `onInput`, which are about no tool.
//!
//! Whatever else is read at that moment is bound here too, by the one [`Binder`] without a tool, and so shares the lets
//! and the paths of the world that are kept.

use super::bind::{Binder, BoundTurn, Constants, Source};
use super::compile::PolicyCompiler;
use super::{BoundGuard, TurnPolicy};
use crate::expr::{Compiler, Scope};
use crate::guards::{Hook, ToolFacts};
use crate::schema::ArgSchema;
use crate::tool::Effect;

impl PolicyCompiler<'_> {
    /// What the rules are for the beginning of a turn.
    pub(super) fn bind_turn(
        &mut self,
        scope: &Scope<'_>,
        sources: &[Source<'_>],
        constants: &mut Constants,
    ) -> BoundTurn {
        let scope = Scope { hook: Hook::OnInput, tool: None, ..*scope };
        let mut compiler = Compiler::new(scope, &mut self.plan);
        let mut binder = Binder { tool: None, compiler: &mut compiler, diagnostics: &mut self.diagnostics, constants };
        let guards = binder.guards_of_turn(sources, &scope);
        self.unread.keep(&compiler.unread_lets());
        let compiled = compiler.finish();
        compiled.asked.iter().for_each(|field| self.unread.ask(field));
        BoundTurn { policy: TurnPolicy { guards, lets: compiled.lets }, world_paths: compiled.world_paths }
    }
}

impl Binder<'_, '_, '_> {
    /// The rules about the beginning of a turn, in their order.
    fn guards_of_turn(&mut self, sources: &[Source<'_>], scope: &Scope<'_>) -> Vec<BoundGuard> {
        let args = ArgSchema::any();
        let facts =
            ToolFacts { rule: "", name: "", effect: Effect::Read, destructive: false, args: &args, world: scope.world };
        sources.iter().filter_map(|source| self.guard(source, &ToolFacts { rule: &source.code, ..facts })).collect()
    }
}
