//! C functions of the caller that hear of changes: of streams, of devices, of failed work, of the start and the end.

use super::arguments::{Name, Opaque};
use ascendcl_sys::types::*;
use core::ffi::{CStr, c_char, c_void};

pub(crate) type OfStream = unsafe extern "C" fn(aclrtStream, aclrtStreamState, *mut c_void);
pub(crate) type OfDevice = unsafe extern "C" fn(i32, aclrtDeviceState, *mut c_void);
pub(crate) type OfAbort = unsafe extern "C" fn(i32, aclrtDeviceTaskAbortStage, u32, *mut c_void) -> i32;
pub(crate) type OfFailure = unsafe extern "C" fn(*mut aclrtExceptionInfo);
pub(crate) type OfStart = unsafe extern "C" fn(*const c_char, usize, *mut c_void) -> aclError;
pub(crate) type OfEnd = unsafe extern "C" fn(*mut c_void) -> aclError;

/// A function that hears of something, with its argument.
#[derive(Clone, Copy)]
pub(crate) struct Notice<F> {
    function: F,
    argument: Opaque,
}

impl<F: Copy> Notice<F> {
    pub(crate) fn new(function: F, argument: Opaque) -> Self {
        Self { function, argument }
    }
}

impl Notice<OfStream> {
    pub(crate) fn tell(&self, stream: aclrtStream, state: aclrtStreamState) {
        // SAFETY: the function asks for its argument. The caller registered it to be called with a stream, a state and
        // this argument, on any thread that makes or ends a stream.
        unsafe { (self.function)(stream, state, self.argument.0) }
    }
}

impl Notice<OfDevice> {
    pub(crate) fn tell(&self, device: i32, state: aclrtDeviceState) {
        // SAFETY: the function asks for its argument. The caller registered it to be called with a device, a state and
        // this argument, on any thread that sets or resets a device.
        unsafe { (self.function)(device, state, self.argument.0) }
    }
}

impl Notice<OfStart> {
    pub(crate) fn tell(&self, configuration: &CStr) -> aclError {
        // SAFETY: the function asks for its argument. The caller registered it to be called with a text, its length and
        // this argument when the library is initialised; the text stays in place for the length of the call.
        unsafe { (self.function)(configuration.as_ptr(), configuration.count_bytes(), self.argument.0) }
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        self.calls(other.function)
    }

    pub(crate) fn calls(&self, function: OfStart) -> bool {
        core::ptr::fn_addr_eq(self.function, function)
    }
}

impl Notice<OfEnd> {
    pub(crate) fn tell(&self) -> aclError {
        // SAFETY: the function asks for its argument. The caller registered it to be called with this argument when the
        // library is finalised.
        unsafe { (self.function)(self.argument.0) }
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        self.calls(other.function)
    }

    pub(crate) fn calls(&self, function: OfEnd) -> bool {
        core::ptr::fn_addr_eq(self.function, function)
    }
}

/// Calls a function that hears of failed work.
pub(crate) fn tell_of_failure(function: OfFailure, info: Name<aclrtExceptionInfo>) {
    // SAFETY: the function asks for information of the library. The caller registered it to be called on threads of the
    // library, with information that only the library's own functions look into: they look it up by its number.
    unsafe { function(info.pointer()) }
}

/// Whether both are the same function.
pub(crate) fn is_same(one: OfFailure, other: OfFailure) -> bool {
    core::ptr::fn_addr_eq(one, other)
}
