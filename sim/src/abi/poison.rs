//! What a sanitizer knows of the program's memory.

use super::arguments::Address;
use core::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

type IsPoisoned = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;

/// How many of `count` bytes from `address` on a program may use, if the process runs under AddressSanitizer and that says
/// that it is not all of them.
pub(crate) fn unpoisoned(address: Address, count: usize) -> Option<usize> {
    // SAFETY: the function takes any address and any number of bytes, and reads only what the sanitizer has written of
    // them.
    let first = unsafe { sanitizer()?(address.0, count) };
    (!first.is_null()).then(|| first.addr().saturating_sub(address.number()))
}

/// The function of the sanitizer, if one is in the process.
#[cfg(unix)]
fn sanitizer() -> Option<IsPoisoned> {
    const NAME: &CStr = c"__asan_region_is_poisoned";
    static FOUND: OnceLock<Option<IsPoisoned>> = OnceLock::new();
    // SAFETY: the declaration has to agree with the system's function. This is the signature that POSIX states.
    unsafe extern "C" {
        fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    }
    *FOUND.get_or_init(|| {
        // SAFETY: `dlsym` asks for a handle, for which null stands for the whole process, and a terminated name.
        let found = unsafe { dlsym(core::ptr::null_mut(), NAME.as_ptr()) };
        // SAFETY: `transmute` asks for a value of the new type. A symbol of this name is the sanitizer's, whose interface
        // header states this signature; names that begin with two underscores are not the program's (C, "Reserved
        // identifiers").
        (!found.is_null()).then(|| unsafe { core::mem::transmute::<*mut c_void, IsPoisoned>(found) })
    })
}

#[cfg(not(unix))]
fn sanitizer() -> Option<IsPoisoned> {
    None
}
