//! Callbacks of the program that were queued.

use super::{call, guards};
use crate::abi::HostCallback;
use crate::failure::Failure;
use ascendcl_rules::{Object, Op};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A number for a callback that is about to be queued.
pub(crate) fn new_callback() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}

/// A queued callback runs on this thread.
pub(crate) fn run(callback: &HostCallback) {
    drop(call(Op::Begin, Object::callback(callback.number())).begin_always().end(Ok::<_, Failure>(())));
    callback.run();
    guards::callback_returns();
}
