//! Random calls on two threads, with handles of every kind: valid, stale, null, and of another kind. Whatever they are,
//! nothing crashes or hangs, and afterwards nothing is left.
//!
//! `ASCENDCL_SIM_CASES` says how many pairs of sequences are run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[allow(dead_code, unused_imports)]
#[path = "../findings/support.rs"]
mod support;

mod calls;

use ascendcl_sim::{Checks, control};
use calls::{Call, Handles};
use proptest::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use support::*;

fn cases() -> u32 {
    std::env::var("ASCENDCL_SIM_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(4000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_calls_crashes_hangs_or_leaks(
        first in prop::collection::vec(any::<Call>(), 0..60),
        second in prop::collection::vec(any::<Call>(), 0..60),
        checks in 0..3_u8,
    ) {
        let _machine = support::machine([Checks::Off, Checks::Report, Checks::Strict][usize::from(checks)]);
        within(Duration::from_secs(60), || format!("{first:?}\n{second:?}"), || {
            let handles = Handles::new();
            std::thread::scope(|scope| {
                scope.spawn(|| handles.run(&first));
                scope.spawn(|| handles.run(&second));
            });
            control::reset();
        });
        prop_assert_eq!(control::live(), control::Live::default());
        // The machine is as good as new.
        control::take_findings();
        ok!(aclInit(std::ptr::null()));
        ok!(aclrtSetDevice(0));
        let block = support::malloc(64);
        ok!(aclrtFree(block));
        ok!(aclrtResetDevice(0));
        ok!(aclFinalize());
        prop_assert_eq!(control::take_findings(), []);
    }
}

/// Ends the process, with what was being run, when that takes longer.
fn within(limit: Duration, what: impl FnOnce() -> String, run: impl FnOnce()) {
    let (over, watch) = channel::<()>();
    let what = what();
    let watcher = std::thread::spawn(move || {
        let began = Instant::now();
        if watch.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
            eprintln!("after {:?} this has not ended:\n{what}", began.elapsed());
            std::process::abort();
        }
    });
    run();
    drop(over);
    watcher.join().unwrap();
}
