//! A language server: what an editor says goes in, findings and answers come out.
//!
//! ```text
//! messages ──► Server ── files.rs, text.rs: what is open, as the editor counts in it
//!                │
//!                ├── findings.rs: judges open specs, once nothing more comes in
//!                └── project.rs, place.rs, focus.rs: what is under the cursor ──► complete, hover, define
//! ```
//!
//! One thread answers in order. A change only replaces the text; judging waits until the editor is quiet for a moment, so
//! a request behind many changes is answered at once, from the newest text. What is under a cursor is read from an
//! outline that no mistake can stop, so that completion works where it is needed most: in a line that is half-written.

mod actions;
mod complete;
mod define;
mod files;
mod findings;
mod focus;
mod hover;
mod place;
mod project;
mod text;

use crate::error::CliError;
use crate::exit::Exit;
use crate::judged::UNUSED_SUPPRESSION;
use files::{Document, Files};
use findings::{Found, Judged, judge_again};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{self as note, Notification as _};
use lsp_types::request::{self as ask, Request as _};
use lsp_types::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use text::Text;

/// How long the editor is quiet before what it changed is judged.
const QUIET: Duration = Duration::from_millis(40);

/// How many messages may come in between without a quiet moment.
const BUSY: usize = 200;

/// Speaks over standard input and output until the editor says to exit.
pub(crate) fn serve(root: Option<&Path>) -> Result<Exit, CliError> {
    let (connection, threads) = Connection::stdio();
    let root = root.and_then(|root| root.canonicalize().ok());
    let mut server = Server { files: Files { root, ..Files::default() }, ..Server::default() };
    let exit = server.run(&connection);
    drop(connection);
    if exit.is_some() {
        threads.join().map_err(|error| CliError::Editor(error.to_string()))?;
    }
    Ok(exit.unwrap_or(Exit::Findings))
}

/// How far a conversation with an editor is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    New,
    Open,
    ShutDown,
    Exited,
}

#[derive(Debug, Default)]
struct Server {
    phase: Phase,
    files: Files,
    /// What judging each open document found.
    judged: BTreeMap<PathBuf, Judged>,
    /// What the editor was told, by file.
    published: BTreeMap<PathBuf, Vec<Diagnostic>>,
    /// Files that changed since.
    changed: BTreeSet<PathBuf>,
    /// Messages since the first of these changes.
    waited: usize,
    /// Whether the editor can be asked to watch files.
    can_watch: bool,
}

/// What answers a request.
type Answer = Result<Value, (ErrorCode, String)>;

impl Server {
    /// Until there is nothing more to read, or the editor says to exit. Without a shutdown before it, the protocol asks
    /// for the exit code 1. `None` where the editor no longer listens, so that nobody may wait for it to speak.
    fn run(&mut self, connection: &Connection) -> Option<Exit> {
        let mut was_shut_down = false;
        loop {
            let message = if self.changed.is_empty() {
                connection.receiver.recv().ok()
            } else {
                match connection.receiver.recv_timeout(QUIET) {
                    Ok(message) => Some(message),
                    Err(quiet) if quiet.is_timeout() => {
                        self.judge(connection);
                        continue;
                    }
                    Err(_) => None,
                }
            };
            let Some(message) = message else { return Some(Exit::Findings) };
            match message {
                Message::Request(request) => {
                    let response = self.answer(request, connection);
                    connection.sender.send(response.into()).ok()?;
                }
                Message::Notification(notification) => self.take(notification, connection),
                Message::Response(_) => {}
            }
            was_shut_down |= self.phase == Phase::ShutDown;
            if self.phase == Phase::Exited {
                return Some(if was_shut_down { Exit::Done } else { Exit::Findings });
            }
            self.waited = self.waited.saturating_add(usize::from(!self.changed.is_empty()));
            if self.waited >= BUSY {
                self.judge(connection);
            }
        }
    }

    fn answer(&mut self, request: Request, connection: &Connection) -> Response {
        let Request { id, method, params } = request;
        let answer = match (self.phase, method.as_str()) {
            (Phase::New, ask::Initialize::METHOD) => parsed(params).and_then(|params| self.initialize(&params)),
            (Phase::New, _) => Err((ErrorCode::ServerNotInitialized, "`initialize` comes first".to_owned())),
            (Phase::Open, ask::Shutdown::METHOD) => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            (Phase::Open, ask::HoverRequest::METHOD) => parsed(params)
                .and_then(|params: HoverParams| told(self.focused(&params.text_document_position_params, hover::at))),
            (Phase::Open, ask::Completion::METHOD) => parsed(params)
                .and_then(|params: CompletionParams| told(self.focused(&params.text_document_position, complete::at))),
            (Phase::Open, ask::GotoDefinition::METHOD) => parsed(params).and_then(|params: GotoDefinitionParams| {
                told(self.focused(&params.text_document_position_params, define::at))
            }),
            (Phase::Open, ask::CodeActionRequest::METHOD) => parsed(params).and_then(|params: CodeActionParams| {
                self.judge(connection);
                told(Some(self.actions(&params)))
            }),
            (Phase::Open, _) => Err((ErrorCode::MethodNotFound, format!("`{method}` is not known here"))),
            (Phase::ShutDown | Phase::Exited, _) => {
                Err((ErrorCode::InvalidRequest, "the server was shut down".to_owned()))
            }
        };
        match answer {
            Ok(result) => Response { id, response_result: Ok(result) },
            Err((code, message)) => Response::new_err(id, code as i32, message),
        }
    }

    /// Takes what is not answered. What cannot be read is passed over: the editor could not be told.
    fn take(&mut self, notification: Notification, connection: &Connection) {
        let Notification { method, params } = notification;
        match method.as_str() {
            note::Exit::METHOD => self.phase = Phase::Exited,
            _ if self.phase != Phase::Open => {}
            note::Initialized::METHOD => self.watch(connection),
            note::DidOpenTextDocument::METHOD => {
                if let Ok(DidOpenTextDocumentParams { text_document: opened }) = serde_json::from_value(params)
                    && let Some(path) = Files::path(&opened.uri)
                {
                    let text = Text::new(opened.text);
                    let document = Document { uri: opened.uri, text, version: opened.version };
                    self.files.open.insert(path.clone(), document);
                    self.changed.insert(path);
                }
            }
            note::DidChangeTextDocument::METHOD => {
                if let Ok(params) = serde_json::from_value(params) {
                    self.change(params);
                }
            }
            note::DidCloseTextDocument::METHOD => {
                if let Ok(DidCloseTextDocumentParams { text_document: closed }) = serde_json::from_value(params)
                    && let Some(path) = self.files.opened(&closed.uri)
                {
                    self.files.open.remove(&path);
                    self.changed.insert(path);
                }
            }
            note::DidSaveTextDocument::METHOD => {
                if let Ok(DidSaveTextDocumentParams { text_document: saved, .. }) = serde_json::from_value(params) {
                    self.changed.extend(self.files.opened(&saved.uri));
                }
            }
            note::DidChangeWatchedFiles::METHOD => {
                if let Ok(DidChangeWatchedFilesParams { changes }) = serde_json::from_value(params) {
                    let changed: Vec<PathBuf> = changes.iter().filter_map(|one| Files::path(&one.uri)).collect();
                    if changed.iter().any(|path| path.file_name().is_some_and(|name| name == crate::config::NAME)) {
                        self.changed.extend(self.files.open.keys().cloned());
                    }
                    self.changed.extend(changed);
                }
            }
            note::DidChangeWorkspaceFolders::METHOD => {
                if let Ok(DidChangeWorkspaceFoldersParams { event }) = serde_json::from_value(params) {
                    let gone: Vec<PathBuf> = event.removed.iter().filter_map(|one| Files::path(&one.uri)).collect();
                    self.files.folders.retain(|folder| !gone.contains(folder));
                    self.files.folders.extend(event.added.iter().filter_map(|one| Files::path(&one.uri)));
                    self.changed.extend(self.files.open.keys().cloned());
                }
            }
            _ => {}
        }
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let Some(path) = self.files.opened(&params.text_document.uri) else { return };
        let units = self.files.units;
        let Some(document) = self.files.open.get_mut(&path) else { return };
        document.version = params.text_document.version;
        for change in params.content_changes {
            document.text = match change.range {
                Some(range) => document.text.edited(range, &change.text, units),
                None => Text::new(change.text),
            };
        }
        self.changed.insert(path);
    }

    /// Judges again what depends on a file that changed, and tells what is new.
    fn judge(&mut self, connection: &Connection) {
        self.waited = 0;
        let changed = std::mem::take(&mut self.changed);
        if changed.is_empty() {
            return;
        }
        let files = &self.files;
        self.judged.retain(|path, _| files.open.contains_key(path));
        // A folder that is moved or deleted changes all in it.
        let is_changed = |file: &PathBuf| file.ancestors().any(|part| changed.contains(part));
        for path in self.files.open.keys() {
            let is_touched = |known: &Judged| known.is_incomplete || known.files.iter().any(is_changed);
            if is_changed(path) || self.judged.get(path).is_none_or(is_touched) {
                let earlier = self.judged.remove(path);
                self.judged.insert(path.clone(), judge_again(&self.files, path, earlier));
            }
        }
        self.publish(connection);
    }

    /// What is found in a file, by whatever spec it was judged with, each once.
    fn found_in(&self, path: &Path) -> Vec<&Found> {
        let mut found: Vec<&Found> = Vec::new();
        // Second places may lie in the spec that found it.
        let told = |one: &Found| (one.shown.range, one.shown.code.clone(), one.shown.message.clone());
        for one in self.judged.values().filter_map(|judged| judged.found.get(path)).flatten() {
            // A comment in a shared file is of no use only if it is so to every spec.
            let is_useless_to = |judged: &Judged| {
                judged.found.get(path).is_none_or(|known| known.iter().any(|known| told(known) == told(one)))
            };
            let is_about_comments = one.shown.code == Some(NumberOrString::String(UNUSED_SUPPRESSION.to_owned()));
            let mut specs = self.judged.values().filter(|judged| judged.is_spec);
            if is_about_comments && !specs.all(is_useless_to) {
                continue;
            }
            if !found.iter().any(|known| told(known) == told(one)) {
                found.push(one);
            }
        }
        found.sort_by_key(|one| (one.shown.range.start, one.shown.range.end));
        found
    }

    fn publish(&mut self, connection: &Connection) {
        let judged = self.judged.values().flat_map(|judged| judged.found.keys());
        let paths: BTreeSet<PathBuf> = judged.chain(self.published.keys()).cloned().collect();
        for path in paths {
            let diagnostics: Vec<Diagnostic> = self.found_in(&path).into_iter().map(|one| one.shown.clone()).collect();
            let known = self.published.get(&path);
            if known
                .map_or(diagnostics.is_empty() && !self.files.open.contains_key(&path), |known| *known == diagnostics)
            {
                continue;
            }
            if let Some(uri) = self.files.uri(&path) {
                let version = self.files.open.get(&path).map(|document| document.version);
                let params = PublishDiagnosticsParams { uri, diagnostics: diagnostics.clone(), version };
                let method = note::PublishDiagnostics::METHOD.to_owned();
                _ = connection.sender.send(Notification::new(method, params).into());
            }
            if diagnostics.is_empty() && !self.files.open.contains_key(&path) {
                self.published.remove(&path);
            } else {
                self.published.insert(path, diagnostics);
            }
        }
    }

    /// What is under the cursor of an open document, put to a question.
    fn focused<T>(
        &self,
        at: &TextDocumentPositionParams,
        question: impl FnOnce(&focus::Focus<'_>) -> Option<T>,
    ) -> Option<T> {
        let path = self.files.opened(&at.text_document.uri)?;
        let document = self.files.open.get(&path)?;
        let project = project::Project::of(&self.files, &path)?;
        let place = document.text.offset(at.position, self.files.units);
        question(&focus::Focus::of(&self.files, &project, &document.text, place)?)
    }
}

fn parsed<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params).map_err(|error| (ErrorCode::InvalidParams, error.to_string()))
}

fn told<T: serde::Serialize>(answer: Option<T>) -> Answer {
    serde_json::to_value(answer).map_err(|error| (ErrorCode::InternalError, error.to_string()))
}
