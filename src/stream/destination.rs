//! What a queued copy can write.

use super::{Past, Pending};
use crate::brand::{Brand, Inside};
use crate::element::Element;
use crate::error::Error;
use crate::ffi::{RawBuffer, RawStream};
use crate::memory::DeviceBuffer;
use core::mem::MaybeUninit;
use std::sync::Arc;

/// Device memory that a copy may write all of: written before, or not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the destination of this copy",
    label = "expected a `DeviceBuffer` of the stream's own context, with the elements of the source",
    note = "STREAM-09, MEM-11: stream and buffers of a copy belong to one context",
    note = "COPY-06, MODEL-09: a copy on a stream goes to or from the device, and not to weights, which models only read",
    note = "allocate the buffer in the stream's context: `current.device_buffer(length)?`"
)]
pub trait Destination<C: Brand, E>: sealed::Sealed<C, E> {}

impl<C: Brand, E: Element> Destination<C, E> for DeviceBuffer<C, E> {}
impl<C: Brand, E: Element> Destination<C, E> for DeviceBuffer<C, MaybeUninit<E>> {}
/// One that is in flight on the same stream (STREAM-04).
impl<C: Brand, E: Element> Destination<C, E> for Pending<C, DeviceBuffer<C, E>> {}

pub(crate) mod sealed {
    use super::{Brand, DeviceBuffer, Error, Inside, Past, RawBuffer, RawStream};
    use std::sync::Arc;

    pub trait Sealed<C: Brand, E> {
        /// Whether something can have happened to it before.
        const HAS_PAST: bool;
        /// Whether work on this stream can use it now.
        fn usable_on(&self, queue: &Arc<RawStream>) -> Result<(), Error>;
        fn block(&self) -> &RawBuffer;
        fn room(&self) -> usize;
        fn written(self, key: Inside) -> DeviceBuffer<C, E>;
        /// What happened to it before.
        fn past(&self, key: Inside) -> Past;
    }
}

impl<C: Brand, E: Element> sealed::Sealed<C, E> for DeviceBuffer<C, MaybeUninit<E>> {
    const HAS_PAST: bool = false;

    #[inline]
    fn usable_on(&self, _: &Arc<RawStream>) -> Result<(), Error> {
        Ok(())
    }

    #[inline]
    fn block(&self) -> &RawBuffer {
        DeviceBuffer::block(self)
    }

    #[inline]
    fn room(&self) -> usize {
        self.len()
    }

    #[inline]
    fn written(self, _: Inside) -> DeviceBuffer<C, E> {
        self.into_written()
    }

    #[inline]
    fn past(&self, _: Inside) -> Past {
        Past::none()
    }
}

impl<C: Brand, E: Element> sealed::Sealed<C, E> for DeviceBuffer<C, E> {
    const HAS_PAST: bool = false;

    #[inline]
    fn usable_on(&self, _: &Arc<RawStream>) -> Result<(), Error> {
        Ok(())
    }

    #[inline]
    fn block(&self) -> &RawBuffer {
        DeviceBuffer::block(self)
    }

    #[inline]
    fn room(&self) -> usize {
        self.len()
    }

    #[inline]
    fn written(self, _: Inside) -> Self {
        self
    }

    #[inline]
    fn past(&self, _: Inside) -> Past {
        Past::none()
    }
}

impl<C: Brand, E: Element> sealed::Sealed<C, E> for Pending<C, DeviceBuffer<C, E>> {
    const HAS_PAST: bool = true;

    #[inline]
    fn usable_on(&self, queue: &Arc<RawStream>) -> Result<(), Error> {
        self.is_on(queue)
    }

    #[inline]
    fn block(&self) -> &RawBuffer {
        self.in_flight().block()
    }

    #[inline]
    fn room(&self) -> usize {
        self.in_flight().len()
    }

    #[inline]
    fn written(self, _: Inside) -> DeviceBuffer<C, E> {
        self.into_payload()
    }

    #[inline]
    fn past(&self, _: Inside) -> Past {
        Self::past(self)
    }
}
