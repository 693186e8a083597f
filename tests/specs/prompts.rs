//! The prompts of the examples as a person reviews them: each rule said once, and what the agents of one contract share
//! the same to the byte.

use super::examples;
use crate::disk::{load, stem, text_of};
use flyball::policy::Policy;
use flyball::render::Prompt;
use flyball::source::Sources;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// How many bytes the prompts of the two desks of the shop have in common before their own words begin.
const SHARED_BY_THE_SHOP: usize = 776;

fn policy(path: &str) -> Policy {
    load(path).clean().1
}

/// The system prompt and the cards; the schemas beside the cards are their authors' own words.
fn page(prompt: &Prompt) -> String {
    let mut page = format!("===== system =====\n{}\n", prompt.system());
    for card in prompt.tools() {
        page.push_str(&format!("\n===== tool {} =====\n{}\n", card.name(), card.description()));
    }
    page
}

#[test]
fn every_prompt_is_as_it_was_reviewed() {
    for path in examples() {
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path("../../snapshots/prompts");
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(stem(&path), page(policy(&path).prompt())));
    }
}

/// The sentences of a page, each in one spelling.
fn sentences(page: &str) -> Vec<String> {
    let page = page.replace(". ", ".\n").replace("! ", "!\n").replace("? ", "?\n").to_lowercase();
    let parts = page.lines().map(|part| part.trim_start_matches("- ").trim().to_owned());
    parts.filter(|part| part.chars().any(char::is_alphabetic)).collect()
}

/// The sentences that stand on a page more than once.
fn twice(page: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    sentences(page).into_iter().filter(|sentence| !seen.insert(sentence.clone())).collect()
}

#[test]
fn no_prompt_says_a_sentence_twice_to_one_tool() {
    for path in examples() {
        let policy = policy(&path);
        let prompt = policy.prompt();
        for card in prompt.tools() {
            let page = format!("{}\n{}", prompt.system(), card.description());
            assert_eq!(twice(&page), [""; 0], "{path}: {}", card.name());
        }
    }
}

#[test]
fn a_sentence_that_is_said_twice_is_found() {
    assert_eq!(twice("- Ask first. Pay once.\nPay ONCE."), ["pay once."]);
    assert_eq!(twice("- Ask first. Pay once.\nPay twice."), [""; 0]);
}

#[test]
fn the_two_desks_of_the_shop_begin_with_the_same_bytes() {
    let (refunds, delivery) = (policy("specs/refunds.yaml"), policy("specs/delivery.yaml"));
    let (one, other) = (refunds.prompt(), delivery.prompt());
    assert_eq!(one.trunk(), other.trunk());
    assert_eq!(one.trunk().len(), SHARED_BY_THE_SHOP);
    for prompt in [one, other] {
        assert!(prompt.own().starts_with("\n\n## Scope"), "{}", prompt.own());
    }
    let shared = one.system().bytes().zip(other.system().bytes()).take_while(|(one, other)| one == other).count();
    assert!(shared >= SHARED_BY_THE_SHOP, "{shared}");
}

#[test]
fn an_example_shares_its_head_with_no_example_of_another_contract() {
    let trunk = |path: &str| policy(path).prompt().trunk().to_owned();
    let trunks: BTreeSet<String> = examples().iter().map(|path| trunk(path)).collect();
    assert_eq!(trunks.len(), examples().len() - 1, "the shop has two desks, every other contract one");
}

#[test]
fn a_shared_contract_reads_no_constant_of_a_spec_so_that_its_trunk_is_one() {
    let told = |rule: &str, params: &str| {
        let spec = "agentspec: 1\nid: desk\ncontract: shop.yaml\npersona: You.\nparams: {own: 3}\ntools: {look: {effect: read}}\n";
        let mut sources = Sources::new("desk.yaml", spec);
        sources.insert("shop.yaml", format!("contract: 1\nid: shop\n{params}rules: ['{rule}']\n"));
        let problems = flyball::spec::parse(&sources).diagnostics;
        problems.iter().map(|problem| problem.one_line(&sources)).collect::<Vec<_>>()
    };
    let help =
        "its texts are the same for all its agents: read `params.NAME`, and set NAME under `params` of the contract";
    let own = format!("shop.yaml:3:26: error: `own` is no constant of the contract [unknown-field]; {help}");
    assert_eq!(told("At most {params.own}.", ""), [own]);
    assert_eq!(told("At most {params.?own.orValue(1)}.", "").len(), 1);
    assert_eq!(told("At most {params.most}.", "params: {most: 3}\n"), [""; 0]);
}

#[test]
fn the_spanish_desk_has_its_own_words_for_every_rule() {
    let (spec, policy) = load("specs/devoluciones.yaml").clean();
    for guard in &spec.guards {
        let texts = [&guard.prose, &guard.correction, &guard.public_reason];
        assert!(texts.iter().all(|text| text.is_some()), "{}", guard.id.value);
    }
    // What the engine makes into sentences itself is English.
    assert!(spec.flow.is_empty() && spec.budgets.is_empty() && spec.lane.is_none());
    assert!(
        !policy.prompt().lines().iter().any(|line| line.rule.as_ref().is_some_and(|rule| rule.starts_with("auto/")))
    );
}

#[test]
fn every_contract_of_the_examples_is_complete() {
    for path in examples() {
        let (spec, _) = load(&path).clean();
        let words = &spec.words;
        assert!(words.voice.is_some() && words.language.is_some(), "{path}");
        assert!(!words.rules.is_empty() && !words.facts.is_empty(), "{path}");
        assert!(!words.outcomes.is_empty() && !words.sensitive.is_empty(), "{path}");
        assert!(words.wording.entries().all(|(_, text)| text.is_some()), "{path}");
        assert!(!spec.behavior.is_empty(), "{path}");
    }
}

/// A spec of the shop that says whatever it likes.
fn any_spec() -> impl Strategy<Value = String> {
    let words = "[A-Za-z][a-z]{0,12}( [a-z]{1,8}){0,4}";
    let tools =
        prop::collection::btree_map("[a-z]{3,9}", prop::sample::select(vec!["read", "write", "external"]), 1..5);
    let lines = prop::collection::btree_set(words, 0..4);
    (words, tools, lines, prop::option::of(words), [prop::bool::ANY, prop::bool::ANY], 1..40_u32).prop_map(
        |(persona, tools, behavior, lane, [observes, asks_more], most)| {
            let mut text =
                format!("agentspec: 1\nid: any\ncontract: ../contracts/shop.yaml\npersona: 'You: {persona}'\n");
            if let Some(lane) = lane {
                text.push_str(&format!("scope: {{lane: 'work: {lane}'}}\n"));
            }
            if observes {
                text.push_str("mode: observe\n");
            }
            if asks_more {
                text.push_str("controls: {profile: scikitplot}\ngrants: {effects: [read, write, external]}\n");
            }
            text.push_str("tools:\n");
            for (name, effect) in &tools {
                let parameters = "{type: object, required: [reason], properties: {reason: {type: string}}}";
                text.push_str(&format!("  t_{name}: {{effect: {effect}, parameters: {parameters}}}\n"));
            }
            text.push_str(&format!("budgets: [{{id: own, count: calls, max: {most}}}]\nbehavior:\n"));
            text.push_str("  - 'Own: nothing.'\n");
            behavior.iter().for_each(|line| text.push_str(&format!("  - 'Own: {line}'\n")));
            text
        },
    )
}

/// What a contract says of approvals, and how long the trunk is with it.
const ASKING: [(&str, usize); 3] = [
    ("", SHARED_BY_THE_SHOP),
    ("approvals: {user: {ttl: 5m}}\n", SHARED_BY_THE_SHOP),
    (
        "approvals: {require: [external]}\n",
        SHARED_BY_THE_SHOP
            + "\n- For every tool with the effect `external`: a call waits until somebody who may approve it has done so."
                .len(),
    ),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_two_specs_of_one_contract_share_its_trunk(
        one in any_spec(), other in any_spec(), (asking, length) in prop::sample::select(&ASKING[..]),
    ) {
        let prompts = [one, other].map(|text| {
            let mut sources = Sources::new("specs/any.yaml", text.clone());
            sources.insert("contracts/shop.yaml", text_of("contracts/shop.yaml") + asking);
            let parsed = flyball::spec::parse(&sources);
            let spec = parsed.spec.unwrap_or_else(|| panic!("{text}{:#?}", parsed.diagnostics));
            let policy = flyball::policy::compile(&spec).unwrap_or_else(|problems| panic!("{text}{problems:#?}"));
            policy.prompt().clone()
        });
        let [one, other] = prompts;
        prop_assert_eq!(one.trunk(), other.trunk());
        prop_assert_eq!(one.trunk().len(), length);
        prop_assert!(one.system().starts_with(other.trunk()));
    }
}
