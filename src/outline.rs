//! The shape of a text that may be half-written: which keys lead to a place, and what stands around it.
//!
//! This is for editors. The reader in [`yaml`](crate::yaml) refuses what is wrong; here nothing is refused, whatever
//! the text, and nothing that is found says that the text is right. Blocks are told by their indentation, what is in
//! brackets ends where the indentation says so, and a key that is still being written is an [`Entry`] without a value.
//!
//! ```
//! use flyball::outline::{Outline, Part};
//!
//! let text = "guards:\n  preTool:\n    - id: cap\n      ki";
//! let outline = Outline::read(text, Some(text.len()));
//! let cursor = outline.at(text.len()).unwrap();
//! assert_eq!((cursor.place(), cursor.part), ("guards.preTool[0]".to_owned(), Part::Key));
//! ```

mod block;
mod flow;
mod words;

use std::ops::Range;

pub use words::{Spot, Word, comment_at, expression_in_text, spot};

/// The values of a text, as far as they can be made out.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    root: Option<Node>,
}

/// A value and where it stands, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// From its first to its last character; where nothing is written, the room for it.
    pub range: Range<usize>,
    /// The value.
    pub data: Data,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    /// Anything but a list or a map, without its quotes; empty where nothing is written.
    Scalar(String),
    /// A list.
    List(Vec<Node>),
    /// A map.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key, without its quotes.
    pub key: String,
    /// Where it stands, quotes included.
    pub key_range: Range<usize>,
    /// Its value; `None` where no colon is written yet.
    pub value: Option<Node>,
}

/// One step from a value to a value in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the value of a key.
    Key(String),
    /// To an item of a list, from 0.
    Item(usize),
}

/// Whether a place is in a key or in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// In a key, or where one may be written.
    Key,
    /// In a value, or where one may be written.
    Value,
}

/// What is at a place of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The steps to the value, or to the map that the key is in.
    pub path: Vec<Step>,
    /// Key or value.
    pub part: Part,
    /// Where the key or the value stands.
    pub range: Range<usize>,
    /// The key, or the scalar.
    pub text: String,
}

impl Outline {
    /// Reads a text. With a place, something is taken to stand there even if the line is empty so far.
    #[must_use]
    pub fn read(text: &str, place: Option<usize>) -> Outline {
        Outline { root: block::read(text, place) }
    }

    /// The whole value.
    #[must_use]
    pub fn root(&self) -> Option<&Node> {
        self.root.as_ref()
    }

    /// The value at the end of these keys.
    #[must_use]
    pub fn get(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self.root()?, |node, key| node.get(key))
    }

    /// The value at the end of these steps.
    #[must_use]
    pub fn find(&self, path: &[Step]) -> Option<&Node> {
        path.iter().try_fold(self.root()?, |node, step| node.step(step))
    }

    /// What is at a place, its end included; `None` between values.
    #[must_use]
    pub fn at(&self, place: usize) -> Option<Cursor> {
        let mut path = Vec::new();
        let mut node = self.root()?;
        loop {
            match &node.data {
                Data::Scalar(text) => {
                    let here = holds(&node.range, place);
                    let cursor = || Cursor { path, part: Part::Value, range: node.range.clone(), text: text.clone() };
                    return here.then(cursor);
                }
                Data::List(items) => {
                    let (at, item) = items.iter().enumerate().rfind(|(_, item)| holds(&item.range, place))?;
                    path.push(Step::Item(at));
                    node = item;
                }
                Data::Map(entries) => {
                    if let Some(entry) = entries.iter().rfind(|entry| holds(&entry.key_range, place)) {
                        let (range, text) = (entry.key_range.clone(), entry.key.clone());
                        return Some(Cursor { path, part: Part::Key, range, text });
                    }
                    let (entry, value) = entries
                        .iter()
                        .filter_map(Entry::whole)
                        .rfind(|(entry, value)| holds(&value.range, place) || is_before(entry, value, place))?;
                    path.push(Step::Key(entry.key.clone()));
                    if let (true, Some(text)) = (place < value.range.start, value.text()) {
                        let range = place..value.range.end;
                        return Some(Cursor { path, part: Part::Value, range, text: text.to_owned() });
                    }
                    node = value;
                }
            }
        }
    }
}

fn holds(range: &Range<usize>, place: usize) -> bool {
    range.start <= place && place <= range.end
}

/// True in the blanks between a colon and a scalar.
fn is_before(entry: &Entry, value: &Node, place: usize) -> bool {
    entry.key_range.end.saturating_add(1) < place && place < value.range.start && value.text().is_some()
}

impl Node {
    fn scalar(range: Range<usize>, text: impl Into<String>) -> Node {
        Node { range, data: Data::Scalar(text.into()) }
    }

    /// The entries, if this is a map.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        if let Data::Map(entries) = &self.data { entries } else { &[] }
    }

    /// The items, if this is a list.
    #[must_use]
    pub fn items(&self) -> &[Node] {
        if let Data::List(items) = &self.data { items } else { &[] }
    }

    /// The items of a list, or the one value that stands in the place of such a list.
    #[must_use]
    pub fn one_or_many(&self) -> &[Node] {
        if let Data::List(items) = &self.data { items } else { std::slice::from_ref(self) }
    }

    /// The text, if this is a scalar.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Data::Scalar(text) = &self.data { Some(text) } else { None }
    }

    /// The entry of a key.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| entry.key == key && entry.value.is_some())
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).and_then(|entry| entry.value.as_ref())
    }

    /// The value one step further.
    #[must_use]
    pub fn step(&self, step: &Step) -> Option<&Node> {
        match step {
            Step::Key(key) => self.get(key),
            Step::Item(at) => self.items().get(*at),
        }
    }
}

impl Entry {
    fn whole(&self) -> Option<(&Entry, &Node)> {
        Some((self, self.value.as_ref()?))
    }
}

impl Cursor {
    /// The steps as a person writes them: `guards.preTool[0].with`.
    #[must_use]
    pub fn place(&self) -> String {
        let mut place = String::new();
        for step in &self.path {
            match step {
                Step::Key(key) if place.is_empty() => place.push_str(key),
                Step::Key(key) => place.extend([".", key]),
                Step::Item(at) => place.push_str(&format!("[{at}]")),
            }
        }
        place
    }
}

#[cfg(test)]
mod tests;
