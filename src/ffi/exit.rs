//! Keeps the crate's own threads from calling the library while the process exits.
//!
//! `exit` runs the destructors of a library while other threads go on. A program can join its own threads before it
//! calls `exit`. It cannot join the thread that watches futures, nor that of an actor that was dropped. So `exit` waits
//! until these threads have left the library.

use core::cell::Cell;
use core::ffi::c_int;
use core::mem::ManuallyDrop;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long `exit` waits: a device that hangs may keep a thread, and the process ends all the same.
const LIMIT: Duration = Duration::from_secs(10);

static EXITING: AtomicBool = AtomicBool::new(false);
static INSIDE: ThreadsInside = ThreadsInside(AtomicU64::new(0));

/// How many of the crate's threads are inside the library: the count is in the lower 32 bits, and the id of the process
/// that counts in the upper ones. A forked child does not have the threads of its parent, so it starts again at zero
/// when it loads its first library.
#[derive(Debug)]
struct ThreadsInside(AtomicU64);

/// The lowest bit of the process id in [`ThreadsInside`].
const PROCESS: u32 = 32;

impl ThreadsInside {
    /// Counts one more thread. Returns the id of the process that counts.
    fn add(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) >> PROCESS
    }

    /// Counts one thread less, if `process` is the one that counts. It is not in a child that was forked on a counted
    /// thread: there the thread leaves without having been counted.
    fn remove(&self, process: u64) {
        let one_less = |inside: u64| (inside >> PROCESS == process).then(|| inside - 1);
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less);
    }

    /// Starts again at zero for this process, unless it is the one that counts already.
    fn count_for(&self, process: u64) {
        let anew = |inside: u64| (inside >> PROCESS != process).then_some(process << PROCESS);
        let _ = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, anew);
    }

    /// Whether at most `count` threads of this process are inside.
    fn are_at_most(&self, process: u64, count: u64) -> bool {
        let inside = self.0.load(Ordering::SeqCst);
        inside >> PROCESS != process || inside <= (process << PROCESS) + count
    }
}

/// While this value exists, `exit` waits: a thread of the crate that the program cannot join is in the library.
#[derive(Debug)]
struct OwnThread {
    process: u64,
}

impl OwnThread {
    fn enter() -> Self {
        Self { process: INSIDE.add() }
    }
}

impl Drop for OwnThread {
    fn drop(&mut self) {
        INSIDE.remove(self.process);
    }
}

/// A thread of the crate that the program can join, until it is [detached](Self::detach). From then on `exit` waits
/// until the thread has dropped the last of these values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Joinable(Arc<OnceLock<OwnThread>>);

thread_local! {
    /// What tells whether this thread counts as inside. It has no destructor, because `exit` runs the destructors of
    /// thread-local variables before it asks.
    static THIS_THREAD: Cell<Option<ManuallyDrop<Weak<OnceLock<OwnThread>>>>> = const { Cell::new(None) };
}

impl Joinable {
    /// Makes this thread the joinable one as long as the returned value exists.
    pub(crate) fn on_this_thread(self) -> ThisThread {
        THIS_THREAD.set(Some(ManuallyDrop::new(Arc::downgrade(&self.0))));
        ThisThread(self)
    }

    /// Nobody joins the thread any more.
    pub(crate) fn detach(&self) {
        let _ = self.0.set(OwnThread::enter());
        wait_before_destructors();
    }
}

/// While this value exists, this thread is one that the program can join, or that was detached.
pub(crate) struct ThisThread(#[expect(dead_code, reason = "its drop counts")] Joinable);

impl Drop for ThisThread {
    fn drop(&mut self) {
        drop(THIS_THREAD.take().map(ManuallyDrop::into_inner));
    }
}

/// Whether this process counts this thread as inside. If `exit` runs on it, `exit` must not wait for it.
fn counts_this_thread(process: u64) -> bool {
    let this = THIS_THREAD.take();
    let counts = this.as_ref().and_then(|joinable| joinable.upgrade());
    let counts = counts.is_some_and(|joinable| joinable.get().is_some_and(|inside| inside.process == process));
    THIS_THREAD.set(this);
    counts
}

/// Calls the library on a thread of the crate's own. `None` if the process ends: the library may be destroyed.
pub(crate) fn unless_exiting<R>(call: impl FnOnce() -> R) -> Option<R> {
    // This thread first counts itself and then reads `EXITING`; `exit` first sets `EXITING` and then reads the count.
    // All four accesses are `SeqCst`, so at least one of the two threads sees the other.
    let _inside = OwnThread::enter();
    if EXITING.load(Ordering::SeqCst) { None } else { Some(call()) }
}

/// Prepares the count of this process. Call this for each library that was loaded.
pub(super) fn count_in_this_process() {
    INSIDE.count_for(std::process::id().into());
}

/// How many functions had been looked up when `wait_at_exit` was last registered. There are none before a library is
/// called, so the first registration is never omitted.
static REGISTERED: AtomicUsize = AtomicUsize::new(0);

/// Makes `exit` wait for the crate's own threads before it destroys what the libraries have made so far. Call this when
/// such a thread begins to call a library that the program has used.
///
/// `exit` runs first what was registered last. A library registers its destructors when it is loaded, when a file of it is
/// opened for a function, and when a function makes an object at its first call. So this registers the wait again if a
/// function was looked up since the last time, which limits the number of registrations.
pub(crate) fn wait_before_destructors() {
    let looked_up = ascendcl_sys::looked_up();
    if REGISTERED.load(Ordering::Acquire) != looked_up {
        register_at_exit();
        // This comes second, because another thread that finds the number relies on the registration.
        REGISTERED.store(looked_up, Ordering::Release);
    }
}

#[cold]
fn register_at_exit() {
    unsafe extern "C" {
        fn atexit(function: extern "C" fn()) -> c_int;
    }
    // Miri has no such function.
    if cfg!(not(miri)) {
        // SAFETY: the function asks for a function that takes and returns nothing, and does not unwind. `wait_at_exit`
        // is one. The declared signature is that of the C library. If the registration fails, `exit` does not wait.
        let _ = unsafe { atexit(wait_at_exit) };
    }
}

extern "C" fn wait_at_exit() {
    EXITING.store(true, Ordering::SeqCst);
    let (process, begun) = (std::process::id().into(), Instant::now());
    while !INSIDE.are_at_most(process, counts_this_thread(process).into()) && begun.elapsed() < LIMIT {
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
        let inside = ThreadsInside(AtomicU64::new(0));
        inside.count_for(PARENT);
        let (first, second) = (inside.add(), inside.add());
        // Another library does not count anew.
        inside.count_for(PARENT);
        inside.remove(first);
        assert!(!inside.are_at_most(PARENT, 0) && inside.are_at_most(PARENT, 1) && inside.are_at_most(CHILD, 0));
        inside.count_for(CHILD);
        assert!(inside.are_at_most(CHILD, 0));
        inside.remove(second);
        assert!(inside.are_at_most(CHILD, 0), "the child has never counted it");
        let own = inside.add();
        assert!(!inside.are_at_most(CHILD, 0));
        inside.remove(own);
        assert!(inside.are_at_most(CHILD, 0));
    }
}
