//! Every way to change a ledger of 50 records, and the record at which it must be told.

use super::sample::Sample;
use flyball::canon::{Digest, to_text};
use flyball::json::{Limits, parse};
use flyball::ledger::verify::{Anchor, Verifier, verify_records};
use flyball::value::Value;
use std::collections::BTreeMap;

const RECORDS: usize = 50;

/// Record and code of the first problem, if there is one.
type Told = Option<(usize, &'static str)>;

/// A verifier under test: where it begins, the anchor it knows, the bytes.
type Judge = fn(Verifier, Option<Anchor>, &[u8]) -> Told;

fn ours(verifier: Verifier, anchor: Option<Anchor>, bytes: &[u8]) -> Told {
    let verifier = anchor.into_iter().fold(verifier, Verifier::with_anchor);
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let report = if bytes.contains(&b'\n') {
        verify_records(verifier, bytes.split(|byte| *byte == b'\n'))
    } else {
        verify_records(verifier, [bytes])
    };
    report.problems.first().map(|problem| (usize::try_from(problem.record).unwrap(), problem.code.as_str()))
}

/// The control: what must fail every test here.
fn accepts_everything(_: Verifier, _: Option<Anchor>, _: &[u8]) -> Told {
    None
}

/// Counts changes by what they are, and those that were told at another record than the one that was changed.
#[derive(Default)]
struct Counts {
    all: BTreeMap<(&'static str, &'static str), u64>,
    missed: u64,
}

impl Counts {
    fn add(&mut self, change: &'static str, told: Told, want: usize) {
        let is_right = told.is_some_and(|(record, _)| record == want);
        self.missed += u64::from(!is_right);
        *self.all.entry((change, told.map_or("not told", |(_, code)| code))).or_default() += 1;
    }

    fn join(&mut self, other: Counts) {
        self.missed += other.missed;
        other.all.into_iter().for_each(|(key, count)| *self.all.entry(key).or_default() += count);
    }

    fn codes(&self, change: &str) -> Vec<&'static str> {
        self.all.keys().filter(|(name, _)| *name == change).map(|(_, code)| *code).collect()
    }

    fn print(&self) {
        for ((change, code), count) in &self.all {
            println!("{change:<44} {code:<24} {count:>9}");
        }
        println!("in all {}, missed {}", self.all.values().sum::<u64>(), self.missed);
    }
}

fn bytes_of(lines: &[Vec<u8>]) -> Vec<u8> {
    lines.iter().flat_map(|line| line.iter().copied().chain([b'\n'])).collect()
}

/// Where a verification stands before each record.
fn states(sample: &Sample) -> Vec<Verifier> {
    let mut verifier = Verifier::genesis();
    let mut states = vec![verifier.clone()];
    for line in &sample.lines {
        verifier.push_line(line).unwrap();
        states.push(verifier.clone());
    }
    states
}

/// Every other value of every byte of a record and its line feed, judged from the record before.
fn flips(sample: &Sample, records: &[usize], judge: Judge) -> Counts {
    let states = states(sample);
    let mut counts = Counts::default();
    for number in records {
        let line = &sample.lines[*number];
        let mut bytes = bytes_of(std::slice::from_ref(line));
        for place in 0..bytes.len() {
            // Without its line feed a line goes on in the next.
            let next = sample.lines.get(number + 1).filter(|_| place == line.len());
            let right = bytes[place];
            for mask in 1..=255 {
                bytes[place] = right ^ mask;
                let more = next.map(|next| [bytes.as_slice(), next].concat());
                let told = judge(states[*number].clone(), None, more.as_deref().unwrap_or(&bytes));
                counts.add("one byte", told, *number);
            }
            bytes[place] = right;
        }
    }
    counts
}

fn moves(sample: &Sample, judge: Judge, counts: &mut Counts) {
    let other = Sample::of("run-2", RECORDS + 1);
    let mut judged = |change, lines: &[Vec<u8>], want| {
        counts.add(change, judge(Verifier::genesis(), Some(sample.anchor()), &bytes_of(lines)), want);
    };
    for number in 0..=RECORDS {
        let mut lines = sample.lines.clone();
        lines.insert(number, other.lines[number].clone());
        judged("a record of another run between", &lines, number);
        if number == RECORDS {
            break;
        }
        lines.clone_from(&sample.lines);
        lines[number].clone_from(&other.lines[number]);
        judged("a record of another run instead", &lines, number);
        lines.clone_from(&sample.lines);
        lines.remove(number);
        judged("a line deleted", &lines, number);
        lines.clone_from(&sample.lines);
        lines.insert(number, sample.lines[number].clone());
        judged("a line doubled", &lines, number + 1);
        for second in number + 1..RECORDS {
            lines.clone_from(&sample.lines);
            lines.swap(number, second);
            judged("two lines swapped", &lines, number);
        }
    }
}

/// A line of this body, hashed as it must be.
fn rehashed(body: &str) -> (Vec<u8>, Digest) {
    let hash = Digest::of(body.as_bytes());
    (format!("{{\"body\":{body},\"hash\":\"{hash}\"}}").into_bytes(), hash)
}

fn body(line: &[u8]) -> Value<'static> {
    parse(line, &Limits::default()).unwrap().get("body").unwrap().clone().into_owned()
}

fn with_member(body: &Value<'_>, key: &'static str, value: Value<'static>) -> String {
    let mut object = body.as_object().unwrap().clone();
    object.insert(key.into(), value);
    to_text(&object.into())
}

/// Another value of the same form.
fn edited(key: &str, value: &Value<'_>) -> Option<Value<'static>> {
    let text = value.as_str();
    Some(match key {
        "at" => "2099-01-01T00:00:00.000000Z".into(),
        "kind" => format!("{}x", text?).into(),
        "prev" => Digest::of(b"another").to_string().into(),
        "run" => "another".into(),
        "seq" => Value::Number(value.as_number()?.to_u64()?.wrapping_add(1).into()),
        "data" => return None,
        _ => Value::Number(2.into()),
    })
}

/// Every value of the data with another in its place.
fn edits(value: &Value<'static>) -> Vec<Value<'static>> {
    let mut all = vec![Value::from("edited")];
    match value {
        Value::Object(object) => {
            for (key, member) in object.iter() {
                let with = |member| {
                    let mut object = object.clone();
                    object.insert(key.to_owned().into(), member);
                    Value::from(object)
                };
                all.extend(edits(member).into_iter().map(with));
            }
        }
        Value::Array(elements) => {
            for (place, element) in elements.iter().enumerate() {
                let with = |element| {
                    let mut elements = elements.clone();
                    elements[place] = element;
                    Value::Array(elements)
                };
                all.extend(edits(element).into_iter().map(with));
            }
        }
        _ => {}
    }
    all
}

fn field_edits(sample: &Sample, judge: Judge, counts: &mut Counts) {
    for (number, line) in sample.lines.iter().enumerate() {
        let body = body(line);
        let mut judged = |change, edited: String, want| {
            let mut lines = sample.lines.clone();
            lines[number] = rehashed(&edited).0;
            // Behind the last record only the anchor knows what its hash was.
            let want = if want == RECORDS { number } else { want };
            counts.add(change, judge(Verifier::genesis(), Some(sample.anchor()), &bytes_of(&lines)), want);
        };
        for (key, change) in [("at", "`at` edited, rehashed"), ("kind", "`kind` edited, rehashed")] {
            let value = body.get(key).and_then(|value| edited(key, value));
            value.into_iter().for_each(|value| judged(change, with_member(&body, key, value), number + 1));
        }
        let links = [("prev", "`prev` edited, rehashed"), ("run", "`run` edited, rehashed")];
        for (key, change) in links.into_iter().chain([("seq", "`seq` edited, rehashed"), ("v", "`v` edited, rehashed")])
        {
            judged(change, with_member(&body, key, edited(key, body.get(key).unwrap()).unwrap()), number);
        }
        let data = edits(body.get("data").unwrap());
        for data in data.into_iter().filter(|data| data.as_object().is_some()) {
            judged("a value in `data` edited, rehashed", with_member(&body, "data", data), number + 1);
        }
    }
}

/// The record `from` put in the place of `to`: renumbered, rehashed, and linked to what stands before it.
fn in_place_of(sample: &Sample, from: usize, to: usize, prev: Option<Digest>) -> Vec<u8> {
    let (moved, place) = (body(&sample.lines[from]), body(&sample.lines[to]));
    let prev = prev.map_or_else(|| place.get("prev").unwrap().clone(), |prev| prev.to_string().into());
    let numbered = with_member(&moved, "seq", place.get("seq").unwrap().clone());
    let numbered = parse(numbered.as_bytes(), &Limits::default()).unwrap().into_owned();
    rehashed(&with_member(&numbered, "prev", prev.into_owned())).0
}

fn forgeries(sample: &Sample, judge: Judge, counts: &mut Counts) {
    for first in 0..RECORDS {
        for second in first + 1..RECORDS {
            let mut lines = sample.lines.clone();
            lines[first] = in_place_of(sample, second, first, None);
            lines[second] = in_place_of(sample, first, second, None);
            // The first is linked as it must be; its hash is another, and the next record says so.
            let told = judge(Verifier::genesis(), Some(sample.anchor()), &bytes_of(&lines));
            counts.add("two records swapped, renumbered, rehashed", told, first + 1);
        }
        let mut lines = sample.lines.clone();
        let mut prev = None;
        for number in first..RECORDS {
            let from = if number == first { (first + 1) % RECORDS } else { number };
            lines[number] = in_place_of(sample, from, number, prev);
            prev = Some(Digest::of(&lines[number][8..lines[number].len() - 75]));
        }
        let told = judge(Verifier::genesis(), Some(sample.anchor()), &bytes_of(&lines));
        counts.add("written anew from a record on", told, RECORDS - 1);
        assert_eq!(ours(Verifier::genesis(), None, &bytes_of(&lines)), None, "the limit: only the anchor knows");
    }
}

fn all_but_flips(judge: Judge) -> Counts {
    let sample = Sample::of("run-1", RECORDS);
    let mut counts = Counts::default();
    moves(&sample, judge, &mut counts);
    field_edits(&sample, judge, &mut counts);
    forgeries(&sample, judge, &mut counts);
    counts
}

#[test]
fn a_ledger_that_nobody_changed_is_intact() {
    let sample = Sample::of("run-1", RECORDS);
    assert_eq!(ours(Verifier::genesis(), Some(sample.anchor()), &bytes_of(&sample.lines)), None);
}

#[test]
fn every_byte_that_is_flipped_is_told_at_its_record() {
    let sample = &Sample::of("run-1", RECORDS);
    let records: Vec<usize> = (0..RECORDS).collect();
    let mut counts = Counts::default();
    std::thread::scope(|scope| {
        let parts: Vec<_> = records.chunks(13).map(|part| scope.spawn(move || flips(sample, part, ours))).collect();
        parts.into_iter().for_each(|part| counts.join(part.join().unwrap()));
    });
    counts.print();
    assert_eq!(counts.missed, 0);
    assert!(counts.all.values().sum::<u64>() > 3_000_000);
}

#[test]
fn every_record_that_is_moved_edited_or_forged_is_told_where_the_chain_breaks() {
    let counts = all_but_flips(ours);
    counts.print();
    assert_eq!(counts.missed, 0);
    assert_eq!(counts.codes("a line deleted"), ["seq_gap", "size_less_than_anchor"]);
    assert_eq!(counts.codes("a value in `data` edited, rehashed"), ["anchor_mismatch", "prev_mismatch"]);
    assert_eq!(counts.codes("two records swapped, renumbered, rehashed"), ["prev_mismatch"]);
    assert_eq!(counts.codes("`v` edited, rehashed"), ["unknown_version"]);
    assert_eq!(counts.codes("written anew from a record on"), ["anchor_mismatch"]);
}

#[test]
fn a_verifier_that_accepts_everything_fails_every_one_of_these() {
    let counts = all_but_flips(accepts_everything);
    assert_eq!(counts.missed, counts.all.values().sum::<u64>());
    let counts = flips(&Sample::of("run-1", 1), &[0], accepts_everything);
    assert_eq!(counts.missed, counts.all.values().sum::<u64>());
}
