//! Copies and sets that are done when the call returns.

use super::RawBuffer;
use crate::element::Pod;
use crate::error::{Boxed, Error, ObjectKind};
use crate::ffi::bytes::{bytes_of, bytes_of_mut};
use crate::ffi::call::{FailedCall, NoSuccess, cached, call, call_cached_only, functions};
use crate::ffi::home::{Home, Side};
use crate::ffi::{Api, Here, Site};
use core::ffi::c_void;

/// A copy of a fast path that failed. Its error takes nothing of the block, so that nobody keeps the block during the copy.
pub(crate) type NotCopiedNow = FailedCall<functions::aclrtMemcpy>;

impl RawBuffer {
    /// Copies host memory to the start of device memory like [`write`](Self::write). `None` when further checks are needed;
    /// then nothing has happened. The function is cached by `write`.
    #[inline(always)]
    pub(crate) fn write_at_once<E: Pod>(&self, here: Here<'_>, from: &[E]) -> Option<Result<(), NotCopiedNow>> {
        let from = bytes_of(from);
        // The length comes first: callers have compared it, and the compiler does not keep what it knows of it across the
        // ordered load in the other check.
        if from.len() > self.bytes || !self.is_device_memory_at_hand(here) {
            return None;
        }
        let (kind, bytes) = (here.to_device(), from.len());
        // SAFETY: the function reads `bytes` bytes of the slice and writes them to the block during the call. The block
        // has as many bytes, and is not in doubt. The caller has the handle, so no work uses the block (MEM-02).
        unsafe { call_cached_only!(here.aclrtMemcpy(self.start.as_ptr(), bytes, from.as_ptr().cast(), bytes, kind)) }
    }

    /// Copies host memory to the start of the block, and returns when the copy is done.
    pub(crate) fn write<E: Pod>(&self, here: Here<'_>, from: &[E]) -> Result<(), Boxed> {
        let from = bytes_of(from);
        // SAFETY: `cached!` asks for one function's place and pointer, which it makes itself. Nothing is called: the function
        // is cached for the next call.
        let _ = unsafe { cached!(here.aclrtMemcpy) };
        self.check_bytes(here, from.len())?;
        let (ready, kind) = (here.ready()?, here.api().direction(self.home.side(), Side::Host));
        // SAFETY: the function reads `from.len()` bytes of the slice and writes them to the block during the call.
        // `check_bytes` has compared the block's length and checked that the block is not in doubt. The caller has the
        // handle, so no work uses the block (MEM-02).
        let answer = unsafe {
            call!(ready.aclrtMemcpy(self.start.as_ptr(), self.bytes, from.as_ptr().cast(), from.len(), kind))
        };
        answer.or_answer().map_err(|answer| self.not_copied(here.api(), answer, "to", from.len()))
    }

    /// Copies the start of device memory to host memory like [`read`](Self::read). `None` when further checks are needed; then
    /// nothing has happened.
    #[inline(always)]
    pub(crate) fn read_at_once<E: Pod>(&self, here: Here<'_>, to: &mut [E]) -> Option<Result<(), NotCopiedNow>> {
        let to = bytes_of_mut(to);
        // The length comes first: callers have compared it, and the compiler does not keep what it knows of it across the
        // ordered load in the other check.
        if to.len() > self.bytes || !self.is_device_memory_at_hand(here) {
            return None;
        }
        let kind = here.to_host();
        let (target, bytes) = (to.as_mut_ptr().cast::<c_void>(), to.len());
        // SAFETY: the function reads `bytes` bytes of the block and writes them to the slice during the call. The block has
        // as many bytes, and is not in doubt. The caller has the handle, so no work writes the block (MEM-02). The slice is
        // borrowed exclusively.
        unsafe { call_cached_only!(here.aclrtMemcpy(target, bytes, self.start.as_ptr(), bytes, kind)) }
    }

    /// Copies the start of the block to host memory, and returns when the copy is done.
    pub(crate) fn read<E: Pod>(&self, here: Here<'_>, to: &mut [E]) -> Result<(), Boxed> {
        let to = bytes_of_mut(to);
        // SAFETY: `cached!` asks for one function's place and pointer, which it makes itself. Nothing is called: the function
        // is cached for the next call.
        let _ = unsafe { cached!(here.aclrtMemcpy) };
        self.check_bytes(here, to.len())?;
        let (ready, kind) = (here.ready()?, here.api().direction(Side::Host, self.home.side()));
        let (target, bytes) = (to.as_mut_ptr().cast::<c_void>(), to.len());
        // SAFETY: the function reads `to.len()` bytes of the block and writes them to the slice during the call.
        // `check_bytes` has compared the block's length and checked that the block is not in doubt. The caller has the
        // handle, so no work writes the block (MEM-02). The slice is borrowed exclusively.
        let answer = unsafe { call!(ready.aclrtMemcpy(target, bytes, self.start.as_ptr(), bytes, kind)) };
        answer.or_answer().map_err(|answer| self.not_copied(here.api(), answer, "from", bytes))
    }

    #[cold]
    fn not_copied(&self, api: Api, answer: NoSuccess, direction: &str, bytes: usize) -> Boxed {
        not_copied(api, answer, direction, bytes, self.home.kind())
    }

    /// Sets every byte of the block, and returns when that is done.
    pub(crate) fn fill(&self, api: Api, value: u8) -> Result<(), Error> {
        self.check_bytes(Site::unproven(api).here(), self.bytes)?;
        // SAFETY: the function writes `self.bytes` bytes, the whole block, during the call. `check_bytes` has checked
        // that the block is not in doubt. The caller has the handle, so no work uses the block (MEM-02).
        let answer = unsafe { call!(api.aclrtMemset(self.start.as_ptr(), self.bytes, i32::from(value), self.bytes)) };
        answer.done(|| format!("set {} bytes of {}", self.bytes, self.home.kind()))
    }
}

impl NotCopiedNow {
    /// The error of a copy to device memory.
    #[cold]
    #[inline(never)]
    pub(crate) fn into_write_error(self, here: Here<'_>, bytes: usize) -> Error {
        not_copied(here.api(), self.into(), "to", bytes, Home::Device.kind()).into()
    }

    /// The error of a copy from device memory.
    #[cold]
    #[inline(never)]
    pub(crate) fn into_read_error(self, here: Here<'_>, bytes: usize) -> Error {
        not_copied(here.api(), self.into(), "from", bytes, Home::Device.kind()).into()
    }
}

#[cold]
fn not_copied(api: Api, answer: NoSuccess, direction: &str, bytes: usize, what: ObjectKind) -> Boxed {
    answer.into_answer(api).into_error(|| format!("copy {bytes} bytes {direction} {what}")).into()
}
