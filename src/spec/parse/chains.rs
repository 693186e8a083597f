//! `chains`: what is owed after what, as its author wrote it.

use super::Parser;
use crate::decode::Fields;
use crate::diagnostic::Diagnostic;
use crate::source::Spanned;
use crate::spec::ChainSpec;
use crate::spec::shapes::CHAIN;
use crate::tool::Pattern;
use crate::yaml::Node;

impl Parser<'_, '_> {
    pub(super) fn chains(&mut self, fields: &Fields<'_>) -> Vec<ChainSpec> {
        let items = fields.get("chains").map(|node| self.decoder.list(node)).unwrap_or_default();
        let chains: Vec<ChainSpec> = items.iter().filter_map(|item| self.chain(item)).collect();
        let names = |chain: &ChainSpec| format!("{} {}", chain.after.value, chain.call.value);
        self.decoder.distinct(chains.iter().map(|chain| (names(chain), chain.call.span)));
        chains
    }

    fn chain(&mut self, node: &Node) -> Option<ChainSpec> {
        let fields = self.decoder.open(node, &CHAIN)?;
        let when = self.expression(&fields, "when");
        let after = self.one_tool(&fields, "after");
        let call = self.one_tool(&fields, "call");
        let (after, call) = (after?, call?);
        if after.value == call.value {
            let message = format!("after each call of `{}` another one would be owed", call.value);
            let problem = Diagnostic::error("chain-to-itself", call.span, message);
            self.decoder.report(problem.label(after.span, "it is owed after itself").help("name two tools"));
            return None;
        }
        Some(ChainSpec { after, call, when })
    }

    /// The name of one tool.
    fn one_tool(&mut self, fields: &Fields<'_>, key: &str) -> Option<Spanned<Pattern>> {
        let pattern = fields.get(key).and_then(|node| self.decoder.tool_pattern(node))?;
        if !pattern.value.is_exact() {
            let message = format!("`{key}` names one tool, and `{}` may be many", pattern.value);
            let problem = Diagnostic::error("wrong-type", pattern.span, message);
            self.decoder.report(problem.help("write one chain for each tool"));
            return None;
        }
        Some(pattern)
    }
}
