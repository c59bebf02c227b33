//! Copies from and to slices that the caller keeps.

use super::destination::sealed::Buffer;
use super::source::Source;
use super::{Destination, Pending, StreamOps};
use crate::brand::{Brand, INSIDE, Mark, OfTheCurrentContext, Scoped};
use crate::current::Current;
use crate::element::Element;
use crate::error::{Error, Failed, ObjectKind};
use crate::ffi::{self, BlockPosition, Borrowed, Owner};
use crate::memory::DeviceBuffer;
use crate::undelivered;
use ascendcl_macros::rule;
use core::fmt;
use static_assertions::assert_not_impl_any;

impl<C: Brand> Current<C> {
    /// Lends slices to queued copies (`aclrtMemcpyAsync`) for the length of `program`, and waits for the copies at its end
    /// (`aclrtSynchronizeStreamWithTimeout`), also on a panic.
    ///
    /// Work owns the memory that it uses. This method is the exception, for memory that somebody else owns. A slice
    /// stays borrowed until `copy_scope` returns, as in [`std::thread::scope`]. After that, a slice that was written
    /// can be read. Slices are ordinary memory, so the library may block in the queueing call. If the device buffer is
    /// in flight, the call waits for the stream first, as for a [pageable buffer](Self::pageable_buffer).
    ///
    /// **The process is aborted** when a stream cannot be synchronised and a second attempt fails, too: the library cannot
    /// tell then that the copies are over. As soon as `copy_scope` returns, the memory is the caller's again, and nothing
    /// in the process could keep the device from writing to it. A wait for a device that hangs does not return. To find
    /// that out in time, call [`StreamOps::synchronize_within`] inside `program`. Lend no slices in a context that a failure
    /// [stops](super::StreamOptions::stop_on_failure): every wait fails there after a failure on any of its streams, so
    /// that failure aborts the process at the end of the `copy_scope`.
    ///
    /// ```
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let (image, mut copy) = ([1.0_f32; 16], [0.0; 16]);
    /// current.copy_scope(|current, copies| {
    ///     let (stream, device) = (current.stream()?, current.device_buffer(16)?);
    ///     let device = copies.copy_to_device(current, &stream, &image, device)?;
    ///     copies.copy_to_host(current, &stream, device, &mut copy)?;
    ///     Ok::<_, ascendcl::Error>(())
    /// })??;
    /// assert_eq!(copy, image);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] with the code of work that failed on the device; the result of `program` is lost then, and
    /// nothing is in flight any more. [`Error::CurrentChanged`], with
    /// [`Acl::verify_current`](crate::Acl::verify_current), if foreign code left another context current; the context of
    /// the scope is current again then. Of several errors this returns the first, and [`Current::collect`] the others.
    /// If `program` panics, [`sweep`](crate::runtime::sweep) returns all of them.
    #[rule(COPY_03, COPY_04, COPY_05)]
    pub fn copy_scope<'env, R>(
        &mut self,
        program: impl for<'l> FnOnce(&mut Self, &'l CopyScope<'l, 'env, C>) -> R,
    ) -> Result<R, Error> {
        let (api, waits) = (self.ledger().api(), (Owner::of(self.id()), self.ledger().context()));
        let (result, mut failures) = ffi::copy_scope(api, waits, |borrowed| {
            let copies = CopyScope { borrowed, _brand: Mark::NEW, _here: OfTheCurrentContext::NEW };
            program(self, &copies)
        });
        let result = result.unwrap_or_else(|panic| {
            undelivered::keep(failures.drain(..));
            panic.resume()
        });
        if failures.is_empty() {
            return Ok(result);
        }
        let first = failures.remove(0);
        self.ledger().keep_for_collect(failures);
        Err(first)
    }
}

/// Queues copies that use memory of the caller. See [`Current::copy_scope`].
pub struct CopyScope<'l, 'env, C: Brand> {
    borrowed: &'l Borrowed<'env>,
    _brand: Mark<C>,
    _here: OfTheCurrentContext,
}

assert_not_impl_any!(CopyScope<'static, 'static, Scoped<'static>>: Send, Sync, Clone);

impl<'env, C: Brand> CopyScope<'_, 'env, C> {
    /// The work that the scope waits for.
    pub(crate) fn borrowed(&self) -> &Borrowed<'env> {
        self.borrowed
    }

    /// Queues a copy of a slice to the device (`aclrtMemcpyAsync`).
    ///
    /// # Errors
    ///
    /// Returns the buffer unchanged, with [`Error::LengthMismatch`], [`Error::OtherStream`] when it is in flight
    /// elsewhere, [`Error::WrongContext`] inside another runtime with the same name, or [`Error::Vendor`]. For a program
    /// that runs on the device, [`Error::Misaligned`] when the slice does not begin at a multiple of 64 bytes.
    #[rule(COPY_09)]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn copy_to_device<E: Element, D: Destination<C, E>>( // COPY-08: of another device: `copies.copy_from_peer(...)`
        &self,
        current: &Current<C>,
        stream: &StreamOps<C>,
        from: &'env [E],
        to: D,
    ) -> Result<Pending<C, DeviceBuffer<C, E>>, Failed<D>> {
        let (here, queue) = (current.here(), stream.queue());
        let ready = to.usable_on(queue).and_then(|()| same_length(from.len(), to.operand_value(INSIDE).room()));
        let place = BlockPosition { block: to.operand_value(INSIDE).block_at_this_end(), start: 0 };
        match ready.and_then(|()| self.borrowed.copy_in(here, queue, place, from)) {
            Ok(number) => {
                let past = to.past_of_operand(INSIDE);
                Ok(Pending::new(to.into_written_output(INSIDE), queue, number).after(past))
            }
            Err(error) => Err(Failed { error, value: to }),
        }
    }

    /// Queues a copy from the device to a slice (`aclrtMemcpyAsync`). The slice can be read when the scope has ended.
    ///
    /// # Errors
    ///
    /// As for [`copy_to_device`](Self::copy_to_device).
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn copy_to_host<E: Element, D: Source<C, E>>( // COPY-08: of another device: `copies.copy_to_peer(...)`
        &self,
        current: &Current<C>,
        stream: &StreamOps<C>,
        from: D,
        to: &'env mut [E],
    ) -> Result<Pending<C, D::Kept>, Failed<D>> {
        let (here, queue) = (current.here(), stream.queue());
        let ready = from.usable_on(queue).and_then(|()| same_length(from.operand_value(INSIDE).room(), to.len()));
        let place = BlockPosition { block: from.operand_value(INSIDE).block_at_this_end(), start: 0 };
        match ready.and_then(|()| self.borrowed.copy_out(here, queue, to, place)) {
            Ok(number) => {
                let past = from.past_of_operand(INSIDE);
                Ok(Pending::new(from.taken_by_work(INSIDE), queue, number).after(past))
            }
            Err(error) => Err(Failed { error, value: from }),
        }
    }
}

/// An error if the two sides of a copy differ in length.
pub(crate) fn same_length(expected: usize, found: usize) -> Result<(), Error> {
    if expected == found {
        return Ok(());
    }
    Err(Error::LengthMismatch { what: ObjectKind::COPY_DESTINATION, expected, found })
}

impl<C: Brand> fmt::Debug for CopyScope<'_, '_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CopyScope").field("streams", &self.borrowed.streams()).finish_non_exhaustive()
    }
}
