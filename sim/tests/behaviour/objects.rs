//! Objects that cases are prepared with. Creating them is no row, and succeeds.

use ascendcl_sys::types::*;
use core::ffi::c_void;
use core::ptr::{null, null_mut};

pub(crate) const ANY_PAGES: aclrtMemMallocPolicy = aclrtMemMallocPolicy::ACL_MEM_MALLOC_HUGE_FIRST;

/// A number that never was an address of the library's.
pub(crate) fn bogus() -> *mut c_void {
    core::ptr::without_provenance_mut(0x1234)
}

pub(crate) fn initialised() {
    prepare!(process::aclInit(null()));
}

/// Initialised, and device 0 is set.
pub(crate) fn device_0() {
    initialised();
    prepare!(device::aclrtSetDevice(0));
}

pub(crate) fn current_context() -> aclrtContext {
    let mut context = aclrtContext::NULL;
    prepare!(device::aclrtGetCurrentContext(&mut context));
    context
}

/// On device 0; it becomes the current one.
pub(crate) fn context() -> aclrtContext {
    let mut context = aclrtContext::NULL;
    prepare!(device::aclrtCreateContext(&mut context, 0));
    context
}

pub(crate) fn stream() -> aclrtStream {
    let mut stream = aclrtStream::NULL;
    prepare!(stream::aclrtCreateStream(&mut stream));
    stream
}

pub(crate) fn event() -> aclrtEvent {
    let mut event = aclrtEvent::NULL;
    prepare!(event::aclrtCreateEvent(&mut event));
    event
}

/// `size` bytes on the current device.
pub(crate) fn memory(size: usize) -> *mut c_void {
    let mut address = null_mut();
    prepare!(memory::aclrtMalloc(&mut address, size, ANY_PAGES));
    address
}
