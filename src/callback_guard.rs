//! Protection against calls of the library from inside its callbacks, and against their panics.

use crate::error::Error;
use ascendcl_macros::rule;
use core::cell::Cell;
use core::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// While this value exists, the library is inside code of the user on this thread. No call of the library may begin
/// then.
#[rule(ALLOC_18)]
pub(crate) struct InCallback {
    outer: bool,
}

thread_local!(static IN_CALLBACK: Cell<bool> = const { Cell::new(false) });

impl InCallback {
    #[inline(always)]
    fn begin() -> Self {
        Self { outer: IN_CALLBACK.replace(true) }
    }

    /// Whether this thread is inside a callback.
    #[inline(always)]
    pub(crate) fn is_running() -> bool {
        IN_CALLBACK.get()
    }

    /// Returns an error if this thread is inside a callback.
    #[inline(always)]
    pub(crate) fn check_outside() -> Result<(), Error> {
        if Self::is_running() { Err(Error::InsideCallback) } else { Ok(()) }
    }
}

impl Drop for InCallback {
    #[inline(always)]
    fn drop(&mut self) {
        IN_CALLBACK.set(self.outer);
    }
}

/// Runs code of the user on a thread that is not the user's, or inside a call of the library. Returns `None` if the
/// code panicked.
#[inline(always)]
pub(crate) fn contained<R>(code: impl FnOnce() -> R) -> Option<R> {
    // The destructor of the panic's payload could panic again, so the payload is forgotten.
    caught(code).map_err(mem::forget).ok()
}

/// Like [`contained`], but returns the payload of the panic.
#[inline(always)]
pub(crate) fn caught<R>(code: impl FnOnce() -> R) -> thread::Result<R> {
    let _refuses = InCallback::begin();
    catch_unwind(AssertUnwindSafe(code))
}
