//! Callbacks of the program that were queued.

use super::{OFF, call, guards, mode};
use crate::abi::HostCallback;
use crate::failure::Failure;
use ascendcl_rules::{Flag, Object, Op};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// A number for a callback that is about to be queued.
pub(crate) fn new_callback() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}

/// A queued callback runs on this thread. If it is told that its function has been unloaded, it does not run.
pub(crate) fn run(callback: &HostCallback) {
    let gone = mode() != OFF && callback.is_gone();
    let begins = call(Op::Begin, Object::callback(callback.number())).flag(Flag::Gone, gone);
    drop(begins.begin_always().end(Ok::<_, Failure>(())));
    if !gone {
        callback.run();
    }
    guards::callback_returns();
}
