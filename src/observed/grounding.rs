//! Which figures guards of replies ask about, and where these may come from. Nothing of a session is in here.

use super::plan::number_in;
use crate::figures::{Currency, Locales};
use crate::path::Path;
use crate::tool::Pattern;
use regex::Regex;

/// Number of a set of languages in its [`GroundPlan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingId(pub u16);

/// Number of a source of amounts in its [`GroundPlan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceId(pub u16);

/// A place of results from which amounts may come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmountSource {
    /// Whose results.
    pub tools: Vec<Pattern>,
    /// Where in them.
    pub path: Path,
    /// How many digits of a plain number are the fraction: 2 for cents.
    pub minor: u8,
    /// The currency, where it is always the same.
    pub currency: Option<Currency>,
    /// Where it stands, in the same result.
    pub currency_path: Option<Path>,
    /// Under which languages texts are read.
    pub locales: Locales,
}

/// What guards of replies ask of the figures that came up.
#[derive(Clone, Debug, Default)]
pub struct GroundPlan {
    amounts: bool,
    dates: bool,
    ids: bool,
    patterns: Vec<Regex>,
    readings: Vec<Locales>,
    sources: Vec<AmountSource>,
}

impl GroundPlan {
    /// Plans to know the amounts of results and of the world; what only these languages can tell is read under them.
    pub fn ask_amounts(&mut self, locales: &Locales) -> Option<ReadingId> {
        self.amounts = true;
        self.reading(locales)
    }

    /// Plans to know the dates, as [`GroundPlan::ask_amounts`] the amounts.
    pub fn ask_dates(&mut self, locales: &Locales) -> Option<ReadingId> {
        self.dates = true;
        self.reading(locales)
    }

    /// Plans to know the tokens that look like ids, or else what one of these patterns matches.
    pub fn ask_ids(&mut self, patterns: &[Regex]) {
        self.ids |= patterns.is_empty();
        for pattern in patterns {
            if !self.patterns.iter().any(|known| known.as_str() == pattern.as_str()) {
                self.patterns.push(pattern.clone());
            }
        }
    }

    /// The number of a source of amounts, new or already planned.
    pub fn ask_source(&mut self, source: AmountSource) -> SourceId {
        SourceId(number_in(&mut self.sources, |known| *known == source, || source.clone()))
    }

    /// What is read under these languages; nothing under none, for that is read without.
    fn reading(&mut self, locales: &Locales) -> Option<ReadingId> {
        let number = |plan: &mut Self| number_in(&mut plan.readings, |known| known == locales, || locales.clone());
        (!locales.is_empty()).then(|| ReadingId(number(self)))
    }

    /// True if anything is asked.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.amounts || self.dates || self.asks_ids() || !self.sources.is_empty()
    }

    /// True if amounts from anywhere are asked about.
    #[must_use]
    pub fn asks_amounts(&self) -> bool {
        self.amounts
    }

    /// True if dates are.
    #[must_use]
    pub fn asks_dates(&self) -> bool {
        self.dates
    }

    /// True if ids are, of the usual shape or of another.
    #[must_use]
    pub fn asks_ids(&self) -> bool {
        self.ids || !self.patterns.is_empty()
    }

    /// True if ids of the usual shape are.
    #[must_use]
    pub fn asks_shaped_ids(&self) -> bool {
        self.ids
    }

    /// The patterns of ids.
    #[must_use]
    pub fn patterns(&self) -> &[Regex] {
        &self.patterns
    }

    /// The sets of languages, by number.
    pub fn readings(&self) -> impl Iterator<Item = (ReadingId, &Locales)> {
        self.readings.iter().zip(0_u16..).map(|(locales, number)| (ReadingId(number), locales))
    }

    /// The sources of amounts in the results of a tool, by number; none in the world.
    pub fn sources(&self, tool: Option<&str>) -> impl Iterator<Item = (SourceId, &AmountSource)> {
        let sources = self.sources.iter().zip(0_u16..).map(|(source, number)| (SourceId(number), source));
        sources.filter(move |(_, source)| {
            tool.is_some_and(|tool| source.tools.iter().any(|pattern| pattern.matches(tool)))
        })
    }
}
