//! Calls into the caller's code: callbacks, host functions, allocators.

use super::waiting::Busy;
use super::{context, pool};
use std::cell::Cell;

thread_local! {
    /// The stream whose task this thread is running the caller's code for; 0 when it is not.
    static INSIDE: Cell<usize> = const { Cell::new(0) };
    /// The stream whose callback this thread is in; 0 for none.
    static CALLBACK: Cell<usize> = const { Cell::new(0) };
}

/// Runs a callback of the stream with this number.
pub(crate) fn run_callback<R>(stream: usize, code: impl FnOnce() -> R) -> R {
    struct Back(usize);
    impl Drop for Back {
        fn drop(&mut self) {
            CALLBACK.set(self.0);
        }
    }
    let _back = Back(CALLBACK.replace(stream));
    run(stream, code)
}

/// Runs code of the caller that belongs to a task of the stream with this number.
///
/// On a thread of the simulator another thread takes over the streams meanwhile, because the code may block, and the
/// current context that the code may have chosen is forgotten afterwards.
pub(crate) fn run<R>(stream: usize, code: impl FnOnce() -> R) -> R {
    let restore =
        Restore { inside: INSIDE.replace(stream), context: pool::serving().map(|_| context::current_number()) };
    // The stream that waits for this thread is the one that it serves, whoever the code is run for.
    let busy = pool::serving().map(Busy::on);
    let answer = pool::lend(code);
    drop(busy);
    drop(restore);
    answer
}

/// Runs code of the caller in the middle of a call, or of a task of the stream with this number. In a call it may wait
/// for that stream, which a task's code may not.
pub(crate) fn run_within<R>(stream: usize, code: impl FnOnce() -> R) -> R {
    let around = INSIDE.get();
    run(if around == 0 && pool::on_worker() { stream } else { around }, code)
}

/// The number of the stream whose callback this thread is in; 0 for none. The functions of an allocator are no callbacks.
pub(crate) fn callback_of() -> usize {
    CALLBACK.get()
}

/// Whether this thread is in code of the caller that some stream waits for.
pub(super) fn is_inside() -> bool {
    INSIDE.get() != 0
}

/// Whether this thread is in code of the caller that the stream waits for.
pub(super) fn inside(stream: usize) -> bool {
    INSIDE.get() == stream
}

struct Restore {
    inside: usize,
    context: Option<usize>,
}

impl Drop for Restore {
    fn drop(&mut self) {
        INSIDE.set(self.inside);
        if let Some(number) = self.context {
            context::set_current_number(number);
        }
    }
}
