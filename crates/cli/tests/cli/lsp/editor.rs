//! An editor as the server sees one.

use crate::support::Folder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// A server that an editor speaks to.
pub(super) struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    folder: PathBuf,
    number: i64,
    versions: BTreeMap<String, i64>,
    told: BTreeMap<String, Value>,
}

/// The text without its mark `¦`, and where that was.
pub(super) fn marked(text: &str) -> (String, usize) {
    let place = text.find('¦').unwrap();
    (text.replace('¦', ""), place)
}

/// A position in units of UTF-16.
pub(super) fn position(text: &str, place: usize) -> Value {
    let before = text.get(..place).unwrap();
    let line = before.rsplit('\n').next().unwrap();
    json!({"line": before.matches('\n').count(), "character": line.encode_utf16().count()})
}

/// The byte of a position.
fn offset(text: &str, position: &Value) -> usize {
    let number = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
    let start: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
    let mut column = position["character"].as_u64().unwrap();
    let rest = text.get(start..).unwrap().char_indices().find(|(_, letter)| {
        let is_here = column == 0;
        column = column.saturating_sub(letter.len_utf16() as u64);
        is_here
    });
    rest.map_or(text.len(), |(at, _)| start + at)
}

/// The text after some edits, the last of them first.
pub(super) fn edited(text: &str, edits: &[Value]) -> String {
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        let range = offset(&text, &edit["range"]["start"])..offset(&text, &edit["range"]["end"]);
        text.replace_range(range, edit["newText"].as_str().unwrap());
    }
    text
}

/// Every message that the server writes.
fn read_all(mut output: BufReader<ChildStdout>, messages: &Sender<Value>) {
    let mut length = 0;
    let mut line = String::new();
    while output.read_line(&mut line).unwrap() > 0 {
        if let Some((_, value)) = line.trim_end().split_once(": ") {
            length = value.parse().unwrap();
        } else {
            let mut bytes = vec![0; length];
            output.read_exact(&mut bytes).unwrap();
            _ = messages.send(serde_json::from_slice(&bytes).unwrap());
        }
        line.clear();
    }
}

impl Editor {
    /// A server that was not told anything.
    pub(super) fn silent(folder: &Folder) -> Editor {
        let folder = folder.path().canonicalize().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_flyball"));
        command.arg("lsp").current_dir(Path::new("/")).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let (sender, messages) = channel();
        std::thread::spawn(move || read_all(output, &sender));
        Editor { child, input, messages, folder, number: 0, versions: BTreeMap::new(), told: BTreeMap::new() }
    }

    /// A server for a folder, with an editor that knows nothing of note.
    pub(super) fn start(folder: &Folder) -> Editor {
        Editor::with(folder, &json!({}))
    }

    pub(super) fn with(folder: &Folder, capabilities: &Value) -> Editor {
        let mut editor = Editor::silent(folder);
        let folders = json!([{"uri": editor.uri(""), "name": "here"}]);
        let params = json!({"processId": null, "capabilities": capabilities, "workspaceFolders": folders});
        assert!(editor.ask("initialize", &params)["result"].is_object());
        editor.notify("initialized", &json!({}));
        editor
    }

    pub(super) fn uri(&self, path: &str) -> String {
        format!("file://{}", self.folder.join(path).display()).trim_end_matches('/').to_owned()
    }

    fn write(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input.as_mut().unwrap(), "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.as_mut().unwrap().flush().unwrap();
    }

    /// The next message; a server that says nothing for so long never will.
    fn read(&mut self) -> Value {
        let message = self.messages.recv_timeout(Duration::from_secs(60)).unwrap();
        if message["method"] == "textDocument/publishDiagnostics" {
            let uri = message["params"]["uri"].as_str().unwrap().to_owned();
            self.told.insert(uri, message["params"]["diagnostics"].clone());
        }
        message
    }

    /// The latest findings of a file that were read.
    pub(super) fn told(&self, path: &str) -> Value {
        self.told.get(&self.uri(path)).cloned().unwrap_or_default()
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The whole answer to a request; what else comes in before it is passed over.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.number += 1;
        let id = self.number;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The next findings of a file.
    pub(super) fn diagnostics(&mut self, path: &str) -> Vec<Value> {
        let uri = self.uri(path);
        loop {
            let message = self.read();
            if message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri {
                return message["params"]["diagnostics"].as_array().unwrap().clone();
            }
        }
    }

    pub(super) fn open(&mut self, path: &str, text: &str) {
        self.versions.insert(path.to_owned(), 1);
        let document = json!({"uri": self.uri(path), "languageId": "yaml", "version": 1, "text": text});
        self.notify("textDocument/didOpen", &json!({"textDocument": document}));
    }

    pub(super) fn change(&mut self, path: &str, changes: &[Value]) {
        let version = self.versions.entry(path.to_owned()).or_default();
        *version += 1;
        let document = json!({"uri": format!("file://{}", self.folder.join(path).display()), "version": *version});
        self.notify("textDocument/didChange", &json!({"textDocument": document, "contentChanges": changes}));
    }

    pub(super) fn replace(&mut self, path: &str, text: &str) {
        self.change(path, &[json!({"text": text})]);
    }

    pub(super) fn close(&mut self, path: &str) {
        let document = json!({"uri": self.uri(path)});
        self.notify("textDocument/didClose", &json!({"textDocument": document}));
    }

    /// What is answered of a place of an open document.
    pub(super) fn at(&mut self, method: &str, path: &str, text: &str, place: usize) -> Value {
        let params = json!({"textDocument": {"uri": self.uri(path)}, "position": position(text, place)});
        let answer = self.ask(method, &params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// What may be written at a place, in the order of the editor.
    pub(super) fn labels(&mut self, path: &str, text: &str, place: usize) -> Vec<String> {
        let mut items: Vec<(String, String)> = Vec::new();
        for item in self.at("textDocument/completion", path, text, place).as_array().unwrap_or(&Vec::new()) {
            let text = |key: &str| item[key].as_str().unwrap().to_owned();
            items.push((text("sortText"), text("label")));
        }
        items.sort();
        items.into_iter().map(|(_, label)| label).collect()
    }

    pub(super) fn actions(&mut self, path: &str, text: &str, place: usize) -> Vec<Value> {
        let range = json!({"start": position(text, place), "end": position(text, place)});
        let params = json!({"textDocument": {"uri": self.uri(path)}, "range": range, "context": {"diagnostics": []}});
        self.ask("textDocument/codeAction", &params)["result"].as_array().unwrap().clone()
    }

    /// The text after what was offered.
    pub(super) fn applied(&self, path: &str, text: &str, action: &Value) -> String {
        edited(text, action["edit"]["changes"][self.uri(path)].as_array().unwrap())
    }

    /// Says goodbye as the protocol has it.
    pub(super) fn end(mut self) {
        assert_eq!(self.ask("shutdown", &Value::Null)["result"], Value::Null);
        self.notify("exit", &Value::Null);
        assert_eq!(self.code(), 0);
    }

    /// How the server ends once there is nothing more to read.
    pub(super) fn code(mut self) -> i32 {
        drop(self.input.take());
        self.child.wait().unwrap().code().unwrap()
    }
}
