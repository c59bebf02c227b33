//! Which code of the caller a thread is in.

use std::cell::Cell;

thread_local! {
    /// The stream whose task this thread is running the caller's code for; 0 when it is not.
    static INSIDE: Cell<usize> = const { Cell::new(0) };
    /// The stream whose callback this thread is in; 0 for none.
    static CALLBACK: Cell<usize> = const { Cell::new(0) };
}

/// The stream whose task this thread is running the caller's code for; 0 when it is not.
pub(in crate::machine) fn stream() -> usize {
    INSIDE.get()
}

/// Sets it, and answers what it was.
pub(in crate::machine) fn enter(stream: usize) -> usize {
    INSIDE.replace(stream)
}

/// Sets the stream whose callback this thread is in, and answers which it was.
pub(in crate::machine) fn enter_callback(stream: usize) -> usize {
    CALLBACK.replace(stream)
}

/// The number of the stream whose callback this thread is in; 0 for none. The functions of an allocator are no callbacks.
pub(crate) fn callback_of() -> usize {
    CALLBACK.get()
}

/// Whether this thread is in code of the caller that some stream waits for.
pub(in crate::machine) fn is_inside() -> bool {
    INSIDE.get() != 0
}

/// Whether this thread is in code of the caller that the stream waits for.
pub(in crate::machine) fn is_inside_of(stream: usize) -> bool {
    INSIDE.get() == stream
}
