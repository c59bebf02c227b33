//! C functions of the caller that hear of changes: of streams, of devices, of failed work, of the start and the end.

use super::arguments::{Name, Opaque};
use ascendcl_sys::types::*;
use core::ffi::{CStr, c_char, c_void};

pub(crate) type OfStream = unsafe extern "C" fn(aclrtStream, aclrtStreamState, *mut c_void);
pub(crate) type OfDevice = unsafe extern "C" fn(i32, aclrtDeviceState, *mut c_void);
pub(crate) type OfAbort = unsafe extern "C" fn(i32, aclrtDeviceTaskAbortStage, u32, *mut c_void) -> i32;
pub(crate) type OfFailure = unsafe extern "C" fn(*mut aclrtExceptionInfo);
pub(crate) type OfDump = unsafe extern "C" fn(*const acldumpChunk, i32) -> i32;
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

/// Hands a part of a file to a function that takes dumps: the name of the file, where the part belongs, and the bytes.
pub(crate) fn tell_of_dump(function: OfDump, file: &str, offset: i64, last: bool, bytes: &[u8]) -> i32 {
    const HEAD: usize = size_of::<acldumpChunk>();
    const DATA: usize = core::mem::offset_of!(acldumpChunk, dataBuf);
    let mut name: [c_char; 4096] = [0; 4096];
    let letters = file.bytes().take(name.len() - 1).map(|byte| byte as c_char);
    name.iter_mut().zip(letters).for_each(|(place, letter)| *place = letter);
    let head = acldumpChunk {
        fileName: name,
        bufLen: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        isLastChunk: last.into(),
        offset,
        flag: 0,
        dataBuf: [],
    };
    let length = HEAD + bytes.len();
    // Words are aligned as the structure is.
    let mut block = vec![0_u64; length.div_ceil(size_of::<u64>())];
    let start = block.as_mut_ptr();
    // SAFETY: `write` asks for aligned memory of the structure's size. The block has at least so many bytes, and its words are
    // aligned for each member.
    unsafe { start.cast::<acldumpChunk>().write(head) };
    // SAFETY: `copy_nonoverlapping` asks for two areas of this length that do not overlap. The bytes are borrowed, and the block
    // is this function's own; it has `HEAD` bytes and these, and the data begin before the end of the head.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), start.cast::<u8>().add(DATA), bytes.len()) };
    // SAFETY: the function asks for a part of a dump and its length. The caller registered it to be called with those, on any
    // thread that dumps; the block stays in place for the length of the call.
    unsafe { function(start.cast_const().cast(), i32::try_from(length).unwrap_or(i32::MAX)) }
}

/// Whether both are the same function.
pub(crate) fn is_same(one: OfFailure, other: OfFailure) -> bool {
    core::ptr::fn_addr_eq(one, other)
}
