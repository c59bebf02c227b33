//! Marks for values that stay on a thread, or that only one thread at a time may use. All of them have size zero.
//!
//! A mark is `Send` or `Sync` under a bound that no type meets. So the compiler prints the message of the bound, which
//! names the value, the rule and the repair. If the mark were a pointer or a cell, the compiler would mention pointers
//! and cells, and propose locks.

#![allow(unsafe_code, reason = "declarations only: implementations whose bounds nothing meets")]

use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;

macro_rules! marks {
    ($(
        $(#[$page:meta])*
        $mark:ident: not $($auto:ident)+, as $object:ident cannot $act:ident:
        $message:literal, $label:literal, $($note:literal),+;
    )+) => { $(
        $(#[$page])*
        pub(crate) struct $mark<T = ()> {
            _rest: PhantomData<(rest!($($auto)+), T)>,
        }

        static_assertions::const_assert_eq!(size_of::<$mark>(), 0);

        impl $mark {
            pub(crate) const NEW: Self = Self { _rest: PhantomData };
        }

        impl fmt::Debug for $mark {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($mark))
            }
        }

        /// No type implements it.
        #[diagnostic::on_unimplemented(message = $message, label = $label $(, note = $note)+)]
        pub(crate) trait $act {}

        /// The parameter makes the compiler check the bound where a mark is used, and not here. A lifetime would do the
        /// same, but the compiler crashes over it where `?` converts an error that has such a mark into one of `anyhow`.
        pub(crate) struct $object<T> {
            _checked_later: PhantomData<T>,
        }

        $(
            // SAFETY: no type implements the trait of the bound, so this is no implementation for anything.
            unsafe impl<T> $auto for $mark<T> where $object<T>: $act {}
        )+
    )+ };
}

/// A type that has the other auto traits of such a mark.
macro_rules! rest {
    (Send Sync) => { *mut () };
    (Sync) => { Cell<()> };
    (Send) => { () };
}

marks! {
    /// The current context is per thread.
    OfTheCurrentContext: not Send Sync, as TheCurrentContext cannot GoToAnotherThread:
        "the current context of one thread cannot be used by another thread",
        "this needs the `Current` of the thread that has it",
        "THREAD-01: each thread enters the context itself: `context.enter(&mut Thread::new()?, |current| ...)`, or \
         `runtime.with(|current| ...)`",
        "THREAD-04: a task that may go on on another thread enters the context anew after each `.await`, and has left it \
         before",
        "ALLOC-18, CB-01: allocators and callbacks do not call the library, so they keep no `Current`",
        "see `ascendcl-explain THREAD-01`";

    /// A token is of one thread.
    OfOneThread: not Send Sync, as TheTokenOfAThread cannot BeGivenToAnotherThread:
        "a `Thread` is the right of one thread to enter contexts; another thread cannot use it",
        "this needs the `Thread` of the thread that has it",
        "THREAD-01, THREAD-04: each thread makes its own, and keeps it over no `.await`: `let mut thread = Thread::new()?;`",
        "see `ascendcl-explain THREAD-01`";

    /// A view of the default stream stays on its thread.
    OfTheDefaultStream: not Send Sync, as AViewOfTheDefaultStream cannot BeSentToAThread:
        "a view of the default stream stays on its thread",
        "this would take a `DefaultStream` to another thread",
        "THREAD-02: tasks of several threads on the default stream have no order: a stream that can be sent is made by \
         `let stream = current.stream()?;`",
        "see `ascendcl-explain THREAD-02`";

    /// One thread at a time uses a stream.
    StreamOfOneThread: not Sync, as AStream cannot BeUsedByTwoThreads:
        "two threads cannot use one stream at the same time",
        "this would let another thread refer to the stream",
        "THREAD-02, THREAD-03: give each thread a stream of its own: `current.stream()?`; a stream of `current.stream()` can \
         be moved to a thread: `move || ...`; a service that threads share keeps it in a `Mutex`",
        "MODEL-06: threads share a workspace through `current.workspace_mutex(workspace, |current, lane| ...)`, not through a `WorkspaceLane`",
        "see `ascendcl-explain THREAD-02`";

    /// A capture ends on the thread that it began on.
    CaptureOfOneThread: not Send Sync, as ACapture cannot GoToAnotherThreadOrBeShared:
        "a capture stays on the thread that it began on",
        "this would let another thread add to the capture",
        "GRAPH-02: call the methods of the `Capture` on the thread that called `stream.capture(...)`; another thread captures \
         a stream of its own",
        "see `ascendcl-explain GRAPH-02`";

    /// One thread at a time has a model.
    ModelOfOneThread: not Sync, as AModel cannot BeReachedByTwoThreads:
        "two threads cannot use one model at the same time",
        "this would let another thread refer to the model",
        "MODEL-15, MODEL-16: move the model to the thread (`move || ...`), or load it once for each thread, with the same \
         weights: `Load::builder().source(source).weights(&weights).build()`",
        "MODEL-15: in a struct that threads share it is behind a lock: `Mutex<Model<Vision>>`",
        "see `ascendcl-explain MODEL-15`";

    /// One thread at a time has an operator.
    OperatorOfOneThread: not Sync, as AnOperator cannot BeLaunchedByTwoThreads:
        "two threads cannot use one bound operator at the same time",
        "this would let another thread refer to the operator",
        "THREAD-03: move the operator to the thread that launches it (`move || ...`), or bind one for each thread",
        "see `ascendcl-explain THREAD-03`";
}
