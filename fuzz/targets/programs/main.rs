//! Any program of safe calls on one to three threads, with faults of the library: no call panics, no rule of the vendor
//! is broken, a wait returns the right data, and nothing is left. The steps and the checks are those of
//! `tests/random_programs`, which makes its programs from seeds.

#![no_main]

#[path = "../../../tests/random_programs/actor.rs"]
mod actor;
#[path = "../../../tests/random_programs/buffers.rs"]
mod buffers;
#[path = "../../../tests/random_programs/choices.rs"]
mod choices;
mod common;
#[path = "../../../tests/random_programs/conditions.rs"]
mod conditions;
#[path = "../../../tests/random_programs/flights.rs"]
mod flights;
#[path = "../../../tests/random_programs/forcing.rs"]
mod forcing;
#[path = "../../../tests/random_programs/graphs.rs"]
mod graphs;
#[path = "../../../tests/random_programs/holdings.rs"]
mod holdings;
#[path = "../../../tests/random_programs/overwritten.rs"]
mod overwritten;
#[path = "../../../tests/random_programs/pooled.rs"]
mod pooled;
#[allow(dead_code, reason = "the tests reduce a program that fails")]
#[path = "../../../tests/random_programs/program.rs"]
mod program;
mod random;
#[path = "../../../tests/random_programs/run.rs"]
mod run;
#[path = "../../../tests/random_programs/runs.rs"]
mod runs;
#[path = "../../../tests/random_programs/shared.rs"]
mod shared;
#[path = "../../../tests/random_programs/sides.rs"]
mod sides;
#[path = "../../../tests/random_programs/streams.rs"]
mod streams;
#[path = "../../../tests/random_programs/switches.rs"]
mod switches;
#[path = "../../../tests/random_programs/updates.rs"]
mod updates;
#[path = "../../../tests/random_programs/world.rs"]
mod world;

use libfuzzer_sys::fuzz_target;
use program::Program;
use random::Random;

fuzz_target!(|bytes: &[u8]| {
    let program = Program::of(Random::new(bytes));
    // No seed made the program: the input is what repeats it.
    if let Err(wrong) = run::run(0, &program) {
        panic!("{wrong}\n{program:#?}");
    }
});
