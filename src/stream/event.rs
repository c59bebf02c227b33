//! Events on streams.

use super::StreamOps;
use crate::brand::Brand;
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::event::{CanRecord, CanWait, Event, EventKind, Recorded, SyncKind};
use crate::ffi::{NotRecorded, RawStream, cold_path};
use crate::life_cycle::leads;
use ascendcl_macros::rule;

impl<C: Brand> StreamOps<C> {
    /// Puts the event behind everything that is queued on this stream so far (`aclrtRecordEvent`). Recording again
    /// moves the event. Streams that wait for it already keep waiting for the earlier point (EVENT-09). For an event in
    /// a field there is [`record_again`](Self::record_again).
    ///
    /// # Errors
    ///
    /// Returns the event unchanged if the library refuses.
    #[rule(EVENT_07, EVENT_09)]
    #[inline]
    #[allow(clippy::type_complexity, reason = "the event, recorded or as it was")]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn record<T: CanRecord, K: EventKind>( // EVENT-07, EVENT-09: one of its own context, by value: `current.event()?`
        &self,
        current: &Current<C>,
        event: Event<C, T, K>,
    ) -> Result<Event<C, Recorded, K>, Failed<Event<C, T, K>>> {
        leads!(event: T, CanRecord => Recorded);
        match event.raw().record_at_once(current.here(), self.queue()) {
            Some(Ok(())) => Ok(event.into_recorded()),
            Some(Err(failed)) => not_recorded(self.queue(), failed, event),
            None => self.record_after_checks(current, event),
        }
    }

    /// As [`record`](Self::record), for a recorded event that a field or a list keeps.
    ///
    /// ```
    /// # use ascendcl::{Library, RunError, names};
    /// use ascendcl::event::{Event, Recorded};
    /// use ascendcl::{Current, Error, Stream};
    ///
    /// names!(Vision);
    ///
    /// struct Step {
    ///     stream: Stream<Vision>,
    ///     end: Event<Vision, Recorded>,
    /// }
    ///
    /// impl Step {
    ///     fn mark_end(&mut self, current: &Current<Vision>) -> Result<(), Error> {
    ///         self.stream.record_again(current, &mut self.end)
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library refuses. If it may have moved the event all the same, no work counts as covered
    /// by the event until it is recorded again.
    #[rule(EVENT_07, EVENT_09)]
    #[inline]
    pub fn record_again<K: EventKind>(
        &self,
        current: &Current<C>,
        event: &mut Event<C, Recorded, K>,
    ) -> Result<(), Error> {
        leads!(event: Recorded --> Recorded : Record);
        let (event, queue) = (event.raw(), self.queue());
        match event.record_at_once(current.here(), queue) {
            Some(Ok(())) => Ok(()),
            Some(Err(failed)) => Err(event.settle_record(queue, failed).into()),
            None => cold_path(move || event.record(current.here(), queue).map_err(Error::from)),
        }
    }

    #[cold]
    #[inline(never)]
    #[allow(clippy::type_complexity, reason = "the event, recorded or as it was")]
    fn record_after_checks<T: CanRecord, K: EventKind>(
        &self,
        current: &Current<C>,
        event: Event<C, T, K>,
    ) -> Result<Event<C, Recorded, K>, Failed<Event<C, T, K>>> {
        match event.raw().record(current.here(), self.queue()) {
            Ok(()) => Ok(event.into_recorded()),
            Err(error) => Err(Failed::boxed(error, event)),
        }
    }

    /// Makes all work that is queued on this stream from now on wait for the event (`aclrtStreamWaitEvent`). So this work
    /// runs after the work that the event covers on another stream (STREAM-04).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library refuses.
    #[rule(STREAM_04, EVENT_02, EVENT_05, EVENT_07)]
    #[inline]
    #[rustfmt::skip] // The compiler's messages print the first line.
    pub fn wait_for<T: CanWait, K: SyncKind>( // EVENT-07: for an event of the stream's own context: `current.event()?`
        &self,
        current: &Current<C>,
        event: &Event<C, T, K>,
    ) -> Result<(), Error> {
        match event.raw().make_wait_at_once(current.here(), self.queue()) {
            Some(Ok(_)) => Ok(()),
            failed => cold_path(move || {
                let waits = match failed {
                    Some(failed) => failed,
                    None => event.raw().make_wait(current.here(), self.queue()),
                };
                waits.map(|_| ()).map_err(Error::from)
            }),
        }
    }
}

/// Settles a record that failed.
#[cold]
#[inline(never)]
fn not_recorded<C: Brand, T: CanRecord, K: EventKind>(
    queue: &RawStream,
    failed: NotRecorded,
    event: Event<C, T, K>,
) -> Result<Event<C, Recorded, K>, Failed<Event<C, T, K>>> {
    Err(Failed::boxed(event.raw().settle_record(queue, failed), event))
}
