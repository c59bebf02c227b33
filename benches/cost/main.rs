//! What the safe layer adds to each operation, over the same calls of the library without it.
//!
//! `cargo bench -p ascendcl --bench cost` prints the table, writes it to `docs/cost.md`, and fails where an operation costs more than its
//! limit. It counts instructions, which do not depend on what else the machine does: valgrind's `callgrind` runs this file
//! once per operation and side. Without valgrind there is no table. With `-- --check` the file stays as it is.
//!
//! `cargo bench -p ascendcl --bench cost -- --scale` counts what some of them cost beside many other objects
//! (`docs/scale.md`). `cargo bench -p ascendcl --bench cost -- --times` measures nanoseconds instead, `-- --actor` those of an actor's
//! call beside the hop to its thread, and `-- --threads` what operations cost while other threads do the same in one runtime.
//!
//! The library is one that does nothing (`tests/null/library.c`). The sides: the C functions by the addresses that the
//! dynamic loader gives (`raw`), `ascendcl-sys` (`sys`), the safe layer in a scope (`safe`) and in a `Runtime`
//! (`runtime`). Each operation is a function by itself on each side, so that its count has a beginning and an end; in a
//! loop the compiler may save some of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod actor;
mod allocator;
#[path = "../../tests/common/mod.rs"]
mod common;
mod count;
mod operations;
mod plain;
mod safe;
mod scale;
mod shares;
mod table;
mod threads;
mod valgrind;

use operations::{Operation, SIDES, Side};
use scale::Scale;

fn main() -> std::process::ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["one", operation, side, rounds] => {
            let (operation, side) = (Operation::named(operation).unwrap(), Side::named(side).unwrap());
            run(operation, side, rounds.parse().unwrap());
            std::process::ExitCode::SUCCESS
        }
        ["many", scale, many, rounds] => {
            let scale = Scale::named(scale).unwrap();
            scale::run(&common::null_library(), scale, many.parse().unwrap(), rounds.parse().unwrap());
            std::process::ExitCode::SUCCESS
        }
        ["--scale"] => scale::counts(true),
        ["--times"] => {
            table::times(|operation, side, rounds| run(operation, side, rounds).as_secs_f64());
            std::process::ExitCode::SUCCESS
        }
        ["--actor"] => {
            actor::times(&common::null_library());
            std::process::ExitCode::SUCCESS
        }
        ["--threads"] => {
            threads::times(&common::null_library());
            std::process::ExitCode::SUCCESS
        }
        ["--check"] => {
            let both = [table::counts(false), scale::counts(false)];
            both.into_iter()
                .find(|one| *one != std::process::ExitCode::SUCCESS)
                .unwrap_or(std::process::ExitCode::SUCCESS)
        }
        [] => table::counts(true),
        other => panic!("unknown words: {other:?}"),
    }
}

/// Runs an operation so many times; answers how long that took.
fn run(operation: Operation, side: Side, rounds: u32) -> std::time::Duration {
    let library = common::null_library();
    match side {
        Side::Raw => plain::raw(&library, operation, rounds),
        Side::Sys => plain::sys(&library, operation, rounds),
        Side::Safe => safe::scope(&library, operation, rounds),
        Side::Runtime => safe::runtime(&library, operation, rounds),
    }
    count::elapsed()
}

/// All operations on all sides.
fn everything() -> impl Iterator<Item = (Operation, [Side; 4])> {
    Operation::ALL.into_iter().map(|operation| (operation, SIDES))
}
