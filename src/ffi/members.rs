//! The C functions of an allocator's descriptor.

use crate::device_allocator::{AddressFn, AllocateFn, AllocateNearFn, FreeFn};
use core::ffi::c_void;
use core::ptr::NonNull;

/// The members of a descriptor. All five slots are always set: if the optional one is not, the library reads it
/// uninitialised (ALLOC-17).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Members {
    pub(crate) object: NonNull<c_void>,
    pub(crate) allocate: AllocateFn,
    pub(crate) allocate_near: AllocateNearFn,
    pub(crate) free: FreeFn,
    pub(crate) address_of: AddressFn,
}

impl Members {
    /// An object and functions that do nothing, for every slot.
    pub(crate) fn nothing() -> Self {
        Self {
            object: NonNull::dangling(),
            allocate: nothing,
            allocate_near: nothing_near,
            free: nothing_to_free,
            address_of: nowhere,
        }
    }
}

unsafe extern "C" fn nothing(_: *mut c_void, _: usize) -> *mut c_void {
    core::ptr::null_mut()
}

/// The optional slot: the library would read it uninitialised if it were not set (ALLOC-17).
unsafe extern "C" fn nothing_near(_: *mut c_void, _: usize, _: *mut c_void) -> *mut c_void {
    core::ptr::null_mut()
}

unsafe extern "C" fn nothing_to_free(_: *mut c_void, _: *mut c_void) {}

unsafe extern "C" fn nowhere(_: *mut c_void) -> *mut c_void {
    core::ptr::null_mut()
}
