//! What kinds about replies share: how a text is cut into sentences, and how declared words are looked for.
//!
//! Nothing is judged here. A word is looked for whole and in small or capital letters; what is no letter or digit on
//! either side ends it.

use crate::context::{Context, Finding};

/// The text of the reply that is judged.
pub(super) fn text<'c>(context: &Context<'c>) -> &'c str {
    context.reply.map_or("", |reply| reply.text)
}

/// Fires where something is so of the reply's text; without a reply nothing is.
pub(super) fn fires_if(context: &Context<'_>, is_so: impl FnOnce(&str) -> bool) -> Finding {
    if context.reply.is_some_and(|reply| is_so(reply.text)) { Finding::Fires } else { Finding::Pass }
}

/// The sentences of a text, each with the sign that ends it: at `.`, `!`, `?` and their like before white space or the end,
/// and at line ends. The number of a list's item belongs to the item.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let end = end_of_sentence(rest);
        let (sentence, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(sentence.trim_end())
    })
}

fn end_of_sentence(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at.saturating_add(character.len_utf8());
        match character {
            '\n' | '。' | '！' | '？' => return end,
            '.' if text.get(..at).is_some_and(is_item_number) => {}
            '.' | '!' | '?' | '؟' | '…' | '।' => {
                // What closes a quotation or a bracket belongs to the sentence.
                let mut end = end;
                while let Some((at, closing)) = characters.peek().copied() {
                    if !matches!(closing, '.' | '!' | '?' | '"' | '\'' | ')' | ']' | '”' | '’' | '»') {
                        break;
                    }
                    end = at.saturating_add(closing.len_utf8());
                    characters.next();
                }
                if characters.peek().is_none_or(|(_, next)| next.is_whitespace()) {
                    return end;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// True for what stands in front of the point of `1. First`.
fn is_item_number(head: &str) -> bool {
    matches!(head.len(), 1..=3) && head.bytes().all(|byte| byte.is_ascii_digit())
}

/// True if a sentence asks.
pub(super) fn asks(sentence: &str) -> bool {
    sentence.trim_end_matches(['"', '\'', ')', ']', '”', '’', '»', '!', '.']).ends_with(['?', '？', '؟'])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::acts::{Act, Claim, CoreOutcome};
    use crate::context::{Nothing, Reply};
    use crate::decode::Decoder;
    use crate::expr::Evaluation;
    use crate::facts::{Facts, Typed};
    use crate::grounds::Grounds;
    use crate::guards::{Registry, Rule};
    use crate::hash::SessionKey;
    use crate::json::{Limits, parse};
    use crate::policy::{BoundGuard, Policy, compile};
    use crate::source::Sources;
    use crate::value::{Object, Value};
    use std::sync::Arc;

    /// The key of a session that is none.
    pub(crate) fn key() -> SessionKey {
        SessionKey::from_nonce(b"reply")
    }

    /// The least that a spec has besides its guards.
    pub(crate) const TOOLS: &str = "tools: {look: {effect: read}}";

    /// A reply, and what it stands in.
    pub(crate) struct Told<'t> {
        pub(crate) text: &'t str,
        /// As JSON; `None` where the host sends none.
        pub(crate) claims: Option<&'t str>,
        pub(crate) acts: Vec<Act>,
        pub(crate) grounds: Grounds,
        /// What the user typed so far.
        pub(crate) typed: &'t str,
        /// What else the spec has: lines of YAML.
        pub(crate) spec: &'t str,
        /// The host's world.
        pub(crate) world: &'t str,
        /// The time of the event.
        pub(crate) at: Option<&'t str>,
    }

    impl<'t> Told<'t> {
        pub(crate) fn of(text: &'t str) -> Told<'t> {
            let grounds = Grounds::default();
            let spec = TOOLS;
            Told { text, claims: None, acts: Vec::new(), grounds, typed: "", spec, world: "{}", at: None }
        }

        pub(crate) fn with_claims(self, claims: &'t str) -> Told<'t> {
            Told { claims: Some(claims), ..self }
        }
    }

    /// The policy of a spec with one guard under `onReply`, which is the map `guard` without its id.
    pub(crate) fn policy(spec: &str, guard: &str) -> Result<Policy, String> {
        let guard = guard.trim().strip_prefix('{').unwrap();
        let text = format!(
            "agentspec: 1\nid: desk\npersona: You are the desk.\n{spec}\nguards: {{onReply: [{{id: g, {guard}]}}\n"
        );
        let parsed = crate::spec::parse(&Sources::new("desk.yaml", text));
        let told = |problems: &[crate::diagnostic::Diagnostic]| {
            problems.iter().map(|one| format!("{}: {}", one.rule, one.message)).collect::<Vec<_>>().join("\n")
        };
        compile(&parsed.spec.ok_or_else(|| told(&parsed.diagnostics))?).map_err(|problems| told(&problems))
    }

    /// Asks something of the guard `g`.
    fn with_guard<T>(guard: &str, told: &Told<'_>, ask: impl FnOnce(&BoundGuard, &mut Evaluation<'_>) -> T) -> T {
        let policy = policy(told.spec, guard).unwrap_or_else(|problems| panic!("{guard}: {problems}"));
        let of_reply = &policy.reply;
        let guard = of_reply.mutators.iter().chain(&of_reply.guards).find(|one| &*one.code == "g").unwrap();
        let claims = told.claims.map(|claims| parse(claims.as_bytes(), &Limits::default()).unwrap());
        let value = Value::from(Object::of_some([("text", Some(told.text.into())), ("claims", claims.clone())]));
        let listed = claims.as_ref().map(|claims| claims.as_array().unwrap().iter().map(claim).collect::<Vec<_>>());
        let (nothing, key) = (Nothing::new(), key());
        let mut facts = Facts::default();
        let runs = facts.heard(&key, &Typed::new(told.typed));
        facts.keep(&runs);
        let world = parse(told.world.as_bytes(), &Limits::default()).unwrap().into_owned();
        let reply = Reply {
            text: told.text,
            value: &value,
            claims: listed.as_deref(),
            acts: &told.acts,
            grounds: &told.grounds,
            question_typed: told.typed.contains('?'),
            is_interim: false,
        };
        let context = Context {
            reply: Some(&reply),
            facts: &facts,
            key: &key,
            world: &world,
            turn: 1,
            now: told.at.and_then(crate::time::Timestamp::parse),
            ..nothing.context()
        };
        ask(guard, &mut Evaluation::new(context, &of_reply.lets))
    }

    /// What a guard of these keys says: nothing, or its correction.
    pub(crate) fn judge(guard: &str, told: &Told<'_>) -> Result<(), String> {
        with_guard(guard, told, |guard, evaluation| {
            let check = guard.question.kind().unwrap();
            match check.check(evaluation) {
                Finding::Pass => Ok(()),
                Finding::Fires => Err(check.correction(&evaluation.context)),
                other => Err(format!("{other:?}")),
            }
        })
    }

    /// What a mutator of these keys makes of a text.
    pub(crate) fn mend(guard: &str, told: &Told<'_>) -> Result<Option<String>, Finding> {
        with_guard(guard, told, |guard, evaluation| guard.question.kind().unwrap().mended(told.text, evaluation))
    }

    /// A claim as a host sends it, of core words only.
    fn claim<'c>(value: &'c Value<'c>) -> Claim<'c> {
        let text = |key| value.get(key).and_then(Value::as_str);
        let word = text("outcome");
        Claim {
            op: text("op").unwrap_or_default(),
            target: value.get("target"),
            outcome: word
                .and_then(|word| CoreOutcome::WORDS.iter().find(|(known, _)| *known == word))
                .map(|(_, one)| *one),
            word,
            amount: value.get("amount").and_then(Value::as_number),
        }
    }

    #[test]
    fn a_text_is_cut_where_a_sentence_ends_and_nowhere_else() {
        let cases: [(&str, &[&str]); 8] = [
            ("", &[]),
            ("One. Two? \"Three!\" four", &["One.", "Two?", "\"Three!\"", "four"]),
            ("It costs 3.50 now. Yes", &["It costs 3.50 now.", "Yes"]),
            ("a.b@example.org wrote\nNext line", &["a.b@example.org wrote", "Next line"]),
            ("好的。下一句", &["好的。", "下一句"]),
            ("Wait... what?! (No.) Yes", &["Wait...", "what?!", "(No.)", "Yes"]),
            ("1. One. Two.\n12. In 2019. 3", &["1. One.", "Two.", "12. In 2019.", "3"]),
            ("  \n ", &[]),
        ];
        for (text, wanted) in cases {
            assert_eq!(sentences(text).collect::<Vec<_>>(), wanted, "{text:?}");
        }
        assert!(asks("Shall I?") && asks("(Shall I?)") && asks("好吗？") && !asks("I shall."));
    }

    /// The rule of a kind with these parameters.
    fn rule(kind: &str, with: &str) -> Arc<dyn Rule> {
        let sources = Sources::new("with.yaml", with.to_owned());
        let mut decoder = Decoder::new(&sources);
        let node = decoder.read(sources.find("with.yaml").unwrap()).unwrap();
        let kind = Registry::native().find(kind).unwrap();
        let fields = decoder.open(&node, kind.about().parameters).unwrap();
        kind.decode(&mut decoder, &fields).unwrap_or_else(|| panic!("{with}: {:?}", decoder.diagnostics))
    }

    #[test]
    fn parameters_read_back_as_they_were_and_the_rule_says_something() {
        for (kind, with) in [
            ("blockPattern", r#"{"name":"a","pattern":"b","rule":"Never b."}"#),
            ("degenerationGuard", "{}"),
            ("degenerationGuard", r#"{"selfNarration":"a"}"#),
            ("jargonScrub", r#"{"map":{"A b":"$&","c":"d"}}"#),
            ("maskPattern", r#"{"pattern":"a"}"#),
            ("maskPattern", r#"{"pattern":"a","with":"-"}"#),
            ("maxLength", r#"{"characters":9,"sentences":1,"words":2}"#),
            ("maxMentions", r#"{"max":1,"words":["b","a"]}"#),
            ("maxQuestions", r#"{"max":1}"#),
            ("maxQuestions", r#"{"max":1,"min":1}"#),
            ("mustMention", r#"{"all":["b"],"any":["a","c"],"caseSensitive":true}"#),
            ("mustNotMention", r#"{"words":["b","a"]}"#),
            ("noCompetitorClaim", r#"{"comparatives":["b"],"competitors":["a"],"figures":false}"#),
            ("purgePattern", r#"{"pattern":"a"}"#),
            ("questionAnswered", "{}"),
            ("questionAnswered", r#"{"minWords":3}"#),
            ("script", r#"{"allow":["Latin","Han"],"except":["Яндекс"]}"#),
            ("secretsInReply", r#"{"keys":["a"]}"#),
            ("swapTerms", r#"{"terms":{"A":"b","a":"c"}}"#),
        ] {
            let rule = rule(kind, with);
            assert_eq!(rule.parameters(), parse(with.as_bytes(), &Limits::default()).unwrap(), "{kind}");
            let prose = rule.prose();
            assert!(!prose.is_empty() && !prose.ends_with('.'), "{kind}: {prose}");
        }
    }
}
