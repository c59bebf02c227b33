//! Order between streams, by events.

use super::future::event_behind;
use super::payload::Payload;
use super::{Pending, StreamOps};
use crate::brand::{Brand, INSIDE};
use crate::current::Current;
use crate::error::{Error, Failed};
use crate::event::{CanWait, Event, SyncKind};
use crate::ffi::RawStream;
use ascendcl_macros::rule;
use std::sync::Arc;

impl<C: Brand> StreamOps<C> {
    /// Hands work in flight from its stream to this one: what is queued here from now on waits for the event
    /// (`aclrtStreamWaitEvent`), and may use what the work used.
    ///
    /// The event has to be recorded on the work's own stream, after the work. Then a wait for this stream also waits
    /// for the work. That wait reports a failure of the work if the work's own stream is idle by then, or if a wait for
    /// that stream got the failure. While that stream has more to do, the next wait for it gets the failure.
    ///
    /// # Errors
    ///
    /// Returns the work unchanged, with [`Error::NotCovered`] when the event does not come after it, or
    /// [`Error::Vendor`].
    #[rule(STREAM_04, ERR_02)]
    pub fn adopt_after<T: Payload, E: CanWait, K: SyncKind>(
        &self,
        current: &Current<C>,
        work: Pending<C, T>,
        event: &Event<C, E, K>,
    ) -> Result<Pending<C, T>, Failed<Pending<C, T>>> {
        let covered = event.raw().covers(work.queue(), work.number());
        let waits = match covered {
            false => Err(Error::NotCovered),
            true if event.raw().is_in_doubt() => self.wait_behind(current, work.queue()),
            true => event.raw().make_wait(current.here(), self.queue()).map_err(Error::from),
        };
        match waits {
            Ok(number) => {
                let mut work = work;
                work.in_flight().follow((work.queue().id(), work.number()), self.queue(), INSIDE);
                let past = work.past_of_other_streams();
                Ok(Pending::new(work.into_payload(), self.queue(), number).after(past))
            }
            Err(error) => Err(Failed { error, value: work }),
        }
    }

    /// Lets what is queued here from now on wait for everything that is queued on the other stream by now.
    fn wait_behind(&self, current: &Current<C>, other: &Arc<RawStream>) -> Result<u64, Error> {
        let event = event_behind(current, other)?;
        let waits = event.make_wait(current.here(), self.queue());
        other.spare(event);
        waits.map_err(Error::from)
    }

    /// As [`wait_for`](Self::wait_for), for an event of any context on the same device.
    ///
    /// While this call waits for room in the queue of this stream (STREAM-22), the event's context cannot end: its end returns
    /// [`Error::StillRunning`] when its limit has passed.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] for an event of another device, before anything is called; [`Error::Gone`] if the event's
    /// context has ended, or is about to end; or [`Error::Vendor`].
    #[rule(EVENT_07)]
    pub fn wait_across_contexts<E: CanWait, D: Brand, K: SyncKind>(
        &self,
        current: &Current<C>,
        event: &Event<D, E, K>,
    ) -> Result<(), Error> {
        let ledger = current.ledger();
        event.raw().make_wait_on(ledger.api(), ledger.device(), self.queue()).map(|_| ())
    }

    /// Whether everything that was queued is over, well or not (`aclrtStreamQuery`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library cannot tell.
    pub fn is_complete(&self, current: &Current<C>) -> Result<bool, Error> {
        self.queue().is_complete(current.ledger().api())
    }
}
