//! The Rust loader takes the shared object by its path, as it does for `ASCENDCL_LIBRARY`.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod library;

use ascendcl_sys::Library;
use core::ffi::CStr;

#[test]
fn the_rust_loader_opens_the_library_and_it_says_that_it_is_a_simulator() {
    // SAFETY: the file exports the functions of the table, with its signatures.
    let library = unsafe { Library::open(library::path()) }.expect("the library is loaded");
    // SAFETY: the function takes nothing.
    let name = unsafe { library.aclrtGetSocName() }.expect("the library has the function");
    assert!(!name.is_null());
    // SAFETY: the name is a C string that stays in place.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    assert!(name.contains(ascendcl_sim::SOC_NAME_MARK), "{name}");
}

/// C programs are linked with every function; the loader finds those alone that do something.
#[test]
fn the_rust_loader_is_told_which_functions_only_say_that_they_are_not_there() {
    // SAFETY: the file exports the functions of the table, with its signatures.
    let library = unsafe { Library::open(library::path()) }.expect("the library is loaded");
    assert_eq!(library.missing_functions(), []);
    // SAFETY: the function takes a null pointer.
    let kernel = unsafe { library.aclrtGetHardwareSyncAddr(core::ptr::null_mut()) };
    assert_eq!(kernel.expect_err("it is not simulated").symbol, "aclrtGetHardwareSyncAddr");
    // SAFETY: the function takes nothing.
    let step = unsafe { library.aclprofCreateStepInfo() }.expect("it is simulated, in the same file");
    assert!(!step.is_null());
}
