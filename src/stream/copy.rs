//! What explicit streams and the default stream have in common: copies in flight, and waiting.

use super::{DefaultStream, Pending, Stream, StreamState};
use crate::Element;
use crate::current::Current;
use crate::error::{Error, Undone};
use crate::ffi::{Block, Queue};
use crate::memory::sealed::Sealed as _;
use crate::memory::{Destination, DeviceBuffer, HostBuffer};
use ascendcl_macros::rule;
use std::sync::Arc;
use std::time::Duration;

impl<'c, S: StreamState, N> Stream<'c, S, N> {
    /// Queues a copy from pinned host memory to the device (`aclrtMemcpyAsync`). Both buffers are in flight until the
    /// result is [waited](Pending::wait) for; then all of the device buffer is written.
    ///
    /// # Errors
    ///
    /// Both buffers as they were: [`Error::LengthMismatch`] when they differ in length, or [`Error::Vendor`].
    #[rule(COPY_01, COPY_04, COPY_05, COPY_06)]
    pub fn copy_to_device<E: Element, D: Destination<'c, E, N>>(
        &self,
        current: &Current<'c, N>,
        from: HostBuffer<'c, E, N>,
        to: D,
    ) -> ToDevice<'c, E, D, N> {
        to_device(current, &self.queue, from, to)
    }

    /// Queues a copy from the device to pinned host memory (`aclrtMemcpyAsync`). Both buffers are in flight until the
    /// result is [waited](Pending::wait) for.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device).
    #[rule(COPY_03, COPY_07)]
    pub fn copy_to_host<E: Element>(
        &self,
        current: &Current<'c, N>,
        from: DeviceBuffer<'c, E, N>,
        to: HostBuffer<'c, E, N>,
    ) -> ToHost<'c, E, N> {
        to_host(current, &self.queue, from, to)
    }

    /// Waits until everything that was queued so far is done (`aclrtSynchronizeStream`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] with the code of work that failed on the device.
    #[rule(STREAM_21, ERR_02)]
    pub fn synchronize(&self, current: &Current<'c, N>) -> Result<(), Error> {
        current.ledger().synchronize(&self.queue, None)
    }

    /// As [`synchronize`](Self::synchronize), for at most `limit` (`aclrtSynchronizeStreamWithTimeout`, in whole
    /// milliseconds, at least one).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] whose code [`is_timeout`](crate::Code::is_timeout) when the time was up: the work is still in
    /// flight then, and what it uses stays out of reach.
    #[rule(STREAM_16)]
    pub fn synchronize_within(&self, current: &Current<'c, N>, limit: Duration) -> Result<(), Error> {
        current.ledger().synchronize(&self.queue, Some(limit))
    }
}

impl<'c, N> DefaultStream<'c, N> {
    /// As [`Stream::copy_to_device`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn copy_to_device<E: Element, D: Destination<'c, E, N>>(
        &self,
        current: &Current<'c, N>,
        from: HostBuffer<'c, E, N>,
        to: D,
    ) -> ToDevice<'c, E, D, N> {
        to_device(current, &self.queue, from, to)
    }

    /// As [`Stream::copy_to_host`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn copy_to_host<E: Element>(
        &self,
        current: &Current<'c, N>,
        from: DeviceBuffer<'c, E, N>,
        to: HostBuffer<'c, E, N>,
    ) -> ToHost<'c, E, N> {
        to_host(current, &self.queue, from, to)
    }

    /// As [`Stream::synchronize`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn synchronize(&self, current: &Current<'c, N>) -> Result<(), Error> {
        current.ledger().synchronize(&self.queue, None)
    }

    /// As [`Stream::synchronize_within`].
    ///
    /// # Errors
    ///
    /// The same.
    pub fn synchronize_within(&self, current: &Current<'c, N>, limit: Duration) -> Result<(), Error> {
        current.ledger().synchronize(&self.queue, Some(limit))
    }
}

/// A copy to the device in flight, or its buffers as they were.
type ToDevice<'c, E, D, N> =
    Result<Pending<'c, (HostBuffer<'c, E, N>, DeviceBuffer<'c, E, N>), N>, Undone<(HostBuffer<'c, E, N>, D)>>;

/// A copy to the host in flight, or its buffers as they were.
type ToHost<'c, E, N> = Result<
    Pending<'c, (DeviceBuffer<'c, E, N>, HostBuffer<'c, E, N>), N>,
    Undone<(DeviceBuffer<'c, E, N>, HostBuffer<'c, E, N>)>,
>;

#[inline]
fn to_device<'c, E: Element, D: Destination<'c, E, N>, N>(
    current: &Current<'c, N>,
    queue: &Arc<Queue>,
    from: HostBuffer<'c, E, N>,
    to: D,
) -> ToDevice<'c, E, D, N> {
    match queue_copy::<E, N>(current, queue, (to.block(), to.room()), (from.block(), from.len())) {
        Ok(()) => Ok(Pending::new((from, to.written()), queue)),
        Err(error) => Err(Undone { error, value: (from, to) }),
    }
}

#[inline]
fn to_host<'c, E: Element, N>(
    current: &Current<'c, N>,
    queue: &Arc<Queue>,
    from: DeviceBuffer<'c, E, N>,
    to: HostBuffer<'c, E, N>,
) -> ToHost<'c, E, N> {
    match queue_copy::<E, N>(current, queue, (to.block(), to.len()), (from.block(), from.len())) {
        Ok(()) => Ok(Pending::new((from, to), queue)),
        Err(error) => Err(Undone { error, value: (from, to) }),
    }
}

#[inline]
fn queue_copy<E, N>(
    current: &Current<'_, N>,
    queue: &Queue,
    (to, room): (&Block, usize),
    (from, length): (&Block, usize),
) -> Result<(), Error> {
    if room != length {
        return Err(Error::LengthMismatch { what: "the destination of the copy", expected: length, found: room });
    }
    queue.copy(current.ledger().api(), to, from, length * size_of::<E>())
}
