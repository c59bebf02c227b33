//! Calls into the caller's code: callbacks, host functions, allocators.

use crate::abi::{hands_over, takes_over};
use crate::machine::thread::{current, inside};
use crate::machine::workers::pool;
use crate::machine::workers::waiting::Busy;
/// Runs a callback of the stream with this number.
pub(crate) fn run_callback<R>(stream: usize, code: impl FnOnce() -> R) -> R {
    struct Back(usize);
    impl Drop for Back {
        fn drop(&mut self) {
            inside::enter_callback(self.0);
        }
    }
    let _back = Back(inside::enter_callback(stream));
    run(stream, code)
}

/// Runs code of the caller that belongs to a task of the stream with this number.
///
/// On a thread of the simulator, another thread serves the streams until the code returns, because the code may block.
/// Afterwards the thread forgets the current context that the code may have chosen.
pub(crate) fn run<R>(stream: usize, code: impl FnOnce() -> R) -> R {
    let restore =
        Restore { inside: inside::enter(stream), context: pool::serving().map(|_| current::current_number()) };
    // The stream that waits for this thread is the stream that it serves, even when the code runs for another stream.
    let busy = pool::serving().map(Busy::on);
    takes_over();
    let answer = pool::lend(code);
    hands_over();
    drop(busy);
    drop(restore);
    answer
}

/// Runs code of the caller in the middle of a call, or of a task of the stream with this number. In a call it may wait
/// for that stream, which a task's code may not.
pub(crate) fn run_within<R>(stream: usize, code: impl FnOnce() -> R) -> R {
    let around = inside::stream();
    run(if around == 0 && pool::on_worker() { stream } else { around }, code)
}

struct Restore {
    inside: usize,
    context: Option<usize>,
}

impl Drop for Restore {
    fn drop(&mut self) {
        inside::enter(self.inside);
        if let Some(number) = self.context {
            current::set_current_number(number);
        }
    }
}
