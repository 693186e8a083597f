//! What the tools ask a model to declare, compiled; a name means one thing of a call.

use super::compile::PolicyCompiler;
use crate::decode::{node_at, reference_or_head};
use crate::diagnostic::Diagnostic;
use crate::schema::{ArgSchema, SchemaProblem};
use crate::source::Span;
use crate::spec::{Spec, ToolSpec};
use crate::yaml::{Data, Node};
use std::collections::BTreeSet;

impl PolicyCompiler<'_> {
    /// What is declared with calls of each tool, in their order.
    pub(super) fn all_declared(&mut self, args: &[ArgSchema]) -> Vec<Option<ArgSchema>> {
        let spec = self.spec;
        spec.tools.iter().zip(args).map(|(tool, args)| self.declared(tool, args)).collect()
    }

    /// The schema of what is declared with calls of a tool.
    fn declared(&mut self, tool: &ToolSpec, args: &ArgSchema) -> Option<ArgSchema> {
        let (declares, schema) = (tool.declares.as_ref()?, tool.declared(self.spec)?);
        match ArgSchema::compile(&schema, &self.spec.schema_sources()) {
            Ok(schema) => {
                for name in args.spots().names() {
                    if let Some(at) = key_of(&declares.node, name) {
                        let message = format!("`{name}` is an argument of `{}` too", tool.name.value);
                        let problem = Diagnostic::error("shadowed-name", at, message);
                        self.diagnostics.push(problem.help("rename one: a name never shadows another"));
                    }
                }
                self.diagnostics.extend(read_by_key(self.spec, tool));
                Some(schema)
            }
            Err(problems) => {
                for problem in problems {
                    let span = reference_or_head(node_at(&declares.node, &problem.path));
                    let below = problem.path.into_iter().skip(1);
                    let path = std::iter::once("declares".to_owned()).chain(below).collect();
                    self.schema_problem(span, tool.name.value.text(), SchemaProblem { path, ..problem });
                }
                None
            }
        }
    }
}

/// What makes two calls one is what the tool gets of them: another word of the model's makes no other call.
fn read_by_key(spec: &Spec, tool: &ToolSpec) -> Option<Diagnostic> {
    let key = &tool.idempotency.as_ref()?.key;
    let mut reads: BTreeSet<String> = key.roots().into_iter().map(|root| root.value).collect();
    // A let stands behind those it reads.
    for read in spec.lets.iter().rev() {
        if reads.contains(&read.name.value) {
            reads.extend(read.value.roots().into_iter().map(|root| root.value));
        }
    }
    reads.contains("declared").then(|| {
        let message = format!("the key of `{}` reads what is declared, which the tool never gets", tool.name.value);
        Diagnostic::error("does-not-fit", key.span(), message).help("make the key of arguments, such as `[args.id]`")
    })
}

/// Where a property is named.
fn key_of(declares: &Node, name: &str) -> Option<Span> {
    let Data::Map(entries) = &declares.get("properties")?.data else { return None };
    entries.iter().find(|entry| &*entry.key == name).map(|entry| entry.key_span)
}
