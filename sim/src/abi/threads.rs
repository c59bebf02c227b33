//! How C names a thread, and whether the simulator has threads of its own.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static THREADS: AtomicBool = AtomicBool::new(false);

/// Called before the simulator starts a thread.
pub(crate) fn thread_begins() {
    THREADS.store(true, Relaxed);
}

/// Whether it ever had one.
pub(crate) fn has_threads() -> bool {
    THREADS.load(Relaxed)
}

/// Whether this is the thread that the process began with. It ends with the process.
#[cfg(target_os = "linux")]
pub(crate) fn is_main_thread() -> bool {
    // SAFETY: the declarations have to agree with the system's functions. These are the signatures of glibc and musl:
    // numbers of processes and threads are `int`.
    unsafe extern "C" {
        safe fn getpid() -> core::ffi::c_int;
        safe fn gettid() -> core::ffi::c_int;
    }
    getpid() == gettid()
}

/// Not known here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn is_main_thread() -> bool {
    false
}

/// The result of `pthread_self()` on this thread. Callers subscribe a thread by this number.
#[cfg(unix)]
pub(crate) fn this_thread() -> u64 {
    // SAFETY: the declaration has to agree with the system's function. It is part of POSIX; the thread type is a number
    // or a pointer, both as large as `usize`.
    unsafe extern "C" {
        safe fn pthread_self() -> usize;
    }
    pthread_self() as u64
}

/// A number that identifies this thread.
#[cfg(not(unix))]
pub(crate) fn this_thread() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local!(static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed));
    NUMBER.with(|number| *number)
}
