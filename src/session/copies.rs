//! The copies of one result: a server gives it as `structuredContent`, and as text under `content[].text` for models that
//! read only that. What is taken out of the one may not be read in the other.

use crate::json::{Limits, parse};
use crate::observed::words::leaves;
use crate::value::Value;

/// The fewest bytes of a value that is looked for inside a text.
const FEWEST: usize = 3;

/// Makes the texts of a result say what its rewritten structure says: a text that is the structure as it was, or that holds
/// a value that was taken out of it, becomes the structure as it is now.
pub(super) fn align(original: &Value<'_>, rewritten: &mut Value<'static>) {
    let (Some(was), Some(is)) = (original.get("structuredContent"), rewritten.get("structuredContent")) else { return };
    if was == is {
        return;
    }
    let is = is.clone();
    let (now, mut removed) = (texts(&is), texts(was));
    removed.retain(|text| text.len() >= FEWEST && !now.contains(text));
    let Value::Object(members) = rewritten else { return };
    let Some(Value::Array(items)) = members.get_mut("content") else { return };
    for item in items {
        let Value::Object(item) = item else { continue };
        let Some(Value::String(text)) = item.get_mut("text") else { continue };
        let is_copy = parse(text.as_bytes(), &Limits::default()).is_ok_and(|value| value == *was);
        if is_copy || removed.iter().any(|gone| text.contains(gone.as_str())) {
            *text = crate::canon::to_text(&is).into();
        }
    }
}

/// Every scalar as text.
fn texts(value: &Value<'_>) -> Vec<String> {
    let mut texts = Vec::new();
    leaves(value, &mut |leaf| match leaf {
        Value::String(text) => texts.push(text.as_ref().to_owned()),
        Value::Number(number) => texts.push(number.to_string()),
        _ => {}
    });
    texts
}
