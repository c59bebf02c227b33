//! Copies of rows in flight.

use super::copy::{Copied, both_usable, in_flight};
use super::operand::Operand;
use super::sealed_destination::Buffer;
use super::{Source, StreamOps};
use crate::brand::{Brand, INSIDE};
use crate::current::Current;
use crate::element::Element;
use crate::error::Boxed;
use crate::ffi::RawStream;
use crate::memory::{DeviceBuffer, HostBuffer, Rows};
use ascendcl_macros::rule;
use std::sync::Arc;

impl<C: Brand> StreamOps<C> {
    /// Queues a copy of rows from the host to the device (`aclrtMemcpy2dAsync`). Both buffers are in flight until the
    /// result is [waited](super::Pending::wait) for.
    ///
    /// # Errors
    ///
    /// Returns both buffers unchanged; the errors are those of [`DeviceBuffer::copy_rows_from`], and
    /// [`Error::OtherStream`](crate::Error::OtherStream) if one of them is in flight elsewhere.
    #[rule(COPY_01, COPY_04, COPY_10)]
    pub fn copy_rows_to_device<E: Element, H: Operand<C, HostBuffer<C, E>>, D: Operand<C, DeviceBuffer<C, E>>>(
        &self,
        current: &Current<C>,
        from: H,
        to: D,
        rows: Rows,
    ) -> Copied<C, HostBuffer<C, E>, DeviceBuffer<C, E>, (H, D)> {
        copy_rows::<C, E, HostBuffer<C, E>, DeviceBuffer<C, E>, _, _>(current, &self.queue, from, to, rows)
    }

    /// Queues a copy of rows from the device to the host (`aclrtMemcpy2dAsync`). Both buffers are in flight until the
    /// result is [waited](super::Pending::wait) for.
    ///
    /// # Errors
    ///
    /// As for [`copy_rows_to_device`](Self::copy_rows_to_device).
    #[rule(COPY_03, COPY_10)]
    pub fn copy_rows_to_host<E: Element, D: Source<C, E>, H: Operand<C, HostBuffer<C, E>>>(
        &self,
        current: &Current<C>,
        from: D,
        to: H,
        rows: Rows,
    ) -> Copied<C, D::Kept, HostBuffer<C, E>, (D, H)> {
        copy_rows::<C, E, D::Kept, HostBuffer<C, E>, _, _>(current, &self.queue, from, to, rows)
    }
}

fn copy_rows<C: Brand, E: Element, A: Buffer<C, E>, B: Buffer<C, E>, F: Operand<C, A>, T: Operand<C, B>>(
    current: &Current<C>,
    queue: &Arc<RawStream>,
    from: F,
    to: T,
    rows: Rows,
) -> Copied<C, A::Written, B::Written, (F, T)> {
    let (source, target) = (from.operand_value(INSIDE), to.operand_value(INSIDE));
    // A host buffer that a failure has left in doubt has no elements, so no rows are in it.
    let rows = both_usable(queue, &from, &to).and_then(|()| rows.of::<E>(source.room(), target.room()));
    let queued = rows
        .and_then(|rows| queue.copy_rows(current.here(), target.block_at_this_end(), source.block_at_this_end(), rows));
    in_flight(queue, queued.map_err(Boxed::from), (from, to), |from, to| {
        (from.into_written(INSIDE), to.into_written(INSIDE))
    })
}
