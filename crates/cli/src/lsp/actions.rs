//! How a conversation with an editor begins, and what it is offered for a finding.

use super::files::Files;
use super::findings::Found;
use super::text::Units;
use super::{Answer, Phase, Server, told};
use lsp_server::{Connection, Request};
use lsp_types::request::{self as ask, Request as _};
use lsp_types::*;
use std::path::PathBuf;

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
        let glob = GlobPattern::String("**/*.{yaml,yml,json}".to_owned());
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
        let Some(path) = Files::path(uri) else { return Vec::new() };
        let wanted = params.context.only.as_deref();
        let is_wanted = |kind: &CodeActionKind| {
            let meets = |only: &CodeActionKind| {
                only.as_str().is_empty() || kind == only || kind.as_str().starts_with(&format!("{}.", only.as_str()))
            };
            wanted.is_none_or(|wanted| wanted.iter().any(meets))
        };
        if !is_wanted(&CodeActionKind::QUICKFIX) {
            return Vec::new();
        }
        let meets =
            |one: &&Found| one.shown.range.start <= params.range.end && params.range.start <= one.shown.range.end;
        let mut actions = Vec::new();
        for one in self.found_in(&path).into_iter().filter(meets) {
            if let Some(fix) = &one.fix {
                actions.push(action(one, fix.title.clone(), &fix.uri, &fix.edit, fix.is_safe));
            }
        }
        for one in self.found_in(&path).into_iter().filter(meets) {
            if let (Some(edit), Some(NumberOrString::String(rule))) = (&one.allow, &one.shown.code) {
                actions.push(action(one, format!("Allow `{rule}` here"), uri, edit, false));
            }
        }
        actions
    }
}

fn action(found: &Found, title: String, uri: &Uri, edit: &TextEdit, is_preferred: bool) -> CodeActionOrCommand {
    let changes = [(uri.clone(), vec![edit.clone()])].into_iter().collect();
    CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![found.shown.clone()]),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        is_preferred: is_preferred.then_some(true),
        ..CodeAction::default()
    })
}

fn capabilities(knows_bytes: bool) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::Supported(true)),
        ..TextDocumentSyncOptions::default()
    };
    let triggers = [".", " ", ":", "/", "'", "\"", "[", "{", "-"].map(str::to_owned);
    let actions =
        CodeActionOptions { code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]), ..CodeActionOptions::default() };
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
