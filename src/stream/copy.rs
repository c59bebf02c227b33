//! What explicit streams and the default stream have in common: copies in flight, and waiting.

use super::{DefaultStream, Pending, Stream, StreamState};
use crate::Element;
use crate::current::Current;
use crate::error::{Error, Undone};
use crate::ffi::{Block, Queue};
use crate::memory::sealed::Sealed as _;
use crate::memory::{Destination, DeviceBuffer, HostBuffer};
use std::time::Duration;

/// The same copies on explicit streams and on the default one.
macro_rules! copies {
    ([$($bounds:tt)*] $stream:ty) => {
        impl<$($bounds)*> $stream {
            /// Queues a copy from pinned host memory to the device (`aclrtMemcpyAsync`). Both buffers are in flight until
            /// the result is [waited](Pending::wait) for; then all of the device buffer is written.
            ///
            /// # Errors
            ///
            /// Both buffers as they were: [`Error::LengthMismatch`] when they differ in length, or [`Error::Vendor`].
            pub fn copy_to_device<E: Element, D: Destination<'c, E, N>>(
                &self,
                current: &Current<'c, N>,
                from: HostBuffer<'c, E, N>,
                to: D,
            ) -> Result<Pending<'c, (HostBuffer<'c, E, N>, DeviceBuffer<'c, E, N>), N>, Undone<(HostBuffer<'c, E, N>, D)>>
            {
                match queue_copy::<E, N>(current, &self.queue, (to.block(), to.room()), (from.block(), from.len())) {
                    Ok(()) => Ok(Pending::new((from, to.written()), &self.queue)),
                    Err(error) => Err(Undone { error, value: (from, to) }),
                }
            }

            /// Queues a copy from the device to pinned host memory (`aclrtMemcpyAsync`). Both buffers are in flight until
            /// the result is [waited](Pending::wait) for.
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
                match queue_copy::<E, N>(current, &self.queue, (to.block(), to.len()), (from.block(), from.len())) {
                    Ok(()) => Ok(Pending::new((from, to), &self.queue)),
                    Err(error) => Err(Undone { error, value: (from, to) }),
                }
            }

            /// Waits until everything that was queued so far is done (`aclrtSynchronizeStream`).
            ///
            /// # Errors
            ///
            /// [`Error::Vendor`] with the code of work that failed on the device (ERR-02).
            pub fn synchronize(&self, current: &Current<'c, N>) -> Result<(), Error> {
                current.ledger().synchronize(&self.queue, None)
            }

            /// As [`synchronize`](Self::synchronize), for at most `limit` (`aclrtSynchronizeStreamWithTimeout`, in whole
            /// milliseconds, at least one).
            ///
            /// # Errors
            ///
            /// [`Error::Vendor`] whose code [`is_timeout`](crate::Code::is_timeout) when the time was up: the work is
            /// still in flight then, and what it uses stays out of reach (STREAM-16).
            pub fn synchronize_within(&self, current: &Current<'c, N>, limit: Duration) -> Result<(), Error> {
                current.ledger().synchronize(&self.queue, Some(limit))
            }
        }
    };
}
copies!(['c, S: StreamState, N] Stream<'c, S, N>);
copies!(['c, N] DefaultStream<'c, N>);

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
