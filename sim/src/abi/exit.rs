//! The end of the process.

use core::ffi::{c_int, c_void};

/// Calls `f` when the process exits in order.
pub(crate) fn at_exit(f: extern "C" fn()) {
    // SAFETY: the declaration has to agree with the system's function. It is part of C; it takes a function without
    // arguments, which is called at most once.
    unsafe extern "C" {
        safe fn atexit(f: extern "C" fn()) -> core::ffi::c_int;
    }
    // Refused when the system has no memory for it; the report is missing then.
    let _ = atexit(f);
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
