//! Events: points in a stream's work.

mod kind;

use crate::brand::{Brand, Mark, Scoped};
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::ffi::RawEvent;
use crate::ledger::end;
use crate::life_cycle::leads;
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;
use std::time::Duration;

// The states and their bounds come from the declaration of an event's life cycle.
pub use ascendcl_rules::event::{CanMeasure, CanRecord, CanWait, Recorded, State as EventState, Unrecorded};
pub use kind::{AllPurpose, EventKind, Progress, SyncKind, Timing, TimingKind, Waiting};

/// A point in the work of a stream, for which other streams and the host can wait (`aclrtCreateEvent`). `K`
/// says what it is [for](EventKind).
///
/// * [`Unrecorded`]: a new event. It marks no point, and nothing can wait for it.
/// * [`Recorded`], after [`StreamOps::record`](crate::stream::StreamOps::record): it comes after all work that the
///   stream had at the record. It can be recorded anew.
///
/// This crate never resets events: the library forbids that for such events, and a reset during several waits can make
/// one of them wait forever. [`Current::collect`] or the end of the scope destroys an event that was dropped.
///
/// ```
/// # use ascendcl::{Library, RunError};
/// ascendcl::run(Library::Simulator, |current| {
///     let (first, second) = (current.stream()?, current.stream()?);
///     let work = first.set_bytes(current, current.device_buffer::<u8>(4)?, 7)?;
///     let event = first.record(current, current.event()?)?;
///     // Work that is queued on the second stream from now on comes after the set.
///     second.wait_for(current, &event)?;
///     event.synchronize(current)?;
///     // The set is done, so this returns at once.
///     let _buffer = work.wait(current)?;
///     Ok::<_, ascendcl::Error>(())
/// })?;
/// # Ok::<(), RunError<ascendcl::Error>>(())
/// ```
#[must_use = "an event that is dropped is destroyed by `collect` or at the end of its scope"]
#[rule(EVENT_05, EVENT_07)]
#[diagnostic::on_move(
    message = "this event was destroyed, or recorded",
    note = "EVENT-06, EVENT-09: recording returns the event: `let event = stream.record(current, event)?;`"
)]
pub struct Event<
    C: Brand, // CTX-02: of every context: `struct S<C: Brand> { event: Event<C> }`; of a runtime: `Event<Vision>`
    S: EventState = Unrecorded,
    K: EventKind = AllPurpose,
> {
    raw: Arc<RawEvent>,
    _state: PhantomData<(S, K)>,
    _brand: Mark<C>,
}

assert_impl_all!(Event<Scoped<'static>>: Send, Sync);
assert_not_impl_any!(Event<Scoped<'static>>: Clone);

impl<C: Brand> Current<C> {
    /// Creates an event (`aclrtCreateEvent`), a new one at each call.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`]; 207007 when the device has no more events, also after destroying dropped ones.
    #[rule(EVENT_08)]
    #[inline]
    pub fn event(&self) -> Result<Event<C, Unrecorded>, Error> {
        leads!(event: Start --> Unrecorded : Create);
        self.ledger().create_event(self.here()).map(Event::of)
    }
}

impl<C: Brand, S: EventState, K: EventKind> Event<C, S, K> {
    /// Destroys the event (`aclrtDestroyEvent`). Streams that already wait for it keep waiting for the recorded point
    /// (EVENT-06).
    ///
    /// # Errors
    ///
    /// Returns the event unchanged if the library refuses.
    #[must_use = "ERR-01: a failed call gives its object back: `?`, or look at the `Err`; see `ascendcl-explain ERR-01`"]
    #[rule(EVENT_06)]
    #[inline]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn destroy( // EVENT-07: while its own context is current: `context.enter(thread, |current| ...)`
        self, // EVENT-06: an event is destroyed once and last: for another one, call `current.event()`
        current: &Current<C>,
    ) -> Result<(), Failed<Self>> {
        leads!(event: Unrecorded --> End : Destroy, event: Recorded --> End : Destroy);
        let (ledger, here) = (current.ledger(), current.here());
        let slowly = |event: Self| {
            ledger.destroy_event(&event.raw, None).map_err(|error| Failed { error, value: event })
        };
        end(self, |event| ledger.destroy_event_at_once(here, &event.raw), slowly)
    }

    /// Waits on this thread until the work before the recorded point is complete (`aclrtSynchronizeEventWithTimeout`,
    /// repeatedly).
    ///
    /// This does not return buffers in flight; a wait for their stream does.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] if the library cannot wait; [`Error::WorkFailed`], once, if a wait for the stream got the
    /// failure of work before the recorded point.
    pub fn synchronize(&self, current: &Current<C>) -> Result<(), Error>
    where
        S: CanWait,
    {
        self.synchronize_for(current, None)
    }

    /// As [`synchronize`](Self::synchronize), for at most `limit`, rounded up to whole milliseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] whose code [`is_timeout`](crate::error::Code::is_timeout) after the limit.
    #[rule(EVENT_11)]
    pub fn synchronize_within(&self, current: &Current<C>, limit: Duration) -> Result<(), Error>
    where
        S: CanWait,
    {
        self.synchronize_for(current, Some(limit))
    }

    fn synchronize_for(&self, current: &Current<C>, limit: Option<Duration>) -> Result<(), Error> {
        let ledger = current.ledger();
        self.raw.synchronize(ledger.api(), limit)?;
        self.raw.take_failure(|id| ledger.stream_with(id))
    }

    pub(crate) fn raw(&self) -> &RawEvent {
        &self.raw
    }

    pub(crate) fn row(&self) -> &Arc<RawEvent> {
        &self.raw
    }

    /// Whether the work before the recorded point is done (`aclrtQueryEventStatus`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] if the query fails.
    pub fn is_complete(&self, current: &Current<C>) -> Result<bool, Error>
    where
        S: CanWait,
    {
        self.raw.is_complete(current.ledger().api())
    }
}

impl<C: Brand, S: EventState, K: EventKind> Event<C, S, K> {
    /// Waits for both points and tells the milliseconds between them, on the device's clock (`aclrtEventElapsedTime`;
    /// EVENT-04).
    ///
    /// # Errors
    ///
    /// [`Error::EventsOfTwoStreams`] when they were not recorded on one stream, or when a later record of one of them
    /// was refused and may have moved it; [`Error::Vendor`] when the library cannot tell. When `start` was recorded
    /// after this event, the time is 0 or negative, or the library refuses (107007).
    #[rule(EVENT_04)]
    pub fn milliseconds_since<T: CanMeasure, L: TimingKind>(
        &self,
        current: &Current<C>,
        start: &Event<C, T, L>,
    ) -> Result<f32, Error>
    where
        S: CanMeasure,
        K: TimingKind,
    {
        let api = current.ledger().api();
        self.raw.check_same_stream_as(&start.raw)?;
        start.raw.synchronize(api, None)?;
        self.raw.synchronize(api, None)?;
        self.raw.milliseconds_since(api, &start.raw)
    }
}

impl<C: Brand, K: EventKind> Event<C, Unrecorded, K> {
    pub(crate) fn of(raw: Arc<RawEvent>) -> Self {
        Self { raw, _state: PhantomData, _brand: Mark::NEW }
    }
}

impl<C: Brand, T: CanRecord, K: EventKind> Event<C, T, K> {
    /// The event, which was recorded.
    pub(crate) fn into_recorded(self) -> Event<C, Recorded, K> {
        Event { raw: self.raw, _state: PhantomData, _brand: Mark::NEW }
    }
}

impl<C: Brand, S: EventState, K: EventKind> fmt::Debug for Event<C, S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.shown_as("Event", f)
    }
}
