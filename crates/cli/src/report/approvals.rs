//! Requests for somebody who is to answer them. Whatever a model wrote is escaped; no code of the user is here.

use super::{Format, plain};
use crate::table::aligned;
use flyball::canon;
use flyball::decision::{Accepted, Answered, Decision};
use flyball::session::{RememberedAnswer, Request, RequestState, shown_arguments};
use flyball::time::Timestamp;
use flyball::value::{Object, Value};
use flyball_io::approvals::Requests;
use std::sync::Arc;

/// How many digits of a digest tell a request in a list from every other.
pub(crate) const DIGITS: usize = 12;

/// One request in a list.
#[derive(Debug)]
pub(crate) struct Listed {
    run: String,
    call: String,
    tool: String,
    by: &'static str,
    state: &'static str,
    /// The answer that the run has not taken yet.
    waiting: Option<String>,
    expires: Option<Timestamp>,
    label: String,
    digest: String,
}

impl Listed {
    /// A request of a run at a time of the machine's clock.
    pub(crate) fn of(run: &str, requests: &Requests, request: &Request, now: Timestamp) -> Listed {
        let is_expired = request.state == RequestState::Open && !requests.can_be_answered(request, now);
        let waiting = requests.waiting(&request.call).map(|answer| {
            let word = if answer.granted { "granted" } else { "refused" };
            answer.approver.as_ref().map_or_else(|| word.to_owned(), |name| format!("{word} by {name}"))
        });
        Listed {
            run: run.to_owned(),
            call: request.call.to_string(),
            tool: request.tool.to_string(),
            by: request.by.name(),
            state: if is_expired { "expired" } else { request.state.name() },
            waiting,
            expires: request.not_after,
            label: request.label.clone(),
            digest: request.digest.to_string(),
        }
    }

    /// True if somebody can answer it, or has and the run has not taken it.
    pub(crate) fn is_open(&self) -> bool {
        self.state == "open" || self.waiting.is_some()
    }

    fn state(&self) -> String {
        match &self.waiting {
            Some(answer) => format!("{}, answered, not taken yet: {}", self.state, plain(answer)),
            None => self.state.to_owned(),
        }
    }

    fn expires(&self) -> String {
        self.expires.map_or_else(|| "never answerable, the host sends no time".to_owned(), |at| at.to_string())
    }

    fn members(&self) -> [(&'static str, Option<Value<'static>>); 9] {
        let text = |text: &str| Some(Value::from(text.to_owned()));
        [
            ("by", text(self.by)),
            ("call", text(&self.call)),
            ("digest", text(&self.digest)),
            ("expires", self.expires.map(|at| at.to_string().into())),
            ("label", text(&self.label)),
            ("run", text(&self.run)),
            ("state", text(self.state)),
            ("tool", text(&self.tool)),
            ("waiting", self.waiting.as_deref().and_then(text)),
        ]
    }
}

/// Requests, one a line.
pub(crate) fn list(format: Format, listed: &[Listed]) -> String {
    if format == Format::Json {
        return listed.iter().map(|one| line(Object::of_some(one.members()))).collect();
    }
    if listed.is_empty() {
        return "nothing waits\n".to_owned();
    }
    let heads = ["run", "call", "digest", "tool", "by", "expires", "state", "what"].map(str::to_owned);
    let row = |one: &Listed| {
        let (by, expires, state) = (one.by.to_owned(), one.expires(), one.state());
        let digest = format!("{:.DIGITS$}", one.digest);
        [plain(&one.run), plain(&one.call), digest, plain(&one.tool), by, expires, state, plain(&one.label)]
    };
    aligned(&std::iter::once(heads).chain(listed.iter().map(row)).collect::<Vec<_>>())
}

/// A run whose requests cannot be listed, for programs.
pub(crate) fn unlisted(run: &str, error: &str) -> String {
    line(Object::of([("error", error.to_owned().into()), ("run", run.to_owned().into())]))
}

/// All that there is to know of a request.
pub(crate) fn card(format: Format, listed: &Listed, requests: &Requests, request: &Request) -> String {
    let args = shown_arguments(requests.policy(), request);
    let remembered = requests.session().remembered().iter().filter(|one| one.tool == request.tool);
    if format == Format::Json {
        let mut object = Object::of_some(listed.members());
        object.insert("args".into(), args);
        let reasons = request.reasons.iter().map(|reason| reason.clone().into()).collect();
        object.insert("reasons".into(), Value::Array(reasons));
        let remembered = remembered.map(|one| remembered_value(one, requests)).collect();
        object.insert("remembered".into(), Value::Array(remembered));
        return line(object);
    }
    let mut rows: Vec<[String; 2]> = [
        ("run", plain(&listed.run)),
        ("call", plain(&listed.call)),
        ("tool", plain(&listed.tool)),
        ("what", plain(&listed.label)),
    ]
    .map(|(name, text)| [name.to_owned(), text])
    .to_vec();
    rows.extend(request.reasons.iter().map(|reason| ["why".to_owned(), plain(reason)]));
    rows.extend(args.as_object().into_iter().flat_map(Object::iter).map(argument));
    let rest = [
        ("by", listed.by.to_owned()),
        ("state", listed.state()),
        ("expires", listed.expires()),
        ("digest", listed.digest.clone()),
    ];
    rows.extend(rest.map(|(name, text)| [name.to_owned(), text]));
    rows.extend(remembered.map(|one| ["remembered".to_owned(), remembered_text(one, requests)]));
    aligned(&rows)
}

fn argument((name, value): (&str, &Value<'_>)) -> [String; 2] {
    ["argument".to_owned(), format!("{} = {}", plain(name), plain(&canon::to_text(value)))]
}

/// An answer that stands for later calls of the tool.
fn remembered_text(one: &RememberedAnswer, requests: &Requests) -> String {
    let word = if one.granted { "granted" } else { "refused" };
    let by = one.approver.as_ref().map(|name| format!(" by {}", plain(name))).unwrap_or_default();
    let same = match &one.args {
        Some(args) => format!("the same {}", plain(&args.join(", "))),
        None => "the same arguments".to_owned(),
    };
    let until = one.until.map(|at| format!(", until {at}")).unwrap_or_default();
    let revoked = if requests.is_being_revoked(&one.id) { "; revoked, not taken yet" } else { "" };
    format!("{}: {word}{by} for {same}{until}{revoked}", plain(&one.id))
}

fn remembered_value(one: &RememberedAnswer, requests: &Requests) -> Value<'static> {
    let text = |text: &str| Value::from(text.to_owned());
    Object::of_some([
        ("approver", one.approver.as_deref().map(text)),
        ("args", one.args.as_ref().map(|args| Value::Array(args.iter().map(|name| text(name)).collect()))),
        ("granted", Some(Value::Bool(one.granted))),
        ("id", Some(text(&one.id))),
        ("revoked", requests.is_being_revoked(&one.id).then_some(Value::Bool(true))),
        ("until", one.until.map(|at| at.to_string().into())),
    ])
    .into()
}

/// What became of an answer, for programs. What a call would run with is not masked there, so it is left out.
pub(crate) fn answered(answered: Answered) -> String {
    let decision = match &*answered.decision {
        Decision::Accepted(accepted) => {
            let unshown = accepted.iter().map(|one| Accepted { args: None, ..one.clone() });
            Arc::new(Decision::Accepted(unshown.collect()))
        }
        _ => answered.decision.clone(),
    };
    Answered { decision, ..answered }.to_line() + "\n"
}

/// What became of an answer that the run will take.
pub(crate) fn taken(decision: &Decision) -> String {
    let later = "the run takes it when it goes on";
    let Decision::Accepted(accepted) = decision else { return format!("revoked; {later}\n") };
    let one = |one: &Accepted| {
        let word = if one.granted { "granted" } else { "refused" };
        let args = one.args.as_ref().map(|_| ", with other arguments").unwrap_or_default();
        let id = one.remembered.as_ref().map(|id| format!(", remembered as `{}`", plain(id))).unwrap_or_default();
        format!("{}: {word}{args}{id}; {later}\n", plain(&one.call))
    };
    accepted.iter().map(one).collect()
}

/// Why an answer would not be taken, in the run's words.
pub(crate) fn refused(decision: &Decision) -> String {
    match decision {
        Decision::Refuse { code, message } | Decision::Reject { code, message } => {
            format!("not taken ({code}): {}", plain(message))
        }
        _ => "not taken".to_owned(),
    }
}

fn line(object: Object<'static>) -> String {
    let mut out = Vec::new();
    canon::write(&object.into(), &mut out);
    out.push(b'\n');
    String::from_utf8_lossy(&out).into_owned()
}
