//! What the sanitizers that the program runs under know of its memory, and what they are told of the order of its threads.

use super::arguments::Address;
use core::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

type IsPoisoned = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
type Orders = unsafe extern "C" fn(*mut c_void);

/// How many of `count` bytes from `address` on a program may use, if the process runs under AddressSanitizer and that says
/// that it is not all of them.
pub(crate) fn unpoisoned(address: Address, count: usize) -> Option<usize> {
    static FOUND: OnceLock<Option<IsPoisoned>> = OnceLock::new();
    let found = *FOUND.get_or_init(|| {
        let function = function(c"__asan_region_is_poisoned")?;
        // SAFETY: `transmute` asks for a value of the new type. A symbol of this name is the sanitizer's, whose interface
        // header states this signature; names that begin with two underscores are not the program's (C, "Reserved
        // identifiers").
        Some(unsafe { core::mem::transmute::<*mut c_void, IsPoisoned>(function) })
    });
    // SAFETY: the function takes any address and any number of bytes, and reads only what the sanitizer has written of
    // them.
    let first = unsafe { found?(address.0, count) };
    (!first.is_null()).then(|| first.addr().saturating_sub(address.number()))
}

/// What this thread has done comes before what runs after the next [`takes_over`], on whatever thread.
///
/// ThreadSanitizer sees the program's accesses, and not how this library orders its threads. So it is told of the three
/// places where the order matters to programs: work is queued, code of the program runs as work, somebody has waited. One
/// object stands for all work: the order that is told is never less than what there is.
pub(crate) fn hands_over() {
    tell(true);
}

/// Everything before each [`hands_over`] comes before what this thread does now.
pub(crate) fn takes_over() {
    tell(false);
}

fn tell(hands_over: bool) {
    static FOUND: OnceLock<Option<[Orders; 2]>> = OnceLock::new();
    static WORK: u8 = 0;
    let found = *FOUND.get_or_init(|| {
        let [release, acquire] = [function(c"__tsan_release")?, function(c"__tsan_acquire")?];
        // SAFETY: `transmute` asks for values of the new type. Symbols of these names are the sanitizer's, whose interface
        // header states this signature; names that begin with two underscores are not the program's (C, "Reserved
        // identifiers").
        Some(unsafe { core::mem::transmute::<[*mut c_void; 2], [Orders; 2]>([release, acquire]) })
    });
    if let Some([release, acquire]) = found {
        let tell = if hands_over { release } else { acquire };
        // SAFETY: the functions take any address, of which they only make a name.
        unsafe { tell((&raw const WORK).cast_mut().cast()) };
    }
}

/// The function of a sanitizer, if it is in the process.
#[cfg(unix)]
fn function(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the declaration has to agree with the system's function. This is the signature that POSIX states.
    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    // SAFETY: `dlsym` asks for a handle, for which null stands for the whole process, and a terminated name.
    let found = unsafe { dlsym(core::ptr::null_mut(), name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

#[cfg(not(unix))]
fn function(_: &CStr) -> Option<*mut c_void> {
    None
}
