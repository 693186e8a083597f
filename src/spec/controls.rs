//! `controls`: what bounds the run besides its rules, as its author wrote it.
//!
//! Data and the sentences for the prompt. Whether a call passes is judged by the session.

use crate::decimal::Decimal;
use crate::decode::Decoder;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expression, Template};
use crate::source::Span;
use crate::tool::Effect;
use crate::yaml::Node;

/// How the run is governed.
#[derive(Clone, Debug, Default)]
pub struct Controls {
    /// Where they stand.
    pub span: Span,
    /// Automatic guards that are switched off.
    pub off: Vec<&'static str>,
    /// How many refused calls in a row end the turn; absent: no limit.
    pub veto_streak: Option<u64>,
    /// How many calls of one model turn are judged; absent: no limit.
    pub calls_per_step: Option<u64>,
    /// What becomes of text beside calls, where the spec says.
    pub text_with_calls: Option<TextWithCalls>,
    /// How many times a reply that did not pass is asked for again; absent: once.
    pub redrives: Option<u64>,
    /// When a streamed reply is shown.
    pub stream: Streaming,
    /// Whose rules hold where the spec says nothing.
    pub profile: Profile,
    /// How a turn may end.
    pub terminal: Terminal,
    /// What the host says where a limit ends the run and the model has said nothing. It reads constants only.
    pub exhaustion_reply: Option<Template>,
}

/// What becomes of the text of a model turn that has both text and calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TextWithCalls {
    /// It is not shown.
    #[default]
    Drop,
    /// It is shown where the guards that judge it let it pass.
    Check,
    /// It is not shown, and its calls do not run.
    Deny,
}

impl TextWithCalls {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, TextWithCalls)] =
        &[("drop", TextWithCalls::Drop), ("check", TextWithCalls::Check), ("deny", TextWithCalls::Deny)];

    /// The word of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        super::word_of(Self::WORDS, self)
    }

    pub(super) fn decode(decoder: &mut Decoder<'_>, node: &Node) -> Option<TextWithCalls> {
        decoder.word(node, Self::WORDS)
    }
}

/// When a streamed reply is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Streaming {
    /// Once all of it passed.
    #[default]
    Hold,
    /// As it comes, but for the last part of it, in which something forbidden may still be growing.
    Window,
    /// As it comes. What is wrong with it is found when everybody has read it.
    After,
}

impl Streaming {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, Streaming)] =
        &[("hold", Streaming::Hold), ("window", Streaming::Window), ("after", Streaming::After)];

    /// The word of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        super::word_of(Self::WORDS, self)
    }
}

/// Whose rules hold where the spec says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Ours: what the tools declare is granted.
    #[default]
    Flyball,
    /// Least privilege: reading is granted and nothing else, and whatever more is granted waits for an approver.
    Scikitplot,
}

impl Profile {
    /// The words of the format.
    pub const WORDS: &'static [(&'static str, Profile)] =
        &[("flyball", Profile::Flyball), ("scikitplot", Profile::Scikitplot)];

    /// The word of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        super::word_of(Self::WORDS, self)
    }

    /// The effects of which every call waits until somebody approves it.
    #[must_use]
    pub fn asked(self) -> &'static [Effect] {
        match self {
            Profile::Flyball => &[],
            Profile::Scikitplot => &[Effect::Write, Effect::External],
        }
    }

    /// The effects that are granted where the spec does not say; `None`: those the tools declare.
    #[must_use]
    pub fn granted(self) -> Option<&'static [Effect]> {
        match self {
            Profile::Flyball => None,
            Profile::Scikitplot => Some(&[Effect::Read]),
        }
    }
}

/// How a turn may end.
#[derive(Clone, Debug, Default)]
pub enum Terminal {
    /// With a reply or with a question.
    #[default]
    Any,
    /// With a reply.
    ReplyOnly,
    /// With a reply, where this holds when the turn begins.
    ReplyOnlyWhen(Expression),
}

impl Terminal {
    /// The words of the format; a condition stands in a map.
    pub const WORDS: &'static [(&'static str, bool)] = &[("any", false), ("replyOnly", true)];
}

/// A whole number from 1: a limit of 0 would let nothing through, which is said in other ways.
pub(super) fn limit(decoder: &mut Decoder<'_>, node: &Node, key: &str) -> Option<u64> {
    let number = decoder.number(node)?.value;
    if number.is_integer() && number > Decimal::ZERO {
        return decoder.count(node).map(|count| count.value);
    }
    let message = format!("`{number}` is not a whole number from 1");
    let help = format!("write a whole number, 1 or above; leave `{key}` out for no limit");
    decoder.report(Diagnostic::error("bad-count", node.span, message).help(help));
    None
}

impl Controls {
    /// What is set, each as its key and one sentence for the prompt: lower case, without a full stop.
    ///
    /// ```
    /// use flyball::spec::Controls;
    ///
    /// let controls = Controls { calls_per_step: Some(1), ..Controls::default() };
    /// assert_eq!(controls.prose(), [("callsPerStep", "send at most 1 tool call at a time".to_owned())]);
    /// ```
    #[must_use]
    pub fn prose(&self) -> Vec<(&'static str, String)> {
        let streak = self.veto_streak.map(|most| match most {
            1 => "after 1 refused call the turn ends".to_owned(),
            most => format!("after {most} refused calls in a row the turn ends"),
        });
        let calls = self.calls_per_step.map(|most| format!("send at most {} at a time", calls(most)));
        let text = self.text_with_calls.map(|text| match text {
            TextWithCalls::Drop => "write no text beside a tool call; it is not shown".to_owned(),
            TextWithCalls::Check => {
                "text beside a tool call is shown to the user, so the rules for replies hold for it".to_owned()
            }
            TextWithCalls::Deny => {
                "write no text beside a tool call; it is not shown, and the call is refused".to_owned()
            }
        });
        let terminal = match &self.terminal {
            Terminal::Any => None,
            Terminal::ReplyOnly => Some("end each turn with a reply, not with a question".to_owned()),
            Terminal::ReplyOnlyWhen(when) => {
                Some(format!("where `{}`, end the turn with a reply, not with a question", when.text()))
            }
        };
        let exhausted = "if a limit ends the run before your reply, the user gets a fixed sentence in its place";
        let exhausted = self.exhaustion_reply.as_ref().map(|_| exhausted.to_owned());
        let all = [
            ("vetoStreak", streak),
            ("callsPerStep", calls),
            ("textWithCalls", text),
            ("terminal", terminal),
            ("exhaustionReply", exhausted),
        ];
        all.into_iter().filter_map(|(key, sentence)| Some((key, sentence?))).collect()
    }
}

/// `1 tool call`, `3 tool calls`.
pub(crate) fn calls(count: u64) -> String {
    if count == 1 { "1 tool call".to_owned() } else { format!("{count} tool calls") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::to_text;
    use crate::source::Sources;
    use crate::spec::{Parsed, parse};

    fn parsed(controls: &str) -> Parsed {
        let text = format!(
            "agentspec: 1\nid: desk\npersona: You are the desk.\nparams: {{desk: the desk}}\ntools: {{look: {{effect: read}}}}\ncontrols: {{{controls}}}\n"
        );
        parse(&Sources::new("desk.yaml", text))
    }

    #[track_caller]
    fn controls(text: &str) -> Controls {
        let parsed = parsed(text);
        parsed.spec.unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics)).controls
    }

    #[test]
    fn what_is_set_has_one_sentence_each_and_what_is_not_has_none() {
        let cases = [
            ("", [""; 0].as_slice()),
            ("auto: {noDuplicateCall: false}, terminal: any", &[]),
            ("vetoStreak: 1", &["vetoStreak: after 1 refused call the turn ends"]),
            ("vetoStreak: 3", &["vetoStreak: after 3 refused calls in a row the turn ends"]),
            ("callsPerStep: 1", &["callsPerStep: send at most 1 tool call at a time"]),
            ("callsPerStep: 4.0", &["callsPerStep: send at most 4 tool calls at a time"]),
            ("textWithCalls: drop", &["textWithCalls: write no text beside a tool call; it is not shown"]),
            (
                "textWithCalls: deny",
                &["textWithCalls: write no text beside a tool call; it is not shown, and the call is refused"],
            ),
            ("terminal: replyOnly", &["terminal: end each turn with a reply, not with a question"]),
            (
                "terminal: {replyOnly: world.closed}",
                &["terminal: where `world.closed`, end the turn with a reply, not with a question"],
            ),
            (
                "exhaustionReply: 'I am {params.desk}.', vetoStreak: 2",
                &[
                    "vetoStreak: after 2 refused calls in a row the turn ends",
                    "exhaustionReply: if a limit ends the run before your reply, the user gets a fixed sentence in its place",
                ],
            ),
        ];
        for (text, wanted) in cases {
            let prose = controls(text).prose();
            let said: Vec<String> = prose.into_iter().map(|(key, sentence)| format!("{key}: {sentence}")).collect();
            assert_eq!(said, wanted, "{text}");
            assert!(said.iter().all(|sentence| !sentence.ends_with('.')), "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back_and_defaults_are_left_out() {
        let cases = [
            ("terminal: any", None),
            ("profile: flyball", None),
            (
                "profile: scikitplot, auto: {confirmFirst: false}",
                Some(r#"{"auto":{"confirmFirst":false},"profile":"scikitplot"}"#),
            ),
            ("auto: {}", None),
            (
                "exhaustionReply: 'I am {params.desk}.', textWithCalls: drop",
                Some(r#"{"exhaustionReply":"I am {params.desk}.","textWithCalls":"drop"}"#),
            ),
            (
                "vetoStreak: 3.0, callsPerStep: 1, terminal: replyOnly, auto: {noDuplicateCall: false}",
                Some(r#"{"auto":{"noDuplicateCall":false},"callsPerStep":1,"terminal":"replyOnly","vetoStreak":3}"#),
            ),
            ("terminal: {replyOnly: '(world.closed)'}", Some(r#"{"terminal":{"replyOnly":"world.closed"}}"#)),
        ];
        for (text, wanted) in cases {
            let effective = parsed(text).spec.unwrap().effective();
            assert_eq!(effective.get("controls").map(to_text).as_deref(), wanted, "{text}");
            let again = parse(&Sources::new("again.yaml", to_text(&effective))).spec.unwrap();
            assert_eq!(to_text(&again.effective()), to_text(&effective), "{text}");
        }
    }

    #[test]
    fn what_is_no_control_is_told_with_its_place() {
        let cases = [
            ("vetoStreak: 0", "bad-count", "`0` is not a whole number from 1"),
            ("vetoStreak: -1", "bad-count", "`-1` is not a whole number from 1"),
            ("callsPerStep: 1.5", "bad-count", "`1.5` is not a whole number from 1"),
            ("callsPerStep: 1e30", "bad-count", "is too large"),
            ("callsPerStep: one", "wrong-type", "expected a number"),
            ("textWithCalls: hide", "unknown-word", "`hide` is none of `drop`, `check`, `deny`"),
            ("terminal: reply", "unknown-word", "`reply` is none of `any`, `replyOnly`"),
            ("profile: agentloop", "unknown-word", "`agentloop` is none of `flyball`, `scikitplot`"),
            ("terminal: true", "wrong-type", "expected `any`, `replyOnly`"),
            ("terminal: {}", "missing-key", "replyOnly"),
            ("terminal: {replyOnly: 1 +}", "bad-expression", ""),
            ("exhaustionReply: ' '", "blank-text", "a blank text says nothing"),
            ("exhaustionReply: 'It is {world.x}.'", "value-in-text", "`exhaustionReply` takes constants only"),
            ("stream: now", "unknown-word", "`now` is none of `hold`, `window`, `after`"),
        ];
        for (text, rule, message) in cases {
            let parsed = parsed(text);
            let told: Vec<&str> = parsed.diagnostics.iter().map(|problem| problem.rule).collect();
            assert_eq!(told, [rule], "{text}");
            assert!(parsed.diagnostics[0].message.contains(message), "{text}: {:?}", parsed.diagnostics);
            assert!(parsed.spec.is_none(), "{text}");
        }
    }
}
