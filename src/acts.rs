//! What the calls of a turn came to, and what a reply says they came to.
//!
//! An [`Act`] is made of what a host reported, never of what a model says; a [`Claim`] is what a model says, as data. No
//! call runs here and nothing is judged: kinds of guards compare the two.

use crate::decimal::Decimal;
use crate::hash::{Hash128, SessionKey};
use crate::tool::Effect;
use crate::value::{Object, Value};
use std::sync::Arc;

/// How an operation ended, in the words that every domain shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoreOutcome {
    /// It did what was asked.
    Success,
    /// It went wrong.
    Failure,
    /// There was nothing to act on.
    NotFound,
    /// A rule stopped it.
    Blocked,
    /// A person said no.
    Refused,
    /// It ran and changed nothing.
    NoOp,
    /// A person is asked about it.
    Asked,
    /// Something else is asked of the person.
    OtherQuestion,
}

impl CoreOutcome {
    /// The words of the wire and the format, as looprun spells them.
    pub const WORDS: &'static [(&'static str, CoreOutcome)] = &[
        ("success", CoreOutcome::Success),
        ("failure", CoreOutcome::Failure),
        ("not_found", CoreOutcome::NotFound),
        ("blocked", CoreOutcome::Blocked),
        ("refused", CoreOutcome::Refused),
        ("no_op", CoreOutcome::NoOp),
        ("tool_called_request_approval", CoreOutcome::Asked),
        ("any_other_question", CoreOutcome::OtherQuestion),
    ];

    /// The word.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::WORDS.iter().find(|(_, known)| *known == self).map_or("", |(word, _)| word)
    }
}

/// What became of a call of this turn, or of a write that an earlier turn left running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A rule kept it from running.
    Denied,
    /// A person did.
    Refused,
    /// A person is asked, and has not answered.
    Asked,
    /// It may run, and nobody has heard of its end.
    Running,
    /// It took effect: of a read, it came back.
    Done,
    /// It came back, and is known to have changed nothing.
    NoEffect,
    /// It failed, and is known to have changed nothing.
    Failed,
    /// It failed, and had an effect all the same.
    FailedWithEffect,
    /// Nobody knows whether it took effect.
    Unknown,
}

impl End {
    /// The stable word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            End::Denied => "denied",
            End::Refused => "refused",
            End::Asked => "asked",
            End::Running => "running",
            End::Done => "done",
            End::NoEffect => "no_effect",
            End::Failed => "failed",
            End::FailedWithEffect => "failed_with_effect",
            End::Unknown => "unknown",
        }
    }
}

/// A call as a reply may tell of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Act {
    /// The call.
    pub call: Arc<str>,
    /// Its tool.
    pub tool: Arc<str>,
    /// Its effect.
    pub effect: Effect,
    /// What became of it.
    pub end: End,
    /// True if it came back with nothing.
    pub is_empty: bool,
    /// The domain's word for its success, where its tool has one.
    pub word: Option<Arc<str>>,
    /// How a person is told of it, where its tool says.
    pub label: Option<Arc<str>>,
    /// Why it did not run, as a person may be told.
    pub public_reason: Option<Arc<str>>,
    /// The hashes of the scalars in its arguments and behind them those in its result; `None` where there were too many to
    /// keep.
    pub values: Option<Arc<[u128]>>,
    /// How many of them are of its arguments.
    pub arguments: usize,
}

/// The most scalars that are kept of one call's arguments, and of its result.
pub const MAX_VALUES: usize = 4_096;

impl Act {
    /// True if it changed something: of what nobody knows it is not known.
    #[must_use]
    pub fn took_effect(&self) -> bool {
        self.effect != Effect::Read && matches!(self.end, End::Done | End::FailedWithEffect)
    }

    /// True if it is known to have changed nothing.
    #[must_use]
    pub fn changed_nothing(&self) -> bool {
        let is_known = matches!(self.end, End::Denied | End::Refused | End::Asked | End::NoEffect | End::Failed);
        self.effect == Effect::Read || is_known
    }

    /// The scalars in its arguments and its result; `None` where nobody can tell.
    #[must_use]
    pub fn scalars(&self) -> Option<Scalars<'_>> {
        self.values.as_deref().map(Scalars)
    }

    /// The scalars in its result alone: what a model sends is no source of what it says.
    #[must_use]
    pub fn result_scalars(&self) -> Option<Scalars<'_>> {
        let values = self.values.as_deref()?;
        Some(Scalars(values.get(self.arguments..).unwrap_or_default()))
    }
}

/// The scalars that stand in a call or its result.
#[derive(Clone, Copy, Debug)]
pub struct Scalars<'a>(&'a [u128]);

impl Scalars<'_> {
    /// True if a scalar is among them.
    #[must_use]
    pub fn hold(self, key: &SessionKey, value: &Value<'_>) -> bool {
        self.0.contains(&value_hash(key, value))
    }

    /// True if a number is, as one or in digits: `12.50` in a text is 12.5.
    #[must_use]
    pub fn hold_number(self, key: &SessionKey, number: Decimal) -> bool {
        let digits = Value::from(number.to_string());
        let forms = [value_hash(key, &Value::Number(number)), value_hash(key, &digits), spelled_hash(key, &number)];
        self.0.iter().any(|value| forms.contains(value))
    }
}

/// The hash of a scalar as claims name it: a text without the space around it, in small letters as far as ASCII has them.
#[must_use]
pub fn value_hash(key: &SessionKey, value: &Value<'_>) -> u128 {
    match value {
        Value::String(text) => text_hash(key, text.trim()),
        other => Hash128::new(key).value(other).finish(),
    }
}

/// The hash of a text in small letters; of a short one, as most are, without a copy on the heap.
fn text_hash(key: &SessionKey, text: &str) -> u128 {
    let mut short = [0_u8; 64];
    if !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Hash128::new(key).str(text).finish();
    }
    let Some(copy) = short.get_mut(..text.len()) else {
        return Hash128::new(key).str(&text.to_ascii_lowercase()).finish();
    };
    copy.copy_from_slice(text.as_bytes());
    copy.make_ascii_lowercase();
    Hash128::new(key).str(std::str::from_utf8(copy).unwrap_or(text)).finish()
}

/// The hash of a number that a text spells with decimals. It is not the number's own, lest the version `1.10` be `1.1`.
fn spelled_hash(key: &SessionKey, number: &Decimal) -> u128 {
    Hash128::new(key).str("spelled").number(number).finish()
}

/// The number that a text spells with decimals, which may be spelled otherwise: `12.50`.
fn spelled(value: &Value<'_>) -> Option<Decimal> {
    let text = value.as_str().filter(|text| text.contains('.'))?;
    Decimal::parse_plain(text.trim()).ok()
}

/// The hashes of the scalars of a value, in their order; `None` where there are more than [`MAX_VALUES`].
#[must_use]
pub fn value_hashes(key: &SessionKey, value: &Value<'_>) -> Option<Vec<u128>> {
    let members = value.as_object().map_or(0, Object::len);
    let (mut hashes, mut count) = (Vec::with_capacity(members.min(MAX_VALUES)), 0_usize);
    let is_whole = each_scalar(value, &mut |scalar| {
        hashes.push(value_hash(key, scalar));
        hashes.extend(spelled(scalar).map(|number| spelled_hash(key, &number)));
        count = count.saturating_add(1);
        count <= MAX_VALUES
    });
    is_whole.then_some(hashes)
}

/// Goes through the scalars of a value, nulls left out, as long as `go_on`.
fn each_scalar<'v>(value: &'v Value<'v>, go_on: &mut impl FnMut(&'v Value<'v>) -> bool) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().all(|item| each_scalar(item, go_on)),
        Value::Object(members) => members.iter().all(|(_, member)| each_scalar(member, go_on)),
        scalar => go_on(scalar),
    }
}

/// The operations of a claim that say nothing of calls.
pub const SPEECH: &[&str] = &["inform", "greet", "refuse", "ask"];

/// What a reply says was done, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim<'a> {
    /// What was done: a word of [`SPEECH`], or anything else for an operation.
    pub op: &'a str,
    /// On what, where it says.
    pub target: Option<&'a Value<'a>>,
    /// With what outcome; `None` where it says nothing, or a word that neither the format nor the contract knows.
    pub outcome: Option<CoreOutcome>,
    /// The word of the outcome, as it was sent.
    pub word: Option<&'a str>,
    /// Of how much.
    pub amount: Option<Decimal>,
}

impl Claim<'_> {
    /// True if it is about an operation, and not only about what is said.
    #[must_use]
    pub fn is_operation(&self) -> bool {
        !SPEECH.contains(&self.op)
    }
}

/// The most pairs that can be made where each on the left takes one on the right that fits it, and each is taken once:
/// for each on the left its partner. Which pairs are made does not depend on luck: as many as there can be.
///
/// ```
/// use flyball::acts::matching;
///
/// // The first would fit both, and leaves the only one that fits the second.
/// let fits = [[true, true], [true, false]];
/// assert_eq!(matching(2, 2, |left, right| fits[left][right]), [Some(1), Some(0)]);
/// ```
#[must_use]
pub fn matching(left: usize, right: usize, fits: impl Fn(usize, usize) -> bool) -> Vec<Option<usize>> {
    let mut partner: Vec<Option<usize>> = vec![None; right];
    for start in 0..left {
        let mut seen = vec![false; right];
        _ = augment(start, &fits, &mut seen, &mut partner);
    }
    let mut pairs = vec![None; left];
    for (right, left) in partner.into_iter().enumerate() {
        if let Some(place) = left.and_then(|left| pairs.get_mut(left)) {
            *place = Some(right);
        }
    }
    pairs
}

/// Finds one more pair, moving others where that makes room. Breadth first, so that nothing recurses.
fn augment(
    start: usize,
    fits: &impl Fn(usize, usize) -> bool,
    seen: &mut [bool],
    partner: &mut [Option<usize>],
) -> bool {
    // How each on the right was reached: from which on the left, and whose partner that one was.
    let mut reached: Vec<Option<(usize, Option<usize>)>> = vec![None; seen.len()];
    let mut queue = vec![(start, None)];
    let mut at = 0_usize;
    while let Some((left, via)) = queue.get(at).copied() {
        at = at.saturating_add(1);
        for right in 0..partner.len() {
            if seen.get(right) == Some(&true) || !fits(left, right) {
                continue;
            }
            if let (Some(seen), Some(place)) = (seen.get_mut(right), reached.get_mut(right)) {
                (*seen, *place) = (true, Some((left, via)));
            }
            match partner.get(right).copied().flatten() {
                Some(taken) => queue.push((taken, Some(right))),
                None => {
                    let mut end = Some(right);
                    while let Some(right) = end {
                        let Some((left, via)) = reached.get(right).copied().flatten() else { return true };
                        if let Some(place) = partner.get_mut(right) {
                            *place = Some(left);
                        }
                        end = via;
                    }
                    return true;
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The most pairs, by trying everything.
    fn most(left: usize, right: &mut Vec<bool>, of: usize, fits: &[Vec<bool>]) -> usize {
        if left == of {
            return 0;
        }
        let mut best = most(left.saturating_add(1), right, of, fits);
        for at in 0..right.len() {
            if !right[at] && fits[left][at] {
                right[at] = true;
                best = best.max(most(left.saturating_add(1), right, of, fits).saturating_add(1));
                right[at] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn as_many_pairs_are_made_as_there_can_be(fits in prop::collection::vec(prop::collection::vec(any::<bool>(), 5), 5)) {
            let pairs = matching(5, 5, |left, right| fits[left][right]);
            let mut taken: Vec<usize> = pairs.iter().flatten().copied().collect();
            prop_assert_eq!(taken.len(), most(0, &mut vec![false; 5], 5, &fits));
            for (left, right) in pairs.iter().enumerate() {
                prop_assert!(right.is_none_or(|right| fits[left][right]));
            }
            taken.sort_unstable();
            taken.dedup();
            prop_assert_eq!(taken.len(), pairs.iter().flatten().count());
        }
    }

    #[test]
    fn a_scalar_is_found_wherever_it_stands_and_however_a_text_is_capitalised() {
        let key = SessionKey::from_nonce(b"n");
        let result: Value<'_> = crate::json::parse(
            br#"{"id": "ORD-1", "lines": [{"total": 12.50, "tax": "7.10", "count": "3"}]}"#,
            &crate::json::Limits::default(),
        )
        .unwrap();
        let act = Act {
            call: "c".into(),
            tool: "t".into(),
            effect: Effect::Write,
            end: End::Done,
            is_empty: false,
            word: None,
            label: None,
            public_reason: None,
            values: value_hashes(&key, &result).map(Into::into),
            arguments: 0,
        };
        let scalars = act.scalars().unwrap();
        assert!(scalars.hold(&key, &Value::from(" ord-1 ")));
        assert!(scalars.hold(&key, &Value::Number("12.5".parse().unwrap())));
        assert!(!scalars.hold(&key, &Value::from("ORD-2")));
        assert!(!scalars.hold(&key, &Value::from("ORD")));
        let number = |text: &str| scalars.hold_number(&key, text.parse().unwrap());
        assert_eq!([number("12.5"), number("7.1"), number("3"), number("12")], [true, true, true, false]);
        assert!(!scalars.hold(&key, &Value::from("7.1")), "a text is no number");
        let many = Value::Array((0..=MAX_VALUES).map(|one| Value::Number(Decimal::from(one as u64))).collect());
        assert_eq!(value_hashes(&key, &many), None);
    }
}
