//! Random programs of safe calls on one to three threads in one context, with faults of the library. Whatever they do:
//! no call panics, no rule of the vendor is broken, every scope ends, a wait returns the right data, and at the end
//! nothing is left or what is left can be released.
//!
//! Each seed is one program. A run always takes the same seeds. `ASCENDCL_RANDOM_PROGRAMS=600` continues with other
//! seeds for 600 seconds. `ASCENDCL_RANDOM_PROGRAM=17` runs only the program of that seed. If a program fails, the test
//! prints its seed and the fewest steps that still fail. The scheduling of threads varies, so a program with several
//! threads may need more than one run to fail again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;

mod actor;
mod buffers;
mod choices;
mod conditions;
mod fewest;
mod flights;
mod forcing;
mod graphs;
mod holdings;
mod overwritten;
mod pooled;
mod program;
mod random;
mod run;
mod runs;
mod shared;
mod sides;
mod streams;
mod switches;
mod updates;
mod world;

use program::{Kind, Program};
use random::Random;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant, SystemTime};
use world::SEEN;

/// The seeds of every run.
const SEEDS: u64 = 400;

/// The name of the test that runs programs.
const NAME: &str = "no_random_program_of_safe_calls_breaks_a_rule_panics_hangs_or_leaves_anything";

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect(name))
}

#[test]
fn no_random_program_of_safe_calls_breaks_a_rule_panics_hangs_or_leaves_anything() {
    let _alone = common::alone();
    if let Some(seed) = number(fewest::SEED) {
        return if std::env::var(fewest::STEPS).is_ok() { check_steps(seed) } else { check(seed) };
    }
    (0..SEEDS).for_each(check);
    if let Some(seconds) = number("ASCENDCL_RANDOM_PROGRAMS") {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let (start, first) = (Instant::now(), now.as_secs() * 1_000_000);
        let mut seed = first;
        while start.elapsed() < Duration::from_secs(seconds) {
            check(seed);
            seed += 1;
        }
        println!("{} more programs, from seed {first} on", seed - first);
    }
    println!("{SEEN:?}");
    // A test that has compared nothing has shown nothing.
    let enough = [
        (&SEEN.compared, 1000),
        (&SEEN.waits, 800),
        (&SEEN.errors, 200),
        (&SEEN.refused, 100),
        (&SEEN.replays, 300),
        (&SEEN.conditions, 50),
        (&SEEN.pooled, 60),
        (&SEEN.forced, 50),
    ];
    assert!(enough.iter().all(|(seen, least)| seen.load(Relaxed) > *least), "{SEEN:?}");
}

#[test]
fn the_programs_of_the_seeds_have_all_kinds_of_faults_and_threads() {
    let programs: Vec<_> = (0..SEEDS).map(of_seed).collect();
    for kind in [Kind::None, Kind::One, Kind::Several, Kind::Full, Kind::Lost, Kind::Hangs] {
        assert!(programs.iter().any(|program| program.faults.kind == kind), "{kind:?}");
    }
    for threads in 1..=3 {
        assert!(programs.iter().any(|program| program.threads.len() == threads), "{threads} threads");
    }
}

#[test]
fn a_pool_that_gave_its_memory_back_may_get_no_other() {
    let _alone = common::alone();
    for plan in ["aclrtMalloc#2=207001", "aclrtMalloc#3=207001"] {
        run::run(0, &Program::with_a_pool_that_is_trimmed(plan)).unwrap();
    }
}

fn of_seed(seed: u64) -> Program {
    Program::of(Random::new(seed))
}

/// Runs the program of a seed. One that fails is run again and again, with fewer and fewer steps.
fn check(seed: u64) {
    let program = of_seed(seed);
    if let Err(wrong) = run::run(seed, &program) {
        let kept = fewest::steps(seed, &program);
        let text = fewest::as_text(&kept);
        panic!(
            "the program of seed {seed} fails: {wrong}\n\
             again: {}={seed} {}='{text}', which are the fewest steps that were found to fail:\n{:#?}",
            fewest::SEED,
            fewest::STEPS,
            program.with_steps(&kept)
        );
    }
}

/// Runs some steps of the program of a seed, once.
fn check_steps(seed: u64) {
    let kept = fewest::of_text(&std::env::var(fewest::STEPS).unwrap());
    if let Err(wrong) = run::run(seed, &of_seed(seed).with_steps(&kept)) {
        panic!("the program of seed {seed} fails: {wrong}");
    }
}
