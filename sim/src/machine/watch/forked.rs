//! Processes that are forked from one that uses the library.

use super::{CHECKER, MODE, OFF, report, this_thread};
use crate::config::{self, Checks};
use crate::machine::thread::errors;
use ascendcl_rules::{Event, Object, Op, Refusal, THREAD_05};
use std::sync::atomic::Ordering::Relaxed;

/// A process that was forked calls the library for the first time. If the library was initialised before the fork, this is
/// reported, and nothing else of the process. Says whether the call is to be refused for that.
///
/// Locks that other threads of the parent had stay locked in the child.
#[cold]
pub(crate) fn first_call_of_child() -> bool {
    let checks = config::current().checks_wanted();
    if checks == Checks::Off || report::suppresses(THREAD_05) {
        return false;
    }
    let Ok(mut kept) = CHECKER.try_lock() else { return false };
    let Some(mut checker) = kept.take_if(|checker| checker.is_initialised()) else { return false };
    drop(kept);
    let event = Event::new(errors::current_call(), Object::PROCESS, Op::Query, this_thread());
    let found = checker.explain(
        &event,
        &Refusal {
            rule: THREAD_05,
            found: "this process was forked from one in which the library was initialised, and calls the library"
                .into(),
            expected: "a process that initialises the library itself",
            fix: "start a new program (Python: the start method `spawn`), or fork before aclInit",
            objects: vec![Object::PROCESS],
        },
    );
    report::record_in_child(found);
    MODE.store(OFF, Relaxed);
    checks == Checks::Strict
}
