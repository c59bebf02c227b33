//! The right to say which context is current on an OS thread.

use crate::brand::OfOneThread;
use crate::callback_guard::InCallback;
use crate::error::Error;
use ascendcl_macros::rule;
use core::cell::Cell;
use static_assertions::assert_not_impl_any;

/// This OS thread's right to make a context current. There is one per thread, and it stays there.
///
/// The library keeps a current context per OS thread. Having a `&mut Thread` tells you that no context of this crate is
/// current on this thread, and that no other code of this crate can change that while you have it.
///
/// ```
/// # use ascendcl::Thread;
/// let thread = Thread::new()?;
/// assert!(Thread::new().is_err());
/// # Ok::<(), ascendcl::Error>(())
/// ```
#[derive(Debug)]
#[rule(THREAD_01)]
pub struct Thread {
    _here: OfOneThread,
}

assert_not_impl_any!(Thread: Send, Sync, Clone);

thread_local! {
    /// Without a destructor, so that nothing runs when the thread ends.
    static TAKEN: Cell<bool> = const { Cell::new(false) };
}

impl Thread {
    /// Takes this thread's token. It can be taken again when this one was dropped; one that was forgotten stays taken.
    ///
    /// # Errors
    ///
    /// [`Error::ThreadTaken`] when this thread's token exists already; [`Error::InsideCallback`] in code that the
    /// library called.
    #[rule(ALLOC_18)]
    pub fn new() -> Result<Self, Error> {
        InCallback::refuses()?;
        if TAKEN.replace(true) { Err(Error::ThreadTaken) } else { Ok(Self { _here: OfOneThread::NEW }) }
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        TAKEN.set(false);
    }
}

/// A value that allows changing this thread's current context: a [`Thread`], or the [`Current`](crate::Current) of the
/// innermost context that was entered on it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which thread this is",
    label = "expected a `Thread`, or the `Current` of the innermost context",
    note = "CTX-05, THREAD-01: who changes a thread's current context has its token: `&mut Thread::new()?`; inside a context \
            that is its `current`",
    note = "see `cargo run -p ascendcl-explain CTX-05`"
)]
pub trait ThreadToken: sealed::Sealed {}

impl ThreadToken for Thread {}

pub(crate) mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Thread {}
}
