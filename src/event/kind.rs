//! The purpose of an event.

use super::{Event, Unrecorded};
use crate::brand::Brand;
use crate::current::Current;
use crate::error::Error;
use crate::life_cycle::leads;
use ascendcl_macros::rule;
use ascendcl_sys::constants::{ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_SYNC, ACL_EVENT_TIME_LINE};

/// The purpose of an event, which decides what can be done with it. The host can wait for events of every kind.
///
/// | kind | streams can wait for it | it has a time |
/// | --- | --- | --- |
/// | [`AllPurpose`] | yes | yes |
/// | [`Timing`] | no | yes |
/// | [`Waiting`] | yes | no |
/// | [`Progress`] | no | no |
///
/// An event that can do less costs the device less.
pub trait EventKind: sealed::Sealed + 'static {}

/// Streams can wait for events of this kind.
#[diagnostic::on_unimplemented(
    message = "a stream cannot wait for an event of kind `{Self}`",
    label = "this event is not made for streams to wait for",
    note = "EVENT-02: without the flag ACL_EVENT_SYNC the library refuses the wait",
    note = "make the event by `current.event()?`, or by `current.event_for(Waiting)?`",
    note = "see `ascendcl-explain EVENT-02`"
)]
pub trait SyncKind: EventKind {}

/// Events of this kind have a time.
#[diagnostic::on_unimplemented(
    message = "an event of kind `{Self}` has no time",
    label = "this event is not made to measure times",
    note = "EVENT-04: the time between two events needs the flag ACL_EVENT_TIME_LINE on both",
    note = "make the event by `current.event()?`, or by `current.event_for(Timing)?`",
    note = "see `ascendcl-explain EVENT-04`"
)]
pub trait TimingKind: EventKind {}

/// An event for waits and times (`aclrtCreateEvent`). [`Current::event`] creates one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct AllPurpose;

/// An event for times only (`ACL_EVENT_TIME_LINE`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Timing;

/// An event for waits only (`ACL_EVENT_SYNC`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Waiting;

/// An event for the host only, which asks how far a stream has come (`ACL_EVENT_CAPTURE_STREAM_PROGRESS`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Progress;

impl EventKind for AllPurpose {}
impl SyncKind for AllPurpose {}
impl TimingKind for AllPurpose {}
impl EventKind for Timing {}
impl TimingKind for Timing {}
impl EventKind for Waiting {}
impl SyncKind for Waiting {}
impl EventKind for Progress {}

mod sealed {
    pub trait Sealed {
        /// As the library takes it; `None` for an event without flags.
        const FLAGS: Option<u32>;
    }
}

impl sealed::Sealed for AllPurpose {
    const FLAGS: Option<u32> = None;
}

impl sealed::Sealed for Timing {
    const FLAGS: Option<u32> = Some(ACL_EVENT_TIME_LINE);
}

impl sealed::Sealed for Waiting {
    const FLAGS: Option<u32> = Some(ACL_EVENT_SYNC);
}

impl sealed::Sealed for Progress {
    const FLAGS: Option<u32> = Some(ACL_EVENT_CAPTURE_STREAM_PROGRESS);
}

impl<C: Brand> Current<C> {
    /// Creates an event for one purpose (`aclrtCreateEventWithFlag`).
    ///
    /// ```
    /// use ascendcl::event::{Timing, Waiting};
    ///
    /// # ascendcl::run(ascendcl::Library::Simulator, |current| {
    /// let (first, second) = (current.stream()?, current.stream()?);
    /// let start = first.record(current, current.event_for(Timing)?)?;
    /// let work = first.set_bytes(current, current.device_buffer::<u8>(64)?, 1)?;
    /// let end = first.record(current, current.event_for(Timing)?)?;
    /// // The other stream continues after the work.
    /// let done = first.record(current, current.event_for(Waiting)?)?;
    /// let work = second.adopt_after(current, work, &done)?;
    /// work.wait(current)?;
    /// println!("{} ms", end.milliseconds_since(current, &start)?);
    /// # Ok::<_, ascendcl::Error>(())
    /// # })?;
    /// # Ok::<(), ascendcl::RunError<ascendcl::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`event`](Self::event); [`Error::MissingFunction`] on releases that lack the function.
    #[rule(EVENT_02, EVENT_04, EVENT_08)]
    pub fn event_for<K: EventKind>(&self, kind: K) -> Result<Event<C, Unrecorded, K>, Error> {
        leads!(event: Start --> Unrecorded : Create);
        let _ = kind;
        self.ledger().create_event_with(K::FLAGS).map(Event::of)
    }
}
