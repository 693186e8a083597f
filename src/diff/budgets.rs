//! Budgets of two versions: where one allows more than the other, calls are made until they part.

use super::regions::Version;
use super::scene::{Maker, Play, Scene};
use super::{Answer, Change, Comparison, Earlier};
use crate::decimal::Decimal;
use crate::policy::{BoundBudget, Planned, Policy};
use crate::proof::{Formula, Reader, Solution, Space};
use crate::spec::OnSpent;
use crate::value::{Object, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What is measured and for how long, and how much of it is allowed.
type Limits = BTreeMap<String, (Decimal, String)>;

/// As many calls are made before it is given up.
const MOST_CALLS: u32 = 300;

/// Adds what the budgets of a tool let through, or stop, that they did not.
pub(super) fn compare(
    old: &Version<'_>,
    new: &Version<'_>,
    space: &Space,
    allowed: &Formula,
    comparison: &mut Comparison,
) {
    let (limits_before, limits_after) = (limits(old), limits(new));
    let all: BTreeSet<&String> = limits_before.keys().chain(limits_after.keys()).collect();
    let of = |limits: &Limits, key: &String| limits.get(key).map(|(max, code)| (*max, code.clone()));
    let mut told = BTreeSet::new();
    for key in all {
        let (before, after) = (of(&limits_before, key), of(&limits_after, key));
        let (is_looser, by) = match (before, after) {
            (Some((before, code)), Some((after, _))) if before < after => (true, code),
            (Some((before, _)), Some((after, code))) if after < before => (false, code),
            (Some((_, code)), None) => (true, code),
            (None, Some((_, code))) => (false, code),
            _ => continue,
        };
        let name = old.name;
        let found = calls(old, new, space, allowed, is_looser);
        match found {
            Some((scene, from, to)) if told.insert((is_looser, by.clone())) => {
                comparison.changes.push(Change { tool: name.to_owned(), from, to, by, scene });
            }
            Some(_) => {}
            None => {
                let what = if is_looser { "more" } else { "less" };
                comparison.undecided.push(format!(
                    "`{name}`: the budget `{by}` may let {what} through than before, and no calls were found that show it"
                ));
            }
        }
    }
}

/// The budgets of a tool, by what they measure; of two that measure the same the stricter one.
fn limits(version: &Version<'_>) -> Limits {
    let mut space = Space::default();
    let tool = version.tool;
    let mut reader = Reader::of(&mut space, version.policy, tool, version.member());
    let mut limits = Limits::new();
    let about = |planned: &&Planned<BoundBudget>| {
        version.member().is_none_or(|name| planned.about(name, tool.effect).is_some())
    };
    for planned in tool.budgets.iter().filter(about) {
        let bound = &planned.what;
        let Some(counter) = version.policy.counters.get(bound.number) else { continue };
        // One that only warns or is recorded stands against nothing; but where it cannot judge, one that warns denies.
        let reads = bound.when.is_some() || bound.amount.is_some() || bound.per.is_some();
        if counter.action == OnSpent::Audit || counter.action == OnSpent::Warn && !reads {
            continue;
        }
        let when = bound.when.as_ref().map(|when| reader.text(when));
        let amount = bound.amount.as_ref().map(|amount| reader.text(amount));
        let per = bound.per.as_ref().map(|per| reader.text(per));
        let shared: Vec<&str> = sharing(version.policy, bound.number);
        let key = format!(
            "{:?} {:?} {:?} {:?} {} {} {} {when:?} {amount:?} {per:?} {shared:?} {:?} {:?} {:?} {}",
            counter.unit,
            counter.action,
            counter.scope,
            counter.window,
            counter.is_turnly,
            counter.failed,
            counter.streak,
            planned.selector.as_ref().filter(|_| version.member().is_none()),
            counter.by,
            counter.on_failure,
            counter.skips,
        );
        let limit = (counter.max, counter.code.to_string());
        let entry = limits.entry(key).or_insert_with(|| limit.clone());
        if limit.0 < entry.0 {
            *entry = limit;
        }
    }
    limits
}

/// The tools whose calls a budget counts together.
fn sharing(policy: &Policy, number: usize) -> Vec<&str> {
    let mut tools: Vec<&str> = policy
        .tools
        .iter()
        .filter(|tool| tool.budgets.iter().any(|planned| planned.what.number == number))
        .map(|tool| tool.name.text())
        .collect();
    tools.sort_unstable();
    tools
}

/// Calls that both allow, one after the other, until one policy lets a call through and the other does not.
fn calls(
    old: &Version<'_>,
    new: &Version<'_>,
    space: &Space,
    allowed: &Formula,
    is_looser: bool,
) -> Option<(Scene, Answer, Answer)> {
    let Solution::Possible(model) = space.solve(&[allowed]) else { return None };
    let maker = Maker { old, new, space };
    let scenes = maker.tries(&model);
    let each_turn = scenes.iter().flat_map(|scene| [(scene, true), (scene, false)]);
    each_turn
        .filter_map(|(scene, in_new_turn)| until_they_part(old, new, scene, in_new_turn))
        .find(|(_, from, to)| (to < from) == is_looser)
}

fn until_they_part(
    old: &Version<'_>,
    new: &Version<'_>,
    scene: &Scene,
    in_new_turn: bool,
) -> Option<(Scene, Answer, Answer)> {
    let mut plays = [Play::before(old.policy, scene)?, Play::before(new.policy, scene)?];
    let mut earlier = scene.earlier.clone();
    let result: Value<'static> = Object::of([("ok", Value::Bool(true))]).into();
    for number in 0..MOST_CALLS {
        let is_first = number == 0;
        let args = if in_new_turn || is_first { scene.args.clone() } else { varied(new, &scene.args, number)? };
        let starts = in_new_turn && !is_first;
        let [one, two] = &mut plays;
        if starts {
            one.turn(None);
            two.turn(None);
        }
        let (from, call_of_old) = one.propose(&scene.tool, &args)?;
        let (to, call_of_new) = two.propose(&scene.tool, &args)?;
        if from != to {
            return Some((Scene { earlier, args, in_new_turn: starts, ..scene.clone() }, from, to));
        }
        if from != Answer::Allow {
            return None;
        }
        one.finish(&call_of_old, &result);
        two.finish(&call_of_new, &result);
        earlier.push(Earlier { tool: scene.tool.clone(), args, result: result.clone(), in_new_turn: starts });
    }
    None
}

/// The same arguments but for one text or number, so that no call repeats another.
fn varied(version: &Version<'_>, args: &Value<'static>, number: u32) -> Option<Value<'static>> {
    let members = args.as_object()?;
    members.iter().find_map(|(name, value)| {
        let other = match value {
            Value::String(text) => Value::from(format!("{text}{number}")),
            Value::Number(old) => Value::Number(old.checked_sub(&Decimal::from(number))?),
            _ => return None,
        };
        let mut varied = members.clone();
        *varied.get_mut(name)? = other;
        let varied = Value::Object(varied);
        version.tool.args.bind(&varied).is_ok().then_some(varied)
    })
}
