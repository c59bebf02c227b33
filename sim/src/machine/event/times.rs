//! The times of events: when they were reached, and how long it was between two.

use super::Event;
use super::record::{Newest, Record};
use crate::failure::{Answer, Failure};
use crate::locks::lock;
use ascendcl_sys::error_codes::ACL_ERROR_RT_INTERNAL_ERROR;
use std::sync::OnceLock;
use std::time::Instant;

impl Event {
    /// When the newest record ran.
    pub(crate) fn time(&self) -> Answer<Instant> {
        self.recorded()?.time()
    }

    /// The seconds between `start` and this event; negative if this event was reached first.
    pub(crate) fn since(&self, start: &Self) -> Answer<f32> {
        // Both have to be recorded before either is asked whether it has been reached.
        let (start, end) = (start.recorded()?, self.recorded()?);
        let (start, end) = (start.time()?, end.time()?);
        Ok(match end.checked_duration_since(start) {
            Some(later) => later.as_secs_f32(),
            None => -start.saturating_duration_since(end).as_secs_f32(),
        })
    }

    /// What is recorded in a capture that is under way has not happened (107028).
    pub(crate) fn refuse_captured(&self, what: &str) -> Answer {
        match &lock(&self.state).newest {
            Some(Newest::Captured(mark)) if !mark.is_over() => Err(mark.refuse(what)),
            _ => Ok(()),
        }
    }

    /// The newest record.
    fn recorded(&self) -> Answer<Record> {
        self.for_the_host()?;
        self.refuse_captured("asked for its time")?;
        match &lock(&self.state).newest {
            Some(Newest::Queued(record)) => Ok(record.clone()),
            _ => Err(Failure::new(ACL_ERROR_RT_INTERNAL_ERROR, "the event was never recorded")),
        }
    }
}

/// When the simulator's clock began.
static START: OnceLock<Instant> = OnceLock::new();

/// Microseconds since then.
pub(crate) fn clock(at: Instant) -> u64 {
    // One more, because an event's time is never 0.
    let start = *START.get_or_init(|| at);
    at.saturating_duration_since(start).as_micros() as u64 + 1
}

/// Starts the clock, unless it runs.
pub(super) fn begin_clock() {
    START.get_or_init(Instant::now);
}
