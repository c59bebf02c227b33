//! Calls on two threads at once, and what the machine is good for afterwards.

use crate::calls::{Call, Handles};
use crate::reports::Threads;
use crate::support::*;
use ascendcl_sim::control;

/// Each thread makes its calls, and then runs callbacks until no other waits for one.
pub(crate) fn run(handles: &Handles, calls: [&[Call]; 2], ready: bool) {
    let threads = &Threads::new(2);
    std::thread::scope(|scope| {
        let threads = calls.map(|calls| {
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
}

/// After a reset the machine is as good as new.
pub(crate) fn use_again() {
    control::take_findings();
    ok!(aclInit(std::ptr::null()));
    ok!(aclrtSetDevice(0));
    let block = malloc(64);
    ok!(aclrtFree(block));
    ok!(aclrtResetDevice(0));
    ok!(aclFinalize());
}
