//! Any calls of the simulator's C functions on two threads, with handles of every kind and with faults: nothing crashes,
//! nothing hangs, and nothing is left. The calls are those of `sim/tests/random`, which makes them by chance.

#![no_main]

#[path = "../../sim/tests/common/mod.rs"]
mod common;
#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "../../sim/tests/findings/support.rs"]
mod support;

#[allow(dead_code, reason = "the tests print what a thread is at")]
#[path = "../../sim/tests/random/calls.rs"]
mod calls;
#[path = "../../sim/tests/random/newer.rs"]
mod newer;
#[path = "../../sim/tests/random/pair.rs"]
mod pair;
#[path = "../../sim/tests/random/reports.rs"]
mod reports;

use ascendcl_sim::{Checks, control};
use calls::{Call, Handles};
use libfuzzer_sys::{Corpus, fuzz_target};

/// Longer sequences cost time, and show nothing new.
const MOST: usize = 100;

/// What goes wrong. Other numbers than theirs choose nothing.
const FAULTS: [&str; 4] = ["507899", "lost", "full", "slow:100us"];

// Four bytes choose the checks, the fault, its position, and whether the threads set a device first. Then the calls of
// both threads take turns, four bytes each.
fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some(([checks, fault, position, ready], bytes)) = bytes.split_first_chunk() else { return Corpus::Reject };
    let _machine = support::machine([Checks::Off, Checks::Report, Checks::Strict][usize::from(checks % 3)]);
    let mut calls = [const { Vec::<Call>::new() }; 2];
    for (at, call) in bytes.as_chunks().0.iter().take(2 * MOST).enumerate() {
        calls[at % 2].push(*call);
    }
    let plan = match FAULTS.get(usize::from(*fault)) {
        None => String::new(),
        Some(fault) => format!("*#{}={fault}", u32::from(*position) + 1),
    };
    control::fail(plan.parse().unwrap()).unwrap();
    pair::run(&Handles::new(), [&calls[0], &calls[1]], ready % 2 == 0);
    control::reset();
    assert_eq!(control::live(), control::Live::default());
    pair::use_again();
    assert_eq!(control::take_findings(), []);
    Corpus::Keep
});
