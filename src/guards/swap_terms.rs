//! `swapTerms`: words replaced by others, in exactly one spelling.

use super::lexicon::Case;
use super::replace::Replace;
use super::{About, Dimension, Hook, Kind, Rule};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use std::sync::Arc;

/// The kind `swapTerms`.
#[derive(Debug)]
pub struct SwapTerms;

static ABOUT: About = About {
    name: "swapTerms",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `swapTerms`",
        fields: &[Field::required("terms", Type::Map(&Type::Text), "Each term, and what stands in its place.")],
    },
    docs: "\
## What it checks
Nothing: it changes replies, and takes no action. Each term of the map, as a whole word and spelled exactly so, is replaced
by what stands beside it, as it is written. Where two terms begin at one place the longer one is replaced; what was put in
is not replaced again, so two terms can change places. Links and code are text like any other. `jargonScrub` replaces in
any case.

## Why
A brand, a product or a legal term has one right name, and `May` is not `may`.

## Example
```yaml
- {id: names, kind: swapTerms, with: {terms: {Shopmaster 2: Shopmaster, Terms: Conditions}}}
```

## Correction
None: the reply is changed before it is judged.
",
};

impl Kind for SwapTerms {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Replace::decode(decoder, "terms", with.get("terms")?, Case::Exact)
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, mend, policy};

    fn swapped(terms: &str, text: &str) -> Option<String> {
        mend(&format!("{{kind: swapTerms, with: {{terms: {terms}}}}}"), &Told::of(text)).unwrap()
    }

    #[test]
    fn a_term_is_swapped_in_its_own_spelling_only() {
        assert_eq!(swapped("{May: June}", "May I, or may I, in Mayor's May?").as_deref(), {
            Some("June I, or may I, in Mayor's June?")
        });
        assert_eq!(swapped("{May: June}", "may"), None);
    }

    #[test]
    fn two_terms_can_change_places() {
        assert_eq!(swapped("{buyer: seller, seller: buyer}", "The buyer pays the seller.").as_deref(), {
            Some("The seller pays the buyer.")
        });
        assert_eq!(swapped("{a: $0, A: a}", "a A").as_deref(), Some("$0 a"));
    }

    #[test]
    fn terms_are_told_apart_by_their_spelling() {
        assert!(policy(TOOLS, "{kind: swapTerms, with: {terms: {a: x, A: y}}}").is_ok());
        let problems = policy(TOOLS, "{kind: swapTerms, with: {terms: {a b: x, 'a  b': y}}}").unwrap_err();
        assert!(problems.contains("repeated-value: `a  b` is `a b` again"), "{problems}");
    }
}
