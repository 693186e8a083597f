//! `jargonScrub`: words of the house replaced by words of the user, in any case.

use super::lexicon::Case;
use super::replace::Replace;
use super::{About, Dimension, Hook, Kind, Rule};
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use std::sync::Arc;

/// The kind `jargonScrub`.
#[derive(Debug)]
pub struct JargonScrub;

static ABOUT: About = About {
    name: "jargonScrub",
    hooks: &[Hook::OnReply],
    dimension: Dimension::Behavior,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `jargonScrub`",
        fields: &[Field::required("map", Type::Map(&Type::Text), "Each word, and what stands in its place.")],
    },
    docs: "\
## What it checks
Nothing: it changes replies, and takes no action. Each whole word of the map, in small or capital letters, is replaced by
what stands beside it, as it is written. Where two words begin at one place the longer one is replaced; what was put in is
not replaced again. A word may be several words. Links and code are text like any other. `swapTerms` does the same to words
in exactly one spelling.

## Why
Names of tables, teams and states leak from tools into replies, and a user cannot know them.

## Example
```yaml
- {id: plain-words, kind: jargonScrub, with: {map: {SKU: item number, tenant: account}}}
```

## Correction
None: the reply is changed before it is judged.
",
};

impl Kind for JargonScrub {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        Replace::decode(decoder, "map", with.get("map")?, Case::Any)
    }
}

#[cfg(test)]
mod tests {
    use crate::guards::reply::tests::{TOOLS, Told, mend, policy};

    fn scrubbed(map: &str, text: &str) -> Option<String> {
        mend(&format!("{{kind: jargonScrub, with: {{map: {map}}}}}"), &Told::of(text)).unwrap()
    }

    #[test]
    fn whole_words_are_replaced_in_any_case_and_others_left() {
        let map = "{tenant: account, tenant id: account number}";
        let changed = scrubbed(map, "Your Tenant and TENANT\nID, not the tenants of subtenant_id.");
        assert_eq!(changed.as_deref(), Some("Your account and account number, not the tenants of subtenant_id."));
        assert_eq!(scrubbed(map, "Nothing of it."), None);
    }

    #[test]
    fn what_is_put_in_is_literal_and_stays() {
        assert_eq!(scrubbed("{price: '$& $1 {x}', x: price}", "price x").as_deref(), Some("$& $1 {x} price"));
        assert_eq!(scrubbed("{api: API}", "the Api").as_deref(), Some("the API"));
        assert_eq!(scrubbed("{api: API}", "the API"), None);
    }

    #[test]
    fn a_map_that_says_nothing_is_refused() {
        for (map, wanted) in [
            ("{}", "empty-list: the map is empty"),
            ("{' ': a}", "blank-text: a blank text says nothing"),
            ("{a: ''}", "blank-text: nothing stands in place of the word"),
            ("{a: a}", "repeated-value: `a` stands in place of itself"),
            ("{a b: x, 'A  B': y}", "repeated-value: `A  B` is `a b` again"),
            ("{a: 1}", "wrong-type: expected text, found a number"),
            ("[a]", "wrong-type: expected a map, found a list"),
        ] {
            let problems = policy(TOOLS, &format!("{{kind: jargonScrub, with: {{map: {map}}}}}")).unwrap_err();
            assert!(problems.contains(wanted), "{map}: {problems}");
        }
    }
}
