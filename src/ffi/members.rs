//! The C functions that a descriptor of an allocator is made of.

use core::ffi::c_void;
use core::ptr::NonNull;

/// A C function that allocates: the object and a size, to a block or null.
pub type AllocateFn = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
/// A C function that allocates near an address: the object, a size and the address, to a block or null.
pub type AllocateNearFn = unsafe extern "C" fn(*mut c_void, usize, *mut c_void) -> *mut c_void;
/// A C function that takes a block back: the object and the block.
pub type FreeFn = unsafe extern "C" fn(*mut c_void, *mut c_void);
/// A C function that tells a block's device address.
pub type AddressFn = unsafe extern "C" fn(*mut c_void) -> *mut c_void;

/// The members of a descriptor. All five slots are always set: the library reads the optional one uninitialised
/// otherwise (ALLOC-17).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Members {
    pub(crate) object: NonNull<c_void>,
    pub(crate) allocate: AllocateFn,
    pub(crate) advise: AllocateNearFn,
    pub(crate) free: FreeFn,
    pub(crate) address_of: AddressFn,
}

impl Members {
    /// Functions that do no harm, in every slot.
    pub(crate) fn nothing() -> Self {
        Self {
            object: NonNull::dangling(),
            allocate: nothing,
            advise: nothing_near,
            free: nothing_to_free,
            address_of: nowhere,
        }
    }
}

unsafe extern "C" fn nothing(_: *mut c_void, _: usize) -> *mut c_void {
    core::ptr::null_mut()
}

/// The library reads the optional slot uninitialised when nobody sets it (ALLOC-17): it always gets a function.
unsafe extern "C" fn nothing_near(_: *mut c_void, _: usize, _: *mut c_void) -> *mut c_void {
    core::ptr::null_mut()
}

unsafe extern "C" fn nothing_to_free(_: *mut c_void, _: *mut c_void) {}

unsafe extern "C" fn nowhere(_: *mut c_void) -> *mut c_void {
    core::ptr::null_mut()
}
