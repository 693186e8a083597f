//! What is spent of the budgets of a session, and what a batch adds before it is committed.
//!
//! One total for each budget and value of its `per`. An amount is spent from the moment its call may run, so that a
//! batch cannot overshoot, and given back only where the host says that the call had no effect. Nothing is decided here.

use crate::decimal::Decimal;
use crate::hash::FingerprintMap;
use crate::observed::MAX_ENTRIES;
use crate::time::{Duration, Timestamp};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// One amount of one budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The budget's number.
    pub budget: usize,
    /// The hash of the value of its `per`.
    pub account: Option<u128>,
    /// The amount; 1 of a count.
    pub amount: Decimal,
    /// When, where it matters and the host says.
    pub at: Option<Timestamp>,
    /// The turn it was spent in.
    pub turn: u32,
}

/// What is spent of one budget, for one value of its `per`.
#[derive(Clone, Debug, Default)]
struct Account {
    total: Decimal,
    /// What of it will lapse, the oldest first: times never go back. What came without a time never does.
    entries: VecDeque<(Timestamp, Decimal)>,
}

/// What is spent of one budget.
#[derive(Clone, Debug, Default)]
struct Book {
    whole: Account,
    by: FingerprintMap<Account>,
}

/// What is spent of every budget.
#[derive(Clone, Debug, Default)]
pub(super) struct Spent {
    books: Vec<Book>,
}

impl Account {
    fn add(&mut self, entry: &Entry) {
        // What does not add up exactly was not let through, unless the spec only observes.
        let Some(total) = self.total.checked_add(&entry.amount) else { return };
        self.total = total;
        self.entries.extend(entry.at.map(|at| (at, entry.amount)));
    }

    fn take(&mut self, amount: Decimal) {
        self.total = self.total.checked_sub(&amount).unwrap_or(self.total);
    }

    /// Gives an amount back, unless it lapsed before.
    fn release(&mut self, entry: &Entry) {
        let Some(at) = entry.at else { return self.take(entry.amount) };
        let begins = self.entries.partition_point(|(known, _)| *known < at);
        let then = self.entries.range_mut(begins..).take_while(|(known, _)| *known == at);
        // One of nothing stands where it stood, so that nothing behind it moves.
        let given = then.map(|(_, amount)| amount).find(|amount| **amount == entry.amount).map(std::mem::take);
        if let Some(amount) = given {
            self.take(amount);
        }
    }

    /// What lapsed by a time that begins the window.
    fn lapsed(&self, begins: Timestamp) -> impl Iterator<Item = Decimal> {
        self.entries.iter().take_while(move |(at, _)| *at <= begins).map(|(_, amount)| *amount)
    }

    fn lapse(&mut self, begins: Timestamp) {
        while let Some((_, amount)) = self.entries.pop_front_if(|(at, _)| *at <= begins) {
            self.take(amount);
        }
    }

    fn used(&self, begins: Option<Timestamp>) -> Decimal {
        let Some(begins) = begins else { return self.total };
        self.lapsed(begins).fold(self.total, |total, amount| total.checked_sub(&amount).unwrap_or(total))
    }
}

/// When a window begins that ends now; without a time everything is inside.
pub(super) fn begins(window: Option<Duration>, now: Option<Timestamp>) -> Option<Timestamp> {
    Some(Timestamp(now?.0.saturating_sub(window?.0)))
}

impl Spent {
    /// Nothing, of this many budgets.
    pub(super) fn of(budgets: usize) -> Spent {
        Spent { books: vec![Book::default(); budgets] }
    }

    fn account(&self, budget: usize, account: Option<u128>) -> Option<&Account> {
        let book = self.books.get(budget)?;
        account.map_or(Some(&book.whole), |account| book.by.get(&account))
    }

    fn account_mut(&mut self, budget: usize, account: Option<u128>) -> Option<&mut Account> {
        let book = self.books.get_mut(budget)?;
        match account {
            None => Some(&mut book.whole),
            Some(account) if book.by.contains_key(&account) || book.by.len() < MAX_ENTRIES => {
                Some(book.by.entry(account).or_default())
            }
            Some(_) => None,
        }
    }

    /// What is spent since a window began.
    pub(super) fn used(&self, budget: usize, account: Option<u128>, begins: Option<Timestamp>) -> Decimal {
        self.account(budget, account).map_or(Decimal::ZERO, |account| account.used(begins))
    }

    /// True if something can be forgotten: it lies before the window.
    pub(super) fn has_lapsed(&self, budget: usize, account: Option<u128>, begins: Timestamp) -> bool {
        self.account(budget, account).is_some_and(|account| account.lapsed(begins).next().is_some())
    }

    /// True if no room is left for another value of `per`, `more` of which a batch has brought.
    fn is_full(&self, budget: usize, account: u128, more: usize) -> bool {
        self.books
            .get(budget)
            .is_some_and(|book| !book.by.contains_key(&account) && book.by.len().saturating_add(more) >= MAX_ENTRIES)
    }

    /// Spends an amount.
    pub(super) fn add(&mut self, entry: &Entry) {
        if let Some(account) = self.account_mut(entry.budget, entry.account) {
            account.add(entry);
        }
    }

    /// Gives an amount back.
    pub(super) fn release(&mut self, entry: &Entry) {
        if let Some(account) = self.account_mut(entry.budget, entry.account) {
            account.release(entry);
        }
    }

    /// Forgets what lies before a window.
    pub(super) fn lapse(&mut self, budget: usize, account: Option<u128>, begins: Timestamp) {
        if let Some(account) = self.account_mut(budget, account) {
            account.lapse(begins);
        }
    }

    /// Sets one count to 0.
    pub(super) fn empty(&mut self, budget: usize, account: Option<u128>) {
        match (self.books.get_mut(budget), account) {
            (Some(book), None) => book.whole = Account::default(),
            (Some(book), Some(account)) => _ = book.by.remove(&account),
            (None, _) => {}
        }
    }

    /// Sets budgets to 0.
    pub(super) fn start_turn(&mut self, budgets: &[usize]) {
        for budget in budgets {
            if let Some(book) = self.books.get_mut(*budget) {
                *book = Book::default();
            }
        }
    }
}

/// What the calls before this one in the same batch have spent.
#[derive(Debug)]
pub(super) struct Pending {
    /// Nothing where a call has no siblings.
    siblings: Option<Box<Siblings>>,
}

#[derive(Debug, Default)]
struct Siblings {
    amounts: BTreeMap<(usize, Option<u128>), Decimal>,
    /// What is left of what was committed, where something of it has lapsed.
    left: BTreeMap<(usize, Option<u128>), Decimal>,
    new: BTreeSet<(usize, u128)>,
}

impl Pending {
    /// Nothing yet; `siblings` says whether anybody will ask.
    pub(super) fn new(siblings: bool) -> Pending {
        Pending { siblings: siblings.then(Box::default) }
    }

    /// Spends an amount.
    pub(super) fn add(&mut self, spent: &Spent, entry: &Entry) {
        let Some(siblings) = &mut self.siblings else { return };
        if let Some(account) = entry.account.filter(|_| spent.account(entry.budget, entry.account).is_none()) {
            siblings.new.insert((entry.budget, account));
        }
        let amount = siblings.amounts.entry((entry.budget, entry.account)).or_default();
        *amount = amount.checked_add(&entry.amount).unwrap_or(*amount);
    }

    /// True if something lapses now, and no sibling has seen to it.
    pub(super) fn lapses(&mut self, spent: &Spent, entry: &Entry, begins: Timestamp) -> bool {
        let key = (entry.budget, entry.account);
        let seen = self.siblings.as_ref().is_some_and(|siblings| siblings.left.contains_key(&key));
        if seen || !spent.has_lapsed(entry.budget, entry.account, begins) {
            return false;
        }
        if let Some(siblings) = &mut self.siblings {
            siblings.left.insert(key, spent.used(entry.budget, entry.account, Some(begins)));
        }
        true
    }

    /// What is spent since a window began, siblings included; `None` where it does not add up exactly.
    pub(super) fn used(&self, spent: &Spent, entry: &Entry, begins: Option<Timestamp>) -> Option<Decimal> {
        let key = (entry.budget, entry.account);
        let Some(siblings) = &self.siblings else { return Some(spent.used(entry.budget, entry.account, begins)) };
        let left = siblings.left.get(&key).copied();
        let left = left.unwrap_or_else(|| spent.used(entry.budget, entry.account, begins));
        left.checked_add(&siblings.amounts.get(&key).copied().unwrap_or_default())
    }

    /// True if no room is left for another value of `per`.
    pub(super) fn is_full(&self, spent: &Spent, entry: &Entry) -> bool {
        let Some(account) = entry.account else { return false };
        let of = |account: u128| (entry.budget, account);
        let new = self.siblings.as_ref().map(|siblings| &siblings.new);
        if new.is_some_and(|new| new.contains(&of(account))) {
            return false;
        }
        let more = new.map_or(0, |new| new.range(of(0)..=of(u128::MAX)).count());
        spent.is_full(entry.budget, account, more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(account: Option<u128>, amount: u64, at: Option<i128>) -> Entry {
        Entry { budget: 0, account, amount: Decimal::from(amount), at: at.map(Timestamp), turn: 0 }
    }

    #[test]
    fn a_window_forgets_what_lies_before_it_and_keeps_what_came_without_a_time() {
        let mut spent = Spent::of(1);
        for (amount, at) in [(1, Some(0)), (2, Some(10)), (4, None), (8, Some(20))] {
            spent.add(&entry(None, amount, at));
        }
        let used = |spent: &Spent, begins: Option<i128>| spent.used(0, None, begins.map(Timestamp));
        for (begins, left) in
            [(None, 15_u64), (Some(-1), 15), (Some(0), 14), (Some(9), 14), (Some(10), 12), (Some(99), 4)]
        {
            assert_eq!(used(&spent, begins), Decimal::from(left), "{begins:?}");
        }
        assert!(spent.has_lapsed(0, None, Timestamp(10)) && !spent.has_lapsed(0, None, Timestamp(-1)));
        spent.lapse(0, None, Timestamp(10));
        assert_eq!(used(&spent, None), Decimal::from(12_u64));
        spent.release(&entry(None, 2, Some(10)));
        assert_eq!(used(&spent, None), Decimal::from(12_u64), "what has lapsed is not given back a second time");
        spent.release(&entry(None, 8, Some(20)));
        assert_eq!(used(&spent, None), Decimal::from(4_u64));
    }

    #[test]
    fn a_value_too_many_has_no_room_and_the_known_ones_do() {
        let mut spent = Spent::of(1);
        for account in 0..u128::try_from(MAX_ENTRIES).unwrap() {
            spent.add(&entry(Some(account), 1, None));
        }
        let pending = Pending::new(false);
        assert!(pending.is_full(&spent, &entry(Some(u128::MAX), 1, None)));
        assert!(!pending.is_full(&spent, &entry(Some(3), 1, None)));
        assert!(!pending.is_full(&spent, &entry(None, 1, None)));
        spent.add(&entry(Some(u128::MAX), 1, None));
        assert_eq!(spent.used(0, Some(u128::MAX), None), Decimal::ZERO);
    }

    #[test]
    fn a_batch_counts_its_new_values_once() {
        let mut spent = Spent::of(1);
        for account in 2..u128::try_from(MAX_ENTRIES).unwrap() {
            spent.add(&entry(Some(account), 1, None));
        }
        let mut pending = Pending::new(true);
        let new = |account| entry(Some(u128::MAX - account), 1, None);
        for account in [0, 0, 1] {
            assert!(!pending.is_full(&spent, &new(account)));
            pending.add(&spent, &new(account));
        }
        assert!(pending.is_full(&spent, &new(2)) && !pending.is_full(&spent, &new(1)));
    }

    proptest! {
        #[test]
        fn giving_back_undoes_spending(
            amounts in prop::collection::vec((0..3_u128, 0..10_000_u64, -3..3_i32, prop::option::of(0..50_i128)), 1..30),
            released in prop::collection::vec(any::<bool>(), 30),
        ) {
            let mut amounts: Vec<Entry> = amounts.into_iter().map(|(account, coefficient, exponent, at)| {
                let amount = Decimal::parse_json(&format!("{coefficient}e{exponent}")).unwrap();
                Entry { amount, ..entry(Some(account), 0, at) }
            }).collect();
            amounts.sort_by_key(|entry| entry.at);
            let (mut both, mut kept) = (Spent::of(1), Spent::of(1));
            for (entry, released) in amounts.iter().zip(&released) {
                both.add(entry);
                if !released {
                    kept.add(entry);
                }
            }
            for (entry, _) in amounts.iter().zip(&released).filter(|(_, released)| **released) {
                both.release(entry);
            }
            for account in 0..3 {
                for begins in [None, Some(Timestamp(-1)), Some(Timestamp(20)), Some(Timestamp(60))] {
                    prop_assert_eq!(both.used(0, Some(account), begins), kept.used(0, Some(account), begins));
                }
            }
        }
    }
}
