//! What a host does with a decision on a call: run it with these arguments, or give the model this instead, or this
//! beside the result.
//!
//! The texts stand here so that no host invents its own; a denied call's is its correction. Nothing here decides.

use super::{CallDecision, Decision, Match, Owed, ReplyVerdict, Stop, Verdict};
use crate::canon::ObjectWriter;
use crate::value::Value;

impl CallDecision {
    /// The arguments to run the call with, given those that were sent; `None` where it does not run.
    ///
    /// Only an allow runs. A call that somebody else agrees to, after an ask or a defer, runs with [`Verdict::args`]
    /// where there are any.
    ///
    /// ```
    /// use flyball::decision::{Allow, CallDecision, Verdict};
    /// use flyball::value::Value;
    ///
    /// let sent = Value::from("as sent");
    /// let call = |verdict| CallDecision { call: "c1".into(), verdict };
    /// assert_eq!(call(Verdict::Allow(Allow::default())).to_run(&sent), Some(&sent));
    ///
    /// let deferred = call(Verdict::Defer(Allow::default()));
    /// assert_eq!(deferred.to_run(&sent), None);
    /// assert!(deferred.output().starts_with(r#"{"code":"defer","correction":"#));
    /// ```
    #[must_use]
    pub fn to_run<'v>(&'v self, sent: &'v Value<'v>) -> Option<&'v Value<'v>> {
        match &self.verdict {
            Verdict::Allow(allow) => Some(allow.args.as_deref().unwrap_or(sent)),
            Verdict::Deny(_) | Verdict::Answer(_) | Verdict::Ask(_) | Verdict::Defer(_) | Verdict::Need(_) => None,
        }
    }

    /// What the model gets as the tool's result where the call does not run; of a repeat the result of the call that it
    /// repeats.
    #[must_use]
    pub fn output(&self) -> String {
        let text = match &self.verdict {
            Verdict::Deny(deny) => return deny.output(),
            Verdict::Answer(repeat) => return crate::canon::to_text(&repeat.result),
            Verdict::Ask(_) => "This call waits for approval and has not run. Say so, and do not propose it again.",
            Verdict::Need(_) => "This call waits for an answer and has not run. Say so, and do not propose it again.",
            Verdict::Defer(_) => "This call was not approved and has not run. Say so; do not try another way.",
            Verdict::Allow(_) => return not_run(),
        };
        in_place(self.verdict.name(), text)
    }

    /// What the model is told beside the result where the call runs: the corrections of the guards that warn, in order.
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        corrections(self.verdict.running().map_or(&[], |allow| &allow.warnings))
    }
}

fn corrections(matches: &[Match]) -> impl Iterator<Item = &str> {
    matches.iter().map(|one| one.correction.as_str())
}

impl Decision {
    /// As [`CallDecision::to_run`], of the answer to one proposed call.
    #[must_use]
    pub fn to_run<'v>(&'v self, sent: &'v Value<'v>) -> Option<&'v Value<'v>> {
        if let Decision::Call(call) = self { call.to_run(sent) } else { None }
    }

    /// What the model gets as the tool's result where the call does not run, or where its result is withheld or
    /// rewritten. Of a batch each call has its own.
    #[must_use]
    pub fn output(&self) -> String {
        match self {
            Decision::Call(call) => call.output(),
            Decision::Judged(judged) => match (&judged.withheld, &judged.rewritten) {
                (Some(deny), _) => deny.output(),
                (None, Some(rewritten)) => crate::canon::to_text(&rewritten.result),
                (None, None) => not_run(),
            },
            Decision::Withhold { code, message } => in_place(code, message),
            Decision::Reject { .. } => in_place("reject", "This call could not be read and has not run. Say so."),
            Decision::Refuse { .. } => in_place("refuse", "This call was not taken and has not run. Say so."),
            Decision::Proceed
            | Decision::Accept
            | Decision::Accepted(_)
            | Decision::Turn(_)
            | Decision::Reply(_)
            | Decision::Hold
            | Decision::Release(_)
            | Decision::Calls { .. } => not_run(),
        }
    }

    /// That the run stops, and what is said then where the model has said nothing; of a batch with the first of its calls
    /// that says so.
    ///
    /// ```
    /// use flyball::decision::Decision;
    ///
    /// assert!(Decision::Accept.stop().is_none());
    /// ```
    #[must_use]
    pub fn stop(&self) -> Option<&Stop> {
        let calls = match self {
            Decision::Call(call) => std::slice::from_ref(call),
            Decision::Calls { calls, .. } => calls,
            _ => &[],
        };
        calls.iter().find_map(|call| if let Verdict::Deny(deny) = &call.verdict { deny.stop.as_ref() } else { None })
    }

    /// What the person gets: in a turn that is refused, of which no model hears, and of a reply that is delivered or in whose
    /// place the engine speaks. `None` for any other decision.
    ///
    /// ```
    /// use flyball::decision::Decision;
    ///
    /// assert_eq!(Decision::Proceed.reply(), None);
    /// ```
    #[must_use]
    pub fn reply(&self) -> Option<&str> {
        match self {
            Decision::Turn(turn) => turn.refused.as_ref().map(|refused| refused.reply.as_str()),
            Decision::Reply(reply) => reply.verdict.text(),
            _ => None,
        }
    }

    /// What the model is told where another reply is awaited of it, with tools off; `None` for any other decision.
    ///
    /// ```
    /// use flyball::decision::Decision;
    ///
    /// assert_eq!(Decision::Proceed.instruction(), None);
    /// ```
    #[must_use]
    pub fn instruction(&self) -> Option<&str> {
        let Decision::Reply(reply) = self else { return None };
        if let ReplyVerdict::Redrive { instruction, .. } = &reply.verdict { Some(instruction) } else { None }
    }

    /// True if the model does not get the result of the call that finished, but [`Decision::output`] in its place.
    #[must_use]
    pub fn withholds(&self) -> bool {
        match self {
            Decision::Judged(judged) => judged.withheld.is_some() || judged.rewritten.is_some(),
            Decision::Withhold { .. } => true,
            _ => false,
        }
    }

    /// What the model gets of a call that ran, where this is the answer to its end and `proposal` the one it ran by: its
    /// result or what stands in its place, and below it the notes of both, a line each.
    ///
    /// ```
    /// use flyball::decision::Decision;
    ///
    /// assert_eq!(Decision::Accept.shown(&Decision::Accept, "42"), "42");
    /// let withheld = Decision::Withhold { code: "unreadable", message: "It cannot be read.".into() };
    /// assert!(withheld.shown(&Decision::Accept, "42").contains("It cannot be read."));
    /// ```
    #[must_use]
    pub fn shown(&self, proposal: &Decision, result: &str) -> String {
        let result = if self.withholds() { self.output() } else { result.to_owned() };
        std::iter::once(result.as_str()).chain(proposal.notes()).chain(self.notes()).collect::<Vec<_>>().join("\n")
    }

    /// What the model is told beside the result, by the guards that warn: before the call those of its proposal, after it
    /// those of its result. Of a batch each call has its own.
    ///
    /// ```
    /// use flyball::decision::{Allow, CallDecision, Decision, Verdict};
    ///
    /// let decision = Decision::Call(CallDecision { call: "c1".into(), verdict: Verdict::Allow(Allow::default()) });
    /// assert_eq!(decision.notes().count(), 0);
    /// ```
    pub fn notes(&self) -> impl Iterator<Item = &str> {
        let call = if let Decision::Call(call) = self { call.verdict.running() } else { None };
        let judged = if let Decision::Judged(judged) = self { Some(judged) } else { None };
        let of_call = call.map_or(&[][..], |allow| &allow.warnings);
        let warned = corrections(judged.map_or(&[][..], |judged| &judged.warnings));
        corrections(of_call).chain(warned).chain(judged.into_iter().flat_map(|judged| &judged.owes).map(Owed::note))
    }
}

/// A call that could have run, and that the host did not run.
fn not_run() -> String {
    in_place("not_run", "This call has not run. Say so.")
}

/// An object of the form of a denied call's output.
fn in_place(code: &str, correction: &str) -> String {
    let mut out = Vec::new();
    let mut object = ObjectWriter::new(&mut out);
    object.string("code", code).string("correction", correction).bool("ok", false).string("source", "governance");
    object.finish();
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::{Allow, Ask};

    fn call(verdict: Verdict) -> Decision {
        Decision::Call(CallDecision { call: "c1".into(), verdict })
    }

    #[test]
    fn only_an_allow_runs_and_with_what_was_judged() {
        let (sent, judged) = (Value::from("sent"), Value::from("judged"));
        let allow = |args| call(Verdict::Allow(Allow { args, ..Allow::default() }));
        assert_eq!(allow(None).to_run(&sent), Some(&sent));
        assert_eq!(allow(Some(Box::new(judged.clone()))).to_run(&sent), Some(&judged));
        let args = Some(Box::new(judged.clone()));
        let asked = Verdict::Ask(Box::new(Ask { args: args.clone(), ..Ask::by_default() }));
        for verdict in [asked, Verdict::Defer(Allow { args, ..Allow::default() })] {
            assert_eq!(verdict.args(), Some(&judged));
            assert_eq!(call(verdict).to_run(&sent), None);
        }
        assert_eq!(Decision::Accept.to_run(&sent), None);
    }

    fn warning(correction: &str) -> Match {
        Match {
            guard: "g".into(),
            code: "g".into(),
            outcome: crate::decision::StepOutcome::GuardDenied,
            correction: correction.into(),
            public_reason: None,
            failure: None,
            is_final: false,
        }
    }

    #[test]
    fn what_warns_stands_beside_the_result_and_a_repeat_has_the_result_it_repeats() {
        use crate::decision::{Deny, Judged, Repeat};
        let warned = || Allow { warnings: vec![warning("One."), warning("Two.")], ..Allow::default() };
        for decision in [call(Verdict::Allow(warned())), call(Verdict::Defer(warned()))] {
            assert_eq!(decision.notes().collect::<Vec<_>>(), ["One.", "Two."]);
            assert!(!decision.withholds());
        }
        let judged = |withheld| {
            Decision::Judged(Box::new(Judged { withheld, warnings: vec![warning("Say it.")], ..Judged::default() }))
        };
        assert_eq!(judged(None).notes().collect::<Vec<_>>(), ["Say it."]);
        assert_eq!(judged(None).shown(&call(Verdict::Allow(warned())), "7"), "7\nOne.\nTwo.\nSay it.");
        assert!(!judged(None).withholds());
        let withheld = judged(Some(Deny::of(warning("No."), Vec::new())));
        assert!(withheld.withholds() && withheld.output().contains("No."));
        assert!(Decision::Withhold { code: "unreadable", message: String::new() }.withholds());
        let repeat = call(Verdict::Answer(Repeat { of: "c0".into(), result: std::sync::Arc::new(Value::from(7_i64)) }));
        assert_eq!((repeat.output().as_str(), repeat.to_run(&Value::Null), repeat.notes().count()), ("7", None, 0));
    }

    #[test]
    fn the_first_call_of_a_batch_that_stops_tells_what_is_said() {
        use crate::decision::Deny;
        let deny = |stop: Option<&str>| {
            let stop = stop.map(|reply| Stop { reason: "veto_streak", reply: reply.into() });
            let deny = Deny { stop, ..Deny::of(warning("No."), Vec::new()) };
            CallDecision { call: "c1".into(), verdict: Verdict::Deny(Box::new(deny)) }
        };
        let reply = |decision: &Decision| decision.stop().map(|stop| stop.reply.to_string());
        let calls = vec![deny(None), deny(Some("One.")), deny(Some("Two."))];
        assert_eq!(reply(&Decision::Calls { calls, beside: None }).as_deref(), Some("One."));
        assert_eq!(reply(&Decision::Call(deny(Some("Two.")))).as_deref(), Some("Two."));
        assert_eq!(reply(&Decision::Call(deny(None))), None);
        assert_eq!(reply(&Decision::Calls { calls: Vec::new(), beside: None }), None);
    }

    #[test]
    fn whatever_does_not_run_has_an_honest_output() {
        let ask = Ask::by_default();
        let refused = |code| Decision::Refuse { code, message: "no".into() };
        let cases = [
            ("ask", call(Verdict::Ask(Box::new(ask)))),
            ("need", call(Verdict::Need(Vec::new()))),
            ("defer", call(Verdict::Defer(Allow::default()))),
            ("not_run", call(Verdict::Allow(Allow::default()))),
            ("refuse", refused("session_closed")),
            ("reject", Decision::Reject { code: "bad_json", message: "no".into() }),
            ("unreadable", Decision::Withhold { code: "unreadable", message: "It cannot be read.".into() }),
        ];
        for (code, decision) in cases {
            let output = decision.output();
            assert!(output.starts_with(&format!(r#"{{"code":"{code}","correction":""#)), "{output}");
            assert!(output.ends_with(r#","ok":false,"source":"governance"}"#), "{output}");
        }
    }
}
