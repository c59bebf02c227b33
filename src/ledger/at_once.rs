//! The fast paths that allocate memory and end objects, for callers that have the context's `Current`.

use super::Ledger;
use crate::error::{Boxed, Error, Failed};
use crate::ffi::{Here, Home, NewBuffer, RawBuffer, RawEvent, RawStream, cold_path};
use ascendcl_sys::types::aclrtMemMallocPolicy;
use core::mem::ManuallyDrop;
use core::sync::atomic::Ordering;
use std::sync::Arc;

/// Ends the object of a handle. The fast path is `at_once`, which returns `None` when `slowly` is to do it. The handle comes
/// back with an error.
///
/// The compiler does not know that the fast path never unwinds. If the handle were dropped then, it would be in memory
/// during the calls of the library.
#[inline(always)]
pub(crate) fn end<T>(
    handle: T,
    at_once: impl FnOnce(&T) -> Option<Result<(), Boxed>>,
    slowly: impl FnOnce(T) -> Result<(), Failed<T>>,
) -> Result<(), Failed<T>> {
    let kept = ManuallyDrop::new(handle);
    let ended = at_once(&kept);
    let handle = ManuallyDrop::into_inner(kept);
    match ended {
        Some(Ok(())) => {
            // Dropped before there is a result, so that the result is not kept during the drop.
            drop(handle);
            Ok(())
        }
        Some(Err(refused)) => cold_path(move || Err(Failed { error: refused.into(), value: handle })),
        None => cold_path(move || slowly(handle)),
    }
}

impl Ledger {
    /// Allocates device memory, like [`allocate`](Self::allocate). The policy chooses the pages.
    #[inline(always)]
    pub(crate) fn allocate_here(
        &self,
        here: Here<'_>,
        bytes: usize,
        policy: aclrtMemMallocPolicy,
    ) -> Result<Arc<RawBuffer>, Error> {
        let refused = match RawBuffer::allocate_at_once(here, bytes, policy) {
            Some(Ok(start)) => {
                return Ok(self.blocks.put_by(move |place| NewBuffer { start, bytes, place, of: &self.at }));
            }
            refused => refused.and_then(Result::err),
        };
        cold_path(move || self.allocate_after(refused, Home::Device, bytes, policy))
    }

    /// Like [`free`](Self::free), for the holder of the block's only handle. `None` when further checks are needed;
    /// then nothing has happened.
    #[inline(always)]
    pub(crate) fn free_at_once(&self, here: Here<'_>, block: &RawBuffer) -> Option<Result<(), Boxed>> {
        // A graph that was given up may use the block.
        if self.graphs_given_up.load(Ordering::Acquire) != 0 {
            return None;
        }
        block.free_at_once(here, &self.blocks)
    }

    /// Like [`destroy_event`](Self::destroy_event), for the holder of the event's handle. `None` when further checks
    /// are needed; then nothing has happened.
    #[inline(always)]
    pub(crate) fn destroy_event_at_once(&self, here: Here<'_>, event: &RawEvent) -> Option<Result<(), Boxed>> {
        event.destroy_at_once(here, &self.events)
    }

    /// Like [`destroy_stream`](Self::destroy_stream), for the holder of the stream's handle. `None` when further checks
    /// are needed; then nothing has happened.
    #[inline(always)]
    pub(crate) fn destroy_stream_at_once(&self, here: Here<'_>, stream: &RawStream) -> Option<Result<(), Boxed>> {
        stream.destroy_at_once(here, || &self.streams)
    }
}
