//! The fast paths that allocate and free device memory, and the zeroing of host memory.

use super::RawBuffer;
use crate::error::{Boxed, Error};
use crate::ffi::call::{FailedCall, Function, NoSuccess, call_cached, functions};
use crate::ffi::home::Home;
use crate::ffi::sharing::HandleStamp;
use crate::ffi::shelf::{Seed, Shelf, ShelfPlace};
use crate::ffi::{Api, Enterable, Here, LastUse};
use ascendcl_sys::types::aclrtMemMallocPolicy;
use core::alloc::Layout;
use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};

type NotFreed = FailedCall<functions::aclrtFree>;

/// Device memory that was allocated, for a row.
pub(crate) struct NewBuffer<'a> {
    pub(crate) start: NonNull<c_void>,
    pub(crate) bytes: usize,
    pub(crate) place: ShelfPlace,
    pub(crate) of: &'a Enterable,
}

impl Seed<RawBuffer> for NewBuffer<'_> {
    #[inline]
    fn row(self) -> RawBuffer {
        let Self { start, bytes, place, of } = self;
        let (layout, freed, owner) = (Layout::new::<()>(), AtomicBool::new(false), of.owner());
        let last_use = HandleStamp::alone(LastUse::of(Home::Device.in_context(owner.number())));
        RawBuffer { place, start, bytes, home: Home::Device, layout, last_use, freed, owner }
    }

    /// The rows of a shelf are of one context. A row that refers to nothing is not a part, so its stamp belongs to no other
    /// block.
    #[inline]
    fn renew(self, row: &mut RawBuffer) {
        let RawBuffer { place, start, bytes, home, layout, last_use, freed, owner: _ } = row;
        (*place, *start, *bytes) = (self.place, self.start, self.bytes);
        (*home, *layout) = (Home::Device, Layout::new::<()>());
        *freed = AtomicBool::new(false);
        last_use.renew(LastUse::of(Home::Device.in_context(self.of.id().number())));
    }
}

impl RawBuffer {
    /// Allocates device memory, like [`allocate`](Self::allocate). `None` when further checks are needed; then nothing
    /// has happened.
    #[inline(always)]
    pub(crate) fn allocate_at_once(
        here: Here<'_>,
        bytes: usize,
        policy: aclrtMemMallocPolicy,
    ) -> Option<Result<NonNull<c_void>, Boxed>> {
        let mut start = core::ptr::null_mut();
        // SAFETY: the function writes the address to `start` during the call; a pointer to a live local is valid for
        // writes (`core::ptr`, "Safety"). The policy is one of the library's (MEM-09).
        let allocated = unsafe { call_cached!(here.aclrtMalloc(&raw mut start, bytes.max(1), policy)) }?;
        match (allocated, NonNull::new(start)) {
            (Ok(()), Some(start)) => Some(Ok(start)),
            (answer, _) => Some(Err(not_allocated(here.api(), bytes, answer).into())),
        }
    }

    /// Zeroes a new block of host memory, before any code can read it.
    pub(crate) fn zeroed_on_host(self) -> Self {
        if matches!(self.home, Home::Pinned | Home::Unified) {
            // SAFETY: `write_bytes` asks for memory that is valid for writes of `bytes` bytes. The library has just
            // allocated at least that many, and no other code knows the address yet.
            unsafe { core::ptr::write_bytes(self.start.as_ptr().cast::<u8>(), 0, self.bytes) }
        }
        self
    }

    /// Frees the block, like [`free`](Self::free), and takes its row off the shelf. `None` when further checks are
    /// needed; then nothing has happened. The caller has the buffer's only handle.
    #[inline(always)]
    pub(crate) fn free_at_once(&self, here: Here<'_>, shelf: &Shelf<Self>) -> Option<Result<(), Boxed>> {
        // The second check also fails for a block in doubt.
        if self.is_part() || !self.is_device_memory_at_hand(here) || !self.last_use.is_marked_idle() {
            return None;
        }
        if self.freed.swap(true, Ordering::AcqRel) {
            return None;
        }
        // SAFETY: the function asks for memory of `aclrtMalloc` (MEM-03) that no work uses (MEM-02), once (MEM-01).
        // `home` says where it came from, the stamp shows that it is idle, and `freed` was not set.
        match unsafe { call_cached!(here.aclrtFree(self.start.as_ptr())) } {
            Some(Ok(())) => {
                // It is not a part.
                shelf.take_out(self, true);
                Some(Ok(()))
            }
            refused => self.free_refused(here.api(), refused),
        }
    }

    #[cold]
    #[inline(never)]
    fn free_refused(&self, api: Api, refused: Option<Result<(), NotFreed>>) -> Option<Result<(), Boxed>> {
        self.freed.store(false, Ordering::Release);
        let error = |failed: NotFreed| NoSuccess::from(failed).into_answer(api).into_error(|| self.freeing()).into();
        refused.map(|refused| refused.map_err(error))
    }

    pub(super) fn freeing(&self) -> String {
        format!("free {} bytes of {}", self.bytes, self.home.kind())
    }
}

pub(super) fn allocating(bytes: usize, home: Home) -> String {
    format!("allocate {bytes} bytes of {}", home.kind())
}

#[cold]
#[inline(never)]
fn not_allocated(api: Api, bytes: usize, answer: Result<(), FailedCall<functions::aclrtMalloc>>) -> Error {
    match answer {
        Ok(()) => Error::NullAnswer { call: functions::aclrtMalloc::NAME },
        Err(failed) => NoSuccess::from(failed).into_answer(api).into_error(|| allocating(bytes.max(1), Home::Device)),
    }
}
