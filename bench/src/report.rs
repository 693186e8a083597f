//! The rows as a table for people or as JSON, each beside its target.

use crate::measure::Time;
use crate::scenario::{FLOOR, Target};
use flyball::canon;
use flyball::decimal::Decimal;
use flyball::value::{Object, Value};

/// What was measured in one run.
#[derive(Debug)]
pub struct Report {
    /// Load averages at the start and at the end.
    pub load: [String; 2],
    /// The rows.
    pub times: Vec<Time>,
    /// Bytes per observed call.
    pub bytes_per_call: Option<f64>,
}

/// The bound on memory per observed call, without its indexed values.
const BYTES_PER_CALL: f64 = 1024.0;

impl Report {
    fn median(&self, name: &str) -> Option<f64> {
        self.times.iter().find(|time| time.scenario.name == name).map(|time| time.median)
    }

    /// The value a target is about, its bound and the unit; `None` where there is none, or its other row was not run.
    fn judged(&self, time: &Time) -> Option<(f64, f64, String)> {
        match time.scenario.target {
            Target::None => None,
            Target::Nanoseconds(most) => Some((time.median, most, "ns".into())),
            Target::Times(other, most) => Some((time.median / self.median(other)?, most, format!("x {other}"))),
            Target::EachOver(other, count, most) => {
                Some(((time.median - self.median(other)?) / count, most, "ns a rule".into()))
            }
        }
    }

    /// The table.
    pub fn text(&self) -> String {
        let mut text = format!("load average {} (start), {} (end); medians\n\n", self.load[0], self.load[1]);
        text.push_str(&format!(
            "{:<17} {:>10} {:>10} {:>8}  {:<32} what\n",
            "row", "ns", "least ns", "x floor", "target"
        ));
        for time in &self.times {
            let floor = self.median(FLOOR).map_or_else(String::new, |floor| format!("{:.2}", time.median / floor));
            let target = self.judged(time).map_or_else(String::new, |(value, most, unit)| verdict(value, most, &unit));
            let (name, about) = (time.scenario.name, time.scenario.about);
            text.push_str(&format!(
                "{name:<17} {:>10.0} {:>10.0} {floor:>8}  {target:<32} {about}\n",
                time.median, time.least
            ));
        }
        if let Some(bytes) = self.bytes_per_call {
            let target = verdict(bytes, BYTES_PER_CALL, "bytes");
            text.push_str(&format!("{:<17} {:>41}{target:<32} memory per observed call of W\n", "w-memory", ""));
        }
        text
    }

    /// One JSON object.
    pub fn json(&self) -> String {
        let row = |time: &Time| {
            let judged = self.judged(time);
            Value::from(Object::of_some([
                ("name", Some(Value::from(time.scenario.name))),
                ("ns", number(time.median)),
                ("leastNs", number(time.least)),
                ("timesFloor", self.median(FLOOR).and_then(|floor| number(time.median / floor))),
                ("value", judged.as_ref().and_then(|judged| number(judged.0))),
                ("bound", judged.as_ref().and_then(|judged| number(judged.1))),
            ]))
        };
        let report = Object::of_some([
            ("loadStart", Some(Value::from(self.load[0].as_str()))),
            ("loadEnd", Some(Value::from(self.load[1].as_str()))),
            ("rows", Some(Value::Array(self.times.iter().map(row).collect()))),
            ("bytesPerCall", self.bytes_per_call.and_then(number)),
        ]);
        canon::to_text(&report.into())
    }
}

fn number(value: f64) -> Option<Value<'static>> {
    format!("{value:.2}").parse::<Decimal>().ok().map(Value::Number)
}

fn verdict(value: f64, most: f64, unit: &str) -> String {
    let word = if value <= most { "ok  " } else { "MISS" };
    format!("{word} {value:.2} <= {most} {unit}")
}
