//! Random calls on two threads, with handles of every kind: valid, stale, null, and of another kind. Whatever they are, and
//! whatever is made to go wrong, nothing crashes or hangs, and afterwards nothing is left.
//!
//! `ASCENDCL_SIM_CASES` says how many pairs of sequences are run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[allow(dead_code, unused_imports)]
#[path = "../findings/support.rs"]
mod support;

mod calls;
mod newer;
mod reports;

use ascendcl_sim::{Checks, control};
use calls::{Call, Handles};
use proptest::prelude::*;
use reports::Threads;
use std::io::Write;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use support::*;

fn cases() -> u32 {
    std::env::var("ASCENDCL_SIM_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_sequence_of_calls_crashes_hangs_or_leaks(
        first in prop::collection::vec(any::<Call>(), 0..100),
        second in prop::collection::vec(any::<Call>(), 0..100),
        checks in 0..3_u8,
        plan in plans(),
        ready in any::<bool>(),
    ) {
        let _machine = support::machine([Checks::Off, Checks::Report, Checks::Strict][usize::from(checks)]);
        let (handles, threads) = (Handles::new(), Threads::new(2));
        let what = || format!("at {}\nplan {plan:?}, checks {checks}, ready {ready}\n{first:?}\n{second:?}", handles.at());
        within(Duration::from_secs(60), what, || {
            control::fail(plan.parse().unwrap()).unwrap();
            std::thread::scope(|scope| {
                let threads = [&first, &second].map(|calls| {
                    let (handles, threads) = (&handles, &threads);
                    scope.spawn(move || {
                        if ready {
                            acl!(aclInit(std::ptr::null()));
                            acl!(aclrtSetDevice(0));
                        }
                        handles.run(calls);
                        threads.leave();
                    })
                });
                // The end of a scope does not wait for what a thread does last; a join does.
                threads.into_iter().for_each(|thread| thread.join().unwrap());
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

/// Nothing goes wrong most of the time; what hangs costs time.
fn plans() -> impl Strategy<Value = String> {
    let fault = |fault: &'static str| (1..80_u64).prop_map(move |position| format!("*#{position}={fault}"));
    prop_oneof![
        400 => Just(String::new()),
        30 => fault("507899"),
        20 => fault("lost"),
        20 => fault("full"),
        5 => fault("slow:100us"),
        2 => fault("hang"),
    ]
}

/// Ends the process, with what was being run, when that takes longer.
fn within(limit: Duration, what: impl Fn() -> String + Send, run: impl FnOnce()) {
    let (over, watch) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if watch.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                // Not by a macro: what those print is kept by the test, and lost with it.
                let text = format!("after {limit:?} this has not ended:\n{}\n", what());
                let _ = std::io::stderr().write_all(text.as_bytes());
                std::process::abort();
            }
        });
        // Over, too, when it panics.
        let _over = over;
        run();
    });
}
