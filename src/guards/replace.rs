//! Words of a reply replaced by others: what `jargonScrub` and `swapTerms` share.
//!
//! What stands in place of a word is put in as it is written and is not looked at again, so a map may swap two words.

use super::lexicon::{Case, Lexicon, pairs};
use super::{Check, Rule, ToolFacts};
use crate::context::{BindProblem, Context, Finding};
use crate::decode::Decoder;
use crate::expr::{Compiler, Evaluation};
use crate::text::{joined, quoted};
use crate::value::{Object, Value};
use crate::yaml::Node;
use std::sync::Arc;

/// How many pairs the prose names.
const NAMED: usize = 8;

/// Words, and what replaces each.
#[derive(Clone, Debug)]
pub(super) struct Replace {
    /// The parameter that holds the map.
    key: &'static str,
    from: Vec<String>,
    to: Vec<String>,
    lexicon: Lexicon,
}

impl Replace {
    /// Reads the map at a node.
    pub(super) fn decode(
        decoder: &mut Decoder<'_>,
        key: &'static str,
        node: &Node,
        case: Case,
    ) -> Option<Arc<dyn Rule>> {
        let before = decoder.problems();
        let (from, to) = pairs(decoder, node, case);
        if decoder.problems() != before {
            return None;
        }
        let lexicon = Lexicon::new(&from, case);
        Some(Arc::new(Replace { key, from, to, lexicon }))
    }

    fn pairs(&self) -> impl Iterator<Item = (&String, &String)> {
        self.from.iter().zip(&self.to)
    }
}

impl Rule for Replace {
    fn parameters(&self) -> Value<'static> {
        let mut map = Object::new();
        for (from, to) in self.pairs() {
            map.insert(from.clone().into(), Value::from(to.clone()));
        }
        Object::of([(self.key, map.into())]).into()
    }

    fn prose(&self) -> String {
        let named = self.pairs().take(NAMED).map(|(from, to)| format!("{} for {}", quoted(to), quoted(from)));
        let mut named: Vec<String> = named.collect();
        let more = self.from.len().saturating_sub(NAMED);
        if more > 0 {
            named.push(format!("{more} more"));
        }
        format!("in the reply these words are replaced, so write them yourself: {}", joined(&named, "and"))
    }

    fn is_mutator(&self) -> bool {
        true
    }

    fn bind(&self, _: &ToolFacts<'_>, _: &mut Compiler<'_, '_>) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        Ok(Some(Box::new(self.clone())))
    }
}

impl Check for Replace {
    fn check(&self, _: &mut Evaluation<'_>) -> Finding {
        Finding::Pass
    }

    fn mended(&self, text: &str, _: &mut Evaluation<'_>) -> Result<Option<String>, Finding> {
        Ok(self.lexicon.replaced(text, &self.to))
    }

    fn window(&self) -> Option<usize> {
        Some(self.lexicon.window())
    }

    fn correction(&self, _: &Context<'_>) -> String {
        "Write the words that stand in place of the replaced ones.".into()
    }
}
