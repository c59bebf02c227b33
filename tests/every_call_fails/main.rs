//! Programs in which every call of the library fails once, at every position.
//!
//! The simulator runs a program many times. In run n, the n-th call of the program fails. The runs end when a run makes
//! fewer than n calls. Each run has to end with success or an error value, leave nothing alive and break no rule. The
//! same holds for runs in which two calls fail. One of the two is often the call that cleans up after the other.
//!
//! If the failing call is one that releases an object, the object moves to its scope. If the scope fails, it moves to
//! the device, and then to the `Acl` (quarantine, never a leak). The library has failed only once, so releasing again
//! has to release everything; [`Acl::close`](ascendcl::Acl::close) does that. Objects that the first attempt has
//! released are not released again: the checker would report it.
//!
//! "Alive" are the objects that the simulator counts: contexts, streams, events, memory, models, and the records on the
//! host (descriptions, datasets, data buffers, tensor descriptions, attributes, allocator descriptors). The double of
//! the graph engine counts sessions, graphs and allocators.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;

mod bodies;
mod doors;
mod engine;
mod graphs;
mod harness;
mod lent;
mod models;
mod others;
mod programs;
mod runtimes;
mod several;

use harness::{How, Mode, Pairs, Tally, everywhere};
use programs::PROGRAMS;

/// A failure of the driver, after which it is unknown whether work was queued. And a refusal.
const CODES: [i32; 2] = [507_899, 207_001];

#[test]
fn each_call_fails_once_and_the_program_ends_with_a_value_and_nothing_left() {
    let mut sum = Tally::default();
    for (name, program) in PROGRAMS {
        for code in CODES {
            sum += everywhere(name, *program, &format!("{code}"), How::Once);
        }
    }
    assert!(sum.positions > 1000, "{sum:?}");
}

#[test]
fn each_call_fails_once_where_the_program_runs_on_the_device() {
    let mut sum = Tally::default();
    for (name, program) in PROGRAMS {
        sum += harness::everywhere_in(Mode::Device, name, *program, "507899");
    }
    assert!(sum.positions > 1000, "{sum:?}");
}

#[test]
fn two_calls_fail_and_the_program_ends_with_a_value_and_nothing_left() {
    let mut sum = Tally::default();
    for (name, program) in PROGRAMS {
        sum += harness::in_pairs(Pairs { next: 4, one_of: 31 }, Mode::Host, name, *program, "507899");
    }
    assert!(sum.positions > 4000, "{sum:?}");
    println!("{} pairs, of which {} gave back once more", sum.positions, sum.again);
}

#[test]
fn two_calls_fail_where_the_program_runs_on_the_device() {
    // Where images are in memory: they are copied to the device first.
    let copied = ["a model on a stream", "a lane", "open shapes", "gears"];
    let mut sum = Tally::default();
    for (name, program) in PROGRAMS.iter().filter(|(name, _)| copied.contains(name)) {
        sum += harness::in_pairs(Pairs { next: 4, one_of: 29 }, Mode::Device, name, *program, "507899");
    }
    assert!(sum.positions > 1000, "{sum:?}");
    println!("{} pairs, of which {} gave back once more", sum.positions, sum.again);
}

#[test]
fn each_call_of_two_threads_fails_once_and_both_end_with_a_value_and_nothing_left() {
    // What the threads share is the device and the tables of the library; models would only take longer.
    let shared = ["copies", "streams and events", "futures"];
    let mut sum = Tally::default();
    for (name, program) in PROGRAMS.iter().filter(|(name, _)| shared.contains(name)) {
        sum += harness::everywhere_on_two_threads(name, *program, "507899");
    }
    assert!(sum.positions > 200, "{sum:?}");
}

#[test]
fn each_call_fails_once_although_it_had_its_effect() {
    // Only where that is not a contradiction: a program cannot know what a failed call made or ended.
    for call in ["aclrtMemcpyAsync", "aclmdlExecuteAsync", "aclopExecuteV2", "aclrtRecordEvent", "aclrtStreamWaitEvent"]
    {
        let mut sum = Tally::default();
        for (name, program) in PROGRAMS {
            sum += harness::everywhere_of((Mode::Host, call), name, *program, "after:507899", How::Once);
        }
        assert!(sum.positions > 0, "{call}: {sum:?}");
    }
}

#[test]
fn the_devices_are_lost_at_each_call_and_the_program_ends_with_a_value() {
    let mut sum = Tally::default();
    for (name, program) in PROGRAMS {
        sum += everywhere(name, *program, "lost", How::ForGood);
    }
    assert!(sum.positions > 400, "{sum:?}");
}

#[test]
fn the_devices_are_full_from_each_call_on_and_the_program_ends_with_a_value_and_nothing_left() {
    let mut sum = Tally::default();
    for (name, program) in PROGRAMS {
        sum += everywhere(name, *program, "full", How::Once);
    }
    assert!(sum.positions > 400, "{sum:?}");
}
