//! The end of the process.

/// Calls `f` when the process exits in order.
pub(crate) fn at_exit(f: extern "C" fn()) {
    // SAFETY: part of C; the function takes a function without arguments, which is called at most once.
    unsafe extern "C" {
        safe fn atexit(f: extern "C" fn()) -> core::ffi::c_int;
    }
    // Refused when the system has no memory for it; the report is missing then.
    let _ = atexit(f);
}
