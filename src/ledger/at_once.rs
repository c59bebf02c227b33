//! Creations and ends of objects where little has to be looked at. They call nothing but the library.

use super::Ledger;
use crate::error::{Boxed, Error};
use crate::ffi::{Here, Home, NewBuffer, Owner, RawBuffer, RawEvent, RawStream, seldom};
use ascendcl_sys::types::aclrtMemMallocPolicy;
use core::sync::atomic::Ordering;
use std::sync::Arc;

impl Ledger {
    /// Allocates device memory, like [`allocate_by`](Self::allocate_by), for the holder of the context's `Current`.
    #[inline]
    pub(crate) fn allocate_here(
        &self,
        here: Here<'_>,
        bytes: usize,
        policy: aclrtMemMallocPolicy,
    ) -> Result<Arc<RawBuffer>, Error> {
        match RawBuffer::allocate_at_once(here, bytes, policy) {
            Some(Ok(start)) => {
                let owner = Owner::of(self.id);
                Ok(self.blocks.put_by(|number| NewBuffer { start, bytes, number, owner }))
            }
            Some(Err(error)) => seldom(|| self.allocate_again(Some(error), Home::Device, bytes, policy)),
            None => seldom(|| self.allocate_again(None, Home::Device, bytes, policy)),
        }
    }

    /// Like [`destroy_stream`](Self::destroy_stream), for the holder of the stream's handle, where that needs no further
    /// look; else `None`, and nothing has happened.
    #[inline(always)]
    pub(crate) fn destroy_stream_at_once(&self, here: Here<'_>, stream: &RawStream) -> Option<Result<(), Boxed>> {
        let destroyed = stream.destroy_at_once(here);
        if let Some(Ok(())) = destroyed {
            self.streams.remove(stream);
        }
        destroyed
    }

    /// Like [`destroy_event`](Self::destroy_event), for the holder of the event's handle, where that needs no further
    /// look; else `None`, and nothing has happened.
    #[inline(always)]
    pub(crate) fn destroy_event_at_once(&self, here: Here<'_>, event: &RawEvent) -> Option<Result<(), Boxed>> {
        let destroyed = event.destroy_at_once(here);
        if let Some(Ok(())) = destroyed {
            self.events.remove(event);
        }
        destroyed
    }

    /// Like [`free`](Self::free), for the holder of the block's only handle, where that needs no further look; else
    /// `None`, and nothing has happened.
    #[inline(always)]
    pub(crate) fn free_at_once(&self, here: Here<'_>, block: &RawBuffer) -> Option<Result<(), Error>> {
        // One of them may have the block.
        if self.graphs_given_up.load(Ordering::Acquire) > 0 {
            return None;
        }
        let freed = block.free_at_once(here);
        if let Some(Ok(())) = freed {
            self.blocks.remove(block);
        }
        freed
    }
}
