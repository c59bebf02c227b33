//! The records of events.

use crate::failure::{Answer, Failure};
use crate::machine::capture::Mark;
use crate::machine::recording::program;
use crate::machine::streams::stream::Stream;
use crate::machine::workers::point::Point;
use crate::machine::workers::served::Outcome;
use ascendcl_sys::error_codes::ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID;
use std::sync::{Arc, Weak};
use std::time::Instant;

/// The newest record.
#[derive(Clone)]
pub(super) enum Newest {
    Queued(Record),
    /// It is part of a capture, so it happens only in replays.
    Captured(Mark),
    /// A stream of a model instance does it, each time that the instance runs.
    InModel(Arc<program::Mark>),
}

/// A record that a stream works off.
#[derive(Clone)]
pub(super) struct Record {
    pub(super) point: Arc<Point>,
    pub(super) stream: Weak<Stream>,
    pub(super) position: u64,
}

impl Record {
    /// Somebody knows that it is over.
    pub(super) fn is_seen(&self) {
        if let Some(stream) = self.stream.upgrade() {
            stream.has_seen(self.position);
        }
    }

    /// When it ran. The library learns of the end of work only when somebody waits for it or asks for it.
    pub(super) fn time(&self) -> Answer<Instant> {
        let known = self.stream.upgrade().is_none_or(|stream| stream.is_seen(self.position));
        match self.point.outcome() {
            Some(Outcome::Reached(at)) if known => Ok(at),
            _ => {
                let text = "the event has not been reached yet, as far as is known; synchronise its stream first";
                Err(Failure::new(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, text))
            }
        }
    }
}
