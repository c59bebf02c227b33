//! Operands of queued work: an idle value, or a value in flight on the same stream.

use super::{Past, Pending};
use crate::brand::{Brand, Inside};
use crate::error::Error;
use crate::ffi::RawStream;
use ascendcl_macros::rule;
use std::sync::Arc;

/// A `T` that work on a stream can use: a `T`, or a [`Pending`] `T` whose work is on that very stream.
///
/// Work on one stream runs in the order in which it was queued. So the next piece of work can use a value that is in
/// flight there without a wait. The host still cannot access the value. The call that queues the work checks that the
/// `Pending` is of the right stream; if not, it returns all arguments with [`Error::OtherStream`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used here: expected `{T}`, or one in flight as a `Pending`",
    label = "expected a `{T}` by value, or a `Pending` of one",
    note = "STREAM-09, MEM-11, MODEL-01: a stream and what its work uses belong to one context: use a stream that `current.stream()` \
            made, and buffers that the same `current` made",
    note = "COPY-04: queued work takes what it uses by value, no reference; the wait gives it back: `pending.wait(current)?`",
    note = "MODEL-15: a model in a field runs without being moved: `stream.run_bound(current, &mut self.model)?` waits for it",
    note = "MEM-07: memory of `MaybeUninit` elements is written first: `buffer.write(current, &elements)?` or \
            `buffer.zero(current)?`",
    note = "MODEL-17: a model is bound to its buffers before it is queued: `model.bind(current, &input_shapes, &output_shapes)?`",
    note = "MODEL-04, MODEL-05: a model of a lane runs through that lane: `lane.execute(current, model)`",
    note = "COPY-05: a vector is ordinary memory, which work takes in a buffer of its own: `current.pageable_buffer(elements)`",
    note = "GRAPH-08: a graph that is built is replayed after the end of its build: `let graph = build.end(current)?;`",
    note = "of a `Pending` of several, take the part that is meant: `let (first, second) = pending.split();`",
    note = "see `ascendcl-explain STREAM-09`"
)]
#[rule(STREAM_04)]
pub trait Operand<C: Brand, T>: sealed::Operand<C, T> {}

impl<C: Brand, T> Operand<C, T> for T {}
impl<C: Brand, T> Operand<C, T> for Pending<C, T> {}

pub(crate) mod sealed {
    use super::{Arc, Error, Inside, Past, RawStream};

    pub trait Operand<C, T> {
        /// Whether earlier work can have used it: `true` for a [`Pending`].
        const HAS_PAST: bool;
        /// Whether work on this stream can use it now.
        fn usable_on(&self, queue: &Arc<RawStream>) -> Result<(), Error>;
        fn operand_value(&self, key: Inside) -> &T; // COPY-03: after waiting: `pending.wait(current)?`
        fn operand_value_mut(&mut self, key: Inside) -> &mut T; // COPY-04: after waiting: `pending.wait(current)?`
        fn taken_by_work(self, key: Inside) -> T; // COPY-03, COPY-04: after waiting: `pending.wait(current)?`
        /// Earlier work on it. A wait for the next work also reports the failures of this work that were not reported yet.
        fn past_of_operand(&self, key: Inside) -> Past;
    }
}

impl<C: Brand, T> sealed::Operand<C, T> for T {
    const HAS_PAST: bool = false;

    #[inline]
    fn usable_on(&self, _: &Arc<RawStream>) -> Result<(), Error> {
        Ok(())
    }

    #[inline]
    fn operand_value(&self, _: Inside) -> &T {
        self
    }

    #[inline]
    fn operand_value_mut(&mut self, _: Inside) -> &mut T {
        self
    }

    #[inline]
    fn taken_by_work(self, _: Inside) -> T {
        self
    }

    #[inline]
    fn past_of_operand(&self, _: Inside) -> Past {
        Past::none()
    }
}

impl<C: Brand, T> sealed::Operand<C, T> for Pending<C, T> {
    const HAS_PAST: bool = true;

    #[inline]
    fn usable_on(&self, queue: &Arc<RawStream>) -> Result<(), Error> {
        self.check_same_stream(queue)
    }

    #[inline]
    fn operand_value(&self, _: Inside) -> &T {
        self.in_flight()
    }

    #[inline]
    fn operand_value_mut(&mut self, _: Inside) -> &mut T {
        self.in_flight_mut()
    }

    #[inline]
    fn taken_by_work(self, _: Inside) -> T {
        self.into_payload()
    }

    #[inline]
    fn past_of_operand(&self, _: Inside) -> Past {
        Self::past(self)
    }
}
