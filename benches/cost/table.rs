//! The table: counted by callgrind, printed, written, and compared with the limits.

use crate::everything;
use crate::operations::{Operation, SIDES, Side};
use crate::shares;
use crate::valgrind::{self, per_round};
use std::fmt::Write;
use std::process::ExitCode;

const ROUNDS: u32 = 1000;
/// How far a count may be from the page: another machine has another `memcpy`.
pub(crate) const ROOM: u64 = 4;
const ROUNDS_OF_TIMES: u32 = 1_000_000;
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/cost.md");

const HEAD: &str = "\
# What the safe layer costs

Instructions per operation: of the C function called through its address (`raw`), through `ascendcl-sys` (`sys`), through
the crate `cann` 0.1.3 where it has the operation (`cann`; a wrapper that leaves lifetimes and contexts to the program),
and through the safe layer in a scope (`safe`) and in a runtime (`runtime`). The C library is one in which every call
returns at once. A block goes out and back between the library and an allocator of C functions (`raw`, `sys`), or one in
Rust. Each operation is a function by itself. A callback is counted until it is queued: taking its result, which keeps its
memory for the next one, is not counted. `over raw` is what the dearer of the two safe sides adds. An operation
may not cost more than its `limit`; `goal` is where the limit is to go. The counts repeat to the digit.

`cargo bench -p ascendcl --bench cost` writes this page, and fails where a limit is passed. It needs valgrind.
`-- --check` writes nothing, and also fails where this page is out of date.
`tools/cann-cost.sh` counts the column `cann` (`benches/cost/cann.tsv`).
[What many objects cost](scale.md) is a page of its own.

| operation | raw | sys | cann | safe | runtime | over raw | limit | goal |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

/// Counts everything. Fails where a limit is passed, and where the page is out of date unless it is written.
pub(crate) fn counts(write: bool) -> ExitCode {
    if !valgrind::is_there() {
        println!("SKIPPED: no instructions were counted, because valgrind is not installed");
        return ExitCode::SUCCESS;
    }
    let (mut page, mut passed, mut counted) = (HEAD.to_owned(), Vec::new(), Vec::new());
    let printed = std::fs::read_to_string(FILE).unwrap_or_default();
    for (operation, sides) in everything() {
        let [raw, sys, safe, runtime] = sides.map(|side| count(operation, side));
        let over = safe.max(runtime).saturating_sub(raw);
        let (name, limit, goal) = (operation.in_words(), operation.limit(), operation.goal());
        let cann = through_cann(operation);
        let line = format!("| {name} | {raw} | {sys} | {cann} | {safe} | {runtime} | {over} | {limit} | {goal} |");
        println!("{line}");
        writeln!(page, "{line}").unwrap();
        counted.push((operation, raw, safe));
        if over > limit {
            passed.push(format!("TOO DEAR: {name}: {over} instructions over raw, and the limit is {limit}"));
        }
        if !write && over_raw(&printed, name).is_none_or(|printed| printed.abs_diff(over) > ROOM) {
            passed.push(format!("OUT OF DATE: {name}: {over} instructions over raw, and the page has another number"));
        }
    }
    passed.extend(shares::stale(&counted, ROOM));
    page += &shares::section(&counted);
    if write {
        std::fs::write(FILE, page).unwrap();
    }
    passed.iter().for_each(|line| eprintln!("{line}"));
    if passed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What the page says that the operation costs over the raw call.
fn over_raw(page: &str, name: &str) -> Option<u64> {
    let cells = page.lines().map(|line| line.split('|').map(str::trim).collect::<Vec<_>>());
    cells.filter(|cells| cells.get(1) == Some(&name)).find_map(|cells| cells.get(7)?.parse().ok())
}

/// What `tools/cann-cost.sh` has counted.
fn through_cann(operation: Operation) -> &'static str {
    let counted = include_str!("cann.tsv").lines().filter_map(|line| line.split_once('\t'));
    counted.filter(|(name, _)| *name == operation.name()).map(|(_, count)| count).next().unwrap_or("–")
}

/// Prints nanoseconds. What is done around an operation (waits, above all) is in them.
pub(crate) fn times(run: impl Fn(Operation, Side, u32) -> f64) {
    println!("nanoseconds per round: {}", SIDES.map(Side::name).join(", "));
    for (operation, sides) in everything() {
        let times = sides.map(|side| run(operation, side, ROUNDS_OF_TIMES) * 1e9 / f64::from(ROUNDS_OF_TIMES));
        println!("{}: {}", operation.in_words(), times.map(|time| format!("{time:.1}")).join(", "));
    }
}

/// Instructions per round.
fn count(operation: Operation, side: Side) -> u64 {
    per_round(ROUNDS, |rounds| ["one".to_owned(), operation.name(), side.name(), rounds.to_string()])
}
