//! Copies of rows in flight.

use super::operand::Operand;
use super::{Pending, StreamOps};
use crate::brand::{Brand, INSIDE};
use crate::current::Current;
use crate::element::Element;
use crate::error::Failed;
use crate::memory::{DeviceBuffer, HostBuffer, Rows};
use ascendcl_macros::rule;

impl<C: Brand> StreamOps<C> {
    /// Queues a copy of rows from the host to the device (`aclrtMemcpy2dAsync`). Both buffers are in flight until the
    /// result is [waited](Pending::wait) for.
    ///
    /// # Errors
    ///
    /// Both buffers as they were: as for [`DeviceBuffer::copy_rows_from`], and
    /// [`Error::OtherStream`](crate::Error::OtherStream) when one is in flight elsewhere.
    #[rule(COPY_01, COPY_04, COPY_10)]
    #[allow(clippy::type_complexity, reason = "the buffers, in flight or as they were")]
    pub fn copy_rows_to_device<E: Element, H: Operand<C, HostBuffer<C, E>>, D: Operand<C, DeviceBuffer<C, E>>>(
        &self,
        current: &Current<C>,
        from: H,
        to: D,
        rows: Rows,
    ) -> Result<Pending<C, (HostBuffer<C, E>, DeviceBuffer<C, E>)>, Failed<(H, D)>> {
        let (source, target) = (from.look(INSIDE), to.look(INSIDE));
        let ready = from.usable_on(&self.queue).and_then(|()| to.usable_on(&self.queue));
        // What a failure has left in doubt says by itself that it has no such part.
        let rows = ready.and_then(|()| rows.of::<E>(source.len(), target.len()));
        match rows.and_then(|rows| self.queue.copy_rows(current.here(), target.block(), source.block(), rows)) {
            Ok(number) => {
                let past = from.past(INSIDE).and(to.past(INSIDE));
                Ok(Pending::new((from.into_value(INSIDE), to.into_value(INSIDE)), &self.queue, number).after(past))
            }
            Err(error) => Err(Failed { error, value: (from, to) }),
        }
    }

    /// Queues a copy of rows from the device to the host (`aclrtMemcpy2dAsync`). Both buffers are in flight until the
    /// result is [waited](Pending::wait) for.
    ///
    /// # Errors
    ///
    /// As for [`copy_rows_to_device`](Self::copy_rows_to_device).
    #[rule(COPY_03, COPY_10)]
    #[allow(clippy::type_complexity, reason = "the buffers, in flight or as they were")]
    pub fn copy_rows_to_host<E: Element, D: Operand<C, DeviceBuffer<C, E>>, H: Operand<C, HostBuffer<C, E>>>(
        &self,
        current: &Current<C>,
        from: D,
        to: H,
        rows: Rows,
    ) -> Result<Pending<C, (DeviceBuffer<C, E>, HostBuffer<C, E>)>, Failed<(D, H)>> {
        let (source, target) = (from.look(INSIDE), to.look(INSIDE));
        let ready = from.usable_on(&self.queue).and_then(|()| to.usable_on(&self.queue));
        let rows = ready.and_then(|()| rows.of::<E>(source.len(), target.len()));
        match rows.and_then(|rows| self.queue.copy_rows(current.here(), target.block(), source.block(), rows)) {
            Ok(number) => {
                let past = from.past(INSIDE).and(to.past(INSIDE));
                Ok(Pending::new((from.into_value(INSIDE), to.into_value(INSIDE)), &self.queue, number).after(past))
            }
            Err(error) => Err(Failed { error, value: (from, to) }),
        }
    }
}
