//! `flyball-bench`: what a decision costs, beside the floor of the same run (DESIGN section 9).
//!
//! `cargo run --release -p flyball-bench -- [FILTER] [--json] [--rounds N]` prints times;
//! `--list` the rows; `--callgrind-target ROW --iterations N` runs one row so often and nothing else, for
//! `bench/instructions.sh`. Nothing here asserts a time.

mod floor;
mod measure;
mod report;
mod scenario;
mod workload;

use report::Report;
use scenario::{SCENARIOS, Scenario};
use std::process::ExitCode;

/// What was asked.
#[derive(Debug)]
struct Options {
    filter: String,
    json: bool,
    list: bool,
    rounds: usize,
    target: Option<String>,
    iterations: usize,
}

fn options() -> Result<Options, String> {
    let mut options =
        Options { filter: String::new(), json: false, list: false, rounds: 500, target: None, iterations: 100 };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("`{arg}` needs a value"));
        let count = |text: String| text.parse::<usize>().map_err(|_| format!("`{text}` is no count"));
        match arg.as_str() {
            "--json" => options.json = true,
            "--list" => options.list = true,
            "--rounds" => options.rounds = count(value()?)?.max(1),
            "--iterations" => options.iterations = count(value()?)?,
            "--callgrind-target" => options.target = Some(value()?),
            unknown if unknown.starts_with('-') => return Err(format!("unknown option `{unknown}`")),
            filter => options.filter = filter.to_owned(),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    match options().and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("flyball-bench: {message}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<(), String> {
    if options.list {
        SCENARIOS.iter().for_each(|scenario| println!("{}", scenario.name));
        return Ok(());
    }
    if let Some(target) = &options.target {
        return once(target, options.iterations);
    }
    let chosen = chosen(&options.filter);
    let start = measure::load();
    // First, while nothing was freed that a session could take.
    let bytes_per_call = "w-memory".contains(&options.filter).then(measure::bytes_per_call).flatten();
    let times = measure::times(&chosen, options.rounds);
    let report = Report { load: [start, measure::load()], times, bytes_per_call };
    if options.json {
        println!("{}", report.json())
    } else {
        print!("{}", report.text())
    }
    Ok(())
}

/// The rows whose name contains the filter, and those that they are judged by.
fn chosen(filter: &str) -> Vec<Scenario> {
    let named = |scenario: &&Scenario| scenario.name.contains(filter);
    let judging: Vec<&str> = SCENARIOS.iter().filter(named).filter_map(|scenario| scenario.target.other()).collect();
    let wanted = |scenario: &&Scenario| named(scenario) || judging.contains(&scenario.name);
    SCENARIOS.iter().filter(wanted).copied().collect()
}

/// One row, set up and run so many times.
fn once(name: &str, iterations: usize) -> Result<(), String> {
    let scenario = SCENARIOS.iter().find(|scenario| scenario.name == name);
    let mut task = (scenario.ok_or_else(|| format!("there is no row `{name}`; `--list` names them"))?.make)();
    if iterations > task.most() {
        return Err(format!("`{name}` runs at most {} times", task.most()));
    }
    task.prepare();
    task.run(iterations);
    Ok(())
}
