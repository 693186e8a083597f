//! Earlier calls as expressions ask for them: kept and counted as they come, never more than was named.

use super::{Desk, is_allowed, policy_with, verdicts};
use crate::context::{BindProblem, Context, Failure, Finding};
use crate::decision::Verdict;
use crate::decode::{Decoder, Field, Fields, Shape, Type};
use crate::expr::{Compiler, Evaluation};
use crate::guards::{About, Check, Dimension, Hook, Kind, Registry, Rule, ToolFacts, forbid, result_invariant};
use crate::observed::{
    CallsBy, HashId, Kept, MAX_ENTRIES, RecallId, Recalled, TallyId, TallyScope, entry_key, part_hash,
};
use crate::path::Path;
use crate::policy::Policy;
use crate::schema::Subject;
use crate::tool::Pattern;
use crate::value::{Object, Value};
use proptest::prelude::*;
use std::sync::{Arc, LazyLock};

/// Fires unless one of the tools succeeded before with the same `by`, or, with `max`, once so many of their calls count.
#[derive(Debug)]
struct Earlier;

static ABOUT: About = About {
    name: "earlier",
    hooks: &[Hook::PreTool],
    dimension: Dimension::Run,
    automatic: false,
    parameters: &Shape {
        name: "the parameters of `earlier`",
        fields: &[
            Field::required("calls", Type::OneOrMany(&Type::Text), "Whose calls."),
            Field::optional("by", Type::Text, "By what."),
            Field::optional("max", Type::Count, "How many."),
            Field::optional("scope", Type::Text, "Of what."),
        ],
    },
    docs: "",
};

#[derive(Clone, Debug)]
struct Asks {
    calls: CallsBy,
    max: Option<u64>,
    scope: TallyScope,
}

impl Kind for Earlier {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn decode(&self, decoder: &mut Decoder<'_>, with: &Fields<'_>) -> Option<Arc<dyn Rule>> {
        let tools = decoder.one_or_many(with.get("calls")?);
        let tools = tools.iter().filter_map(|node| node.text()).map(Pattern::selector).collect();
        let keys = with.get("by").and_then(|node| node.text()).map(|by| Path::parse(by).unwrap()).into_iter().collect();
        let max = with.get("max").and_then(|node| decoder.count(node)).map(|max| max.value);
        let is_turn = with.get("scope").and_then(|node| node.text()) == Some("turn");
        let scope = if is_turn { TallyScope::Turn } else { TallyScope::Session };
        Some(Arc::new(Asks { calls: CallsBy { tools, keys }, max, scope }))
    }
}

impl Rule for Asks {
    fn parameters(&self) -> Value<'static> {
        Object::new().into()
    }

    fn prose(&self) -> String {
        "only after or before others".into()
    }

    fn bind(
        &self,
        tool: &ToolFacts<'_>,
        compiler: &mut Compiler<'_, '_>,
    ) -> Result<Option<Box<dyn Check>>, Vec<BindProblem>> {
        let plan = compiler.plan();
        let keys = self.calls.keys.iter().map(|path| plan.hash(&tool.args.locate(path, Subject::Tool("")).unwrap()));
        let keys = keys.collect();
        let named = |text: &str| vec![text.to_owned()];
        let what = match self.max {
            Some(max) => What::Fewer(plan.tally(self.calls.clone(), self.scope), max),
            None => What::Known(plan.recall(self.calls.clone(), &[named("id")], &[named("name"), named("n")])),
        };
        Ok(Some(Box::new(Bound { keys, what })))
    }
}

#[derive(Debug)]
enum What {
    Known(RecallId),
    Fewer(TallyId, u64),
}

#[derive(Debug)]
struct Bound {
    keys: Vec<HashId>,
    what: What,
}

impl Check for Bound {
    fn check(&self, evaluation: &mut Evaluation<'_>) -> Finding {
        let context = &evaluation.context;
        let keys: Option<Vec<u128>> = self.keys.iter().map(|id| context.hashes[usize::from(id.0)]).collect();
        let Some(entry) = keys.map(entry_key) else { return Finding::Missing };
        match self.what {
            What::Known(index) => match context.observed.recall(index, entry) {
                Recalled::Found { .. } => Finding::Pass,
                Recalled::Missing => Finding::Fires,
                Recalled::Full => Finding::Fails(Failure::IndexFull),
            },
            What::Fewer(index, max) => match context.observed.tally(index, entry) {
                Some(count) if count < max => Finding::Pass,
                Some(_) => Finding::Fires,
                None => Finding::Fails(Failure::IndexFull),
            },
        }
    }

    fn correction(&self, _: &Context<'_>) -> String {
        "Not now.".into()
    }
}

fn asking(rules: &str) -> Policy {
    let kinds: &[&dyn Kind] = &[&Earlier, &forbid::Forbid, &result_invariant::ResultInvariant];
    policy_with(rules, Registry::of(kinds))
}

static POLICY: LazyLock<Policy> = LazyLock::new(|| {
    asking(
        "
tools:
  get: {effect: read, coerce: true, parameters: {type: object, properties: {id: {type: integer}, note: {type: string}, n: {type: integer, default: 7}}}}
  'find_*': {effect: read}
  pay: {effect: write}
  none: {effect: read, parameters: {type: object, properties: {}}}
guards:
  preTool:
    - {id: known, tools: [pay], kind: earlier, with: {calls: [get, find_one, none], by: id}}
    - {id: two, tools: [pay], kind: earlier, with: {calls: pay, by: id, max: 2}}
    - {id: three, tools: [pay], kind: earlier, with: {calls: pay, max: 3, scope: turn}}
  postTool:
    - {id: ok, tools: [get], kind: resultInvariant, action: deny, missing: skip, with: {check: result.name != 'secret'}}
controls: {auto: {noDuplicateCall: false}}
",
    )
});

fn entry(desk: &Desk<'_>, id: i64) -> u128 {
    entry_key([part_hash(&desk.session.key, &Value::from(id))])
}

/// The kept calls of an id: turn, arguments and result as texts.
fn kept(desk: &Desk<'_>, id: i64) -> Option<[(u32, String, String); 2]> {
    let told = |kept: &Kept| (kept.turn, crate::canon::to_text(&kept.args), crate::canon::to_text(&kept.result));
    match desk.session.observed.recall(RecallId(0), entry(desk, id)) {
        Recalled::Found { first, last } => Some([told(first), told(last)]),
        Recalled::Missing | Recalled::Full => None,
    }
}

fn told(turn: u32, args: &str, result: &str) -> (u32, String, String) {
    (turn, args.to_owned(), result.to_owned())
}

#[test]
fn the_first_and_the_latest_success_are_kept_as_far_as_they_are_named() {
    let mut desk = Desk::open(&POLICY);
    desk.call("c1", "get", r#"{"id":"4","note":"long"}"#);
    assert_eq!(kept(&desk, 4), None, "an allowed call has not succeeded");
    desk.result("c1", r#"{"name":{"a":1},"other":2}"#);
    let first = told(0, r#"{"id":4}"#, r#"{"name":{"a":1}}"#);
    assert_eq!(kept(&desk, 4), Some([first.clone(), first.clone()]));
    desk.say(r#""type":"turnStarted""#);
    desk.call("c2", "find_one", r#"{"id":4.0,"x":1}"#);
    desk.result("c2", r#"[{"name":"B"}]"#);
    desk.call("c3", "find_all", r#"{"id":4}"#);
    desk.result("c3", r#"{"name":"C"}"#);
    assert_eq!(kept(&desk, 4), Some([first, told(1, r#"{"id":4}"#, "null")]), "a tool that is not named adds nothing");
    assert!(is_allowed(&desk.call("c4", "pay", r#"{"id":4}"#)));
    assert_eq!(desk.call("c5", "pay", r#"{"id":5}"#).denied_by(), Some("known"));
}

#[test]
fn a_call_without_the_key_or_of_a_tool_without_it_is_in_no_entry() {
    let mut desk = Desk::open(&POLICY);
    for (call, tool, args) in [("c1", "get", "{}"), ("c2", "find_one", r#"{"id":null}"#), ("c3", "none", "{}")] {
        assert!(is_allowed(&desk.call(call, tool, args)));
        assert_eq!(desk.session.call(call).unwrap().noted(), None);
        desk.result(call, r#"{"name":"A"}"#);
    }
    assert_eq!(desk.call("c4", "pay", r#"{"id":1}"#).denied_by(), Some("known"));
}

#[test]
fn what_is_withheld_is_not_kept_and_still_counts() {
    let policy = asking(
        "
tools: {get: {effect: read}, pay: {effect: write}}
guards:
  preTool:
    - {id: known, tools: [pay], kind: earlier, with: {calls: get, by: id}}
    - {id: once, tools: [get], kind: earlier, with: {calls: get, by: id, max: 1}}
  postTool:
    - {id: ok, tools: [get], kind: resultInvariant, action: deny, missing: skip, with: {check: result.name != 'secret'}}
",
    );
    let mut desk = Desk::open(&policy);
    desk.call("c1", "get", r#"{"id":1}"#);
    desk.result("c1", r#"{"name":"secret"}"#);
    assert_eq!(desk.call("c2", "pay", r#"{"id":1}"#).denied_by(), Some("known"));
    assert_eq!(desk.call("c3", "get", r#"{"id":1,"n":2}"#).denied_by(), Some("once"));
    desk.call("c4", "get", r#"{"id":2}"#);
    desk.result("c4", r#"{"name":"open"}"#);
    assert!(is_allowed(&desk.call("c5", "pay", r#"{"id":2}"#)));
}

#[test]
fn a_session_that_asks_nothing_notes_nothing() {
    let policy = asking("tools: {get: {effect: read}}");
    let mut desk = Desk::open(&policy);
    desk.call("c1", "get", r#"{"id":1}"#);
    assert_eq!(desk.session.call("c1").unwrap().noted(), None);
}

#[test]
fn what_was_noted_of_a_call_goes_when_it_ends() {
    let mut desk = Desk::open(&POLICY);
    for (call, ended) in [("c1", r#""result":1"#), ("c2", r#""error":1"#), ("c3", r#""outcome":"timed_out""#)] {
        desk.call(call, "get", r#"{"id":1}"#);
        assert!(desk.session.call(call).unwrap().noted().is_some());
        desk.say(&format!(r#""type":"toolFinished","call":"{call}",{ended}"#));
        assert_eq!(desk.session.call(call).unwrap().noted(), None);
    }
}

fn some_kept() -> Kept {
    Kept { turn: 0, at: None, args: Value::Null, result: Value::Null }
}

#[test]
fn a_full_index_of_kept_calls_fails_where_it_misses_and_still_finds_and_renews() {
    let mut desk = Desk::open(&POLICY);
    desk.call("c1", "get", r#"{"id":1}"#);
    desk.result("c1", r#"{"n":1}"#);
    for number in 0..MAX_ENTRIES {
        desk.session.observed.remember(RecallId(0), u128::try_from(number).unwrap(), some_kept());
    }
    desk.call("c2", "get", r#"{"id":2}"#);
    desk.result("c2", r#"{"n":2}"#);
    assert_eq!(desk.call("c3", "pay", r#"{"id":2}"#).denied_by(), Some("guard_failure"));
    desk.call("c4", "get", r#"{"id":1}"#);
    desk.result("c4", r#"{"n":3}"#);
    let [first, last] = kept(&desk, 1).unwrap();
    assert_eq!((first.2.as_str(), last.2.as_str()), (r#"{"n":1}"#, r#"{"n":3}"#));
    assert!(is_allowed(&desk.call("c5", "pay", r#"{"id":1}"#)));
}

/// Fills the index of counts by `id`, but for some places.
fn fill_counts(desk: &mut Desk<'_>, left: usize) {
    for number in 0..MAX_ENTRIES - left {
        desk.session.observed.count_call(TallyId(0), u128::try_from(number).unwrap());
    }
}

const PAYING: &str = "
tools: {pay: {effect: write}}
guards: {preTool: [{id: two, kind: earlier, with: {calls: pay, by: id, max: 2}}]}
controls: {auto: {noDuplicateCall: false}}
";

#[test]
fn a_full_index_of_counts_never_seems_to_have_room() {
    let policy = asking(PAYING);
    let mut desk = Desk::open(&policy);
    fill_counts(&mut desk, 1);
    assert!(is_allowed(&desk.call("c1", "pay", r#"{"id":1}"#)));
    assert_eq!(desk.call("c2", "pay", r#"{"id":2}"#).denied_by(), Some("guard_failure"));
    assert!(is_allowed(&desk.call("c3", "pay", r#"{"id":1}"#)));
    assert_eq!(desk.call("c4", "pay", r#"{"id":1}"#).denied_by(), Some("two"));
    desk.say(r#""type":"toolFinished","call":"c1","error":1"#);
    desk.say(r#""type":"toolFinished","call":"c3","error":1"#);
    assert_eq!(
        desk.call("c5", "pay", r#"{"id":2}"#).denied_by(),
        Some("guard_failure"),
        "a count of 0 keeps its place"
    );
    assert!(is_allowed(&desk.call("c6", "pay", r#"{"id":1}"#)));
}

#[test]
fn a_batch_at_the_bound_is_decided_as_its_calls_one_after_another() {
    let policy = asking(PAYING);
    let ids = [1, 2, 1, 3, 2, 1];
    let mut batched = Desk::open(&policy);
    fill_counts(&mut batched, 2);
    let mut single = batched.clone();
    let listed = ids.iter().enumerate().map(|(n, id)| format!(r#"{{"id":"c{n}","tool":"pay","args":{{"id":{id}}}}}"#));
    let listed = listed.collect::<Vec<_>>().join(",");
    let at_once = verdicts(&batched.say(&format!(r#""type":"modelTurn","calls":[{listed}]"#)));
    let one_by_one: Vec<Verdict> = ids
        .iter()
        .enumerate()
        .map(|(n, id)| single.call(&format!("c{n}"), "pay", &format!(r#"{{"id":{id}}}"#)))
        .collect();
    assert_eq!(at_once.into_iter().map(|(_, verdict)| verdict).collect::<Vec<_>>(), one_by_one);
    let codes: Vec<Option<&str>> = one_by_one.iter().map(Verdict::denied_by).collect();
    assert_eq!(codes, [None, None, None, Some("guard_failure"), None, Some("two")]);
}

/// A step of a conversation about `pay` and `get`.
#[derive(Clone, Debug)]
enum Said {
    Calls(Vec<(&'static str, i64)>),
    Ends(usize, usize),
    Turn,
}

const ENDS: [&str; 5] = [
    r#""result":{"name":"A"}"#,
    r#""error":1"#,
    r#""error":1,"effect":true"#,
    r#""outcome":"timed_out""#,
    r#""result":{"name":"secret"}"#,
];

fn said() -> impl Strategy<Value = Said> {
    let call = (prop_oneof![Just("get"), Just("pay"), Just("pay")], 0..3_i64);
    prop_oneof![
        4 => prop::collection::vec(call, 1..4).prop_map(Said::Calls),
        4 => (0..12_usize, 0..ENDS.len()).prop_map(|(call, end)| Said::Ends(call, end)),
        1 => Just(Said::Turn),
    ]
}

/// What a reader of the whole conversation knows of a call.
#[derive(Clone, Copy, Debug)]
struct Told {
    tool: &'static str,
    id: i64,
    turn: u32,
    allowed: bool,
    end: Option<usize>,
}

/// The codes a call would be denied by, from all that was told before it.
fn denied(told: &[Told], tool: &str, id: i64, turn: u32) -> bool {
    let pays = || told.iter().filter(|told| told.allowed && told.tool == "pay" && !matches!(told.end, Some(1 | 2)));
    let known = told.iter().any(|told| told.tool == "get" && told.id == id && told.end == Some(0));
    tool == "pay"
        && (!known
            || pays().filter(|told| told.id == id).count() >= 2
            || pays().filter(|told| told.turn == turn).count() >= 3)
}

proptest! {
    #[test]
    fn what_is_indexed_answers_as_reading_the_whole_conversation_again(
        steps in prop::collection::vec(said(), 1..40),
        batched in any::<bool>(),
    ) {
        let mut desk = Desk::open(&POLICY);
        let (mut all, mut turn): (Vec<Told>, u32) = (Vec::new(), 0);
        let mut successes: Vec<(i64, usize)> = Vec::new();
        for step in steps {
            match step {
                Said::Turn => {
                    desk.say(r#""type":"turnStarted""#);
                    turn += 1;
                }
                Said::Calls(calls) => {
                    let named: Vec<String> = calls.iter().enumerate().map(|(n, (tool, id))| {
                        format!(r#"{{"id":"c{}","tool":"{tool}","args":{{"id":{id}}}}}"#, all.len() + n)
                    }).collect();
                    let decided: Vec<bool> = if batched {
                        let decision = desk.say(&format!(r#""type":"modelTurn","calls":[{}]"#, named.join(",")));
                        verdicts(&decision).iter().map(|(_, verdict)| is_allowed(verdict)).collect()
                    } else {
                        let first = all.len();
                        calls.iter().enumerate().map(|(n, (tool, id))| is_allowed(&desk.call(&format!("c{}", first + n), tool, &format!(r#"{{"id":{id}}}"#)))).collect()
                    };
                    for ((tool, id), allowed) in calls.into_iter().zip(decided) {
                        prop_assert_eq!(allowed, !denied(&all, tool, id, turn), "{} {} after {:?}", tool, id, all);
                        all.push(Told { tool, id, turn, allowed, end: None });
                    }
                }
                Said::Ends(call, end) => {
                    desk.say(&format!(r#""type":"toolFinished","call":"c{call}",{}"#, ENDS[end]));
                    if let Some(told) = all.get_mut(call).filter(|told| told.allowed && told.end.is_none()) {
                        told.end = Some(end);
                        if told.tool == "get" && end == 0 {
                            successes.push((told.id, call));
                        }
                    }
                }
            }
        }
        for id in 0..3 {
            let of_id: Vec<usize> = successes.iter().filter(|(of, _)| *of == id).map(|(_, call)| *call).collect();
            let turns = of_id.first().zip(of_id.last()).map(|(first, last)| [all[*first].turn, all[*last].turn]);
            prop_assert_eq!(kept(&desk, id).map(|kept| kept.map(|(turn, _, _)| turn)), turns);
        }
    }
}
