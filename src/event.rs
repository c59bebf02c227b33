//! Events: points in a stream's work.

use crate::brand::{Brand, Unnamed};
use crate::current::Current;
use crate::error::{Error, Undone};
use crate::ffi::RawEvent;
use crate::life_cycle::leads;
use crate::stream::Tasks;
use ascendcl_macros::rule;
use core::fmt;
use core::marker::PhantomData;
use static_assertions::{assert_impl_all, assert_not_impl_any};
use std::sync::Arc;
use std::time::Duration;

// The states and their bounds come from the declaration of an event's life cycle.
pub use ascendcl_rules::event::{CanMeasure, CanRecord, CanWait, Recorded, State as EventState, Unrecorded};

/// An event (`aclrtCreateEvent`).
///
/// A new event is [`Unrecorded`]. [`Tasks::record`] puts it behind the work of a stream; then it is [`Recorded`], and
/// another stream or the host can wait for it. It is recorded anew and never reset: the library forbids that for such
/// events, and a reset under several waits can leave one waiting for ever. An event that is dropped is destroyed by
/// [`Current::collect`] or the end of its scope.
#[must_use = "an event that is dropped is destroyed by `collect` or at the end of its scope"]
#[rule(EVENT_05, EVENT_07)]
pub struct Event<'c, S: EventState = Unrecorded, N = Unnamed> {
    raw: Arc<RawEvent>,
    _state: PhantomData<S>,
    _brand: Brand<'c, N>,
}

assert_impl_all!(Event<'static>: Send, Sync);
assert_not_impl_any!(Event<'static>: Clone);

impl<'c, S: EventState, N> Event<'c, S, N> {
    /// Destroys the event (`aclrtDestroyEvent`). What waits for it already goes on waiting for the recorded point
    /// (EVENT-06).
    ///
    /// # Errors
    ///
    /// The event as it was, when the library refuses.
    #[rule(EVENT_06)]
    pub fn destroy(self, current: &Current<'c, N>) -> Result<(), Undone<Self>> {
        leads!(event: Unrecorded --> End : Destroy, event: Recorded --> End : Destroy);
        current.ledger().destroy_event(&self.raw).map_err(|error| Undone { error, value: self })
    }

    /// Waits on this thread until the work before the recorded point is done (`aclrtSynchronizeEventWithTimeout`,
    /// again and again).
    ///
    /// Buffers in flight are given back by a wait for their stream, not by this.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library cannot wait; [`Error::WorkFailed`], once, when a wait for the stream was told
    /// that work before the recorded point failed.
    pub fn synchronize(&self, current: &Current<'c, N>) -> Result<(), Error>
    where
        S: CanWait,
    {
        self.wait(current, None)
    }

    /// As [`synchronize`](Self::synchronize), for at most `limit`, rounded up to whole milliseconds.
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] whose code [`is_timeout`](crate::Code::is_timeout) when the time was up.
    #[rule(EVENT_11)]
    pub fn synchronize_within(&self, current: &Current<'c, N>, limit: Duration) -> Result<(), Error>
    where
        S: CanWait,
    {
        self.wait(current, Some(limit))
    }

    fn wait(&self, current: &Current<'c, N>, limit: Option<Duration>) -> Result<(), Error> {
        let ledger = current.ledger();
        self.raw.synchronize(ledger.api(), limit)?;
        self.raw.tell(ledger.streams())
    }

    pub(crate) fn raw(&self) -> &RawEvent {
        &self.raw
    }

    /// Whether the work before the recorded point is done (`aclrtQueryEventStatus`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library cannot tell.
    pub fn is_complete(&self, current: &Current<'c, N>) -> Result<bool, Error>
    where
        S: CanWait,
    {
        self.raw.is_complete(current.ledger().api())
    }
}

impl<'c, S: EventState, N> Event<'c, S, N> {
    /// Waits for both points and tells the milliseconds between them, on the device's clock (`aclrtEventElapsedTime`;
    /// EVENT-04).
    ///
    /// # Errors
    ///
    /// [`Error::EventsOfTwoStreams`] when they were not recorded on one stream; [`Error::Vendor`] when the library cannot
    /// tell. When `start` was recorded after this event, the time is 0 or negative, or the library refuses (107007).
    #[rule(EVENT_04)]
    pub fn milliseconds_since<T: CanMeasure>(
        &self,
        current: &Current<'c, N>,
        start: &Event<'c, T, N>,
    ) -> Result<f32, Error>
    where
        S: CanMeasure,
    {
        let api = current.ledger().api();
        self.raw.shares_its_stream_with(&start.raw)?;
        start.raw.synchronize(api, None)?;
        self.raw.synchronize(api, None)?;
        self.raw.milliseconds_since(api, &start.raw)
    }
}

impl<'c, N> Event<'c, Unrecorded, N> {
    pub(crate) fn new(raw: Arc<RawEvent>) -> Self {
        Self { raw, _state: PhantomData, _brand: Brand::NEW }
    }
}

impl<'c, N> Tasks<'c, N> {
    /// Puts the event behind everything that is queued on this stream so far (`aclrtRecordEvent`). Recording again moves
    /// the event; what waits for it already waits for the earlier point (EVENT-09).
    ///
    /// # Errors
    ///
    /// The event as it was, when the library refuses.
    #[rule(EVENT_07, EVENT_09)]
    pub fn record<T: CanRecord>(
        &self,
        current: &Current<'c, N>,
        event: Event<'c, T, N>,
    ) -> Result<Event<'c, Recorded, N>, Undone<Event<'c, T, N>>> {
        leads!(event: T, CanRecord => Recorded);
        match event.raw.record(current.ledger().api(), self.queue()) {
            Ok(()) => Ok(Event { raw: event.raw, _state: PhantomData, _brand: Brand::NEW }),
            Err(error) => Err(Undone { error, value: event }),
        }
    }

    /// Lets everything that is queued on this stream from now on wait for the event (`aclrtStreamWaitEvent`). This is how
    /// work on one stream comes after work on another (STREAM-04).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library refuses.
    #[rule(STREAM_04, EVENT_05, EVENT_07)]
    pub fn wait_for<T: CanWait>(&self, current: &Current<'c, N>, event: &Event<'c, T, N>) -> Result<(), Error> {
        event.raw.hold_up(current.ledger().api(), self.queue())
    }
}

impl<S: EventState, N> fmt::Debug for Event<'_, S, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event").field("raw", &self.raw).finish_non_exhaustive()
    }
}
