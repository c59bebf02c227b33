//! The end of the process, and processes that are forked from it.

use core::ffi::{c_int, c_void};
use std::sync::OnceLock;

static LAST: OnceLock<extern "C" fn()> = OnceLock::new();

/// Calls `f` when the process exits in order. On Linux this comes after the program's own functions for that, so that a
/// program may end what it has in a destructor of a static object.
pub(crate) fn at_exit(f: extern "C" fn()) {
    if LAST.set(f).is_ok() {
        #[cfg(not(target_os = "linux"))]
        before_older_ones();
    }
}

extern "C" fn last() {
    if let Some(f) = LAST.get() {
        f();
    }
}

// SAFETY: a section of this name holds addresses of functions without arguments or results, which the system calls when
// the process exits or the library is unloaded; a pointer to such a function is what this static is, and it is never
// written.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_THE_END: extern "C" fn() = last;

#[cfg(not(target_os = "linux"))]
fn before_older_ones() {
    // SAFETY: the declaration has to agree with the system's function. It is part of C; it takes a function without
    // arguments, which is called at most once.
    unsafe extern "C" {
        safe fn atexit(f: extern "C" fn()) -> c_int;
    }
    // Refused when the system has no memory for it; the report is missing then.
    let _ = atexit(last);
}

/// Calls `f` in each process that is forked from this one, before the fork returns there. Of the functions of the system,
/// `f` may call those that a signal handler may call.
pub(crate) fn in_children(f: extern "C" fn()) {
    #[cfg(unix)]
    {
        // SAFETY: the declaration has to agree with the system's function. It is part of POSIX; it takes three functions
        // without arguments, each of which may be null.
        unsafe extern "C" {
            safe fn pthread_atfork(
                prepare: Option<extern "C" fn()>,
                parent: Option<extern "C" fn()>,
                child: Option<extern "C" fn()>,
            ) -> c_int;
        }
        // Refused when the system has no memory for it; a child's report is one for the parent's calls then.
        let _ = pthread_atfork(None, None, Some(f));
    }
    #[cfg(not(unix))]
    let _ = f;
}

/// Ends the process with this status, after what is buffered was written. Called when the process exits anyway.
pub(crate) fn leave(status: u8) {
    // SAFETY: the declarations have to agree with the system's functions. They are part of C and of POSIX: `fflush`
    // takes null for every stream; `_exit` takes a number and does not return.
    unsafe extern "C" {
        fn fflush(stream: *mut c_void) -> c_int;
        safe fn _exit(status: c_int) -> !;
    }
    // SAFETY: `fflush` asks for a stream or null, which stands for every stream.
    unsafe { fflush(core::ptr::null_mut()) };
    _exit(status.into())
}
