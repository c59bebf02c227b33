//! What can be switched on: waits that miss the end of the work, handles that are used again, copies in the call, slow ends.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../common/mod.rs"]
mod common;
#[path = "../runtime/support.rs"]
#[allow(dead_code, unused_imports)]
mod support;

mod copies;
mod handles;
mod waits;

use ascendcl_sim::{Config, control};
use support::*;

/// A machine with this configuration, for one test alone.
struct Switched(#[allow(dead_code)] Machine);

fn switched(change: impl FnOnce(Config) -> Config) -> Switched {
    let machine = fresh();
    control::configure(change(plain())).unwrap();
    ok!(aclrtSetDevice(0));
    Switched(machine)
}

/// Nothing is on, whatever the environment says.
fn plain() -> Config {
    Config::new().vendor_waits(false).reuse_handles(false).copy_at_once(false).slow_destroy(false)
}

impl Drop for Switched {
    fn drop(&mut self) {
        control::reset();
        // Refused when a test has failed; the next one then says so.
        let _ = control::configure(Config::new());
    }
}

#[test]
fn destroying_a_context_in_which_a_callback_has_run_can_take_a_second() {
    use std::time::{Duration, Instant};
    const SECOND: Duration = Duration::from_secs(1);
    let time = |with_callback: bool| {
        let own = context(0);
        if with_callback {
            launch(aclrtStream::NULL, || {});
            ok!(aclrtSynchronizeStream(aclrtStream::NULL));
        }
        let started = Instant::now();
        ok!(aclrtDestroyContext(own));
        started.elapsed()
    };
    {
        let _switched = switched(|config| config.slow_destroy(true));
        assert!(time(true) >= SECOND);
        assert!(time(false) < SECOND);
    }
    let _switched = switched(|config| config);
    assert!(time(true) < SECOND);
}
