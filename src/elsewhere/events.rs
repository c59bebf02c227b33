//! What streams do with events.

use crate::brand::Brand;
use crate::error::Error;
use crate::event::{AllPurpose, Event, EventKind, EventState, Recorded, Unrecorded};

elsewhere! {
    /// An event without a context.
    EventsOfCurrent:
        "an event is made in a context that is current",
        "an `Event` has no constructor of its own",
        "DEV-01: `let event = current.event()?;`, with the `current` of `ascendcl::run`, `context.enter` or `runtime.with`",
        "see `ascendcl-explain DEV-01`";

    /// An event that records itself.
    RecordedByStreams:
        "a stream records an event",
        "call this on the stream, and pass the event to it",
        "EVENT-05, EVENT-07: `let event = stream.record(current, event)?;`: only what it returns can be waited for",
        "see `ascendcl-explain EVENT-05`";

    /// An event that waits.
    WaitedForByStreams:
        "a stream or the host waits for an event",
        "an event itself does not wait",
        "EVENT-05, EVENT-07: the stream waits: `stream.wait_for(current, &event)?`; the host waits: `event.synchronize(current)?`",
        "see `ascendcl-explain EVENT-05`";

    /// An event that is asked.
    AnswersIsComplete:
        "`is_complete` tells whether the work before a recorded event is done",
        "no method of an event has this name",
        "EVENT-05: `event.is_complete(current)?`",
        "see `ascendcl-explain EVENT-05`";

    /// A time between events, without their context.
    MeasuredFromTheStart:
        "the time between two events is a method of the later event",
        "the method is `milliseconds_since`",
        "EVENT-04: `end.milliseconds_since(current, &start)?`, for two recorded events of one stream",
        "see `ascendcl-explain EVENT-04`";
}

#[doc(hidden)]
impl<C: Brand> Event<C, Unrecorded, AllPurpose> {
    pub fn new() -> Result<Self, Error>
    where
        Self: EventsOfCurrent,
    {
        <Self as EventsOfCurrent>::never()
    }
}

#[doc(hidden)]
impl<C: Brand, S: EventState, K: EventKind> Event<C, S, K> {
    pub fn record<Q>(&self, _: Q) -> Result<Event<C, Recorded, K>, Error>
    where
        Self: RecordedByStreams,
    {
        <Self as RecordedByStreams>::never()
    }

    pub fn wait<Q>(&self, _: Q) -> Result<(), Error>
    where
        Self: WaitedForByStreams,
    {
        <Self as WaitedForByStreams>::never()
    }

    pub fn elapsed_time<E>(&self, _: E) -> Result<f32, Error>
    where
        Self: MeasuredFromTheStart,
    {
        <Self as MeasuredFromTheStart>::never()
    }

    pub fn query(&self) -> Result<bool, Error>
    where
        Self: AnswersIsComplete,
    {
        <Self as AnswersIsComplete>::never()
    }
}
