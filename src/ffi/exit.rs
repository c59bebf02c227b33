//! The end of the process, during which the crate's own threads do not call the library.
//!
//! `exit` runs the destructors of a library while other threads go on. A program joins its threads before. It cannot join
//! the thread that watches futures, nor that of an actor that was dropped. So `exit` waits until they are outside of the
//! library.

use core::cell::Cell;
use core::ffi::c_int;
use core::mem::ManuallyDrop;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long `exit` waits: a device that hangs may keep a thread, and the process ends all the same.
const LIMIT: Duration = Duration::from_secs(10);

static ENDS: AtomicBool = AtomicBool::new(false);
static INSIDE: Inside = Inside(AtomicU64::new(0));

/// How many of the crate's threads are inside the library, below the process whose threads they are. A forked child has none
/// of its parent's, and counts anew with its first library.
#[derive(Debug)]
struct Inside(AtomicU64);

/// Where the process begins in [`Inside`].
const PROCESS: u32 = 32;

impl Inside {
    /// One more. Returns the process that counts it.
    fn enters(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) >> PROCESS
    }

    /// One less, if this process has counted it. A forked child drops what its parent counted, if it was forked on that thread.
    fn leaves(&self, process: u64) {
        let leaves = |inside: u64| (inside >> PROCESS == process).then(|| inside - 1);
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, leaves);
    }

    /// Counts anew, unless this process counts already.
    fn are_of(&self, process: u64) {
        let anew = |inside: u64| (inside >> PROCESS != process).then_some(process << PROCESS);
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, anew);
    }

    /// Whether no thread of this process is inside but so many.
    fn are_only(&self, process: u64, so_many: u64) -> bool {
        let inside = self.0.load(Ordering::SeqCst);
        inside >> PROCESS != process || inside <= (process << PROCESS) + so_many
    }
}

/// While this value exists, `exit` waits: a thread of the crate is in the library that the program cannot join.
#[derive(Debug)]
struct OwnThread {
    process: u64,
}

impl OwnThread {
    fn is_inside() -> Self {
        Self { process: INSIDE.enters() }
    }
}

impl Drop for OwnThread {
    fn drop(&mut self) {
        INSIDE.leaves(self.process);
    }
}

/// A thread of the crate that the program can join, until it [is left alone](Self::is_left_alone). From then on `exit` waits
/// until the thread has dropped the last of these values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joinable(Arc<OnceLock<OwnThread>>);

thread_local! {
    /// Says whether this thread counts as inside. `exit` destroys variables of threads before it asks, so this one is none
    /// that is destroyed.
    static THIS_THREAD: Cell<Option<ManuallyDrop<Weak<OnceLock<OwnThread>>>>> = const { Cell::new(None) };
}

impl Joinable {
    /// This thread is the one, as long as the returned value exists.
    pub(crate) fn on_this_thread(self) -> ThisThread {
        THIS_THREAD.set(Some(ManuallyDrop::new(Arc::downgrade(&self.0))));
        ThisThread(self)
    }

    /// Nobody joins the thread any more.
    pub(crate) fn is_left_alone(&self) {
        let _ = self.0.set(OwnThread::is_inside());
    }
}

/// While this value exists, this thread is one that the program can join, or that is left alone.
pub(crate) struct ThisThread(#[expect(dead_code, reason = "its drop counts")] Joinable);

impl Drop for ThisThread {
    fn drop(&mut self) {
        drop(THIS_THREAD.take().map(ManuallyDrop::into_inner));
    }
}

/// Whether `exit` runs on a thread that this process counts as inside. It would wait for itself.
fn is_inside_itself(process: u64) -> bool {
    let this = THIS_THREAD.take();
    let counts = this.as_ref().and_then(|joinable| joinable.upgrade());
    let counts = counts.is_some_and(|joinable| joinable.get().is_some_and(|inside| inside.process == process));
    THIS_THREAD.set(this);
    counts
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
    INSIDE.are_of(std::process::id().into());
    // Miri has no such function.
    if cfg!(not(miri)) {
        // SAFETY: the function asks for a function that takes and returns nothing, and does not unwind. `leaves` is one.
        // The declared signature is that of the C library. Where there is no room, `exit` does not wait.
        let _ = unsafe { atexit(leaves) };
    }
}

extern "C" fn leaves() {
    ENDS.store(true, Ordering::SeqCst);
    let (process, begun) = (std::process::id().into(), Instant::now());
    while !INSIDE.are_only(process, is_inside_itself(process).into()) && begun.elapsed() < LIMIT {
        sleep(Duration::from_micros(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forked_child_counts_anew_and_does_not_count_what_its_parent_has_counted() {
        const PARENT: u64 = 70_000;
        const CHILD: u64 = 7;
        let inside = Inside(AtomicU64::new(0));
        inside.are_of(PARENT);
        let (first, second) = (inside.enters(), inside.enters());
        // Another library does not count anew.
        inside.are_of(PARENT);
        inside.leaves(first);
        assert!(!inside.are_only(PARENT, 0) && inside.are_only(PARENT, 1) && inside.are_only(CHILD, 0));
        inside.are_of(CHILD);
        assert!(inside.are_only(CHILD, 0));
        inside.leaves(second);
        assert!(inside.are_only(CHILD, 0), "the child has never counted it");
        let own = inside.enters();
        assert!(!inside.are_only(CHILD, 0));
        inside.leaves(own);
        assert!(inside.are_only(CHILD, 0));
    }
}
