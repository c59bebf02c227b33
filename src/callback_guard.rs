//! Protection against calls of the library from inside its callbacks, and against their panics. Whether the token of a
//! thread is taken is here, too, because one comparison asks for both.

use crate::error::Error;
use ascendcl_macros::rule;
use core::cell::Cell;
use core::marker::PhantomData;
use core::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

/// While this value exists, the library is inside code of the user on this thread. No call of the library may begin
/// then.
#[rule(ALLOC_18)]
pub(crate) struct InCallback {
    outer: u8,
}

/// The two reasons why a thread cannot take its token. They lie side by side, so that one comparison sees both.
#[repr(C, align(2))]
struct ThreadState {
    in_callback: Cell<u8>,
    is_taken: Cell<u8>,
}

thread_local!(static STATE: ThreadState = const { ThreadState { in_callback: Cell::new(0), is_taken: Cell::new(0) } });

impl InCallback {
    #[inline(always)]
    fn begin() -> Self {
        Self { outer: STATE.with(|state| state.in_callback.replace(1)) }
    }

    /// From now on this thread counts as inside a callback, unless its token is taken: then it is the program's.
    pub(crate) fn stay_on_this_thread() {
        STATE.with(|state| {
            if state.is_taken.get() == 0 {
                state.in_callback.set(1);
            }
        });
    }

    /// Whether this thread is inside a callback.
    #[inline(always)]
    pub(crate) fn is_running() -> bool {
        STATE.with(|state| state.in_callback.get()) != 0
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
        STATE.with(|state| state.in_callback.set(self.outer));
    }
}

/// The proof that this thread was outside of callbacks when the value was made. A callback runs within the function that
/// has the value, and ends before that function goes on, so this holds for as long as the function has it.
#[derive(Clone, Copy)]
pub(crate) struct OutsideCallbacks {
    _on_this_thread: PhantomData<*const ()>,
}

impl OutsideCallbacks {
    /// `None` inside a callback.
    #[inline(always)]
    pub(crate) fn now() -> Option<Self> {
        if InCallback::is_running() { None } else { Some(Self { _on_this_thread: PhantomData }) }
    }
}

/// Takes the token of this thread. `None` if it is taken already, and inside a callback.
#[inline(always)]
pub(crate) fn take_token() -> Option<OutsideCallbacks> {
    STATE.with(|state| {
        if u16::from_ne_bytes([state.in_callback.get(), state.is_taken.get()]) != 0 {
            return None;
        }
        state.is_taken.set(1);
        Some(OutsideCallbacks { _on_this_thread: PhantomData })
    })
}

/// Marks the token of this thread as taken. Returns whether it was taken before.
pub(crate) fn occupy_token() -> bool {
    STATE.with(|state| state.is_taken.replace(1)) != 0
}

/// The token of this thread can be taken again.
#[inline(always)]
pub(crate) fn give_token_back() {
    STATE.with(|state| state.is_taken.set(0));
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_callback_and_the_token_of_the_thread_are_noted_apart() {
        assert!(OutsideCallbacks::now().is_some() && take_token().is_some());
        assert!(take_token().is_none(), "the token is taken");
        let inside = || {
            assert!(OutsideCallbacks::now().is_none());
            give_token_back();
            assert!(take_token().is_none(), "the token is there, and cannot be taken inside a callback");
            contained(|| assert!(take_token().is_none())).unwrap();
            assert!(InCallback::is_running(), "the outer callback goes on");
        };
        assert!(contained(inside).is_some());
        assert!(!occupy_token(), "the callback has given the token back");
        assert!(OutsideCallbacks::now().is_some() && take_token().is_none());
        give_token_back();
        assert!(take_token().is_some());
        give_token_back();
    }

    #[test]
    fn a_thread_stays_inside_callbacks_unless_it_is_the_programs() {
        let of_the_program = || {
            assert!(take_token().is_some());
            InCallback::stay_on_this_thread();
            assert!(OutsideCallbacks::now().is_some());
        };
        let of_the_library = || {
            InCallback::stay_on_this_thread();
            contained(|| assert!(InCallback::is_running())).unwrap();
            assert!(OutsideCallbacks::now().is_none() && take_token().is_none());
        };
        thread::spawn(of_the_program).join().unwrap();
        thread::spawn(of_the_library).join().unwrap();
    }
}
