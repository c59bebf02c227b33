//! Tests of one process take the simulator one after the other.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use ascendcl_sim::control;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

#[test]
fn one_test_at_a_time_has_the_simulator_and_sees_no_faults_of_another() {
    let inside = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..50 {
                    let _simulator = control::exclusive();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two tests have it");
                    assert_eq!(control::calls(), 0, "the plan of another test holds");
                    control::fail("aclrtMalloc#1=207001".parse().unwrap()).unwrap();
                    thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert!(control::injected().is_empty());
}

#[test]
fn a_test_that_panics_gives_the_simulator_back() {
    let failed = thread::spawn(|| {
        let _simulator = control::exclusive();
        control::fail("*#1=lost".parse().unwrap()).unwrap();
        panic!("the test fails");
    });
    assert!(failed.join().is_err());
    let _simulator = control::exclusive();
    assert!(control::injected().is_empty() && control::take_findings().is_empty());
}
