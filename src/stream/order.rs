//! Order between streams, by events.

use super::payload::Payload;
use super::{Pending, Tasks};
use crate::brand::INSIDE;
use crate::current::Current;
use crate::error::{Error, Undone};
use crate::event::{CanWait, Event};
use ascendcl_macros::rule;

impl<'c, N> Tasks<'c, N> {
    /// Hands work in flight from its stream to this one: what is queued here from now on waits for the event
    /// (`aclrtStreamWaitEvent`), and may use what the work used.
    ///
    /// The event has to be recorded on the work's own stream, after the work. A wait for this stream then covers the work;
    /// whether it failed is still said to a synchronise of its own stream.
    ///
    /// # Errors
    ///
    /// The work as it was: [`Error::NotCovered`] when the event does not come after it, or [`Error::Vendor`].
    #[rule(STREAM_04, ERR_02)]
    pub fn take_over<T: Payload, E: CanWait>(
        &self,
        current: &Current<'c, N>,
        work: Pending<'c, T, N>,
        event: &Event<'c, E, N>,
    ) -> Result<Pending<'c, T, N>, Undone<Pending<'c, T, N>>> {
        let covered = event.raw().covers(work.queue(), work.number());
        let waits = if covered { self.wait_for(current, event) } else { Err(Error::NotCovered) };
        match waits {
            Ok(()) => {
                work.in_flight().follow(self.queue(), INSIDE);
                Ok(Pending::new(work.into_payload(), self.queue()))
            }
            Err(error) => Err(Undone { error, value: work }),
        }
    }

    /// As [`wait_for`](Self::wait_for), for an event of any context on the same device.
    ///
    /// # Errors
    ///
    /// [`Error::OtherDevice`] for an event of another device, before anything is called; or [`Error::Vendor`].
    #[rule(EVENT_07)]
    pub fn wait_across_contexts<E: CanWait, M>(
        &self,
        current: &Current<'c, N>,
        event: &Event<'_, E, M>,
    ) -> Result<(), Error> {
        let ledger = current.ledger();
        event.raw().hold_up_on(ledger.api(), ledger.device(), self.queue())
    }

    /// Whether everything that was queued is over, well or not (`aclrtStreamQuery`).
    ///
    /// # Errors
    ///
    /// [`Error::Vendor`] when the library cannot tell.
    pub fn is_done(&self, current: &Current<'c, N>) -> Result<bool, Error> {
        self.queue().is_complete(current.ledger().api())
    }
}
