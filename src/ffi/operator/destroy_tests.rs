//! The descriptions of an operator's tensors, where not all were created, or the library lacks a function.

#![allow(clippy::unwrap_used)]

use super::TensorList;
use crate::error::Error;
use crate::ffi::Api;
use crate::ffi::call::{Function, functions};
use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

/// How many descriptions the library was given to destroy.
static DESTROYED: AtomicUsize = AtomicUsize::new(0);

extern "C" fn destroys(_: *const c_void) {
    DESTROYED.fetch_add(1, Ordering::SeqCst);
}

/// Descriptions of two tensors, of which only the second was created.
fn half() -> TensorList {
    let list = TensorList::of(2);
    list.descs[1].set(NonNull::dangling().as_ptr());
    list
}

#[test]
fn a_description_that_was_not_created_or_is_destroyed_already_is_not_destroyed() {
    let table = |name: &str| {
        if name == functions::aclDestroyTensorDesc::NAME { NonNull::new(destroys as *mut c_void) } else { None }
    };
    // SAFETY: `Api::from_table` asks that each address is of a function with the table's signature. `destroys` has it:
    // a pointer is passed to it as one to its own type is.
    let api = unsafe { Api::from_table("destroys descriptions", table) };
    let list = half();
    list.destroy(api).unwrap();
    list.destroy(api).unwrap();
    assert_eq!(DESTROYED.load(Ordering::SeqCst), 1);
    assert!(list.descs[1].get().is_null());
}

#[test]
fn a_description_that_the_library_has_no_function_for_stays_and_is_reported() {
    let list = half();
    let refused = list.destroy(Api::without_functions()).unwrap_err();
    assert!(matches!(refused, Error::MissingFunction(_)), "{refused:?}");
    assert!(!list.descs[1].get().is_null());
}
