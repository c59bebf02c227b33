//! Work in flight, and what it works on.

use super::Mapped;
use super::past::{OtherStreams, Past, Unreported};
use super::payload::Payload;
use crate::brand::{Brand, INSIDE, Mark, Scoped};
use crate::code::Code;
use crate::current::Current;
use crate::error::{Boxed, Error, Failed, ObjectKind};
use crate::ffi::{Api, Here, RawStream};
use ascendcl_macros::rule;
use core::fmt;
use core::mem::ManuallyDrop;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;
use std::time::Duration;

/// Work that was queued on a stream, together with the buffers that it uses.
///
/// The host cannot access the buffers until the stream was synchronised. Until then they can be passed on to more work
/// on the same stream ([`Operand`](super::Operand)): [`split`](Self::split) takes several apart, and
/// [`StreamOps::adopt_after`](crate::stream::StreamOps::adopt_after) hands them to another stream.
///
/// ```
/// use ascendcl::{Library, RunError};
///
/// ascendcl::run(Library::Simulator, |current| {
///     let stream = current.stream()?;
///     let (mut image, copy) = (current.host_buffer::<f32>(4)?, current.host_buffer::<f32>(4)?);
///     image.fill(1.5);
///     // There and back, with one wait.
///     let (image, device) = stream.copy_to_device(current, image, current.device_buffer(4)?)?.split();
///     let back = stream.copy_to_host(current, device, copy)?;
///     let (_image, (_device, copy)) = image.join(back)?.wait(current)?;
///     assert_eq!(*copy, [1.5; 4]);
///     Ok::<_, ascendcl::Error>(())
/// })?;
/// # Ok::<(), RunError<ascendcl::Error>>(())
/// ```
///
/// Having a `Pending<C, T>` tells you the following:
///
/// * Work on one stream may still use `T`, so the host cannot access it.
/// * The memory of `T` is not freed before that work is complete, whether or not you keep the `Pending`.
///
/// It does not tell you:
///
/// * that the work has begun, or that it will succeed;
/// * after [`is_complete`](Self::is_complete) returned `true`, that the work succeeded: only [`wait`](Self::wait) reports a
///   failure, and only it returns the buffers.
///
/// Dropping or forgetting a `Pending` loses the handles of the buffers. Their memory stays until the work is done.
/// Touching a buffer before the wait does not compile, because the copy took it:
///
/// ```text
/// error[E0382]: borrow of moved value: `image`
///    |
/// 10 |     let copy = stream.copy_to_device(current, image, device)?;
///    |                                               ----- value moved here
/// 11 |     let _still_in_flight = copy;
/// 12 |     image.slice_mut(current)?[0] = 1.0;
///    |     ^^^^^ value borrowed here after move
/// ```
#[must_use = "`wait` says whether the work failed, and gives back what it uses"]
#[rule(STREAM_04, STREAM_12, COPY_03, COPY_04, COPY_07, ERR_02)]
pub struct Pending<
    C: Brand, // CTX-02: the context comes first: `Pending<C, T>` with `C: Brand`; of a runtime: `Pending<Vision, T>`
    T,
> {
    payload: OutOfReach<T>,
    queue: Arc<RawStream>,
    /// All work on the payload is among the stream's submissions up to this one.
    number: u64,
    /// From which of them on failures were not reported yet.
    unreported: Unreported,
    other_streams: OtherStreams,
    _brand: Mark<C>,
}

/// The payload of a [`Pending`]. It is wrapped because of the compiler's messages: a program that uses a `Pending` as if
/// it were its buffers would get the suggestion to use the field `payload`.
struct OutOfReach<T> {
    until_waited: T,
}

assert_impl_all!(Pending<Scoped<'static>, ()>: Send);
assert_not_impl_any!(Pending<Scoped<'static>, ()>: Clone);

impl<C: Brand, T: Payload> Pending<C, T> {
    /// Waits for the stream (`aclrtSynchronizeStreamWithTimeout`, repeatedly) and returns the buffers. It calls nothing
    /// if an earlier synchronise has covered the work, and no stream from which the work was taken over has to be asked.
    ///
    /// # Errors
    ///
    /// Returns the work unchanged if it failed on the device or the wait failed: the buffers stay inaccessible. The
    /// library reports a failure to one wait only. For each other work that the failure may concern, this crate reports
    /// [`Error::WorkFailed`], once. A second wait then returns the buffers, unless the context has
    /// [stopped at the failure](crate::stream::StreamOptions::stop_on_failure), or the device is lost.
    ///
    /// Also returns the work unchanged if a stream from which it was taken over does not say whether its work failed.
    ///
    /// After a failure nobody knows what the work has written. Buffers have what they have; the outputs of bound models
    /// are [`Error::NotExecuted`] until the next execution.
    #[inline]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn wait( // STREAM-09, MEM-11: while the context of the work is current: `context.enter(thread, |current| ...)`
        self, // COPY-03: waiting takes the work, and returns what it used: `let buffers = pending.wait(current)?;`
        current: &Current<C>,
    ) -> Result<T, Failed<Self>> {
        self.wait_for(current, None)
    }

    /// As [`wait`](Self::wait), for at most `limit`, rounded up to whole milliseconds (STREAM-16).
    ///
    /// # Errors
    ///
    /// As for [`wait`](Self::wait); when the limit has passed, the error's code
    /// [`is_timeout`](crate::error::Code::is_timeout).
    #[rule(STREAM_16)]
    pub fn wait_within(self, current: &Current<C>, limit: Duration) -> Result<T, Failed<Self>> {
        self.wait_for(current, Some(limit))
    }

    #[inline(always)]
    pub(super) fn wait_for(self, current: &Current<C>, limit: Option<Duration>) -> Result<T, Failed<Self>> {
        let here = current.here();
        let Self { payload, queue, number, unreported, other_streams, _brand } = self;
        // As in `set_bytes`. What fails gets the work by value, so it need not be in memory where nothing fails.
        let (payload, queue) = (ManuallyDrop::new(payload), ManuallyDrop::new(queue));
        let other_streams = ManuallyDrop::new(other_streams);
        let work = |payload, queue, other_streams| Self {
            payload: ManuallyDrop::into_inner(payload),
            queue: ManuallyDrop::into_inner(queue),
            number,
            unreported,
            other_streams,
            _brand,
        };
        // This comes first: afterwards there are none, and nothing copies the place where they would be.
        if other_streams.is_somewhere() {
            return work(payload, queue, ManuallyDrop::into_inner(other_streams)).wait_beside_others(here, limit);
        }
        let work = |payload, queue| work(payload, queue, OtherStreams::None);
        if queue.has_done(number) {
            if let Err(error) = here.check_process() {
                return Err(Failed::boxed(error, work(payload, queue)));
            }
        } else if let Err(error) = queue.synchronize_here(here, limit) {
            return Err(work(payload, queue).not_waited_for(error));
        }
        if queue.any_failed() {
            return work(payload, queue).unless_failed(here.api());
        }
        payload.until_waited.mark_work_done(INSIDE);
        drop(ManuallyDrop::into_inner(queue));
        Ok(ManuallyDrop::into_inner(payload).until_waited)
    }

    /// Waits for the stream, and then asks the streams from which the work was taken over.
    #[cold]
    #[inline(never)]
    fn wait_beside_others(self, here: Here<'_>, limit: Option<Duration>) -> Result<T, Failed<Self>> {
        let is_done = self.queue.has_done(self.number);
        let waited = if is_done { here.check_process() } else { self.queue.synchronize_here(here, limit) };
        match waited {
            Ok(()) => self.unless_failed(here.api()),
            Err(error) => Err(self.not_waited_for(error)),
        }
    }

    /// The work is over. Returns a failure that another wait got.
    #[cold]
    #[inline(never)]
    fn unless_failed(mut self, api: Api) -> Result<T, Failed<Self>> {
        if let Some(failure) = self.queue.failure_among(self.unreported.since(self.number), self.number) {
            self.note_all_reported();
            self.payload.until_waited.note_failure(INSIDE);
            return Err(Failed { error: failure, value: self });
        }
        if let Some(error) = self.other_streams.next_failure(api) {
            self.payload.until_waited.note_failure(INSIDE);
            return Err(Failed { error, value: self });
        }
        self.payload.until_waited.mark_work_done(INSIDE);
        Ok(self.payload.until_waited)
    }

    #[cold]
    #[inline(never)]
    fn not_waited_for(mut self, error: Boxed) -> Failed<Self> {
        if error.as_error().code().is_some_and(Code::reports_work) {
            self.note_all_reported();
            self.payload.until_waited.note_failure(INSIDE);
        }
        Failed::boxed(error, self)
    }

    /// All failures that are known by now were reported to this work.
    #[cold]
    fn note_all_reported(&mut self) {
        self.unreported = Unreported::between(self.queue.after_failures(), self.number);
    }
}

impl<C: Brand, T> Pending<C, T> {
    /// The caller has the stream and has just made the submission with this number.
    #[inline(always)]
    pub(crate) fn new(payload: T, queue: &Arc<RawStream>, number: u64) -> Self {
        Self::with_queue(payload, Arc::clone(queue), number)
    }

    /// Like [`new`](Self::new), but takes the pointer to the stream instead of cloning it.
    #[inline(always)]
    pub(crate) fn with_queue(payload: T, queue: Arc<RawStream>, number: u64) -> Self {
        let unreported = Unreported::between(number, number);
        let payload = OutOfReach { until_waited: payload };
        Self { payload, queue, number, unreported, other_streams: OtherStreams::None, _brand: Mark::NEW }
    }

    /// Adds the earlier work on the operands. A wait for this work also reports its failures.
    #[inline(always)]
    pub(crate) fn after(mut self, past: Past) -> Self {
        if past.since < self.number {
            self.unreported = Unreported::between(past.since, self.number);
        }
        self.other_streams = past.other_streams;
        self
    }

    /// This work, and the work before it, as the past of the work that uses its payload next.
    #[inline]
    pub(crate) fn past(&self) -> Past {
        Past { since: self.unreported.since(self.number), other_streams: self.other_streams.clone() }
    }

    /// The same, for the next work on another stream that takes this work over.
    pub(super) fn past_of_other_streams(&mut self) -> Past {
        let before = core::mem::replace(&mut self.other_streams, OtherStreams::None);
        Past::taken_over(&self.queue, self.number, self.unreported, before)
    }

    /// Whether the work is over, well or not (`aclrtStreamQuery`): then [`wait`](Self::wait) does not block for it.
    /// Work that was queued later on the same stream counts, too.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library cannot tell.
    pub fn is_complete(&self, current: &Current<C>) -> Result<bool, Error> {
        current.ledger().api().check_process()?;
        if self.queue.has_done(self.number) { Ok(true) } else { self.queue.is_complete(current.ledger().api()) }
    }

    /// Puts two pieces of work on one stream together, to be waited for at once.
    ///
    /// # Errors
    ///
    /// Returns both unchanged, with [`Error::OtherStream`] when they are not on one stream.
    pub fn join<U>(self, other: Pending<C, U>) -> Result<Pending<C, (T, U)>, Failed<Box<(Self, Pending<C, U>)>>> {
        match other.check_same_stream(&self.queue) {
            Ok(()) => {
                let past = self.past().and(other.past());
                let Self { payload, queue, number, _brand, .. } = self;
                let number = number.max(other.number);
                let until_waited = (payload.until_waited, other.payload.until_waited);
                let (payload, unreported) = (OutOfReach { until_waited }, Unreported::between(past.since, number));
                Ok(Pending { payload, queue, number, unreported, other_streams: past.other_streams, _brand })
            }
            Err(error) => Err(Failed { error, value: Box::new((self, other)) }),
        }
    }

    /// The same work, with its payload in another form.
    pub(crate) fn reshaped<U>(self, form: impl FnOnce(T) -> U) -> Pending<C, U> {
        let Self { payload, queue, number, unreported, other_streams, _brand } = self;
        let payload = OutOfReach { until_waited: form(payload.until_waited) };
        Pending { payload, queue, number, unreported, other_streams, _brand }
    }

    /// The work without its payload, and the payload.
    pub(super) fn apart(self) -> (Pending<C, ()>, T) {
        let Self { payload, queue, number, unreported, other_streams, _brand } = self;
        let none = OutOfReach { until_waited: () };
        (Pending { payload: none, queue, number, unreported, other_streams, _brand }, payload.until_waited)
    }

    /// The same work, with another payload. The work is also on this payload.
    pub(super) fn on<U>(&self, payload: U) -> Pending<C, U> {
        let payload = OutOfReach { until_waited: payload };
        let (queue, other_streams) = (Arc::clone(&self.queue), self.other_streams.clone());
        let (number, unreported) = (self.number, self.unreported);
        Pending { payload, queue, number, unreported, other_streams, _brand: Mark::NEW }
    }

    /// Calls `finish` with the buffers as soon as a wait has returned them.
    pub fn map<U, F: FnOnce(T) -> U>(self, finish: F) -> Mapped<C, T, F> {
        Mapped::new(self, finish)
    }

    #[inline]
    pub(crate) fn check_same_stream(&self, queue: &Arc<RawStream>) -> Result<(), Error> {
        if Arc::ptr_eq(&self.queue, queue) { Ok(()) } else { Err(Error::OtherStream { what: ObjectKind::WORK }) }
    }

    /// The operands, to queue more work on them.
    #[inline]
    pub(crate) fn in_flight(&self) -> &T {
        &self.payload.until_waited
    }

    #[inline]
    pub(crate) fn in_flight_mut(&mut self) -> &mut T {
        &mut self.payload.until_waited
    }

    #[inline]
    pub(crate) fn into_payload(self) -> T {
        self.payload.until_waited
    }

    pub(crate) fn queue(&self) -> &Arc<RawStream> {
        &self.queue
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }
}

impl<C: Brand, A, B> Pending<C, (A, B)> {
    /// Takes the two apart; each is in flight as before.
    pub fn split(self) -> (Pending<C, A>, Pending<C, B>) {
        let Self {
            payload: OutOfReach { until_waited: (first, second) },
            queue,
            number,
            unreported,
            other_streams,
            _brand,
        } = self;
        let (first, second) = (OutOfReach { until_waited: first }, OutOfReach { until_waited: second });
        let apart = (Arc::clone(&queue), other_streams.clone());
        (
            Pending { payload: first, queue: apart.0, number, unreported, other_streams: apart.1, _brand: Mark::NEW },
            Pending { payload: second, queue, number, unreported, other_streams, _brand },
        )
    }
}

impl<C: Brand, T> fmt::Debug for Pending<C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("queue", &self.queue).field("number", &self.number).finish_non_exhaustive()
    }
}
