//! Marks of values: the context that they belong to, and the threads that may use them. All of them have size zero.
//!
//! A mark for threads is `Send` or `Sync` under a bound that no type meets. So the compiler prints the message of the
//! bound, which names the value, the rule and the repair.

#![allow(unsafe_code, reason = "declarations only: implementations whose bounds nothing meets")]

use core::cell::Cell;
use core::marker::PhantomData;

/// Makes a type belong to one context. It is invariant: with any other variance, a value of one context could be passed
/// as a value of another.
pub(crate) struct Mark<C>(PhantomData<fn(C) -> C>);

impl<C> Mark<C> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

/// The graph engine is initialised and finalised on one thread.
#[derive(Debug)]
pub(crate) struct OfTheEnginesThread {
    _rest: PhantomData<*mut ()>,
}

impl OfTheEnginesThread {
    pub(crate) const NEW: Self = Self { _rest: PhantomData };
}

/// No type implements it.
#[diagnostic::on_unimplemented(
    message = "the graph engine stays on the thread that opened it",
    label = "this would take the `Engine` to another thread",
    note = "GE-10: the engine is closed where it was opened: call `engine.close()` on that thread, and lend other \
            threads a session: `&mut Session`",
    note = "see `ascendcl-explain GE-10`"
)]
pub(crate) trait GoToAThreadThatDidNotOpenIt {}

/// The lifetime makes the compiler check the bound where a mark is used, and not here.
pub(crate) struct TheGraphEngine<'a> {
    _lifetime: PhantomData<&'a ()>,
}

// SAFETY: no type implements the trait of the bound, so this is no implementation for anything.
unsafe impl Send for OfTheEnginesThread where for<'a> TheGraphEngine<'a>: GoToAThreadThatDidNotOpenIt {}
// SAFETY: no type implements the trait of the bound, so this is no implementation for anything.
unsafe impl Sync for OfTheEnginesThread where for<'a> TheGraphEngine<'a>: GoToAThreadThatDidNotOpenIt {}

/// Only one thread at a time may use a session of the graph engine and its graphs.
#[derive(Debug)]
pub(crate) struct SessionOfOneThread {
    _rest: PhantomData<Cell<()>>,
}

impl SessionOfOneThread {
    pub(crate) const NEW: Self = Self { _rest: PhantomData };
}

/// No type implements it.
#[diagnostic::on_unimplemented(
    message = "two threads cannot use one session of the graph engine, or a graph of it, at the same time",
    label = "this would let another thread refer to the session or graph",
    note = "GE-12: lend it to one thread at a time: `let lent = &mut *session;` and `move || ...`",
    note = "see `ascendcl-explain GE-12`"
)]
pub(crate) trait BeSharedByTwoThreads {}

/// The lifetime makes the compiler check the bound where a mark is used, and not here.
pub(crate) struct ASession<'a> {
    _lifetime: PhantomData<&'a ()>,
}

// SAFETY: no type implements the trait of the bound, so this is no implementation for anything.
unsafe impl Sync for SessionOfOneThread where for<'a> ASession<'a>: BeSharedByTwoThreads {}

static_assertions::const_assert_eq!(size_of::<OfTheEnginesThread>(), 0);
static_assertions::const_assert_eq!(size_of::<SessionOfOneThread>(), 0);
