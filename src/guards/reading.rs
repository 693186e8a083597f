//! What a guard read of a call, for whoever asks why it answered as it did.
//!
//! Nothing here decides, and nothing is read before a call is explained.

use crate::ledger::mask::Masker;
use crate::value::{Object, Value};

/// One thing that was read: `amount`, `world.open`, an earlier call, and what stood there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// What was read.
    pub what: String,
    /// What stood there, as a text shows it.
    pub value: String,
    /// The value itself, where it came from outside and may hold a secret.
    foreign: Option<Value<'static>>,
}

impl Read {
    /// A value from outside.
    #[must_use]
    pub fn of(what: impl Into<String>, value: &Value<'_>) -> Read {
        Read { what: what.into(), value: crate::text::shown(value), foreign: Some(value.to_owned_value()) }
    }

    /// What is known here, in words.
    #[must_use]
    pub fn words(what: impl Into<String>, value: impl Into<String>) -> Read {
        Read { what: what.into(), value: value.into(), foreign: None }
    }

    /// Covers a secret, known by a name on its path or by its structure; true if there was one.
    pub(crate) fn cover(&mut self, masker: &Masker) -> bool {
        let Some(foreign) = self.foreign.take() else { return false };
        let names = self.what.rsplit('.').map(|name| name.trim_end_matches("[]").to_owned());
        let found = names.fold(foreign, |inner, name| {
            let mut members = Object::new();
            members.insert(name.into(), inner);
            members.into()
        });
        let found = masker.mask(&found).is_some();
        if found {
            self.value = "masked".into();
        }
        found
    }
}
