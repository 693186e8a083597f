//! The same work on many things at once, on every processor there is; what comes out is in the order of what went in.

use std::num::NonZero;

/// What the work makes of each item. A worker that panics stops the process as if it had run alone.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get).min(items.len()).max(1);
    if workers == 1 {
        return items.iter().map(work).collect();
    }
    let size = items.len().div_ceil(workers);
    let work = &work;
    std::thread::scope(|scope| {
        let begun: Vec<_> =
            items.chunks(size).map(|chunk| scope.spawn(move || chunk.iter().map(work).collect::<Vec<R>>())).collect();
        begun.into_iter().flat_map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_out_is_in_the_order_of_what_went_in() {
        for count in [0, 1, 2, 7, 1_000] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(map(&items, |one| one.saturating_mul(2)), items.iter().map(|one| one * 2).collect::<Vec<_>>());
        }
    }
}
