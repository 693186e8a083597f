//! What the model is shown of the state of a session, at the end of a user's message. It decides nothing.

use super::decide::Moment;
use super::{Session, spent};
use crate::decimal::Decimal;
use crate::guards::max_calls::Scope;
use crate::policy::{Counter, Policy, Unit};
use crate::render::tail::{Left, State, Upload, tail};
use crate::spec::duration_text;

/// What a turn brings that a tail shows.
#[derive(Debug, Default)]
pub(super) struct Brought<'b> {
    /// What came with the message.
    pub(super) uploads: Vec<Upload<'b>>,
    /// The directives that hold.
    pub(super) directives: Vec<String>,
}

impl Session {
    /// The state of the session as a model is shown it: the world that rules read, and what is left of the budgets.
    /// Empty where there is nothing to show. `turnStarted` answers with the same, of the turn that begins.
    ///
    /// ```
    /// use flyball::event::{Body, Event, Opening};
    /// use flyball::session::Session;
    /// use flyball::source::Sources;
    ///
    /// let text = "agentspec: 1\nid: desk\npersona: You are the desk.\ntools: {look: {effect: read}}\n\
    ///             budgets: [{id: looks, count: calls, max: 3}]\n";
    /// let spec = flyball::spec::parse(&Sources::new("desk.yaml", text)).spec.unwrap();
    /// let policy = flyball::policy::compile(&spec).unwrap();
    ///
    /// let opening = Event::new("e1", "s1", Body::SessionOpened(Opening::default()));
    /// let (mut session, step) = Session::open(&policy, &opening).unwrap();
    /// session.commit(step).unwrap();
    /// assert_eq!(session.tail(&policy), "## State\n- `looks`: 3 of 3 calls left this session");
    /// ```
    #[must_use]
    pub fn tail(&self, policy: &Policy) -> String {
        let moment =
            Moment { world: &self.world, world_is_stale: self.world_is_stale, world_is_sent: false, now: self.clock };
        self.tail_at(policy, moment, false, Brought::default())
    }

    /// The same at a moment, in the turn that begins with it or goes on.
    pub(super) fn tail_at(&self, policy: &Policy, moment: Moment<'_>, begins: bool, brought: Brought<'_>) -> String {
        let counters = policy.counters.iter().enumerate();
        let budgets = counters.filter_map(|(number, counter)| {
            let max = self.opened.limits.get(number).copied().unwrap_or(counter.max);
            let is_fresh = begins && counter.is_turnly;
            let since = spent::begins(counter.window, moment.now);
            let used = if is_fresh { Decimal::ZERO } else { self.spent.used(number, None, since) };
            let left = max.checked_sub(&used).filter(|left| !left.is_negative()).unwrap_or_default();
            // Of a count for each value of something there is no one number to show.
            counter.per.is_none().then(|| Left { code: &counter.code, left: words(counter, left, max) })
        });
        let state = State {
            world: Some(moment.world).filter(|_| !moment.world_is_stale),
            budgets: budgets.collect(),
            uploads: brought.uploads,
            directives: brought.directives,
        };
        tail(&policy.words.view, &state)
    }
}

fn words(counter: &Counter, left: Decimal, max: Decimal) -> String {
    let what = match (counter.unit, counter.failed) {
        (Unit::Amount, _) => "",
        (Unit::Attempts, _) => " attempts",
        (Unit::Calls, true) => " failed calls",
        (Unit::Calls, false) => " calls",
    };
    let lasting = match (counter.window, counter.scope, counter.is_turnly) {
        (Some(window), _, _) => format!("in {}", duration_text(window)),
        (None, Scope::Session, false) => "this session".to_owned(),
        (None, _, _) => "this turn".to_owned(),
    };
    format!("{left} of {max}{what} left {lasting}")
}
