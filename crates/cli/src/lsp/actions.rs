//! How a conversation with an editor begins, and what it is offered for a finding.

use super::files::Files;
use super::findings::Found;
use super::text::Units;
use super::{Answer, Phase, Server, told};
use lsp_server::{Connection, Request};
use lsp_types::request::{self as ask, Request as _};
use lsp_types::*;
use std::path::PathBuf;

/// Every safe fix at once, as editors ask for it when a file is saved.
const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.flyball");

impl Server {
    pub(super) fn initialize(&mut self, params: &InitializeParams) -> Answer {
        self.phase = Phase::Open;
        let general = params.capabilities.general.as_ref();
        let encodings = general.and_then(|general| general.position_encodings.as_deref()).unwrap_or_default();
        let knows_bytes = encodings.contains(&PositionEncodingKind::UTF8);
        self.files.units = if knows_bytes { Units::Utf8 } else { Units::Utf16 };
        #[expect(deprecated, reason = "older editors name one folder only")]
        let old = params.root_uri.iter();
        let folders = params.workspace_folders.iter().flatten().map(|folder| &folder.uri);
        let folders: Vec<PathBuf> = folders.filter_map(Files::path).collect();
        self.files.folders = if folders.is_empty() { old.filter_map(Files::path).collect() } else { folders };
        let workspace = params.capabilities.workspace.as_ref();
        let watched = workspace.and_then(|workspace| workspace.did_change_watched_files);
        self.can_watch = watched.and_then(|watched| watched.dynamic_registration).unwrap_or(false);
        told(Some(InitializeResult {
            capabilities: capabilities(knows_bytes),
            server_info: Some(ServerInfo { name: "flyball".to_owned(), version: crate::command::version() }),
        }))
    }

    /// Asks the editor to tell of files that change beside it.
    pub(super) fn watch(&self, connection: &Connection) {
        if !self.can_watch {
            return;
        }
        let glob = GlobPattern::String("**/*.{yaml,yml,json,toml}".to_owned());
        let options = DidChangeWatchedFilesRegistrationOptions {
            watchers: vec![FileSystemWatcher { glob_pattern: glob, kind: None }],
        };
        let registration = Registration {
            id: "files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: serde_json::to_value(options).ok(),
        };
        let params = RegistrationParams { registrations: vec![registration] };
        let request = Request::new("files".to_owned().into(), ask::RegisterCapability::METHOD.to_owned(), params);
        _ = connection.sender.send(request.into());
    }

    /// What is offered for the findings that a range meets: what mends each, and the comment that allows it.
    pub(super) fn actions(&self, params: &CodeActionParams) -> Vec<CodeActionOrCommand> {
        let uri = &params.text_document.uri;
        let Some(path) = self.files.opened(uri) else { return Vec::new() };
        let wanted = params.context.only.as_deref();
        let is_wanted = |kind: &CodeActionKind| {
            let meets = |only: &CodeActionKind| {
                only.as_str().is_empty() || kind == only || kind.as_str().starts_with(&format!("{}.", only.as_str()))
            };
            wanted.is_none_or(|wanted| wanted.iter().any(meets))
        };
        let found = self.found_in(&path);
        let all = fix_all(found.iter().copied(), uri).filter(|_| is_wanted(&FIX_ALL));
        if !is_wanted(&CodeActionKind::QUICKFIX) {
            return all.into_iter().collect();
        }
        let meets =
            |one: &&Found| one.shown.range.start <= params.range.end && params.range.start <= one.shown.range.end;
        let (mut actions, mut allowed) = (Vec::new(), Vec::new());
        for one in found.iter().copied().filter(meets) {
            if let Some(fix) = &one.fix {
                actions.push(action(one, fix.title.clone(), &fix.uri, &fix.edit, fix.is_safe));
            }
        }
        for one in found.iter().copied().filter(meets) {
            if let (Some(edit), Some(NumberOrString::String(rule))) = (&one.allow, &one.shown.code) {
                let allow = action(one, format!("Allow `{rule}` here"), uri, edit, false);
                let is_new = !allowed.contains(edit);
                allowed.push(edit.clone());
                actions.extend(is_new.then_some(allow));
            }
        }
        actions.extend(all);
        actions
    }
}

fn action(found: &Found, title: String, uri: &Uri, edit: &TextEdit, is_preferred: bool) -> CodeActionOrCommand {
    CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![found.shown.clone()]),
        edit: Some(changing(uri, vec![edit.clone()])),
        is_preferred: is_preferred.then_some(true),
        ..CodeAction::default()
    })
}

/// Every safe fix of a document at once, but for those that would meet another.
fn fix_all<'a>(found: impl Iterator<Item = &'a Found>, uri: &Uri) -> Option<CodeActionOrCommand> {
    let safe = found.filter_map(|one| one.fix.as_ref()).filter(|fix| fix.is_safe && fix.uri == *uri);
    let mut edits: Vec<TextEdit> = safe.map(|fix| fix.edit.clone()).collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut end = Position::default();
    edits.retain(|edit| {
        let is_free = edit.range.start >= end;
        end = if is_free { edit.range.end } else { end };
        is_free
    });
    let edit = (!edits.is_empty()).then(|| changing(uri, edits))?;
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: "Mend all that can safely be mended".to_owned(),
        kind: Some(FIX_ALL),
        edit: Some(edit),
        ..CodeAction::default()
    }))
}

fn changing(uri: &Uri, edits: Vec<TextEdit>) -> WorkspaceEdit {
    WorkspaceEdit { changes: Some([(uri.clone(), edits)].into_iter().collect()), ..WorkspaceEdit::default() }
}

fn capabilities(knows_bytes: bool) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let triggers = [".", " ", ":", "/", "'", "\"", "[", "{", "-"].map(str::to_owned);
    let kinds = vec![CodeActionKind::QUICKFIX, FIX_ALL];
    let actions = CodeActionOptions { code_action_kinds: Some(kinds), ..CodeActionOptions::default() };
    let folders =
        WorkspaceFoldersServerCapabilities { supported: Some(true), change_notifications: Some(OneOf::Left(true)) };
    ServerCapabilities {
        position_encoding: Some(if knows_bytes { PositionEncodingKind::UTF8 } else { PositionEncodingKind::UTF16 }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(triggers.to_vec()),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
        workspace: Some(WorkspaceServerCapabilities { workspace_folders: Some(folders), file_operations: None }),
        ..ServerCapabilities::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::findings::Fix;
    use super::*;
    use std::str::FromStr;

    fn fix(start: u32, end: u32, is_safe: bool, uri: &Uri) -> Found {
        let at = |character| Position { line: 0, character };
        let edit = TextEdit { range: Range { start: at(start), end: at(end) }, new_text: start.to_string() };
        let fix = Fix { title: String::new(), uri: uri.clone(), edit, is_safe };
        Found { shown: Diagnostic::default(), fix: Some(fix), allow: None }
    }

    #[test]
    fn all_safe_fixes_of_a_document_are_one_action_and_none_meets_another() {
        let (uri, other) = (Uri::from_str("file:///a").unwrap(), Uri::from_str("file:///b").unwrap());
        let found = [fix(7, 9, true, &uri), fix(1, 4, true, &uri), fix(3, 5, true, &uri), fix(4, 4, false, &uri)];
        let found: Vec<Found> = found.into_iter().chain([fix(11, 12, true, &other)]).collect();
        let action = serde_json::to_value(fix_all(found.iter(), &uri)).unwrap();
        let edits = action["edit"]["changes"]["file:///a"].as_array().unwrap();
        assert_eq!(edits.iter().map(|edit| &edit["newText"]).collect::<Vec<_>>(), ["1", "7"]);
        assert_eq!(action["kind"], "source.fixAll.flyball");
        assert!(fix_all([fix(1, 2, false, &uri)].iter(), &uri).is_none());
    }
}
