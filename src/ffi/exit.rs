//! The end of the process, during which the crate's own thread does not call the library.
//!
//! `exit` runs the destructors of a library while other threads go on. A program joins its threads before. It has no handle
//! of the thread that watches futures. So that thread asks before each call whether the process ends, and `exit` waits until
//! it is outside of the library.

use super::SETTLING;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::yield_now;
use std::time::Instant;

static ENDS: AtomicBool = AtomicBool::new(false);
/// The thread is inside the library.
static INSIDE: AtomicBool = AtomicBool::new(false);
/// The process whose thread it is. A forked child has none.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Calls the library on the crate's own thread. `None` if the process ends: the library may be destroyed.
pub(crate) fn unless_the_process_ends<R>(call: impl FnOnce() -> R) -> Option<R> {
    // Each of the two threads writes its own word first and then reads the other one, in one order for all threads. So at
    // least one of them sees the other.
    INSIDE.store(true, Ordering::SeqCst);
    let answer = if ENDS.load(Ordering::SeqCst) { None } else { Some(call()) };
    INSIDE.store(false, Ordering::SeqCst);
    answer
}

/// Lets `exit` wait for the crate's own thread. To be called for each library once it is loaded: what is registered last
/// runs first, so it runs before the library's destructors.
pub(super) fn waits_for_own_thread() {
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> c_int;
    }
    let process = std::process::id();
    if PROCESS.swap(process, Ordering::Relaxed) != process {
        // A forked child took over the word of a thread that it does not have.
        INSIDE.store(false, Ordering::SeqCst);
    }
    // SAFETY: the function asks for a function that takes and returns nothing, and does not unwind. `leaves` is one. The
    // declared signature is that of the C library. Where there is no room, `exit` does not wait.
    let _ = unsafe { atexit(leaves) };
}

extern "C" fn leaves() {
    ENDS.store(true, Ordering::SeqCst);
    if PROCESS.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    // A device that hangs may keep the thread: then the process ends all the same.
    let begun = Instant::now();
    while INSIDE.load(Ordering::SeqCst) && begun.elapsed() < SETTLING {
        yield_now();
    }
}
