//! The right to make contexts current on an OS thread.

use crate::brand::OfOneThread;
use crate::callback_guard::{InCallback, OutsideCallbacks, give_token_back, occupy_token, take_token};
use crate::error::Error;
use ascendcl_macros::rule;
use static_assertions::assert_not_impl_any;

/// This OS thread's right to make a context current. There is one per thread, and it stays on that thread.
///
/// The library keeps a current context per OS thread. Having a `&mut Thread` tells you the following:
///
/// * No context of this crate is entered on this thread.
/// * No other code can enter one through this crate while you have it: entering takes the `&mut Thread`.
///
/// It does not tell you:
///
/// * that nothing is current on this thread: the default context of a device stays current after a context is left, and
///   code outside this crate may have made another one current;
/// * anything about other threads.
///
/// ```
/// # use ascendcl::Thread;
/// let thread = Thread::new()?;
/// assert!(Thread::new().is_err());
/// # Ok::<(), ascendcl::Error>(())
/// ```
///
/// It cannot be given to another thread:
///
/// ```text
/// error[E0277]: a `Thread` is the right of one thread to enter contexts; another thread cannot use it
///    |
/// 13 |         scope.spawn(move || work(worker));
///    |               ----- ^^^^^^^^^^^^^^^^^^^^ this needs the `Thread` of the thread that has it
/// ```
#[derive(Debug)]
#[rule(THREAD_01)]
pub struct Thread {
    _here: OfOneThread,
}

assert_not_impl_any!(Thread: Send, Sync, Clone);

impl Thread {
    /// Takes this thread's token. After it was dropped, it can be taken again; after it was forgotten, it cannot.
    ///
    /// # Errors
    ///
    /// [`Error::ThreadTaken`] when this thread's token exists already; [`Error::InsideCallback`] in code that the
    /// library called.
    #[inline]
    #[rule(ALLOC_18)]
    pub fn new() -> Result<Self, Error> {
        Self::new_outside().map(|(thread, _)| thread)
    }

    /// Like [`new`](Self::new). Also returns the proof that this thread is outside of callbacks.
    #[inline(always)]
    pub(crate) fn new_outside() -> Result<(Self, OutsideCallbacks), Error> {
        match take_token() {
            Some(outside) => Ok((Self { _here: OfOneThread::NEW }, outside)),
            None => Err(Self::why_refused()),
        }
    }

    /// Out of line: otherwise the compiler prepares an error before it knows whether there is one.
    #[cold]
    #[inline(never)]
    fn why_refused() -> Error {
        InCallback::check_outside().err().unwrap_or(Error::ThreadTaken)
    }
}

impl Drop for Thread {
    #[inline]
    fn drop(&mut self) {
        give_token_back();
    }
}

/// While this value exists, this thread's token is taken: code of the program that runs meanwhile enters no context.
pub(crate) struct Occupied {
    before: bool,
}

impl Occupied {
    pub(crate) fn now() -> Self {
        Self { before: occupy_token() }
    }
}

impl Drop for Occupied {
    fn drop(&mut self) {
        // If the thread's token was there before, the code that ran may have dropped it. Then it can be taken again.
        if !self.before {
            give_token_back();
        }
    }
}

/// A value that allows changing this thread's current context: a [`Thread`], or the [`Current`](crate::Current) of the
/// innermost context that was entered on it.
///
/// Having a `&mut impl ThreadToken` tells you that the code that lent it cannot use its own context before you return.
/// It does not tell you which context is current.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the token of a thread",
    label = "expected a `Thread`, or the `Current` of the innermost context",
    note = "CTX-05, THREAD-01: who changes a thread's current context has its token: `&mut Thread::new()?`; inside a context \
            that is its `current`",
    note = "see `ascendcl-explain CTX-05`"
)]
pub trait ThreadToken: sealed::Sealed {}

impl ThreadToken for Thread {}

pub(crate) mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Thread {}
}
