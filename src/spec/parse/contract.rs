//! A contract: what a file, or a part of a spec, gives all agents that share it. Alone it can be read, not compiled: what its
//! rules mean depends on the tools of each spec.

use super::{Parser, Shared, kind_of_file, locate, names};
use crate::diagnostic::Diagnostic;
use crate::guards::Registry;
use crate::source::{FileId, Sources};
use crate::spec::Layer;
use crate::spec::shapes::CONTRACT;
use crate::yaml::{Data, Node};

/// Every problem in the contract that is the first file of `sources` which reading it alone can tell: keys, types, names,
/// the grammar of its expressions and texts. A file that it refers to need not be among the sources.
///
/// ```
/// use flyball::source::Sources;
///
/// let found = flyball::spec::parse_contract(&Sources::new("shop.yaml", "contract: 1\nid: shop\nruls: [Be brief.]\n"));
/// assert_eq!(found[0].rule, "unknown-key");
/// ```
#[must_use]
pub fn parse_contract(sources: &Sources) -> Vec<Diagnostic> {
    let mut parser = Parser::new(sources, Registry::native());
    parser.contract_alone(FileId(0));
    let mut diagnostics = parser.decoder.diagnostics;
    crate::diagnostic::sort(&mut diagnostics);
    diagnostics
}

impl Parser<'_, '_> {
    fn contract_alone(&mut self, file: FileId) {
        let Some(node) = self.decoder.read(file) else { return };
        if let Some((kind, span)) = kind_of_file(&node).filter(|(kind, _)| *kind != "a contract") {
            let problem = Diagnostic::error("wrong-file", span, format!("this file is {kind}, not a contract"));
            self.decoder.report(problem.help("name a contract: its first key is `contract`"));
            return;
        }
        if let Some(shared) = self.contract_of_file(&node) {
            self.check_lets(&names::arranged(shared.lets));
        }
    }

    /// The contract in a file of its own, or in the spec itself.
    pub(super) fn contract(&mut self, node: &Node) -> Option<Shared> {
        if matches!(node.data, Data::Map(_)) {
            return self.shared(node);
        }
        let path = self.decoder.text(node)?;
        let file = locate(&mut self.decoder, &mut self.missing, &path.value, path.span)?;
        let node = self.decoder.read(file)?;
        if let Some((kind, span)) = kind_of_file(&node).filter(|(kind, _)| *kind != "a contract") {
            let message = format!("`{}` is {kind}, not a contract", path.value);
            let problem = Diagnostic::error("wrong-file", path.span, message).label(span, "it says so here");
            self.decoder.report(problem.help("name a contract: its first key is `contract`"));
            return None;
        }
        self.contract_of_file(&node)
    }

    fn contract_of_file(&mut self, node: &Node) -> Option<Shared> {
        let shared = self.shared(node)?;
        self.check_constants(&shared);
        Some(shared)
    }

    /// What a contract gives its agents.
    fn shared(&mut self, node: &Node) -> Option<Shared> {
        let without = self.without_persona(node);
        let fields = self.decoder.open(&without, &CONTRACT)?;
        self.version(&fields, "contract");
        let mut shared = Shared { id: fields.get("id").and_then(|node| self.decoder.id(node)), ..Shared::default() };
        self.definitions(&fields, &mut shared.named);
        self.params(&fields, &mut shared.named);
        shared.words = self.shared_words(&fields);
        shared.lets = self.lets(&fields, &mut shared.named);
        shared.offset = self.offset(&fields);
        shared.guards = self.guards(&fields, Layer::Contract);
        shared.budgets = self.budgets(&fields, Layer::Contract);
        shared.approvals = crate::spec::approvals::of_contract(&mut self.decoder, &fields);
        Some(shared)
    }

    /// A contract as it is read: a persona on it is told, and not also as a key that there is none of.
    fn without_persona(&mut self, node: &Node) -> Node {
        let mut node = node.clone();
        if let Data::Map(entries) = &mut node.data
            && let Some(at) = entries.iter().position(|entry| &*entry.key == "persona")
        {
            let entry = entries.remove(at);
            let message = "a contract has no `persona`: it is shared by agents that are not the same";
            let problem = Diagnostic::error("persona-on-contract", entry.key_span, message);
            let help = "who an agent is stands on its spec; how all of them speak is the contract's `voice`";
            self.decoder.report(problem.help(help));
        }
        node
    }
}
