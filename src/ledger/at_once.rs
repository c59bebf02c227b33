//! The fast paths that allocate memory and end objects, for callers that have the context's `Current`.

use super::Ledger;
use crate::error::{Boxed, Error};
use crate::ffi::{Here, Home, NewBuffer, RawBuffer, RawEvent, RawStream, cold_path};
use ascendcl_sys::types::aclrtMemMallocPolicy;
use core::sync::atomic::Ordering;
use std::sync::Arc;

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
        stream.destroy_at_once(here, &self.streams)
    }
}
