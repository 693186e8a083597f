//! Times and memory. Every row gets one batch a round, so that what else the machine does falls on all of them alike and
//! the ratios stand although the times move.

use crate::scenario::{Scenario, Task};
use crate::workload::Workload;
use std::time::{Duration, Instant};

/// How long a batch should take: far below a time slice, so that on a busy machine most batches are undisturbed.
const BATCH: Duration = Duration::from_micros(200);

/// Time per operation of one row, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// The row.
    pub scenario: Scenario,
    /// The median batch.
    pub median: f64,
    /// The fastest batch.
    pub least: f64,
}

/// Measures rows in rounds.
pub fn times(scenarios: &[Scenario], rounds: usize) -> Vec<Time> {
    let mut tasks: Vec<(Box<dyn Task>, usize)> =
        scenarios.iter().map(|scenario| calibrated((scenario.make)())).collect();
    let mut samples = vec![Vec::with_capacity(rounds); scenarios.len()];
    for _ in 0..rounds {
        for ((task, size), samples) in tasks.iter_mut().zip(&mut samples) {
            samples.push(batch(task.as_mut(), *size).as_nanos() as f64 / *size as f64);
        }
    }
    let row = |(scenario, mut samples): (&Scenario, Vec<f64>)| {
        samples.sort_by(f64::total_cmp);
        Time { scenario: *scenario, median: samples[samples.len() / 2], least: samples[0] }
    };
    scenarios.iter().zip(samples).map(row).collect()
}

fn batch(task: &mut dyn Task, size: usize) -> Duration {
    task.prepare();
    let start = Instant::now();
    task.run(size);
    start.elapsed()
}

/// The task with the size of its batches. The fastest of a few counts: one that was interrupted would make batches small,
/// and small batches are cold.
fn calibrated(mut task: Box<dyn Task>) -> (Box<dyn Task>, usize) {
    let mut size = 1;
    while size * 2 <= task.most() && (0..5).map(|_| batch(task.as_mut(), size)).min() < Some(BATCH) {
        size *= 2;
    }
    (task, size)
}

/// Bytes of resident memory per observed call of W, over sessions of 10,000 calls each.
pub fn bytes_per_call() -> Option<f64> {
    const CALLS: usize = 10_000;
    const SESSIONS: usize = 4;
    let warm = Workload::w(CALLS);
    let before = resident()?;
    let sessions: Vec<Workload> = (0..SESSIONS).map(|_| Workload::w(CALLS)).collect();
    let after = resident()?;
    drop((warm, sessions));
    Some(after.saturating_sub(before) as f64 / (CALLS * SESSIONS) as f64)
}

/// Resident bytes of this process.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The load averages of the machine.
pub fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}
