//! The controls of a spec, ready for its sessions: limits, and the sentence of a run that a limit ended.

use crate::context::Context;
use crate::diagnostic::Diagnostic;
use crate::expr::{Compiler, Evaluation, Scope, Template};
use crate::facts::Facts;
use crate::hash::SessionKey;
use crate::observed::{Batch, IndexPlan, Observed, View};
use crate::schema::Bound;
use crate::spec::{Controls, Spec, TextWithCalls};
use crate::tool::Effect;
use crate::value::{Object, Value};
use std::sync::Arc;

/// What bounds the run besides budgets and guards.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// How many refused calls in a row end the turn.
    pub(crate) veto_streak: Option<u64>,
    /// How many calls of one model turn are judged.
    pub(crate) calls_per_step: Option<u64>,
    /// What becomes of text beside calls.
    pub(crate) text_with_calls: TextWithCalls,
    /// What the host says where a limit ends the run and the model has said nothing.
    pub(crate) exhausted: Arc<str>,
}

/// What is said where nobody wrote another sentence.
const EXHAUSTED: &str = "I could not finish this: a limit was reached, and nothing more is done now.";

/// The controls of a spec; what is wrong with their texts goes to the diagnostics.
pub(super) fn bounds(spec: &Spec, scope: Scope<'_>, diagnostics: &mut Vec<Diagnostic>) -> Bounds {
    let Controls { veto_streak, calls_per_step, text_with_calls, exhaustion_reply, .. } = &spec.controls;
    let reply = exhaustion_reply.as_ref().map(|reply| match constant(reply, scope) {
        Ok(reply) => reply,
        Err(problems) => {
            diagnostics.extend(problems);
            String::new()
        }
    });
    Bounds {
        veto_streak: *veto_streak,
        calls_per_step: *calls_per_step,
        text_with_calls: text_with_calls.unwrap_or_default(),
        exhausted: reply.unwrap_or_else(|| exhausted(spec)).into(),
    }
}

/// The sentence of a spec without one of its own.
fn exhausted(_: &Spec) -> String {
    EXHAUSTED.to_owned()
}

/// A text that reads constants only, with them in it.
fn constant(template: &Template, scope: Scope<'_>) -> Result<String, Vec<Diagnostic>> {
    let mut plan = IndexPlan::default();
    let mut compiler = Compiler::new(scope, &mut plan);
    let text = compiler.text(template).map_err(|problems| {
        let said = problems.into_iter().map(|problem| {
            let diagnostic = Diagnostic::error(problem.rule, problem.span, problem.message);
            problem.help.into_iter().fold(diagnostic, Diagnostic::help)
        });
        said.collect::<Vec<_>>()
    })?;
    let compiled = compiler.finish();
    let (observed, batch, none) = (Observed::new(&plan), Batch::default(), Value::Object(Object::new()));
    let context = Context {
        tool: "",
        effect: Effect::Read,
        is_destructive: false,
        args: &Bound::none(),
        result: None,
        hashes: &[],
        world: &none,
        world_is_stale: false,
        session: &none,
        now: None,
        cwd: None,
        observed: View { observed: &observed, batch: &batch },
        facts: &Facts::default(),
        turn: 0,
        repeat: None,
        key: &SessionKey::from_nonce(b""),
        answers: &[],
    };
    Ok(text.show(&mut Evaluation::new(context, &compiled.lets)))
}
