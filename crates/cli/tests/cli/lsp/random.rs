//! Whatever is typed, wherever the cursor is: an answer, never an error and never an end.

use super::editor::{Editor, position};
use super::{SPEC, desk};
use crate::support::repository;
use serde_json::json;

/// What people type, and what they do not.
const PIECES: &[&str] = &[
    "",
    "",
    "\n",
    "\n  ",
    "\n      - ",
    ": ",
    "'",
    "\"",
    "{",
    "}",
    "[",
    "]",
    "args.",
    "params.limit",
    "|",
    ">-\n",
    "- ",
    "# flyball: allow ",
    "😀",
    "é",
    "\r\n",
    "\t",
    "kind: ",
    "with:\n",
    ",",
    "&x *x !t",
    "\u{feff}",
    "$ref: ",
    ".?",
    "(",
    "\\",
];

/// Numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

fn boundary(text: &str, mut place: usize) -> usize {
    while !text.is_char_boundary(place) {
        place -= 1;
    }
    place
}

#[test]
fn random_edits_and_places_are_always_answered() {
    let folder = desk("random");
    let mut editor = Editor::start(&folder);
    let mut numbers = Numbers(7);
    let starts = [SPEC.to_owned(), std::fs::read_to_string(repository().join("specs/refunds.yaml")).unwrap()];
    for round in 0..8 {
        let mut text = starts[round % 2].clone();
        editor.open("specs/desk.yaml", &text);
        for _ in 0..60 {
            let (one, two) = (numbers.below(text.len() + 1), numbers.below(12));
            let start = boundary(&text, one);
            let end = boundary(&text, (start + two).min(text.len()));
            let piece = PIECES[numbers.below(PIECES.len())];
            let range = json!({"start": position(&text, start), "end": position(&text, end)});
            editor.change("specs/desk.yaml", &[json!({"range": range, "text": piece})]);
            text.replace_range(start..end, piece);
            let cursor = boundary(&text, (start + piece.len()).min(text.len()));
            for method in ["textDocument/completion", "textDocument/hover", "textDocument/definition"] {
                editor.at(method, "specs/desk.yaml", &text, cursor);
                let elsewhere = boundary(&text, numbers.below(text.len() + 1));
                editor.at(method, "specs/desk.yaml", &text, elsewhere);
            }
        }
        // The editor and the server still have the same text: the whole of it is found to be no different.
        editor.actions("specs/desk.yaml", &text, 0);
        let told = editor.told("specs/desk.yaml");
        editor.replace("specs/desk.yaml", &text);
        editor.actions("specs/desk.yaml", &text, 0);
        assert_eq!(editor.told("specs/desk.yaml"), told, "{text}");
        editor.close("specs/desk.yaml");
    }
    editor.end();
}
