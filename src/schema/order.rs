//! A total order over JSON values, used only to find a repeated item in reasonable time.

use std::cmp::Ordering;

use crate::value::Value;

/// Up to this many items every pair is compared; more are sorted first.
const PAIRS: usize = 16;

/// The places of two equal items, if there are any.
pub(super) fn repeated(items: &[Value<'_>]) -> Option<(usize, usize)> {
    if items.len() <= PAIRS {
        let mut rest = items.iter().enumerate();
        while let Some((first, item)) = rest.next() {
            if let Some((second, _)) = rest.clone().find(|(_, other)| *other == item) {
                return Some((first, second));
            }
        }
        return None;
    }
    let mut sorted: Vec<(usize, &Value<'_>)> = items.iter().enumerate().collect();
    sorted.sort_by(|a, b| compare(a.1, b.1).then(a.0.cmp(&b.0)));
    sorted.windows(2).find_map(|pair| match pair {
        [(first, a), (second, b)] if compare(a, b).is_eq() => Some((*first, *second)),
        _ => None,
    })
}

/// By kind, then by content; equal exactly if the values are.
fn compare(a: &Value<'_>, b: &Value<'_>) -> Ordering {
    match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => {
            let items = a.iter().zip(b).map(|(a, b)| compare(a, b));
            first_difference(items).then(a.len().cmp(&b.len()))
        }
        (Value::Object(a), Value::Object(b)) => {
            let members = a.members().iter().zip(b.members());
            let members = members.map(|((ka, va), (kb, vb))| ka.cmp(kb).then_with(|| compare(va, vb)));
            first_difference(members).then(a.len().cmp(&b.len()))
        }
        _ => rank(a).cmp(&rank(b)),
    }
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

fn rank(value: &Value<'_>) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn few_and_many_items_are_judged_alike() {
        let kinds = [
            "null",
            "true",
            "0",
            "1",
            "\"1\"",
            "[]",
            "[1]",
            "[1,2]",
            "{}",
            "{\"a\":1}",
            "{\"a\":2}",
            "{\"b\":1}",
            "false",
            "\"\"",
            "[[]]",
            "[{}]",
            "1.5",
            "\"a\"",
        ];
        let items: Vec<Value<'_>> =
            kinds.iter().map(|text| parse(text.as_bytes(), &crate::json::Limits::default()).unwrap()).collect();
        assert_eq!(repeated(&items), None);
        assert_eq!(repeated(&items[..16]), None);
        for at in 0..kinds.len() {
            let mut twice = items.clone();
            twice.push(items[at].clone());
            assert_eq!(repeated(&twice), Some((at, kinds.len())));
            assert_eq!(repeated(&[items[at].clone(), items[at].clone()]), Some((0, 1)));
        }
    }
}
