//! Copies and sets in flight, and waiting.

use super::destination::sealed::Buffer;
use super::operand::Operand;
use super::source::Source;
use super::{Destination, Pending, StreamOps};
use crate::brand::{Brand, INSIDE};
use crate::current::Current;
use crate::element::Element;
use crate::error::{Boxed, Error, Failed, ObjectKind};
use crate::ffi::{BlockPosition, CopyDirection, Here, NotCopied, NotSet, RawBuffer, RawStream};
use crate::memory::{DeviceBuffer, HostBuffer};
use ascendcl_macros::rule;
use core::mem::ManuallyDrop;
use core::ops::Range;
use std::sync::Arc;
use std::time::Duration;

impl<C: Brand> StreamOps<C> {
    /// Queues a copy from the host to the device (`aclrtMemcpyAsync`). Both buffers are in flight until the result is
    /// [waited](Pending::wait) for; then all of the device buffer is written.
    ///
    /// # Errors
    ///
    /// Returns both buffers unchanged, with [`Error::LengthMismatch`] when they differ in length,
    /// [`Error::OtherStream`] when one is in flight elsewhere, or [`Error::Vendor`].
    #[rule(COPY_01, COPY_04, COPY_05, COPY_06)]
    #[inline]
    pub fn copy_to_device<E: Element, H: Operand<C, HostBuffer<C, E>>, D: Destination<C, E>>(
        &self,
        current: &Current<C>,
        from: H,
        to: D,
    ) -> Copied<C, HostBuffer<C, E>, DeviceBuffer<C, E>, (H, D)> {
        copy_whole::<C, E, HostBuffer<C, E>, D::Buffer, _, _>(current, &self.queue, from, to)
    }

    /// Queues a copy from the device to the host (`aclrtMemcpyAsync`). Both buffers are in flight until you
    /// [wait](Pending::wait) for the result. The source may be a clone of [shared memory](crate::memory::SharedBuffer).
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device).
    #[rule(COPY_03, COPY_07)]
    #[inline]
    pub fn copy_to_host<E: Element, D: Source<C, E>, H: Operand<C, HostBuffer<C, E>>>(
        &self,
        current: &Current<C>,
        from: D,
        to: H,
    ) -> Copied<C, D::Kept, HostBuffer<C, E>, (D, H)> {
        copy_whole::<C, E, D::Kept, HostBuffer<C, E>, _, _>(current, &self.queue, from, to)
    }

    /// Queues a copy from one device buffer to another (`aclrtMemcpyAsync`). Both are in flight until the result is
    /// [waited](Pending::wait) for; then all of the second is written.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device).
    pub fn copy_on_device<E: Element, F: Source<C, E>, D: Destination<C, E>>(
        &self,
        current: &Current<C>,
        from: F,
        to: D,
    ) -> Copied<C, F::Kept, DeviceBuffer<C, E>, (F, D)> {
        copy_whole::<C, E, F::Kept, D::Buffer, _, _>(current, &self.queue, from, to)
    }

    /// Queues a copy of the elements `part` of a host buffer to the elements from `at` on of a device buffer
    /// (`aclrtMemcpyAsync`).
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device); [`Error::NoSuchPart`] when one of the two has no such part.
    #[rule(COPY_01)]
    pub fn copy_part_to_device<E: Element, H: Operand<C, HostBuffer<C, E>>, D: Operand<C, DeviceBuffer<C, E>>>(
        &self,
        current: &Current<C>,
        from: H,
        part: Range<usize>,
        to: D,
        at: usize,
    ) -> Copied<C, HostBuffer<C, E>, DeviceBuffer<C, E>, (H, D)> {
        copy_part::<C, E, HostBuffer<C, E>, DeviceBuffer<C, E>, _, _>(current, &self.queue, (from, part), (to, at))
    }

    /// Queues a copy of the elements `part` of a device buffer to the elements from `at` on of a host buffer
    /// (`aclrtMemcpyAsync`).
    ///
    /// # Errors
    ///
    /// As for [`copy_part_to_device`](Self::copy_part_to_device).
    pub fn copy_part_to_host<E: Element, D: Source<C, E>, H: Operand<C, HostBuffer<C, E>>>(
        &self,
        current: &Current<C>,
        from: D,
        part: Range<usize>,
        to: H,
        at: usize,
    ) -> Copied<C, D::Kept, HostBuffer<C, E>, (D, H)> {
        copy_part::<C, E, D::Kept, HostBuffer<C, E>, _, _>(current, &self.queue, (from, part), (to, at))
    }

    /// Queues a copy of the elements `part` of a device buffer to the elements from `at` on of another
    /// (`aclrtMemcpyAsync`). Both parts have to begin at a multiple of 64 bytes.
    ///
    /// # Errors
    ///
    /// As for [`copy_part_to_device`](Self::copy_part_to_device), and [`Error::Misaligned`].
    #[rule(COPY_09)]
    pub fn copy_part_on_device<E: Element, F: Source<C, E>, D: Operand<C, DeviceBuffer<C, E>>>(
        &self,
        current: &Current<C>,
        from: F,
        part: Range<usize>,
        to: D,
        at: usize,
    ) -> Copied<C, F::Kept, DeviceBuffer<C, E>, (F, D)> {
        copy_part::<C, E, F::Kept, DeviceBuffer<C, E>, _, _>(current, &self.queue, (from, part), (to, at))
    }

    /// Queues setting every byte of a device buffer to `value` (`aclrtMemsetAsync`). The buffer counts as written then.
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`Error::OtherStream`] when it is in flight elsewhere, or [`Error::Vendor`].
    #[rule(MEM_16)]
    #[inline]
    pub fn set_bytes<E: Element, D: Destination<C, E>>(
        &self,
        current: &Current<C>,
        buffer: D,
        value: u8,
    ) -> Result<Pending<C, DeviceBuffer<C, E>>, Failed<D>> {
        if let Err(error) = buffer.usable_on(&self.queue) {
            return Err(Failed { error, value: buffer });
        }
        // No call here unwinds (a panic of a subscriber ends in the subscriber). The compiler does not know that: it would
        // keep the buffer in memory, to drop it then.
        let buffer = ManuallyDrop::new(buffer);
        let (here, block) = (current.here(), buffer.operand_value(INSIDE).block_at_this_end());
        let (queue, number) = match self.queue.set_at_once(here, block, value) {
            Some((queue, Ok(number))) => (queue, number),
            Some((queue, Err(failed))) => return Err(not_set(queue, failed, ManuallyDrop::into_inner(buffer))),
            None => match self.queue.set(here, block, value) {
                Ok(number) => (Arc::clone(&self.queue), number),
                Err(error) => return Err(Failed::boxed(error, ManuallyDrop::into_inner(buffer))),
            },
        };
        Ok(set_in_flight(queue, number, ManuallyDrop::into_inner(buffer)))
    }

    /// Waits until all work that was queued so far is complete. It calls `aclrtSynchronizeStreamWithTimeout`
    /// repeatedly, because `aclrtSynchronizeStream` may not return while another thread queues work.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] with the code of work that failed on the device; [`Error::WorkFailed`], once, if the library
    /// reported that failure to another wait.
    #[rule(STREAM_21, ERR_02)]
    #[inline]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn synchronize( // STREAM-09: while the stream's own context is current: `context.enter(thread, |current| ...)`
        &self,
        current: &Current<C>,
    ) -> Result<(), Error> {
        current.ledger().synchronize(current.here(), &self.queue, None)
    }

    /// As [`synchronize`](Self::synchronize), for at most `limit`, which is rounded up to whole milliseconds. When the
    /// limit has passed, the library is asked once more, for a moment.
    ///
    /// Some calls wait for their stream without a limit: destroying it, registering or unregistering an allocator, proving
    /// it idle, running a model in a lane, and the end of its scope. To limit such a wait, call this method first. After
    /// it has succeeded, they return at once.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] whose code [`is_timeout`](crate::error::Code::is_timeout) when the limit has passed: the work is
    /// still in flight then, and what it uses stays inaccessible.
    #[rule(STREAM_16)]
    pub fn synchronize_within(&self, current: &Current<C>, limit: Duration) -> Result<(), Error> {
        current.ledger().synchronize(current.here(), &self.queue, Some(limit))
    }
}

/// Settles a set that failed.
#[cold]
#[inline(never)]
fn not_set<C: Brand, E: Element, D: Destination<C, E>>(queue: Arc<RawStream>, failed: NotSet, buffer: D) -> Failed<D> {
    let error = queue.settle_set(failed, buffer.operand_value(INSIDE).block_at_this_end());
    Failed::boxed(error, buffer)
}

#[inline(always)]
fn set_in_flight<C: Brand, E: Element, D: Destination<C, E>>(
    queue: Arc<RawStream>,
    number: u64,
    buffer: D,
) -> Pending<C, DeviceBuffer<C, E>> {
    if D::HAS_PAST {
        let past = buffer.past_of_operand(INSIDE);
        return Pending::with_queue(buffer.into_written_output(INSIDE), queue, number).after(past);
    }
    Pending::with_queue(buffer.into_written_output(INSIDE), queue, number)
}

/// A copy in flight, source first; or the two arguments, unchanged.
pub(crate) type Copied<C, From, To, Arguments> = Result<Pending<C, (From, To)>, Failed<Arguments>>;

/// The two arguments of a submission: in flight together, or unchanged.
#[inline(always)]
pub(crate) fn in_flight<C: Brand, A, B, F: Operand<C, A>, T: Operand<C, B>, P>(
    queue: &Arc<RawStream>,
    queued: Result<u64, impl Into<Error>>,
    (from, to): (F, T),
    payload: impl FnOnce(A, B) -> P,
) -> Result<Pending<C, P>, Failed<(F, T)>> {
    match queued {
        Ok(number) => Ok(both_in_flight(Arc::clone(queue), number, (from, to), payload)),
        Err(error) => Err(Failed { error: error.into(), value: (from, to) }),
    }
}

#[inline(always)]
fn both_in_flight<C: Brand, A, B, F: Operand<C, A>, T: Operand<C, B>, P>(
    queue: Arc<RawStream>,
    number: u64,
    (from, to): (F, T),
    payload: impl FnOnce(A, B) -> P,
) -> Pending<C, P> {
    if F::HAS_PAST || T::HAS_PAST {
        let past = from.past_of_operand(INSIDE).and(to.past_of_operand(INSIDE));
        return Pending::with_queue(payload(from.taken_by_work(INSIDE), to.taken_by_work(INSIDE)), queue, number)
            .after(past);
    }
    Pending::with_queue(payload(from.taken_by_work(INSIDE), to.taken_by_work(INSIDE)), queue, number)
}

/// An error when one of them cannot be used on this stream.
#[inline(always)]
pub(super) fn both_usable<C: Brand, A, B>(
    queue: &Arc<RawStream>,
    from: &impl Operand<C, A>,
    to: &impl Operand<C, B>,
) -> Result<(), Error> {
    match from.usable_on(queue) {
        Ok(()) => to.usable_on(queue),
        Err(error) => Err(error),
    }
}

/// All of one buffer to all of another.
#[inline(always)]
fn copy_whole<C: Brand, E, A: Buffer<C, E>, B: Buffer<C, E>, F: Operand<C, A>, T: Operand<C, B>>(
    current: &Current<C>,
    queue: &Arc<RawStream>,
    from: F,
    to: T,
) -> Copied<C, A::Written, B::Written, (F, T)> {
    if let Err(error) = both_usable(queue, &from, &to) {
        return Err(Failed { error, value: (from, to) });
    }
    // As in `set_bytes`.
    let (from, to) = (ManuallyDrop::new(from), ManuallyDrop::new(to));
    let (source, target) = (from.operand_value(INSIDE), to.operand_value(INSIDE));
    let direction = match (A::IS_ON_HOST, B::IS_ON_HOST) {
        (true, false) => CopyDirection::ToDevice,
        (false, true) => CopyDirection::ToHost,
        _ => CopyDirection::OnDevice,
    };
    let (here, blocks) = (current.here(), (target.block_at_this_end(), source.block_at_this_end()));
    let (queue, number) = match queue.copy_at_once(here, blocks, direction) {
        Some((queue, Ok(number))) => (queue, number),
        Some((queue, Err(failed))) => {
            let error = not_copied(queue, failed, blocks);
            return Err(Failed::boxed(error, (ManuallyDrop::into_inner(from), ManuallyDrop::into_inner(to))));
        }
        None => match copy_whole_after_checks::<E>(here, queue, blocks, (target.room(), source.room())) {
            Ok(number) => (Arc::clone(queue), number),
            Err(error) => {
                let operands = (ManuallyDrop::into_inner(from), ManuallyDrop::into_inner(to));
                return Err(Failed::boxed(error, operands));
            }
        },
    };
    let operands = (ManuallyDrop::into_inner(from), ManuallyDrop::into_inner(to));
    Ok(both_in_flight(queue, number, operands, both_written))
}

/// Settles a copy that failed. It gets the blocks, and not the operands: a reference to an operand would keep the operand in
/// memory, also where nothing fails.
#[cold]
#[inline(never)]
fn not_copied(queue: Arc<RawStream>, failed: NotCopied, (to, from): (&RawBuffer, &RawBuffer)) -> Boxed {
    queue.settle_copy(failed, [to, from])
}

#[inline(always)]
fn both_written<C: Brand, E, A: Buffer<C, E>, B: Buffer<C, E>>(from: A, to: B) -> (A::Written, B::Written) {
    (from.into_written(INSIDE), to.into_written(INSIDE))
}

/// Some elements of one buffer to a place in another.
fn copy_part<C: Brand, E, A: Buffer<C, E>, B: Buffer<C, E>, F: Operand<C, A>, T: Operand<C, B>>(
    current: &Current<C>,
    queue: &Arc<RawStream>,
    (from, part): (F, Range<usize>),
    (to, at): (T, usize),
) -> Copied<C, A::Written, B::Written, (F, T)> {
    let (source, target) = (from.operand_value(INSIDE), to.operand_value(INSIDE));
    let queued = both_usable(queue, &from, &to).map_err(Boxed::from).and_then(|()| {
        let ends = ((source.block_at_this_end(), source.room()), (target.block_at_this_end(), target.room()));
        queue_part::<C, E>(current, queue, (ends.0, part), (ends.1, at))
    });
    in_flight(queue, queued, (from, to), |from, to| (from.into_written(INSIDE), to.into_written(INSIDE)))
}

/// A buffer as its memory and its length in elements.
type End<'a> = (&'a RawBuffer, usize);

/// Like [`copy_whole`], with all checks.
#[cold]
#[inline(never)]
fn copy_whole_after_checks<E>(
    here: Here<'_>,
    queue: &RawStream,
    (to, from): (&RawBuffer, &RawBuffer),
    (room, length): (usize, usize),
) -> Result<u64, Boxed> {
    if room != length {
        let what = ObjectKind::COPY_DESTINATION;
        return Err(Error::LengthMismatch { what, expected: length, found: room }.into());
    }
    let [to, from] = [to, from].map(|block| BlockPosition { block, start: 0 });
    queue.copy(here, to, from, length * size_of::<E>())
}

fn queue_part<C: Brand, E>(
    current: &Current<C>,
    queue: &Arc<RawStream>,
    ((from, length), part): (End<'_>, Range<usize>),
    ((to, room), at): (End<'_>, usize),
) -> Result<u64, Boxed> {
    let Range { start, end } = part;
    if start > end || end > length {
        return Err(Error::NoSuchPart { what: ObjectKind::COPY_SOURCE, start, end, length }.into());
    }
    let behind = at.saturating_add(end - start);
    if behind > room {
        return Err(
            Error::NoSuchPart { what: ObjectKind::COPY_DESTINATION, start: at, end: behind, length: room }.into()
        );
    }
    let size = size_of::<E>();
    let (to, from) =
        (BlockPosition { block: to, start: at * size }, BlockPosition { block: from, start: start * size });
    queue.copy(current.here(), to, from, (end - start) * size)
}
