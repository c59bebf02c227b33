//! Copies that run while the program goes on.

use super::{Pending, Stream, StreamState};
use crate::Element;
use crate::current::Current;
use crate::error::{Error, Undone};
use crate::ffi::Block;
use crate::memory::sealed::Sealed as _;
use crate::memory::{Destination, DeviceBuffer, HostBuffer};

impl<'c, S: StreamState, N> Stream<'c, S, N> {
    /// Queues a copy from pinned host memory to the device (`aclrtMemcpyAsync`). Both buffers are in flight until the
    /// result is [waited](Pending::wait) for; then all of the device buffer is written.
    ///
    /// # Errors
    ///
    /// Both buffers as they were: [`Error::LengthMismatch`] when they differ in length, or [`Error::Vendor`].
    pub fn copy_to_device<E: Element, D: Destination<'c, E, N>>(
        &self,
        current: &Current<'c, N>,
        from: HostBuffer<'c, E, N>,
        to: D,
    ) -> Result<Pending<'c, (HostBuffer<'c, E, N>, DeviceBuffer<'c, E, N>), N>, Undone<(HostBuffer<'c, E, N>, D)>> {
        match self.queue_copy(current, (to.block(), to.room()), (from.block(), from.len()), size_of::<E>()) {
            Ok(()) => Ok(Pending::new((from, to.written()), &self.queue)),
            Err(error) => Err(Undone { error, value: (from, to) }),
        }
    }

    /// Queues a copy from the device to pinned host memory (`aclrtMemcpyAsync`). Both buffers are in flight until the
    /// result is [waited](Pending::wait) for.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device).
    pub fn copy_to_host<E: Element>(
        &self,
        current: &Current<'c, N>,
        from: DeviceBuffer<'c, E, N>,
        to: HostBuffer<'c, E, N>,
    ) -> Result<
        Pending<'c, (DeviceBuffer<'c, E, N>, HostBuffer<'c, E, N>), N>,
        Undone<(DeviceBuffer<'c, E, N>, HostBuffer<'c, E, N>)>,
    > {
        match self.queue_copy(current, (to.block(), to.len()), (from.block(), from.len()), size_of::<E>()) {
            Ok(()) => Ok(Pending::new((from, to), &self.queue)),
            Err(error) => Err(Undone { error, value: (from, to) }),
        }
    }

    fn queue_copy(
        &self,
        current: &Current<'c, N>,
        (to, room): (&Block, usize),
        (from, length): (&Block, usize),
        size: usize,
    ) -> Result<(), Error> {
        if room != length {
            return Err(Error::LengthMismatch { what: "the destination of the copy", expected: length, found: room });
        }
        self.queue.copy(current.ledger().api(), to, from, length * size)
    }
}
