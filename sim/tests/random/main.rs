//! Random calls on two threads, with handles of every kind: valid, stale, null, and of another kind. Whatever they are, and
//! whatever is made to go wrong, nothing crashes or hangs, and afterwards nothing is left.
//!
//! A run takes the same sequences each time. With `ASCENDCL_SIM_CASES=6000` it takes so many pairs, others each time;
//! `ASCENDCL_SIM_SEED=17` takes those of this seed. A failure prints what repeats it. Threads run as the machine lets them, so a
//! failure may need more than one run to come again.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code, unused_imports)]
#[path = "../findings/support.rs"]
mod support;

mod calls;
mod newer;
mod pair;
mod reports;

use ascendcl_sim::{Checks, control};
use calls::{Call, Handles};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

const CASES: &str = "ASCENDCL_SIM_CASES";
const SEED: &str = "ASCENDCL_SIM_SEED";

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect(name))
}

fn cases() -> u32 {
    number(CASES).map_or(2000, |cases| cases.try_into().expect(CASES))
}

/// The one that is given; one by chance where only a number of cases is.
fn seed() -> u64 {
    static CHOSEN: OnceLock<u64> = OnceLock::new();
    *CHOSEN.get_or_init(|| {
        let by_chance = || RandomState::new().build_hasher().finish();
        number(SEED).unwrap_or_else(|| if number(CASES).is_some() { by_chance() } else { 1 })
    })
}

fn again() -> String {
    format!("again: {SEED}={} {CASES}={}", seed(), cases())
}

fn config() -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(seed());
    ProptestConfig { cases: cases(), rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn no_sequence_of_calls_crashes_hangs_or_leaks(
        first in prop::collection::vec(any::<Call>(), 0..100),
        second in prop::collection::vec(any::<Call>(), 0..100),
        checks in 0..3_u8,
        plan in plans(),
        ready in any::<bool>(),
    ) {
        let _machine = support::machine([Checks::Off, Checks::Report, Checks::Strict][usize::from(checks)]);
        let handles = Handles::new();
        let _again = Again;
        let what = || {
            let at = handles.at();
            format!("{}\nat {at}\nplan {plan:?}, checks {checks}, ready {ready}\n{first:?}\n{second:?}", again())
        };
        within(Duration::from_secs(60), what, || {
            control::fail(plan.parse().unwrap()).unwrap();
            pair::run(&handles, [&first, &second], ready);
            control::reset();
        });
        prop_assert_eq!(control::live(), control::Live::default(), "{}", again());
        pair::use_again();
        prop_assert_eq!(control::take_findings(), [], "{}", again());
    }
}

/// Says how to repeat a run that panics.
struct Again;

impl Drop for Again {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", again());
        }
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
