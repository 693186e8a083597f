//! Answers that people left beside the ledger, taken before an event of their session is decided.
//!
//! They are decided and recorded as events that the host tells. A line that is no answer to this session is passed over
//! without a word. Where the file cannot be read nobody knows what was refused or revoked, so the event gets a no.

use super::{Governor, No, Seat};
use flyball::decision::Decision;
use flyball::session::decide;

impl Governor {
    /// Takes what is new.
    pub(super) fn take_answers(&self, seat: &mut Seat) -> Result<(), No> {
        let Some(folder) = self.ledger.as_ref().filter(|_| seat.session.is_open()) else { return Ok(()) };
        let fresh = match &mut seat.answers {
            Some(answers) => answers.fresh(folder)?,
            None => return Ok(()),
        };
        for line in fresh {
            if let Some(event) = line.event(seat.session.id()) {
                let step = decide(&self.policy, &seat.session, &*self.salted(&event)?);
                // One that cannot be taken as it stands is passed over too, or each restart would record it anew.
                if !matches!(step.decision(), Decision::Reject { .. }) {
                    self.commit(seat, step)?;
                }
            }
            if let Some(answers) = &mut seat.answers {
                answers.taken(line);
            }
        }
        Ok(())
    }
}
