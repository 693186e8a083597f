//! What is judged when a turn begins: guards under `onInput`, which are about no tool, directives, and how the turn may end.
//!
//! Whatever else is read at that moment is bound here too, by the one [`Binder`] without a tool, and so shares the lets
//! and the paths of the world that are kept.

use super::bind::{Binder, BoundTurn, Constants, Source};
use super::compile::PolicyCompiler;
use super::{BoundDirective, BoundGuard, ReplyOnly, TurnPolicy};
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Expression, Program, Scope};
use crate::guards::{Hook, ToolFacts};
use crate::schema::ArgSchema;
use crate::source::Span;
use crate::spec::words::Directive;
use crate::spec::{Controls, Terminal};
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
        let guards = binder.guards_of_turn(sources, &scope, Effect::Read);
        let directives = self.spec.directives.iter().filter(|directive| !directive.is_constant());
        let directives = directives.filter_map(|directive| binder.directive(directive)).collect();
        let reply_only = binder.reply_only(&self.spec.controls);
        self.unread.keep(&compiler.unread_lets());
        let compiled = compiler.finish();
        compiled.asked.iter().for_each(|field| self.unread.ask(field));
        BoundTurn {
            policy: TurnPolicy { guards, directives, reply_only, lets: compiled.lets },
            world_paths: compiled.world_paths,
        }
    }
}

impl Binder<'_, '_, '_> {
    /// The rules about no tool, in their order; `effect` is the strictest of what they may speak of.
    pub(super) fn guards_of_turn(
        &mut self,
        sources: &[Source<'_>],
        scope: &Scope<'_>,
        effect: Effect,
    ) -> Vec<BoundGuard> {
        let args = ArgSchema::any();
        let facts = ToolFacts { rule: "", name: "", effect, destructive: false, args: &args, world: scope.world };
        sources.iter().filter_map(|source| self.guard(source, &ToolFacts { rule: &source.code, ..facts })).collect()
    }

    fn directive(&mut self, directive: &Directive) -> Option<BoundDirective> {
        let (whose, at) = (format!("the directive `{}`", directive.id.value), directive.id.span);
        let when = match &directive.when {
            Some(when) => Some(self.undecided(&whose, at, when)?),
            None => None,
        };
        let say = self.text_of(&whose, at, &directive.say.value)?;
        Some(BoundDirective { id: directive.id.value.as_str().into(), when, say })
    }

    fn reply_only(&mut self, controls: &Controls) -> ReplyOnly {
        match &controls.terminal {
            Terminal::Any => ReplyOnly::Never,
            Terminal::ReplyOnly => ReplyOnly::Always,
            Terminal::ReplyOnlyWhen(when) => match self.undecided("`terminal`", when.span(), when) {
                Some(when) => ReplyOnly::When(when),
                None => ReplyOnly::Always,
            },
        }
    }

    /// A condition that some turn decides; one that is the same on every turn is a mistake of its author.
    fn undecided(&mut self, whose: &str, at: Span, condition: &Expression) -> Option<Program> {
        let program = self.condition_of(whose, at, condition)?;
        if let Some(always) = program.always() {
            let message = format!("the condition of {whose} is {always} on every turn");
            let problem = Diagnostic::error("constant-condition", condition.span(), message);
            self.diagnostics.push(problem.help("compare something that changes, or take the condition out"));
        }
        Some(program)
    }
}
