//! Where each version of a tool denies, asks and allows, and the calls that lie in two different places.

use super::scene::{Maker, Scene};
use super::{Answer, Change, Comparison, budgets, facts};
use crate::policy::{Policy, ToolPolicy};
use crate::proof::{Domain, Formula, Model, Opinion, Solution, Space, fit, of_tool, seed};
use crate::schema::ArgSchema;
use crate::spec::{By, DefaultVerdict, Mode, Spec, ToolSpec};
use std::collections::BTreeSet;

/// A tool as one version has it.
#[derive(Clone, Copy)]
pub(super) struct Version<'v> {
    /// The name that is compared: of a family that serves it, one of its members.
    pub(super) name: &'v str,
    pub(super) spec: &'v Spec,
    pub(super) policy: &'v Policy,
    pub(super) written: &'v ToolSpec,
    pub(super) tool: &'v ToolPolicy,
}

impl<'v> Version<'v> {
    /// The tool, or the family, of a name.
    pub(super) fn of(spec: &'v Spec, policy: &'v Policy, name: &'v str) -> Option<Version<'v>> {
        let (written, tool) = spec.tools.iter().zip(&policy.tools).find(|(_, tool)| tool.name.text() == name)?;
        Some(Version { name, spec, policy, written, tool })
    }

    /// The family that the tool of another version is a member of.
    pub(super) fn serving(spec: &'v Spec, policy: &'v Policy, other: &Version<'v>) -> Option<Version<'v>> {
        let family = other.tool.name.is_exact().then(|| policy.tool(other.name)).flatten()?;
        Some(Version { name: other.name, ..Version::of(spec, policy, family.name.text())? })
    }

    /// The name, where it is of one tool and not of a family.
    pub(super) fn member(&self) -> Option<&'v str> {
        (!self.name.contains('*')).then_some(self.name)
    }

    /// True if its effect and scopes are granted.
    fn is_granted(&self) -> bool {
        let Version { policy, tool, .. } = self;
        policy.effects.contains(&tool.effect) && tool.scopes.iter().all(|scope| policy.scopes.contains(scope))
    }

    fn regions(&self, space: &mut Space, other: &ArgSchema) -> Regions {
        let fit = fit(space, self.spec, self.written, &self.tool.args, other);
        let opinions = of_tool(space, (self.spec, self.policy), self.tool, self.member());
        Regions::of(fit, self.is_granted(), opinions, self.policy)
    }
}

/// Where one version denies, asks, allows or leaves it to the host.
struct Regions {
    /// What is refused whatever the guards say, by the name of the gate.
    gates: Vec<(&'static str, Formula)>,
    opinions: Vec<Opinion>,
    denied: Formula,
    asked: Formula,
    lifted: Formula,
    default: DefaultVerdict,
    observes: bool,
}

impl Regions {
    fn of(fit: Formula, is_granted: bool, opinions: Vec<Opinion>, policy: &Policy) -> Regions {
        let gates = vec![("invalid_arguments", fit.not()), ("grants", Formula::of(!is_granted))];
        let of_gates = gates.iter().map(|(_, gate)| gate.clone());
        Regions {
            denied: Formula::any(of_gates.chain(opinions.iter().map(|one| one.denies.clone()))),
            asked: Formula::any(opinions.iter().map(|one| one.asks.clone())),
            lifted: Formula::any(opinions.iter().map(|one| one.lifts.clone())),
            gates,
            opinions,
            default: policy.default,
            observes: policy.mode == Mode::Observe,
        }
    }

    /// Where a call gets an answer.
    fn region(&self, answer: Answer) -> Formula {
        if self.observes {
            return Formula::of(answer == Answer::Allow);
        }
        let Regions { denied, asked, lifted, .. } = self;
        let unasked = Formula::all([denied.not(), asked.not()]);
        let open = Formula::all([unasked.clone(), lifted.not()]);
        match (answer, self.default) {
            (Answer::Deny, DefaultVerdict::Deny) => denied.clone().or(open),
            (Answer::Deny, _) => denied.clone(),
            (Answer::Ask, DefaultVerdict::Ask) => Formula::all([denied.not(), asked.clone().or(lifted.not())]),
            (Answer::Ask, _) => Formula::all([denied.not(), asked.clone()]),
            (Answer::Allow, DefaultVerdict::Allow) => unasked,
            (Answer::Allow, _) => unasked.and(lifted.clone()),
            (Answer::Defer, DefaultVerdict::Defer) => open,
            (Answer::Defer, _) => Formula::Never,
        }
    }

    /// True if something here stands against calls under the very same condition, so that none of them gets a milder
    /// answer. Where that answer may be an ask only what denies counts.
    fn has(&self, stands: &Formula, may_ask: bool) -> bool {
        let of_gates = self.gates.iter().map(|(_, gate)| gate);
        let denies = of_gates.chain(self.opinions.iter().map(|one| &one.denies));
        let asks = self.opinions.iter().filter(|_| !may_ask).map(|one| &one.asks);
        !self.observes && denies.chain(asks).any(|condition| condition == stands)
    }

    /// Where somebody is asked: the strictest of who are to be.
    fn asked_of(&self, by: By) -> Formula {
        let of = |by| Formula::any(self.opinions.iter().filter(|one| one.by == by).map(|one| one.asks.clone()));
        let by_default = Formula::all([Formula::of(self.default == DefaultVerdict::Ask), self.asked.not()]);
        let approver = of(By::Approver).or(by_default);
        let asked = self.region(Answer::Ask);
        match by {
            By::Approver => asked.and(approver),
            By::User => asked.and(approver.not()),
        }
    }

    /// Each thing that gives an answer, with where it does.
    fn causes(&self, answer: Answer) -> Vec<(String, Formula)> {
        if self.observes {
            return vec![("mode".to_owned(), self.region(answer))];
        }
        let of_opinions = self.opinions.iter().map(|one| match answer {
            Answer::Deny => (one.code.to_string(), one.denies.clone()),
            Answer::Ask => (one.code.to_string(), one.asks.clone().and(self.denied.not())),
            Answer::Defer | Answer::Allow => (one.code.to_string(), Formula::Never),
        });
        let gates = self.gates.iter().filter(|_| answer == Answer::Deny);
        let gates = gates.map(|(gate, stands)| ((*gate).to_owned(), stands.clone()));
        let is_default = match self.default {
            DefaultVerdict::Allow => false,
            DefaultVerdict::Ask => answer == Answer::Ask,
            DefaultVerdict::Deny => answer == Answer::Deny,
            DefaultVerdict::Defer => answer == Answer::Defer,
        };
        let open = Formula::all([self.denied.not(), self.asked.not(), self.lifted.not()]);
        let by_default = is_default.then(|| ("default".to_owned(), open));
        gates.chain(of_opinions).chain(by_default).filter(|(_, stands)| *stands != Formula::Never).collect()
    }
}

/// Two versions of one tool.
pub(super) struct Versions<'v> {
    old: Version<'v>,
    new: Version<'v>,
}

/// Which version a cause is of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

impl<'v> Versions<'v> {
    pub(super) fn of(old: Version<'v>, new: Version<'v>) -> Versions<'v> {
        Versions { old, new }
    }

    pub(super) fn compare(&self, comparison: &mut Comparison) {
        let mut space = Space::default();
        seed(&mut space, &[&self.old.tool.args, &self.new.tool.args]);
        let old = self.old.regions(&mut space, &self.new.tool.args);
        let new = self.new.regions(&mut space, &self.old.tool.args);
        let (mut seen, mut undecided) = (BTreeSet::new(), Vec::new());
        let answers = [Answer::Deny, Answer::Ask, Answer::Defer, Answer::Allow];
        let pairs = answers.iter().flat_map(|from| answers.iter().map(move |to| (*from, *to)));
        for (from, to) in pairs.filter(|(from, to)| from != to) {
            // The stricter side says what stood against the call, or now does.
            let (side, causes) = if from > to { (Side::Old, old.causes(from)) } else { (Side::New, new.causes(to)) };
            let other = if side == Side::Old { new.region(to) } else { old.region(from) };
            let counterparts = if side == Side::Old { &new } else { &old };
            let reaches_guards = to.min(from) == Answer::Ask;
            for (by, stands) in causes.into_iter().filter(|(_, stands)| !counterparts.has(stands, reaches_guards)) {
                let found = self.try_models(&space, &[&stands, &other], (from, to));
                match found {
                    Found::Nothing => {}
                    Found::Scene(scene) => {
                        if seen.insert((from, to, by.clone())) {
                            let tool = self.old.name.to_owned();
                            comparison.changes.push(Change { tool, from, to, by, scene: *scene });
                        }
                    }
                    Found::Perhaps(why) => undecided.push((
                        by.clone(),
                        match side {
                            Side::Old => format!(
                                "`{}`: some calls that were {} by `{by}` may be {} now: {why}",
                                self.old.name,
                                from.name(),
                                to.name()
                            ),
                            Side::New => format!(
                                "`{}`: some calls that were {} may be {} by `{by}` now: {why}",
                                self.old.name,
                                from.name(),
                                to.name()
                            ),
                        },
                    )),
                }
            }
        }
        // A second destructive call takes an approved first one, which no scene has; who is asked shows the same.
        let is_told = comparison.changes.iter().any(|change| change.by == CONSENT);
        let undecided = undecided.into_iter().filter(|(by, _)| !is_told || by != THROTTLE);
        comparison.undecided.extend(undecided.map(|(_, line)| line));
        comparison.undecided.extend(self.who_is_asked(&space, &old, &new));
        comparison.undecided.extend(self.defaults());
        let [one, two] = [&self.old, &self.new].map(|version| version.tool.name.text());
        if one != two {
            let (old, new) = ((self.old.spec, one), (self.new.spec, two));
            comparison.undecided.extend(facts::not_compared_of_member(old, new, self.old.name));
        }
        budgets::compare(&self.old, &self.new, &space, &allowed_by_both(&old, &new), comparison);
    }

    /// Questions that are put to somebody else: such a call is asked about by both.
    fn who_is_asked(&self, space: &Space, old: &Regions, new: &Regions) -> Vec<String> {
        let pairs = [(By::User, By::Approver), (By::Approver, By::User)];
        let may_be = |(from, to): &(By, By)| !space.is_impossible(&[&old.asked_of(*from), &new.asked_of(*to)]);
        let line = |(from, to): (By, By)| {
            format!(
                "`{}`: some calls that the {} was asked about may be put to the {} now",
                self.old.name,
                from.name(),
                to.name()
            )
        };
        pairs.into_iter().filter(may_be).map(line).collect()
    }

    /// What is taken for absent arguments, where it differs: conditions are about the arguments with that in them.
    fn defaults(&self) -> Option<String> {
        let differ = self.old.tool.args.defaults() != self.new.tool.args.defaults();
        let name = self.old.name;
        differ.then(|| {
            format!("`{name}`: the defaults of its arguments differ, and what they let through is not compared")
        })
    }

    /// A scene in which the engines say so, among a few that the conditions allow.
    fn try_models(&self, space: &Space, conditions: &[&Formula], (from, to): (Answer, Answer)) -> Found {
        // That something computed has no value is hard to show, so it is tried last.
        let mut more = vec![space.computed_have_values()];
        let mut is_first = true;
        for _ in 0..MOST_MODELS {
            let all: Vec<&Formula> = conditions.iter().copied().chain(&more).collect();
            let mut solution = space.solve(&all);
            if is_first && !matches!(solution, Solution::Possible(_)) {
                more.clear();
                solution = space.solve(conditions);
            }
            match solution {
                Solution::Possible(model) => {
                    let maker = Maker { old: &self.old, new: &self.new, space };
                    if let Some(scene) = maker.scene(&model, (from, to)) {
                        return Found::Scene(Box::new(scene));
                    }
                    let Some(other) = otherwise(&model) else { break };
                    more.push(other);
                    is_first = false;
                }
                Solution::Impossible if is_first && more.is_empty() => return Found::Nothing,
                Solution::Impossible => break,
                Solution::Undecided => return Found::Perhaps("there are too many ways to try them all"),
            }
        }
        Found::Perhaps("no call was found that shows it")
    }
}

/// The guards that destructive calls have without asking.
const CONSENT: &str = "auto/confirmFirst";
const THROTTLE: &str = "auto/destructiveThrottle";

/// As many ways to meet the conditions are tried.
const MOST_MODELS: usize = 6;

enum Found {
    Nothing,
    Scene(Box<Scene>),
    Perhaps(&'static str),
}

/// That the facts, and what is true or false, are not all as in a model.
fn otherwise(model: &Model) -> Option<Formula> {
    let facts = model.facts.iter().map(|(fact, truth)| Formula::Holds(*fact, !truth));
    let truths = model.terms.iter().filter(|(_, left)| left.yes != left.no);
    let truths = truths.map(|(term, left)| Formula::within(*term, Domain::truth(!left.yes)));
    let other = Formula::any(facts.chain(truths));
    (other != Formula::Never).then_some(other)
}

fn allowed_by_both(old: &Regions, new: &Regions) -> Formula {
    Formula::all([old.region(Answer::Allow), new.region(Answer::Allow)])
}

/// A tool that the new version has no more.
pub(super) fn taken_out(old: &Version<'_>, new: (&Spec, &Policy), comparison: &mut Comparison) {
    alone(old, new, Side::Old, comparison);
}

/// A tool that the old version did not have.
pub(super) fn put_in(old: (&Spec, &Policy), new: &Version<'_>, comparison: &mut Comparison) {
    alone(new, old, Side::New, comparison);
}

/// A tool of one version only: the other one denies its calls, unless it has a family that some are of.
fn alone(version: &Version<'_>, other: (&Spec, &Policy), side: Side, comparison: &mut Comparison) {
    let name = version.name;
    let mut space = Space::default();
    seed(&mut space, &[&version.tool.args]);
    let regions = version.regions(&mut space, &version.tool.args);
    let perhaps = |why: &str| format!("`{name}` is declared in one version only, and {why}");
    // Of a family the other version may know some members.
    let shared = other.1.tools.iter().find(|tool| tool.name.overlaps(&version.tool.name));
    let mut is_told = false;
    for answer in [Answer::Allow, Answer::Defer, Answer::Ask] {
        let model = match space.solve(&[&regions.region(answer)]) {
            Solution::Possible(model) => model,
            Solution::Impossible => continue,
            Solution::Undecided => {
                comparison.undecided.push(perhaps("there are too many ways to call it"));
                return;
            }
        };
        if let Some(family) = shared {
            let why = format!("what `{}` of the other says of its calls is not compared", family.name);
            comparison.undecided.push(perhaps(&why));
            return;
        }
        let maker = Maker { old: version, new: version, space: &space };
        let (from, to) = if side == Side::Old { (answer, Answer::Deny) } else { (Answer::Deny, answer) };
        if let Some((scene, Answer::Deny)) = maker.scene_in((version, answer), other.1, &model) {
            let (tool, by) = (name.to_owned(), "unknown_tool".to_owned());
            comparison.changes.push(Change { tool, from, to, by, scene });
            return;
        }
        is_told = true;
    }
    if is_told {
        comparison.undecided.push(perhaps("no call of it was found that shows what that changes"));
    }
}
