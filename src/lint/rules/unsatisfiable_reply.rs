//! `unsatisfiable-reply`: a reply that must have what no reply may.

use crate::acts::{Act, End};
use crate::context::{Context, Finding, Nothing, Reply};
use crate::diagnostic::{Diagnostic, Severity};
use crate::expr::Evaluation;
use crate::grounds::Grounds;
use crate::guards;
use crate::lint::{Check, Linted, Rule};
use crate::policy::BoundGuard;
use crate::spec::{Action, GuardSpec};
use crate::tool::Effect;
use crate::value::{Object, Value};

pub(super) static RULE: Rule = Rule {
    code: "F770",
    name: "unsatisfiable-reply",
    severity: Severity::Warning,
    docs: r"
## What it does
Takes each text that a guard under `onReply` wants to see in a reply, and asks the other guards there about it: those that
judge a text by nothing else, and those that change it. Warns where every way to do what the one wants is refused or changed
by another. Guards that only apply sometimes are not asked.

## Why
The model is sent back and forth between the two until its tries are used up, and the user gets the words for a run that
failed.

## Example
```yaml
- id: name-the-desk
  kind: mustMention
  with: {any: [night desk]}
- id: no-desks
  kind: mustNotMention
  with: {words: [desk]}
```

## Use instead
```yaml
- id: name-the-desk
  kind: mustMention
  with: {any: [night desk, the colleagues]}
- id: no-desks
  kind: mustNotMention
  with: {words: [desk]}
```
",
    check: Check::Spec(check),
};

/// The kinds that judge a reply by its text alone.
const JUDGES: &[&str] = &["blockPattern", "maxLength", "maxMentions", "maxQuestions", "mustNotMention", "script"];

/// The kinds that change a text wherever it stands.
const MUTATORS: &[&str] = &["jargonScrub", "maskPattern", "purgePattern", "swapTerms"];

fn check(linted: &Linted<'_>, found: &mut Vec<Diagnostic>) {
    let replies = &linted.policy.reply;
    for guard in linted.spec.guards.iter().filter(|guard| matches!(guard.action, Action::Deny)) {
        let wanted = match guard.kind {
            Some("mustMention") => Wanted::words(guard, &replies.guards),
            Some("disclosure") => Wanted::sentence(guard),
            Some("maxQuestions" | "pendingConfirmMustAsk") => Wanted::question(guard, &replies.guards),
            _ => None,
        };
        let others = || linted.spec.guards.iter().filter(|other| other.id.span != guard.id.span);
        let Some(against) = wanted.and_then(|wanted| wanted.against(linted)) else { continue };
        let mut problem = RULE.at(guard.id.span, format!("no reply can do what `{}` wants", guard.id.value));
        let mut names = Vec::new();
        for other in others().filter(|other| against.contains(&other.id.value)) {
            problem = problem.label(other.id.span, "this one refuses or changes it");
            names.push(format!("`{}`", other.id.value));
        }
        let verb = if names.len() == 1 { "stands" } else { "stand" };
        let help = format!("{} {verb} against it: change one of them", crate::text::joined(&names, "and"));
        found.push(problem.help(help));
    }
}

/// What a guard wants to see in a reply.
struct Wanted<'l> {
    /// The least texts that have it, one for each way to have it.
    ways: Vec<String>,
    /// What says whether a text has it.
    has: Has<'l>,
    /// Its own id: a guard does not stand against itself.
    id: &'l str,
}

enum Has<'l> {
    Check(&'l dyn guards::Check),
    Sentence(String),
}

impl<'l> Wanted<'l> {
    fn words(guard: &'l GuardSpec, bound: &'l [BoundGuard]) -> Option<Wanted<'l>> {
        let check = bound.iter().find(|one| *one.code == *guard.id.value)?.question.kind()?;
        let parameters = guard.rule.as_ref()?.parameters();
        let list = |key: &str| {
            let words = parameters.get(key).and_then(Value::as_array).unwrap_or_default();
            words.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>()
        };
        let (all, any) = (list("all"), list("any"));
        let firsts = if any.is_empty() { vec![None] } else { any.into_iter().map(Some).collect() };
        let is_exact = parameters.get("caseSensitive").is_some();
        let mut ways = Vec::new();
        for first in firsts {
            let words = least(first.into_iter().chain(all.iter().cloned()).collect(), check);
            let text = words.join(", ");
            if !is_exact {
                ways.extend([text.to_lowercase(), text.to_uppercase(), crate::text::capitalised(&text)]);
            }
            ways.push(text);
        }
        Some(Wanted { ways, has: Has::Check(check), id: &guard.id.value })
    }

    /// A question, or what says that somebody is asked.
    fn question(guard: &'l GuardSpec, bound: &'l [BoundGuard]) -> Option<Wanted<'l>> {
        let check = bound.iter().find(|one| *one.code == *guard.id.value)?.question.kind()?;
        // One that is content with any words wants nothing.
        if passes(check, "Ok.") {
            return None;
        }
        let parameters = guard.rule.as_ref()?.parameters();
        let phrases = parameters.get("asks").and_then(Value::as_array).unwrap_or_default();
        let phrases = phrases.iter().filter_map(Value::as_str).map(str::to_owned);
        let ways: Vec<String> = ["?", "？", "؟"].into_iter().map(str::to_owned).chain(phrases).collect();
        let ways = ways.into_iter().filter(|way| passes(check, way)).collect();
        Some(Wanted { ways, has: Has::Check(check), id: &guard.id.value })
    }

    /// What stands below a reply after a call; only what is always the same.
    fn sentence(guard: &'l GuardSpec) -> Option<Wanted<'l>> {
        let parameters = guard.rule.as_ref()?.parameters();
        let say = parameters.get("say").and_then(Value::as_str)?.trim();
        let is_constant = !say.contains(['{', '}']);
        is_constant.then(|| Wanted {
            ways: vec![say.to_owned()],
            has: Has::Sentence(say.to_owned()),
            id: &guard.id.value,
        })
    }

    fn is_had(&self, text: &str) -> bool {
        match &self.has {
            Has::Check(check) => passes(*check, text),
            Has::Sentence(sentence) => text.contains(sentence),
        }
    }

    /// The guards that stand against every way; `None` where some way passes them all.
    fn against(&self, linted: &Linted<'_>) -> Option<Vec<String>> {
        let mut against = Vec::new();
        for way in &self.ways {
            let one = self.first_against(linted, way)?;
            if !against.contains(&one) {
                against.push(one);
            }
            for text in among_words(way).iter().filter(|text| self.is_had(text)) {
                self.first_against(linted, text)?;
            }
        }
        (!against.is_empty()).then_some(against)
    }

    /// The first guard that does not let a text through as it is wanted.
    fn first_against(&self, linted: &Linted<'_>, text: &str) -> Option<String> {
        let reply = &linted.policy.reply;
        let asked = |kinds: &'static [&str]| {
            move |guard: &&BoundGuard| kinds.contains(&guard.kind) && guard.when.is_none() && *guard.code != *self.id
        };
        let mut text = text.to_owned();
        // Those that stand before a sentence that is put below have changed the rest already.
        let own = reply.mutators.iter().position(|guard| *guard.code == *self.id);
        let later = own.map_or(0, |own| own.saturating_add(1));
        for mutator in reply.mutators.iter().skip(later).filter(asked(MUTATORS)) {
            let mended = mutator
                .question
                .kind()
                .and_then(|kind| with_reply(&text, |evaluation| kind.mended(&text, evaluation).ok().flatten()));
            let Some(mended) = mended else { continue };
            if !self.is_had(&mended) {
                return Some(mutator.code.to_string());
            }
            text = mended;
        }
        let judges = reply.guards.iter().filter(asked(JUDGES)).filter(|guard| guard.action == Action::Deny);
        let mut judging = judges.filter_map(|guard| Some((guard, guard.question.kind()?)));
        judging.find(|(_, kind)| !passes(*kind, &text)).map(|(guard, _)| guard.code.to_string())
    }
}

/// Texts that have something among other words: what is forbidden in one place may be allowed in another.
fn among_words(way: &str) -> [String; 4] {
    [format!("Ok. {way}. Ok."), format!("Ok:\n{way}\nOk."), format!("Ok {way}?"), format!("Ok, {way} ok.")]
}

/// The words without those that the others hold already.
fn least(words: Vec<String>, check: &dyn guards::Check) -> Vec<String> {
    let mut kept = words;
    let mut at = 0_usize;
    while at < kept.len() {
        let fewer: Vec<String> =
            kept.iter().enumerate().filter(|(one, _)| *one != at).map(|(_, word)| word.clone()).collect();
        if !fewer.is_empty() && passes(check, &fewer.join(", ")) {
            kept = fewer;
        } else {
            at = at.saturating_add(1);
        }
    }
    kept
}

fn passes(check: &dyn guards::Check, text: &str) -> bool {
    with_reply(text, |evaluation| check.check(evaluation) == Finding::Pass)
}

/// Asks something of a reply that is nothing but its text.
fn with_reply<T>(text: &str, ask: impl FnOnce(&mut Evaluation<'_>) -> T) -> T {
    let (nothing, grounds, lets) = (Nothing::new(), Grounds::default(), crate::expr::Lets::default());
    let value = Value::from(Object::of([("text", Value::from(text))]));
    // A guard about calls that wait for an answer asks for one where there is such a call.
    let waiting = Act {
        call: "".into(),
        tool: "".into(),
        effect: Effect::Write,
        end: End::Asked,
        is_empty: false,
        word: None,
        label: None,
        public_reason: None,
        values: None,
        arguments: 0,
    };
    let reply = Reply {
        text,
        value: &value,
        claims: None,
        acts: &[waiting],
        grounds: &grounds,
        question_typed: false,
        is_interim: false,
    };
    let context = Context { reply: Some(&reply), turn: 1, ..nothing.context() };
    ask(&mut Evaluation::new(context, &lets))
}
