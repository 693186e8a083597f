//! Points in time and spans of it, exact to the nanosecond. There is no clock in here: every time is an input.

/// A point in time, in nanoseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i128);

/// A span of time in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub i128);

impl Timestamp {
    /// Reads a time with its zone, as RFC 3339 writes it.
    pub fn parse(text: &str) -> Option<Timestamp> {
        todo!()
    }
}
