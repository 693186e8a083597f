//! The controls of a run: how many refused calls in a row end a turn, how many calls of one model turn are judged, and
//! what becomes of text beside them.
//!
//! They ask where a call stands, never what it is. Where the spec only observes nothing stops: a call is judged all the
//! same, and what would have been is said beside it.

use super::call::{Proposal, Proposals, gate};
use super::explain::{Judgement, Said};
use super::{Change, Status};
use crate::decision::{Allow, Deny, MAX_TOOL_CALLS, StepOutcome, Stop, VETO_STREAK, Verdict};
use crate::event::Call;
use crate::guards::Read;
use crate::policy::Policy;
use crate::spec::{Mode, TextWithCalls, calls_text};
use std::sync::Arc;

/// The code of a call beyond those that one model turn may have.
pub(super) const CALLS_PER_STEP: &str = "calls_per_step";

/// The code of a call with text beside it, where that is refused.
const TEXT_WITH_CALLS: &str = "text_with_calls";

/// True if the host does not show the text of a model turn with these calls.
pub(super) fn drops_text(policy: &Policy, calls: &[Call<'_>], has_text: bool) -> bool {
    has_text && !calls.is_empty() && policy.mode == Mode::Enforce
}

/// That the run stops because a budget is used up.
pub(super) fn used_up(policy: &Policy) -> Stop {
    Stop { reason: MAX_TOOL_CALLS, reply: policy.bounds.exhausted.clone() }
}

impl Proposals<'_> {
    /// What a control has against a call, whatever it is.
    #[inline]
    pub(super) fn barred(&mut self) -> Option<Box<Deny>> {
        let bounds = &self.policy.bounds;
        if let Some(most) = bounds.veto_streak.filter(|most| self.vetoes >= *most) {
            return Some(self.after_streak(most));
        }
        if self.has_text && bounds.text_with_calls == TextWithCalls::Deny {
            return Some(self.beside_text());
        }
        bounds.calls_per_step.and_then(|most| self.beyond_step(most))
    }

    #[cold]
    fn after_streak(&mut self, most: u64) -> Box<Deny> {
        self.hear_streak(most, Said::Fires);
        let what = match most {
            1 => "A refused call has".to_owned(),
            most => format!("{most} refused calls in a row have"),
        };
        let correction = format!("{what} ended this turn. Stop calling tools, and say what is left undone.");
        Box::new(denied(VETO_STREAK, correction).stopping(self.streak_stop()))
    }

    #[cold]
    fn beside_text(&mut self) -> Box<Deny> {
        self.recorder.hear(|| {
            let flips = Some("the calls without text, or the text without calls".to_owned());
            let read = Read::words("text beside the calls", "yes");
            Judgement::gate(TEXT_WITH_CALLS, Said::Fires).reading(read).flipped_by(flips)
        });
        let correction =
            "A tool call may not stand beside text. Send the calls without text, or the reply without calls.";
        Box::new(denied(TEXT_WITH_CALLS, correction.to_owned()))
    }

    fn beyond_step(&mut self, most: u64) -> Option<Box<Deny>> {
        let place = self.place;
        let is_beyond = place > most;
        self.recorder.hear(|| {
            let said = if is_beyond { Said::Fires } else { Said::Pass };
            let flips = is_beyond.then(|| format!("at most {} at once", calls_text(most)));
            let read = Read::words("call of this step", format!("{place}, at most {most}"));
            Judgement::gate(CALLS_PER_STEP, said).reading(read).flipped_by(flips)
        });
        is_beyond.then(|| {
            let correction =
                format!("Send at most {} at once. This one was not judged: send it again next.", calls_text(most));
            Box::new(denied(CALLS_PER_STEP, correction))
        })
    }

    /// The verdict on a call that a control stands against.
    pub(super) fn bar(
        &mut self,
        deny: Box<Deny>,
        proposal: &Proposal<'_, '_>,
        id: &Arc<str>,
        resumes: bool,
    ) -> Verdict {
        if self.policy.mode == Mode::Enforce {
            self.unjudged(proposal.call, id, resumes, Status::Denied);
            return Verdict::Deny(deny);
        }
        // It runs, so what it takes is taken.
        match self.judge(proposal, id, false) {
            Verdict::Allow(allow) => {
                let would = Some(Box::new(Verdict::Deny(deny)));
                Verdict::Allow(Allow { would, warnings: Vec::new(), ..allow })
            }
            other => other,
        }
    }

    /// Counts a verdict, and ends the turn with the one that is too many.
    #[inline]
    pub(super) fn count_veto(&mut self, verdict: &mut Verdict) {
        let Some(most) = self.policy.bounds.veto_streak else { return };
        let enforces = self.policy.mode == Mode::Enforce;
        match verdict {
            Verdict::Allow(Allow { would: Some(would), .. }) => match &mut **would {
                Verdict::Deny(deny) => self.refused(most, deny, true),
                Verdict::Defer(_) => self.go_on(most),
                Verdict::Allow(_) | Verdict::Answer(_) | Verdict::Ask(_) | Verdict::Need(_) => {}
            },
            Verdict::Deny(deny) => self.refused(most, deny, enforces),
            Verdict::Allow(_) | Verdict::Defer(_) => self.go_on(most),
            Verdict::Answer(_) | Verdict::Ask(_) | Verdict::Need(_) => {}
        }
    }

    /// One more refused call, with which the turn ends where `stops` and it is one too many.
    fn refused(&mut self, most: u64, deny: &mut Deny, stops: bool) {
        // What ends the run for another reason, or was not judged, is no refusal of what was asked for.
        if deny.stop.is_some() || *deny.first.code == *CALLS_PER_STEP {
            return;
        }
        if self.vetoes < most {
            self.set_vetoes(self.vetoes.saturating_add(1));
            self.hear_streak(most, if self.vetoes < most { Said::Pass } else { Said::Fires });
        }
        if self.vetoes >= most && stops {
            deny.stop = Some(self.streak_stop());
        }
    }

    /// A call that may run ends a streak that has not ended the turn.
    fn go_on(&mut self, most: u64) {
        if self.vetoes > 0 && self.vetoes < most {
            self.set_vetoes(0);
        }
    }

    fn set_vetoes(&mut self, vetoes: u64) {
        self.vetoes = vetoes;
        self.changes.push(Change::Vetoes(vetoes));
    }

    fn streak_stop(&self) -> Stop {
        Stop { reason: VETO_STREAK, reply: self.policy.bounds.exhausted.clone() }
    }

    fn hear_streak(&mut self, most: u64, said: Said) {
        let vetoes = self.vetoes;
        self.recorder.hear(|| {
            let read = Read::words("refused calls in a row", format!("{vetoes} of {most}"));
            Judgement::gate(VETO_STREAK, said).reading(read)
        });
    }
}

fn denied(code: &'static str, correction: String) -> Deny {
    Deny::of(gate(code, StepOutcome::GuardDenied, correction), Vec::new())
}
