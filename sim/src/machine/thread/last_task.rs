//! The task that this thread has queued last.

use std::cell::Cell;

thread_local! {
    static LAST: Cell<u32> = const { Cell::new(0) };
}

/// The place of the task among all that were queued on its stream; 0 when this thread has queued none.
pub(crate) fn last() -> u32 {
    LAST.get()
}

pub(crate) fn queued(task: u32) {
    // When the thread is already ending, nobody asks any more.
    let _ = LAST.try_with(|last| last.set(task));
}
