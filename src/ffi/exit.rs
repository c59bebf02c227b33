//! The end of the process, during which the crate's own threads do not call the library.
//!
//! `exit` runs the destructors of a library while other threads go on. A program joins its threads before. It cannot join
//! the thread that watches futures, nor that of an actor that was dropped. So `exit` waits until they are outside of the
//! library.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long `exit` waits: a device that hangs may keep a thread, and the process ends all the same.
const LIMIT: Duration = Duration::from_secs(10);

static ENDS: AtomicBool = AtomicBool::new(false);
/// How many of the crate's threads are inside the library, below the process whose threads they are. A forked child has none
/// of its parent's, and counts anew with its first library.
static INSIDE: AtomicU64 = AtomicU64::new(0);

/// Where the process begins in [`INSIDE`].
const PROCESS: u32 = 32;

/// While this value exists, `exit` waits: a thread of the crate is in the library that the program cannot join.
#[derive(Debug)]
pub(crate) struct OwnThread {
    /// The process that counts it.
    process: u64,
}

impl OwnThread {
    pub(crate) fn is_inside() -> Self {
        Self { process: INSIDE.fetch_add(1, Ordering::SeqCst) >> PROCESS }
    }
}

impl Drop for OwnThread {
    fn drop(&mut self) {
        // A forked child drops what its parent counted, if it was forked on that thread.
        let leaves = |inside: u64| (inside >> PROCESS == self.process).then(|| inside - 1);
        let _ = INSIDE.fetch_update(Ordering::SeqCst, Ordering::SeqCst, leaves);
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
    let process = u64::from(std::process::id());
    // A forked child took over the count of threads that it does not have.
    let anew = |inside: u64| (inside >> PROCESS != process).then_some(process << PROCESS);
    let _ = INSIDE.fetch_update(Ordering::SeqCst, Ordering::SeqCst, anew);
    // SAFETY: the function asks for a function that takes and returns nothing, and does not unwind. `leaves` is one. The
    // declared signature is that of the C library. Where there is no room, `exit` does not wait.
    let _ = unsafe { atexit(leaves) };
}

extern "C" fn leaves() {
    ENDS.store(true, Ordering::SeqCst);
    let (process, begun) = (u64::from(std::process::id()), Instant::now());
    let is_none = |inside: u64| inside >> PROCESS != process || inside == process << PROCESS;
    while !is_none(INSIDE.load(Ordering::SeqCst)) && begun.elapsed() < LIMIT {
        sleep(Duration::from_micros(50));
    }
}
