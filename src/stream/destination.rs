//! Destinations of queued copies.

use super::{Operand, Pending};
use crate::brand::{Brand, Inside};
use crate::element::Element;
use crate::ffi::RawBuffer;
use crate::memory::{DeviceBuffer, HostBuffer, SharedBuffer};
use core::mem::MaybeUninit;

/// Device memory that a copy may write all of: written before, or not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the destination of this copy",
    label = "expected a `DeviceBuffer` of the stream's own context, with the elements of the source",
    note = "STREAM-09, MEM-11: stream and buffers of a copy belong to one context",
    note = "COPY-06, MODEL-09: a copy on a stream goes to or from the device, and not to weights, which models only read",
    note = "MEM-02: shared memory is only read: `shared.try_unshare(current)?` turns the last handle into a buffer",
    note = "of a tensor, its buffer: `tensor.into_buffer()`, and afterwards `buffer.into_tensor(&shape)?`",
    note = "allocate the buffer in the stream's context: `current.device_buffer(length)?`",
    note = "see `ascendcl-explain STREAM-09`"
)]
pub trait Destination<C: Brand, E>: sealed::Sealed<C, E> {}

impl<C: Brand, E: Element> Destination<C, E> for DeviceBuffer<C, E> {}
impl<C: Brand, E: Element> Destination<C, E> for DeviceBuffer<C, MaybeUninit<E>> {}
/// A buffer that is in flight on the same stream (STREAM-04).
impl<C: Brand, E: Element> Destination<C, E> for Pending<C, DeviceBuffer<C, E>> {}

pub(crate) mod sealed {
    use super::{Brand, DeviceBuffer, Inside, Operand, RawBuffer};

    /// Memory at one end of a copy.
    pub trait Buffer<C: Brand, E> {
        /// Its type after all of it was written.
        type Written;
        /// Whether it is a buffer of the host.
        const IS_ON_HOST: bool;

        fn block_at_this_end(&self) -> &RawBuffer;
        /// How many elements it holds.
        fn room(&self) -> usize;
        fn into_written(self, key: Inside) -> Self::Written;
    }

    pub trait Sealed<C: Brand, E>: Sized + Operand<C, Self::Buffer> {
        type Buffer: Buffer<C, E, Written = DeviceBuffer<C, E>>;

        #[inline]
        #[rustfmt::skip] // The compiler's messages print the first line.
        fn into_written_output(self, key: Inside) -> DeviceBuffer<C, E> { // MEM-07: `buffer.write(current, &elements)?` does
            self.taken_by_work(key).into_written(key)
        }
    }
}

impl<C: Brand, E: Element> sealed::Sealed<C, E> for DeviceBuffer<C, MaybeUninit<E>> {
    type Buffer = Self;
}

impl<C: Brand, E: Element> sealed::Sealed<C, E> for DeviceBuffer<C, E> {
    type Buffer = Self;
}

impl<C: Brand, E: Element> sealed::Sealed<C, E> for Pending<C, DeviceBuffer<C, E>> {
    type Buffer = DeviceBuffer<C, E>;
}

impl<C: Brand, E: Element> sealed::Buffer<C, E> for DeviceBuffer<C, MaybeUninit<E>> {
    type Written = DeviceBuffer<C, E>;
    const IS_ON_HOST: bool = false;

    #[inline]
    fn block_at_this_end(&self) -> &RawBuffer {
        Self::block(self)
    }

    #[inline]
    fn room(&self) -> usize {
        self.len()
    }

    #[inline]
    fn into_written(self, _: Inside) -> DeviceBuffer<C, E> {
        Self::into_written(self)
    }
}

macro_rules! written {
    ($($buffer:ident: $on_host:expr),+) => { $(
        impl<C: Brand, E: Element> sealed::Buffer<C, E> for $buffer<C, E> {
            type Written = Self;
            const IS_ON_HOST: bool = $on_host;

            #[inline]
            fn block_at_this_end(&self) -> &RawBuffer {
                Self::block(self)
            }

            #[inline]
            fn room(&self) -> usize {
                self.len()
            }

            #[inline]
            fn into_written(self, _: Inside) -> Self {
                self
            }
        }
    )+ };
}
written!(DeviceBuffer: false, HostBuffer: true, SharedBuffer: false);
