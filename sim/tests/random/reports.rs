//! Threads that run callbacks.

use crate::support::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

pub(crate) fn own_thread() -> u64 {
    // SAFETY: part of POSIX.
    unsafe extern "C" {
        safe fn pthread_self() -> usize;
    }
    pthread_self() as u64
}

/// Runs callbacks until every thread has made its calls: streams may wait for this one's.
pub(crate) fn until_all_are_here(missing: &AtomicUsize) {
    missing.fetch_sub(1, SeqCst);
    while missing.load(SeqCst) > 0 {
        if acl!(aclrtProcessReport(1)) == ACL_ERROR_RT_THREAD_SUBSCRIBE {
            std::thread::yield_now();
        }
    }
}

pub(crate) unsafe extern "C" fn nothing(_: *mut c_void) {}

/// Waits for the device, which now and then waits for it.
pub(crate) unsafe extern "C" fn waits(_: *mut c_void) {
    acl!(aclrtSetDevice(0));
    acl!(aclrtSynchronizeDevice());
}

pub(crate) unsafe extern "C" fn resets(_: *mut c_void) {
    acl!(aclrtSetDevice(0));
    acl!(aclrtResetDevice(0));
}

pub(crate) fn one_of(choice: u8) -> aclrtCallback {
    match choice % 16 {
        0 => Some(waits),
        1 => Some(resets),
        _ => Some(nothing),
    }
}
