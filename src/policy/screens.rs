//! Several guards that look at one argument, folded into one look.

use super::{BoundGuard, Planned, Question};
use crate::guards::Claim;
use crate::guards::screen::Screen;
use crate::schema::Slot;

/// What a guard claims of one argument, where it always applies.
fn claims(planned: &Planned<BoundGuard>) -> Vec<Claim> {
    let guard = &planned.what;
    let always = planned.selector.is_none() && guard.when.is_none() && guard.each.is_none();
    match &guard.question {
        Question::Kind(check) if always => check.claim().into_iter().collect(),
        Question::Holds(program) if always => Claim::of_program(program),
        _ => Vec::new(),
    }
}

/// Folds the claims on one argument where there are several.
pub(super) fn screens(guards: &mut [Planned<BoundGuard>]) -> Vec<Screen> {
    let claims: Vec<Vec<Claim>> = guards.iter().map(claims).collect();
    let mut slots: Vec<Slot> = claims.iter().flatten().map(|claim| claim.slot).collect();
    slots.sort_unstable();
    slots.dedup();
    let mut screens = Vec::new();
    for slot in slots {
        let on_slot = |claim: &&Claim| claim.slot == slot;
        let folded: Vec<&Claim> = claims.iter().flatten().filter(on_slot).collect();
        let Some(number) = u8::try_from(screens.len()).ok().filter(|number| folded.len() > 1 && *number < MAX_SCREENS)
        else {
            continue;
        };
        screens.push(Screen::of(slot, &folded));
        for (guard, claims) in guards.iter_mut().zip(&claims) {
            if claims.first().is_some_and(|claim| claim.slot == slot) {
                guard.what.screen = Some(number);
            }
        }
    }
    screens
}

/// As many screens as a word has bits.
const MAX_SCREENS: u8 = 64;
