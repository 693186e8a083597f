//! Guards as their authors wrote them: selectors, conditions, the kind or the written check, and the words.

use super::Parser;
use crate::decode::{Fields, offer, suggest_part};
use crate::diagnostic::{Diagnostic, nearest};
use crate::expr::{Expression, Given, Template};
use crate::guards::{Hook, Rule};
use crate::path::Path;
use crate::source::{Span, Spanned};
use crate::spec::shapes::{GUARD, GUARDS};
use crate::spec::{Action, By, Each, Expected, GuardSpec, Layer, OnFailure, OnMissing, PackKind};
use crate::yaml::{Data, Entry, Node, Style};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a guard judges by, and what a pack's kind brings with it.
#[derive(Default)]
struct Judge {
    kind: Option<&'static str>,
    rule: Option<Arc<dyn Rule>>,
    when: Option<Expression>,
    check: Option<Expression>,
    expected: Vec<Expected>,
    prose: Option<Template>,
    correction: Option<Template>,
    public_reason: Option<Template>,
}

impl Parser<'_, '_> {
    pub(super) fn guards(&mut self, fields: &Fields<'_>, layer: Layer) -> Vec<GuardSpec> {
        let Some(hooks) = fields.get("guards").and_then(|node| self.decoder.open(node, &GUARDS)) else {
            return Vec::new();
        };
        let mut guards = Vec::new();
        for hook in Hook::OF_GUARDS {
            let items = hooks.get(hook.name()).map(|node| self.decoder.list(node)).unwrap_or_default();
            guards.extend(items.iter().filter_map(|item| self.guard(item, hook, layer)));
        }
        guards
    }

    fn guard(&mut self, node: &Node, hook: Hook, layer: Layer) -> Option<GuardSpec> {
        let parameters = self.parameters_beside_kind(node);
        let fields = self
            .decoder
            .open_with(node, &GUARD, |key| parameters.contains(&key).then(|| "put it under `with:`".to_owned()))?;
        let id = self.id(&fields);
        let selection = self.selection(&fields, "tools");
        self.about_no_tool(&fields, hook);
        let action = self.action(&fields, hook);
        let before = self.decoder.problems();
        let when = self.expression(&fields, "when");
        let each = fields.get("forEach").and_then(|node| self.each(node));
        let prose = self.template(&fields, "prose");
        let correction = self.template(&fields, "correction");
        let public_reason = self.template(&fields, "publicReason");
        if let Some(entry) = fields.entry("check").filter(|_| parameters.contains(&"check")) {
            let problem =
                Diagnostic::error("unknown-key", entry.key_span, "unknown key `check` in a guard with a `kind`");
            self.decoder.report(problem.help("put it under `with:`"));
        }
        if !parameters.is_empty() {
            return None;
        }
        self.constant_text(&fields, "prose", prose.as_ref());
        let judge = self.judge(&fields, hook, action)?;
        self.differ(&fields, when.as_ref(), judge.check.as_ref());
        let when = match (when, judge.when) {
            (Some(own), Some(of_kind)) => Some(own.and(&of_kind)),
            (own, of_kind) => own.or(of_kind),
        };
        if let Some(entry) = fields.entry("when").filter(|_| !when.as_ref().is_none_or(Expression::is_readable)) {
            let message = "with the condition of its kind, `when` is too large";
            let problem = Diagnostic::error("bad-expression", entry.key_span, message);
            self.decoder.report(problem.help("name its parts under `let`"));
        }
        let guard = GuardSpec {
            id: id?,
            layer,
            hook,
            selection,
            when,
            each,
            check: judge.check,
            expected: judge.expected,
            kind: judge.kind,
            rule: judge.rule,
            action,
            redact: self.redact(&fields, hook),
            by: self.by(&fields, action),
            interim: self.interim(&fields, hook),
            missing: self.word(&fields, "missing", OnMissing::WORDS),
            says_missing: fields.get("missing").is_some(),
            on_failure: self.on_failure(&fields, hook, action),
            prose: prose.or(judge.prose),
            correction: correction.or(judge.correction),
            public_reason: public_reason.or(judge.public_reason),
        };
        (self.decoder.problems() == before).then_some(guard)
    }

    /// Where a turn begins or a reply goes out there is no call that a guard could be about.
    fn about_no_tool(&mut self, fields: &Fields<'_>, hook: Hook) {
        let keys = ["tools", "except", "effects"].into_iter().filter(|_| matches!(hook, Hook::OnInput | Hook::OnReply));
        for entry in keys.filter_map(|key| fields.entry(key)) {
            let message = format!("`{}` names calls, and under `{}` there is none", entry.key, hook.name());
            let problem = Diagnostic::error("tools-without-call", entry.key_span, message);
            self.decoder.report(problem.help("take it out, or move the guard to `preTool`"));
        }
    }

    /// A text that stands in the prompt shows no values of a call.
    pub(super) fn constant_text(&mut self, fields: &Fields<'_>, key: &str, text: Option<&Template>) {
        let read = text.map(Template::roots).unwrap_or_default();
        if let (Some(root), Some(node)) = (read.iter().find(|root| root.value != "params"), fields.get(key)) {
            let at = if root.span == Span::default() { node.span } else { root.span };
            let message = format!("`{key}` takes constants only, and `{}` is none", root.value);
            let problem = Diagnostic::error("value-in-text", at, message);
            self.decoder.report(problem.help("read `params.NAME`, or write `{{` for a brace"));
        }
    }

    /// The kind or the written check; `None` after a problem.
    fn judge(&mut self, fields: &Fields<'_>, hook: Hook, action: Action) -> Option<Judge> {
        if let (Some(kind), Some(check)) = (fields.entry("kind"), fields.entry("check")) {
            let message = "a guard has a `kind` or a `check`, not both";
            let problem = Diagnostic::error("kind-and-check", check.key_span, message);
            self.decoder.report(problem.label(kind.key_span, "the kind stands here").help("write two guards"));
            return None;
        }
        let checked = fields.entry("kind").or_else(|| fields.entry("check"));
        if let (Some(entry), Action::Allow) = (checked, action) {
            let problem = Diagnostic::error("allow-with-check", entry.key_span, "`action: allow` takes no check");
            let help = "say when it lifts `default` with `when`; a check belongs on a deny";
            self.decoder.report(problem.help(help));
        }
        if let Some(kind) = fields.get("kind").filter(|kind| kind.text().is_some_and(|name| name.contains('/'))) {
            return self.kind_of_pack(kind, fields, hook);
        }
        if let (Some(each), Some(_)) = (fields.entry("forEach"), fields.entry("kind")) {
            let message = "a `kind` judges the call as a whole, so it cannot be asked for each element";
            let problem = Diagnostic::error("each-with-kind", each.key_span, message);
            self.decoder.report(problem.help("write the rule as a `check`, or take `forEach` out"));
        }
        if let Some(kind) = fields.get("kind") {
            return self.kind(kind, fields, hook).map(|(name, rule)| Judge {
                kind: Some(name),
                rule: Some(rule),
                ..Judge::default()
            });
        }
        self.without_kind(fields, action);
        match fields.get("check") {
            Some(check) => {
                Some(Judge { check: Some(Expression::decode(&mut self.decoder, check)?), ..Judge::default() })
            }
            None => Some(Judge::default()),
        }
    }

    /// `kind: money/cap`: the pack's check with the guard's parameters in it.
    fn kind_of_pack(&mut self, node: &Node, fields: &Fields<'_>, hook: Hook) -> Option<Judge> {
        let name = self.decoder.text(node)?;
        let (alias, kind) = name.value.split_once('/')?;
        let Some((_, pack)) = self.packs.iter().find(|(known, _)| **known == *alias) else {
            let known: Vec<&str> = self.packs.iter().map(|(known, _)| &**known).collect();
            let problem = Diagnostic::error("unknown-kind", name.span, format!("there is no pack `{alias}`"));
            let quote = if node.is_plain() { "" } else { "'" };
            let problem = suggest_part(problem, quote, alias, &known);
            // A pack that cannot be read is told at its own place.
            if self.missing.is_empty() {
                self.decoder.report(problem.help("name its file under `packs`"));
            }
            return None;
        };
        let Some(found) = pack.kinds.iter().find(|known| known.name.value == kind).cloned() else {
            let known: Vec<String> = pack.kinds.iter().map(|known| format!("{alias}/{}", known.name.value)).collect();
            let problem = Diagnostic::error("unknown-kind", name.span, format!("there is no kind `{}`", name.value));
            self.decoder.report(match nearest(&name.value, known.iter().map(String::as_str)) {
                Some(near) => offer(problem, near),
                None => problem.help(format!(
                    "the pack has {}",
                    crate::decode::quoted_list(&known.iter().map(String::as_str).collect::<Vec<_>>())
                )),
            });
            return None;
        };
        if found.hook != hook {
            let message = format!("`{}` cannot stand under `{}`", name.value, hook.name());
            let problem = Diagnostic::error("wrong-hook", name.span, message);
            self.decoder.report(problem.help(format!("it stands under `{}`", found.hook.name())));
        }
        let with = match fields.get("with") {
            Some(with) => self.with_values(with, &found)?,
            None => Vec::new(),
        };
        let mut parameters = found.given(&mut self.decoder, &with, name.span, Expression::decode)?;
        self.name_long_values(fields, &mut parameters);
        let expected = found.expected(&parameters);
        let given = Given::new(&parameters, &self.lets);
        let judge = Judge {
            when: found.when.as_ref().map(|when| when.with_parameters(&given)),
            check: Some(found.check.with_parameters(&given)),
            expected,
            prose: Some(found.prose.with_parameters(&given)),
            correction: Some(found.correction.with_parameters(&given)),
            public_reason: found.public_reason.as_ref().map(|reason| reason.with_parameters(&given)),
            ..Judge::default()
        };
        self.is_sound(&judge, &name, fields).then_some(judge)
    }

    /// What a pack's kind came to once its parameters were put in.
    fn is_sound(&mut self, judge: &Judge, name: &Spanned<String>, fields: &Fields<'_>) -> bool {
        let texts = [&judge.prose, &judge.correction, &judge.public_reason];
        let is_readable = judge.when.iter().chain(&judge.check).all(Expression::is_readable)
            && texts.into_iter().flatten().all(Template::is_readable);
        if !is_readable {
            let message = format!("with its parameters put in, the check of `{}` is too large", name.value);
            let problem = Diagnostic::error("bad-expression", name.span, message);
            self.decoder.report(problem.help("name its parts under `let`"));
            return false;
        }
        let read = judge.prose.iter().filter(|_| fields.get("prose").is_none()).flat_map(Template::roots);
        if let Some(root) = read.into_iter().find(|root| root.value != "params") {
            let message = format!("the prose of `{}` takes constants only, and `{}` is none", name.value, root.value);
            let problem = Diagnostic::error("value-in-text", root.span, message);
            self.decoder.report(
                problem
                    .label(name.span, "it is put into the prompt here")
                    .help("give a constant for it, or write a `prose` of the guard's own"),
            );
            return false;
        }
        true
    }

    /// A long constant is kept among the constants, by a name of the guard: an expression that holds it could not be
    /// read again.
    fn name_long_values(&mut self, fields: &Fields<'_>, parameters: &mut BTreeMap<String, Expression>) {
        const LONG: usize = 256;
        let id = fields.get("id").and_then(Node::text).unwrap_or_default().replace('-', "_");
        for (parameter, expression) in parameters {
            let Some(value) = expression.value().filter(|_| expression.text().len() > LONG) else { continue };
            let mut name = format!("{parameter}_of_{id}");
            while self.params.contains_key(&name) {
                name.push('_');
            }
            let span = expression.span();
            self.params.insert(name.clone().into(), value.clone());
            *expression = Expression::parameter(name, span);
        }
    }

    /// The parameters of a pack's kind: those that are values may name a constant.
    fn with_values(&mut self, with: &Node, kind: &PackKind) -> Option<Vec<Entry>> {
        let is_expression = |entry: &Entry| kind.expressions.iter().any(|known| known.name == *entry.key);
        let mut entries = Vec::new();
        for entry in self.decoder.entries(with) {
            let value = if is_expression(entry) { entry.value.clone() } else { self.with_constants(&entry.value)? };
            entries.push(Entry { value, ..entry.clone() });
        }
        Some(entries)
    }

    /// A rule that applies exactly where it holds says nothing.
    fn differ(&mut self, fields: &Fields<'_>, when: Option<&Expression>, check: Option<&Expression>) {
        if let (Some(when), Some(check), Some(entry)) = (when, check, fields.entry("when"))
            && when.text() == check.text()
        {
            let message = "`when` says what `check` says, so the guard never fires";
            let problem = Diagnostic::error("when-is-check", entry.key_span, message);
            self.decoder.report(problem.help("`when` is whether the rule applies, `check` what must then be true"));
        }
    }

    /// `p in args.lines` or `i, p in args.lines`.
    fn each(&mut self, node: &Node) -> Option<Each> {
        let text = self.decoder.text(node)?;
        let place = node.verbatim(self.decoder.sources);
        let within = |from: usize, to: usize| match place {
            Some(place) => {
                let offset = |at: usize| (place.start as usize).saturating_add(at);
                Span::new(place.file, offset(from), offset(to))
            }
            None => node.span,
        };
        let Some((names, over)) = text.value.split_once(" in ") else {
            let problem = Diagnostic::error("bad-each", node.span, "`forEach` names a variable and what it goes over");
            self.decoder.report(problem.help("write `item in args.items`, or `index, item in args.items`"));
            return None;
        };
        let mut variables: Vec<Spanned<String>> = Vec::new();
        let mut at = 0_usize;
        for part in names.split(',') {
            let name = part.trim();
            let start = at.saturating_add(part.len().saturating_sub(part.trim_start().len()));
            let span = within(start, start.saturating_add(name.len()));
            if !self.is_free_name(name, span) {
                return None;
            }
            variables.push(Spanned::new(name.to_owned(), span));
            at = at.saturating_add(part.len()).saturating_add(1);
        }
        if variables.len() > 2 || matches!(variables.as_slice(), [one, two] if one.value == two.value) {
            let problem = Diagnostic::error("bad-each", node.span, "`forEach` takes one variable, or two of two names");
            self.decoder.report(problem.help("one is the element, two are index and element, or key and value"));
            return None;
        }
        let start = text.value.len().saturating_sub(over.len());
        let inner = Node { span: within(start, text.value.len()), style: Style::Plain, data: Data::Text(over.into()) };
        Some(Each { variables, over: Expression::decode(&mut self.decoder, &inner)? })
    }

    pub(super) fn expression(&mut self, fields: &Fields<'_>, key: &str) -> Option<Expression> {
        fields.get(key).and_then(|node| Expression::decode(&mut self.decoder, node))
    }

    pub(super) fn template(&mut self, fields: &Fields<'_>, key: &str) -> Option<Template> {
        fields.get(key).and_then(|node| Template::decode(&mut self.decoder, node))
    }

    fn by(&mut self, fields: &Fields<'_>, action: Action) -> By {
        let asks = action == Action::Ask || fields.get("onFailure").and_then(Node::text) == Some("ask");
        if let Some(entry) = fields.entry("by").filter(|_| !asks) {
            let problem = Diagnostic::error("by-without-ask", entry.key_span, "`by` is who is asked, and nobody is");
            self.decoder.report(problem.help("write `action: ask`, or take `by` out"));
        }
        self.word(fields, "by", By::WORDS)
    }

    /// Text beside calls is judged under `onReply` only.
    fn interim(&mut self, fields: &Fields<'_>, hook: Hook) -> Option<bool> {
        let entry = fields.entry("interim")?;
        if hook != Hook::OnReply {
            let problem = Diagnostic::error("wrong-hook", entry.key_span, "`interim` is about replies");
            self.decoder.report(problem.help("take it out, or move the guard to `onReply`"));
        }
        self.decoder.bool(&entry.value)
    }

    fn on_failure(&mut self, fields: &Fields<'_>, hook: Hook, action: Action) -> OnFailure {
        let on_failure = self.word(fields, "onFailure", OnFailure::WORDS);
        let lets_go_on = matches!(action, Action::Audit | Action::Allow);
        if let Some(entry) = fields.entry("onFailure").filter(|_| hook != Hook::PreTool || lets_go_on) {
            let message = match hook {
                Hook::PreTool => format!("a guard with `action: {}` stops no call where it fails", action.name()),
                _ => format!("nobody is asked under `{}`", hook.name()),
            };
            let problem = Diagnostic::error("wrong-action", entry.key_span, message);
            self.decoder.report(problem.help("take `onFailure` out"));
        }
        on_failure
    }

    /// The parameters of a guard's kind that stand beside it and belong under `with:`.
    fn parameters_beside_kind(&self, node: &Node) -> Vec<&'static str> {
        let kind = node.get("kind").and_then(Node::text).and_then(|name| self.registry.find(name));
        let keys = kind.into_iter().flat_map(|kind| kind.about().parameters.fields).map(|field| field.key);
        // A kind's own `check` is told where the two are told apart.
        let is_own = |key: &str| key != "check" && GUARD.fields.iter().any(|field| field.key == key);
        keys.filter(|key| !is_own(key) && node.get(key).is_some()).collect()
    }

    /// What firing does: a word of the table for this hook.
    fn action(&mut self, fields: &Fields<'_>, hook: Hook) -> Action {
        let default = Action::default_of(hook);
        let Some(node) = fields.get("action") else { return default };
        let Some(action) = self.decoder.word(node, Action::WORDS) else { return default };
        if Action::of(hook).contains(&action) {
            return action;
        }
        let words: Vec<String> = Action::of(hook).iter().map(|action| format!("`{}`", action.name())).collect();
        let message = format!("`action: {}` cannot stand under `{}`", action.name(), hook.name());
        let problem = Diagnostic::error("wrong-action", node.span, message);
        self.decoder.report(problem.help(format!("write {}", crate::text::joined(&words, "or"))));
        default
    }

    /// `redact`: what stands at some paths of a result instead.
    fn redact(&mut self, fields: &Fields<'_>, hook: Hook) -> Vec<(Spanned<Path>, Expression)> {
        let Some(entry) = fields.entry("redact") else { return Vec::new() };
        let wrong = match (hook, fields.get("action")) {
            (Hook::PostTool, None) => None,
            (Hook::PostTool, Some(_)) => Some("`redact` stands in place of an `action`"),
            _ => Some("`redact` is about results, which are known under `postTool`"),
        };
        if let Some(message) = wrong {
            let problem = Diagnostic::error("wrong-action", entry.key_span, message);
            self.decoder.report(problem.help("take one of the two out, or write two guards under `postTool`"));
        }
        let entries = self.decoder.entries(&entry.value);
        if entries.is_empty() {
            let problem = Diagnostic::error("empty-list", entry.value.span, "`redact` names no path");
            self.decoder.report(problem.help("write `{notes[].text: \"'[removed]'\"}`"));
        }
        let mut redact = Vec::new();
        for one in entries {
            match Path::parse(&one.key) {
                Ok(path) => {
                    let with = Expression::decode(&mut self.decoder, &one.value);
                    redact.extend(with.map(|with| (Spanned::new(path, one.key_span), with)));
                }
                Err(error) => {
                    let help = "a path is `a`, `a.b`, `a[].b` (every element), `a.*.b` (every value) or `''`";
                    self.decoder.report(Diagnostic::error("bad-path", one.key_span, error.to_string()).help(help));
                }
            }
        }
        redact
    }

    /// A guard without a kind brings its own words, unless it only watches or lifts.
    fn without_kind(&mut self, fields: &Fields<'_>, action: Action) {
        if let Some(with) = fields.entry("with") {
            let problem =
                Diagnostic::error("with-without-kind", with.key_span, "`with` are the parameters of a `kind`");
            self.decoder.report(problem.help("name the kind, or take `with` out"));
        }
        let needed: &[&str] = match action {
            Action::Audit | Action::Allow => &[],
            Action::Ask => &["prose"],
            // What is taken out needs no words, and may have some.
            Action::Warn if fields.get("redact").is_some() => &["prose"],
            Action::Warn | Action::Deny => &["prose", "correction"],
        };
        for key in needed.iter().filter(|key| fields.get(key).is_none()) {
            let message = format!("a guard without a `kind` needs its own `{key}`");
            let help = "prose teaches the rule in the prompt, the correction says what to do instead";
            self.decoder.report(Diagnostic::error("missing-key", fields.head(), message).help(help));
        }
    }

    fn kind(&mut self, node: &Node, fields: &Fields<'_>, hook: Hook) -> Option<(&'static str, Arc<dyn Rule>)> {
        if node.data == Data::Null {
            let key = fields.entry("kind").map_or(node.span, |entry| entry.key_span);
            let problem = Diagnostic::error("wrong-type", key, "expected the name of a kind, found nothing");
            self.decoder
                .report(problem.help("`flyball guards` lists the kinds; a guard without one has no key `kind`"));
            return None;
        }
        let name = self.decoder.text(node)?;
        let Some(kind) = self.registry.find(&name.value) else {
            let problem = Diagnostic::error("unknown-kind", name.span, format!("there is no kind `{}`", name.value));
            self.decoder.report(match nearest(&name.value, self.registry.names()) {
                Some(near) => offer(problem, near),
                None => problem.help("`flyball guards` lists the kinds"),
            });
            return None;
        };
        let about = kind.about();
        if !about.hooks.contains(&hook) {
            let legal: Vec<String> = about.hooks.iter().map(|hook| format!("`{}`", hook.name())).collect();
            let message = format!("`{}` cannot stand under `{}`", about.name, hook.name());
            let problem = Diagnostic::error("wrong-hook", name.span, message);
            self.decoder.report(problem.help(format!("it stands under {}", crate::text::joined(&legal, "or"))));
        }
        let node_of_with;
        let with = match fields.get("with") {
            Some(node) => {
                node_of_with = self.with_constants(node)?;
                self.decoder.open(&node_of_with, about.parameters)?
            }
            None => {
                self.required_parameters(about.parameters, name.span);
                Fields::empty(node.span)
            }
        };
        kind.decode(&mut self.decoder, &with).map(|rule| (about.name, rule))
    }

    fn required_parameters(&mut self, shape: &crate::decode::Shape, span: Span) {
        for field in shape.fields.iter().filter(|field| field.required) {
            let help = format!("write it under `with:`; {}", field.help());
            self.decoder.missing_key(span, shape, field.key, help);
        }
    }
}
