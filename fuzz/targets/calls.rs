//! Any sequence of calls of the simulator's C functions, with handles of every kind: nothing crashes, and nothing is left.
//! The table of calls is that of `sim/tests/random`, which makes them by chance.

#![no_main]

#[path = "../../sim/tests/common/mod.rs"]
mod common;
#[allow(dead_code, unused_imports)]
#[path = "../../sim/tests/findings/support.rs"]
mod support;

#[allow(dead_code)]
#[path = "../../sim/tests/random/calls.rs"]
mod calls;
#[path = "../../sim/tests/random/newer.rs"]
mod newer;
#[allow(dead_code)]
#[path = "../../sim/tests/random/reports.rs"]
mod reports;

use ascendcl_sim::{Checks, control};
use calls::{Call, Handles};
use libfuzzer_sys::fuzz_target;
use support::*;

/// Longer sequences cost time, and show nothing new.
const MOST: usize = 200;

fuzz_target!(|bytes: &[u8]| {
    let _machine = support::machine(Checks::Report);
    let calls: Vec<Call> = bytes.chunks_exact(4).take(MOST).map(|call| [call[0], call[1], call[2], call[3]]).collect();
    acl!(aclInit(std::ptr::null()));
    acl!(aclrtSetDevice(0));
    Handles::new().run(&calls);
    control::reset();
    assert_eq!(control::live(), control::Live::default());
});
