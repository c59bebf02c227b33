//! The end of the process, during which the crate's own threads do not call the library.
//!
//! `exit` runs the destructors of a library while other threads go on. A program joins its threads before. It cannot join
//! the thread that watches futures, nor that of an actor that was dropped. So `exit` waits until they are outside of the
//! library.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long `exit` waits: a device that hangs may keep a thread, and the process ends all the same.
const LIMIT: Duration = Duration::from_secs(10);

static ENDS: AtomicBool = AtomicBool::new(false);
/// How many of the crate's threads are inside the library.
static INSIDE: AtomicUsize = AtomicUsize::new(0);
/// The process whose threads they are. A forked child has none.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// While this value exists, `exit` waits: a thread of the crate is in the library that the program cannot join.
#[derive(Debug)]
pub(crate) struct OwnThread(());

impl OwnThread {
    pub(crate) fn is_inside() -> Self {
        INSIDE.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for OwnThread {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Calls the library on a thread of the crate's own. `None` if the process ends: the library may be destroyed.
pub(crate) fn unless_the_process_ends<R>(call: impl FnOnce() -> R) -> Option<R> {
    // Each of the two threads writes its own word first and then reads the other one, in one order for all threads. So at
    // least one of them sees the other.
    let _inside = OwnThread::is_inside();
    if ENDS.load(Ordering::SeqCst) { None } else { Some(call()) }
}

/// Lets `exit` wait for the crate's own threads. To be called for each library once it is loaded: what is registered last
/// runs first, so it runs before the library's destructors.
pub(super) fn waits_for_own_threads() {
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> c_int;
    }
    let process = std::process::id();
    if PROCESS.swap(process, Ordering::Relaxed) != process {
        // A forked child took over the count of threads that it does not have.
        INSIDE.store(0, Ordering::SeqCst);
    }
    // Miri has no such function.
    if cfg!(not(miri)) {
        // SAFETY: the function asks for a function that takes and returns nothing, and does not unwind. `leaves` is one.
        // The declared signature is that of the C library. Where there is no room, `exit` does not wait.
        let _ = unsafe { atexit(leaves) };
    }
}

extern "C" fn leaves() {
    ENDS.store(true, Ordering::SeqCst);
    if PROCESS.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    let begun = Instant::now();
    while INSIDE.load(Ordering::SeqCst) != 0 && begun.elapsed() < LIMIT {
        sleep(Duration::from_micros(50));
    }
}
